/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "merge_inputs.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include <smtool/record.h>

#define MAX_THREADS 64

void merge_inputs_release(struct merge_inputs *in)
{
	for (size_t i = 0; i < in->n; i++)
		free(in->paths[i]);
	free(in->paths);
}

static struct sm_error *add(struct merge_inputs *in, const char *path)
{
	if (!sm_grow(&in->paths, &in->cap, in->n + 1, sizeof(*in->paths)))
		return sm_error_nomem();
	in->paths[in->n] = strdup(path);
	return in->paths[in->n++] ? NULL : sm_error_nomem();
}

static struct sm_error *add_listed(struct merge_inputs *in, const char *list)
{
	bool standard = strcmp(list, "-") == 0;
	FILE *f = standard ? stdin : fopen(list, "re");
	struct sm_error *err = NULL;
	size_t cap = 0;
	char *line = NULL;
	ssize_t n;

	if (!f)
		return sm_error_errno(errno, list, "cannot open", NULL);
	errno = 0;
	while (!err && (n = getline(&line, &cap, f)) >= 0) {
		if (n && line[n - 1] == '\n')
			line[--n] = '\0';
		if (strlen(line) != (size_t)n)
			err = sm_error_new(SM_E_FORMAT, list, "not a list of paths",
				"it has a NUL byte; want a path a line");
		else if (n)
			err = add(in, line);
	}
	if (!err && ferror(f))
		err = sm_error_errno(errno, list, "cannot read", NULL);
	free(line);
	if (!standard)
		fclose(f);
	return err;
}

static size_t folder_len(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? (size_t)(slash - path) : 0;
}

static int compare_folders(const void *a, const void *b)
{
	const char *x = *(char *const *)a, *y = *(char *const *)b;
	size_t nx = folder_len(x), ny = folder_len(y);
	int c = memcmp(x, y, nx < ny ? nx : ny);

	if (c || nx != ny)
		return c ? c : nx < ny ? -1 : 1;
	return strcmp(x, y);
}

struct sm_error *merge_inputs_gather(
	struct merge_inputs *in, int argc, char **argv, const char *list, bool by_dir)
{
	struct sm_error *err = NULL;

	in->by_dir = by_dir;
	for (int i = 0; !err && i < argc; i++)
		err = add(in, argv[i]);
	if (!err && list)
		err = add_listed(in, list);
	if (!err && !in->n)
		err = sm_error_new(SM_E_USAGE, NULL, "nothing to merge",
			"name captures, or a file that lists them with --inputs");
	if (!err && by_dir)
		qsort(in->paths, in->n, sizeof(*in->paths), compare_folders);
	return err;
}

/* What came of an input. */
struct outcome {
	bool done;
	struct sm_error *failed; /* it is left out */
	struct sm_error *damage; /* a part of it is */
};

struct work {
	struct merge_inputs *in;
	struct cli *cli;
	const struct selection *selection;
	struct sm_merge *merge;
	bool several; /* threads; each then reads an input alone */
	pthread_mutex_t lock;
	size_t next, done;
	struct outcome *outcomes; /* by input: told in that order, whichever thread is fastest */
	size_t told;
	struct sm_error *fatal, *first; /* the first input's that failed, to be said if all did */
	struct sm_strings boots;
	size_t again; /* inputs from a boot that was there already */
};

/* A metric by which no row is left out: one that all rows of the profile have. */
static enum sm_metric metric_of(const struct sm_profile *p)
{
	static const enum sm_metric CHOICE[] = {SM_M_COUNT, SM_M_LIVE_BYTES, SM_M_REF_COUNT};

	for (size_t i = 0; i < SM_ARRAY_SIZE(CHOICE); i++)
		if (p->known & (1u << CHOICE[i]))
			return CHOICE[i];
	return SM_M_REF_COUNT;
}

/* What is known of all inputs once one more is merged. */
static void note_input(struct work *w, const char *boot_id)
{
	size_t known;

	pthread_mutex_lock(&w->lock);
	known = w->boots.n;
	/* Memory that is short costs the warning. */
	if (boot_id && sm_strings_add(&w->boots, boot_id, strlen(boot_id)) != SM_NO_STRING)
		w->again += w->boots.n == known;
	pthread_mutex_unlock(&w->lock);
}

static struct sm_error *read_input(struct work *w, const char *path,
	struct sm_merge_machine *machine, struct sm_error **damage)
{
	struct sm_profile_opts opts = w->selection->profile;
	struct sm_table_opts shown = w->selection->table;
	struct input in = {.among_many = w->several};
	struct sm_profile *profile = NULL;
	struct sm_table *table = NULL;
	struct sm_error *err;

	err = input_open(&in, w->cli, path, w->cli->selection.instance, INPUT_ALL);
	if (w->several)
		opts.threads = 1;
	if (!err)
		err = sm_profile_build(in.trace, &opts, &profile);
	if (!err) {
		shown.by = metric_of(profile);
		shown.limit = 0;
		shown.every_row = true;
		err = sm_table_build(profile, in.syms, &shown, &table);
	}
	if (!err)
		err = sm_merge_add(machine, table);
	if (!err) {
		note_input(w, in.trace->boot_id);
		*damage = input_damage(&in);
	}
	sm_table_free(table);
	sm_profile_free(profile);
	input_close(&in, w->cli);
	return err;
}

