/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Units of a file into one code map, by several threads: each takes the next few that nobody has,
 * into a builder of its own. */
#include <pthread.h>
#include <stdlib.h>

#include "code_map.h"
#include "dwarf_unit.h"

/* Units taken at once. They differ a hundredfold in size: few, so that all threads end together. */
#define UNITS_TAKEN 4
#define THREADS_MAX 64
#define WHAT "reading debug information"

struct build {
	const struct sm_progress *progress;
	const struct code_request *requests; /* NULL = all of each unit */
	size_t nunits;
	size_t next; /* atomic: the first that nobody has; as is `done` */
	size_t done;
	bool stop; /* atomic */
};

struct worker {
	struct build *build;
	struct code_builder *builder;
	struct sm_error *err;
	size_t bad;
	pthread_t thread;
};

static struct sm_error *add_units(struct worker *w, size_t first)
{
	struct build *b = w->build;
	size_t last = first + UNITS_TAKEN < b->nunits ? first + UNITS_TAKEN : b->nunits;

	for (size_t i = first; i < last; i++) {
		struct code_request all = {.unit = (uint32_t)i};
		const struct code_request *r = b->requests ? &b->requests[i] : &all;
		struct sm_error *err =
			sm_code_builder_add(w->builder, r->unit, r->wanted, r->nwanted, &w->bad);

		if (err)
			return err;
	}
	return NULL;
}

/* Only the caller's own thread may tick. */
static void work_on(struct worker *w, const struct sm_progress *progress)
{
	struct build *b = w->build;

	while (!__atomic_load_n(&b->stop, __ATOMIC_RELAXED)) {
		size_t first = __atomic_fetch_add(&b->next, UNITS_TAKEN, __ATOMIC_RELAXED), done;

		if (first >= b->nunits)
			break;
		w->err = add_units(w, first);
		if (w->err)
			__atomic_store_n(&b->stop, true, __ATOMIC_RELAXED);
		done = __atomic_add_fetch(&b->done, UNITS_TAKEN, __ATOMIC_RELAXED);
		sm_progress_tick(progress, WHAT, done < b->nunits ? done : b->nunits, b->nunits);
	}
}

static void *thread_main(void *arg)
{
	work_on(arg, NULL);
	return NULL;
}

static struct sm_error *run_workers(
	struct build *b, struct worker *workers, unsigned n, size_t *bad)
{
	struct sm_error *err = NULL;
	unsigned started;

	/* Where a thread can't be had, the others do its share. */
	for (started = 1; started < n; started++) {
		if (pthread_create(
			    &workers[started].thread, NULL, thread_main, &workers[started]) != 0)
			break;
	}
	work_on(&workers[0], b->progress);
	for (unsigned i = 1; i < started; i++)
		pthread_join(workers[i].thread, NULL);
	sm_progress_tick(b->progress, WHAT, b->nunits, b->nunits);
	for (unsigned i = 0; i < n; i++) {
		*bad += workers[i].bad;
		if (err)
			sm_error_free(workers[i].err);
		else
			err = workers[i].err;
	}
	return err;
}

struct sm_error *sm_code_map_read(struct dwarf *dwarf, const struct code_request *requests,
	size_t nrequests, unsigned threads, const struct sm_log *log,
	const struct sm_progress *progress, struct code_builder **builder, struct code_map *map)
{
	struct build build = {.progress = progress, .requests = requests, .nunits = nrequests};
	unsigned n = !threads ? 1 : threads > THREADS_MAX ? THREADS_MAX : threads;
	struct worker workers[THREADS_MAX] = {0};
	struct sm_error *err = NULL;
	size_t bad = 0;

	*builder = NULL;
	*map = (struct code_map){0};
	for (unsigned i = 0; i < n; i++) {
		workers[i].build = &build;
		workers[i].builder = sm_code_builder_new(dwarf, log);
		if (!workers[i].builder)
			err = sm_error_nomem();
	}
	if (!err)
		err = run_workers(&build, workers, n, &bad);
	if (bad && !err)
		sm_log(log, SM_WARN,
			"'%s': %zu of %zu units of the debug information make no sense "
			"and are left out",
			dwarf->main.obj->path, bad, nrequests);
	for (unsigned i = 1; i < n; i++) {
		if (!err)
			err = sm_code_builder_merge(workers[0].builder, workers[i].builder);
		sm_code_builder_free(workers[i].builder);
	}
	if (!err)
		err = sm_code_builder_finish(workers[0].builder, map);
	if (err)
		sm_code_builder_free(workers[0].builder);
	else
		*builder = workers[0].builder;
	return err;
}
