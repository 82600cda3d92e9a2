/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pages of a version 7 buffer whose table is lost: it lies behind the pages, so a file that was cut
 * short doesn't have it. Compressed pages can be found without it: each CPU's are a number of
 * chunks that say how long they are, and begin at a page of the file. Which CPUs those are, the
 * stats tell. Pages that aren't compressed don't show where one CPU's end.
 */
#include "dat.h"

#include <stdio.h>
#include <stdlib.h>

#define CHUNK_MAX (64u << 20)

/* The end of a CPU's chunks that begin at `at`, at most `end`; 0 where there are none. */
static struct sm_error *find_end(struct dat *d, uint64_t at, uint64_t end, uint64_t *out)
{
	struct dat_reader r;
	struct sm_error *err;
	uint32_t n, i = 0;

	*out = 0;
	sm_dat_reader_init(&r, d, at, end);
	err = sm_dat_u32(&r, "chunks", &n);
	for (; !err && i < n; i++) {
		uint32_t packed, size;

		err = sm_dat_u32(&r, "chunk", &packed);
		if (!err)
			err = sm_dat_u32(&r, "chunk", &size);
		if (!err && (!packed || !size || packed > CHUNK_MAX || size > CHUNK_MAX)) {
			sm_dat_reader_release(&r);
			return NULL;
		}
		if (!err)
			err = sm_dat_skip(&r, "chunk", packed);
	}
	if (!err && n)
		*out = r.pos;
	else if (err && err->code == SM_E_TRUNCATED && i)
		*out = r.end;
	sm_dat_reader_release(&r);
	if (err && err->code == SM_E_TRUNCATED) {
		sm_error_free(err);
		return NULL;
	}
	return err;
}

/* Whose the pages are: the `index`-th of the buffers that have stats, in their order. */
static const char *find_name(const struct dat *d, unsigned index)
{
	const char *last = NULL;
	unsigned n = 0;

	for (size_t i = 0; i < d->nstats; i++) {
		const char *name = d->stats[i].buffer;

		if (last && !strcmp(last, name))
			continue;
		if (n++ == index)
			return !*name || sm_dat_name_valid(name) ? name : NULL;
		last = name;
	}
	return index ? NULL : "";
}

static bool had_events(const char *stats)
{
	static const char *const keys[] = {"entries: ", "read events: "};

	for (size_t i = 0; i < SM_ARRAY_SIZE(keys); i++) {
		const char *p = strstr(stats, keys[i]);

		if (p && strtoull(p + strlen(keys[i]), NULL, 10))
			return true;
	}
	return false;
}

/* The CPU that the `index`-th run of pages is of. */
static uint32_t find_cpu(const struct dat *d, const char *buffer, unsigned index)
{
	unsigned n = 0;

	for (size_t i = 0; i < d->nstats; i++)
		if (!strcmp(d->stats[i].buffer, buffer) && had_events(d->stats[i].text) &&
			n++ == index)
			return d->stats[i].cpu;
	return index;
}

struct sm_error *sm_dat_recover_buffer(
	struct dat *d, uint64_t start, uint64_t data, uint64_t size, bool packed, unsigned index)
{
	uint64_t align = d->page_size ? d->page_size : 4096, end = d->src->size, at;
	const char *name = find_name(d, index);
	struct dat_buffer *b;
	size_t cap = 0;
	struct dat_cpu *cpus = NULL;
	struct sm_error *err = NULL;
	size_t n = 0;

	if (!packed || d->packing == PACKING_NONE || !name)
		return sm_error_at(SM_E_TRUNCATED, d->src->path, start, "pages left unread",
			"the table of their CPUs is lost");
	if (size < end - data)
		end = data + size;
	for (at = (data + align - 1) / align * align; at < end; n++) {
		uint64_t to;

		err = find_end(d, at, end, &to);
		if (err || !to)
			break;
		if (!sm_grow(&cpus, &cap, n + 1, sizeof(*cpus))) {
			err = sm_error_nomem();
			break;
		}
		cpus[n] = (struct dat_cpu){
			.cpu = find_cpu(d, name, (unsigned)n), .offset = at, .size = to - at};
		at = (to + align - 1) / align * align;
	}
	b = err || !n ? NULL : sm_dat_buffer_new(d, name);
	if (b) {
		b->offset = start;
		b->packed = true;
		b->n = n;
		b->cpus = sm_arena_alloc(&d->arena, n * sizeof(*cpus));
		if (b->cpus)
			memcpy(b->cpus, cpus, n * sizeof(*cpus));
	}
	if (!err && n && (!b || !b->cpus))
		err = sm_error_nomem();
	free(cpus);
	return err;
}