/* With the lock held. */
static void tell_outcome(struct work *w, struct outcome *o)
{
	struct sm_error *err = o->failed;

	w->in->partial += o->damage != NULL;
	sm_log_error(&w->cli->log, SM_WARN, o->damage, ": what is sound is merged");
	o->damage = NULL;
	if (!err)
		return;
	o->failed = NULL;
	w->in->failed++;
	if (!w->first)
		w->first = sm_error_copy(err);
	/* Said at the end, if it is the only thing there is to say. */
	if (w->in->n == 1)
		sm_error_free(err);
	else
		sm_log_error(&w->cli->log, SM_WARN, err, ": left out");
}

/* Says what came of the inputs from `at` on, and of those behind them that waited for it. */
static void tell_outcomes(struct work *w, size_t at, size_t n)
{
	pthread_mutex_lock(&w->lock);
	for (size_t i = at; i < at + n; i++) {
		struct outcome *o = &w->outcomes[i];

		o->done = true;
		if (o->failed && o->failed->code == SM_E_NOMEM && !w->fatal)
			w->fatal = sm_error_copy(o->failed);
	}
	for (; w->told < w->in->n && w->outcomes[w->told].done; w->told++)
		tell_outcome(w, &w->outcomes[w->told]);
	pthread_mutex_unlock(&w->lock);
}

/* The next machine's inputs: from *at, so many. */
static size_t take_machine(struct work *w, size_t *at)
{
	const struct merge_inputs *in = w->in;
	size_t n = 0;

	pthread_mutex_lock(&w->lock);
	*at = w->next;
	if (!w->fatal && w->next < in->n) {
		const char *first = in->paths[w->next];

		do
			n++;
		while (in->by_dir && w->next + n < in->n &&
			folder_len(first) == folder_len(in->paths[w->next + n]) &&
			memcmp(first, in->paths[w->next + n], folder_len(first)) == 0);
		w->next += n;
	}
	pthread_mutex_unlock(&w->lock);
	return n;
}

/* False when there are no more. */
static bool merge_machine(struct work *w)
{
	struct sm_merge_machine *machine;
	struct sm_error *err;
	size_t at, n, done;

	n = take_machine(w, &at);
	if (!n)
		return false;
	err = sm_merge_machine_new(w->merge, &machine);
	for (size_t i = 0; !err && i < n; i++) {
		struct outcome *o = &w->outcomes[at + i];

		o->failed = read_input(w, w->in->paths[at + i], machine, &o->damage);
	}
	tell_outcomes(w, at, n);
	if (!err)
		err = sm_merge_machine_end(machine);
	pthread_mutex_lock(&w->lock);
	if (err && !w->fatal)
		w->fatal = err;
	else
		sm_error_free(err);
	w->done += n;
	done = w->done;
	pthread_mutex_unlock(&w->lock);
	sm_progress_tick(&w->cli->progress, "merging", done, w->in->n);
	return true;
}

static void *work(void *arg)
{
	while (merge_machine(arg))
		;
	return NULL;
}

/* The first inputs alone, up to one that settles what the others must know: whichever thread is
 * fastest must not. */
static void settle(struct work *w)
{
	struct sm_merge_totals totals;

	do
		sm_merge_totals(w->merge, &totals);
	while (totals.spread_of == SM_M_NR && merge_machine(w));
}

/* By so many threads; fewer if they can't be had. */
static void run_threads(struct work *w, size_t n)
{
	pthread_t threads[MAX_THREADS];
	size_t started = 0;

	while (started + 1 < n && started < MAX_THREADS &&
		pthread_create(&threads[started], NULL, work, w) == 0)
		started++;
	work(w);
	for (size_t i = 0; i < started; i++)
		pthread_join(threads[i], NULL);
}

struct sm_error *merge_inputs_read(struct merge_inputs *in, struct cli *cli,
	const struct selection *selection, struct sm_merge *m)
{
	struct work w = {.in = in, .cli = cli, .selection = selection, .merge = m};
	size_t threads = cli->input.threads < in->n ? (size_t)cli->input.threads : in->n;
	struct sm_symbols_opts symbols;
	struct sm_error *err;

	/* Where indexes are is found out now, by one thread. */
	err = input_symbols_opts(cli, &symbols);
	if (err)
		return err;
	w.several = threads > 1;
	w.outcomes = calloc(in->n + 1, sizeof(*w.outcomes));
	if (!w.outcomes)
		return sm_error_nomem();
	pthread_mutex_init(&w.lock, NULL);
	settle(&w);
	run_threads(&w, threads);
	pthread_mutex_destroy(&w.lock);
	sm_strings_release(&w.boots);
	free(w.outcomes);
	if (w.again && !in->by_dir)
		sm_log(&cli->log, SM_WARN,
			"%zu input%s from a boot that another is from: each counts as a machine; "
			"--machine dir adds up those of a directory",
			w.again, w.again == 1 ? " is" : "s are");
	err = w.fatal;
	if (!err && in->failed == in->n) {
		err = w.first;
		w.first = NULL;
	}
	sm_error_free(w.first);
	if (!err && in->failed)
		cli_partial(cli,
			sm_error_new(SM_E_TRUNCATED, NULL, "inputs left out",
				"%zu of %zu: merged is what could be read", in->failed, in->n));
	else if (!err && in->partial)
		cli_partial(
			cli, sm_error_new(SM_E_TRUNCATED, NULL, "damaged inputs",
				     "%zu of %zu: merged is what is sound", in->partial, in->n));
	return err;
}
