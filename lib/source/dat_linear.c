/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trace.dat of version 6: everything one after the other, then options, then for each buffer a
 * table of where each CPU's pages are.
 */
#include "dat.h"

#include <stdlib.h>

#define KIND_LEN 10 /* "options  ", "latency  ", "flyrecord", each with its NUL */

static struct sm_error *read_kind(struct dat_reader *r, char kind[KIND_LEN])
{
	const uint8_t *p;
	struct sm_error *err = sm_dat_take(r, "kind of data", KIND_LEN, &p);

	if (!err)
		memcpy(kind, p, KIND_LEN);
	return err;
}

static bool is_kind(const char kind[KIND_LEN], const char *word)
{
	return !strncmp(kind, word, strlen(word));
}

/* The clock of a buffer: "[local]", with 8 bytes of length before it. */
static struct sm_error *read_clock(struct dat *d, struct dat_reader *r, struct dat_buffer *b)
{
	struct sm_error *err;
	uint64_t size;
	char *text;

	err = sm_dat_u64(r, "trace clock", &size);
	if (!err && size > DAT_WINDOW)
		err = sm_dat_fault(
			r, SM_E_FORMAT, "trace clock", "%llu bytes long", (unsigned long long)size);
	if (!err)
		err = sm_dat_text(r, "trace clock", size, &text);
	if (err)
		return sm_dat_note(d, err); /* known to be missing in files of old */
	if (size > 2 && text[0] == '[' && text[size - 1] == ']') {
		text[size - 1] = '\0';
		b->clock = text + 1;
	}
	return NULL;
}

static struct sm_error *read_table(
	struct dat *d, struct dat_reader *r, struct dat_buffer *b, uint32_t n)
{
	struct sm_error *err = NULL;

	if (n > sm_dat_left(r) / 16) {
		err = sm_dat_fault(
			r, SM_E_TRUNCATED, "table of CPUs cut short", "%u CPUs should follow", n);
		n = (uint32_t)(sm_dat_left(r) / 16);
	}
	b->cpus = sm_arena_alloc(&d->arena, (n ? n : 1) * sizeof(*b->cpus));
	if (!b->cpus) {
		sm_error_free(err);
		return sm_error_nomem();
	}
	for (; !err && b->n < n; b->n++) {
		struct dat_cpu *cpu = &b->cpus[b->n];

		cpu->cpu = (uint32_t)b->n;
		err = sm_dat_u64(r, "table of CPUs", &cpu->offset);
		if (!err)
			err = sm_dat_u64(r, "table of CPUs", &cpu->size);
	}
	if (!err && d->facts.clocks)
		err = read_clock(d, r, b);
	return err;
}

static struct sm_error *read_data(
	struct dat *d, struct dat_reader *r, struct dat_buffer *b, const char *kind, uint32_t cpus)
{
	if (is_kind(kind, "flyrecord"))
		return read_table(d, r, b, cpus);
	if (!is_kind(kind, "latency"))
		return sm_dat_fault(
			r, SM_E_FORMAT, "kind of data", "neither 'flyrecord' nor 'latency'");
	b->text = true;
	b->offset = r->pos;
	b->text_size = sm_dat_left(r);
	return NULL;
}

static struct sm_error *read_buffers(struct dat *d, uint32_t cpus)
{
	/* The last is the top one, which has been read. */
	for (size_t i = 0; i + 1 < d->nbuffers; i++) {
		struct dat_buffer *b = &d->buffers[i];
		struct dat_reader r;
		struct sm_error *err;
		char kind[KIND_LEN];

		sm_dat_reader_init(&r, d, b->offset, UINT64_MAX);
		err = read_kind(&r, kind);
		if (!err)
			err = read_data(d, &r, b, kind, b->ncpus == UINT32_MAX ? cpus : b->ncpus);
		sm_dat_reader_release(&r);
		err = sm_dat_note(d, err);
		if (err)
			return err;
	}
	return NULL;
}

static struct sm_error *read_metadata(struct dat *d, struct dat_reader *r)
{
	struct sm_error *err = sm_dat_read_headers(d, r);

	if (!err)
		err = sm_dat_read_ftrace_events(d, r);
	if (!err)
		err = sm_dat_read_events(d, r);
	if (!err)
		err = sm_dat_read_text(d, r, 4, "proc/kallsyms", "proc/kallsyms");
	if (!err)
		err = sm_dat_read_text(d, r, 4, "printk_formats", SM_TRACING "/printk_formats");
	if (!err)
		err = sm_dat_read_text(d, r, 8, "saved_cmdlines", SM_TRACING "/saved_cmdlines");
	return err;
}

static struct sm_error *read_rest(struct dat *d, struct dat_reader *r)
{
	struct dat_buffer *top;
	struct sm_error *err;
	char kind[KIND_LEN];
	uint32_t cpus;
	uint64_t next;

	err = sm_dat_u32(r, "number of CPUs", &cpus);
	if (!err)
		err = read_kind(r, kind);
	if (!err && is_kind(kind, "options")) {
		err = sm_dat_read_options(d, r, &next);
		if (!err)
			err = read_kind(r, kind);
	}
	if (err)
		return err;
	if (d->facts.cpu_count)
		cpus = d->facts.cpu_count;
	top = sm_dat_buffer_new(d, "");
	if (!top)
		return sm_error_nomem();
	err = sm_dat_note(d, read_data(d, r, top, kind, cpus));
	return err ? err : read_buffers(d, cpus);
}

struct sm_error *sm_dat_read_linear(struct dat *d, uint64_t pos)
{
	struct dat_reader r;
	struct sm_error *err;

	sm_dat_reader_init(&r, d, pos, UINT64_MAX);
	err = read_metadata(d, &r);
	if (!err)
		err = read_rest(d, &r);
	sm_dat_reader_release(&r);
	return sm_dat_note(d, err);
}
