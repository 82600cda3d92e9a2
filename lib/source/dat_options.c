/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The options of a trace.dat: id, length, data. What is of no use here (hooks, maps of programs,
 * guests) is passed over, as is what nobody knows yet.
 */
#include "dat.h"

#include <stdio.h>
#include <stdlib.h>

#define OPTION_MAX (64u << 20)

enum option {
	OPTION_DONE = 0,
	OPTION_DATE = 1,
	OPTION_CPUSTAT = 2,
	OPTION_BUFFER = 3,
	OPTION_TRACECLOCK = 4,
	OPTION_UNAME = 5,
	OPTION_OFFSET = 7,
	OPTION_CPUCOUNT = 8,
	OPTION_VERSION = 9,
	OPTION_TRACEID = 11,
	OPTION_TIME_SHIFT = 12,
	OPTION_TSC2NSEC = 14,
	/* 16 to 21 say where the section of that number is */
	OPTION_BUFFER_TEXT = 22,
};

struct dat_buffer *sm_dat_buffer_new(struct dat *d, const char *name)
{
	struct dat_buffer *b;

	if (!sm_grow(&d->buffers, &d->buffers_cap, d->nbuffers + 1, sizeof(*d->buffers)))
		return NULL;
	b = &d->buffers[d->nbuffers++];
	*b = (struct dat_buffer){.name = name, .ncpus = UINT32_MAX};
	return b;
}

static struct sm_error *read_text(struct dat_reader *o, const char **out)
{
	char *text;
	struct sm_error *err = sm_dat_text(o, "option", sm_dat_left(o), &text);

	if (!err)
		*out = text;
	return err;
}

/* A number in words of any base, times `unit`, to be added to all times. */
static struct sm_error *read_time(struct dat *d, struct dat_reader *o, int64_t unit)
{
	const char *text;
	struct sm_error *err = read_text(o, &text);
	int64_t v;

	if (err)
		return err;
	if (__builtin_mul_overflow((int64_t)strtoll(text, NULL, 0), unit, &v) ||
		__builtin_add_overflow(d->facts.time_offset, v, &d->facts.time_offset))
		return sm_dat_note(d, sm_dat_fault(o, SM_E_FORMAT, "time offset out of range",
					      "times are given as they were recorded"));
	return NULL;
}

/* "\nBuffer: NAME\n\n" says whose stats follow, "CPU: N\n" and the file's text are those. */
static struct sm_error *read_stats(struct dat *d, struct dat_reader *o)
{
	static const char buffer[] = "\nBuffer: ";
	struct dat_stats *s;
	const char *text, *body;
	struct sm_error *err = read_text(o, &text);
	unsigned cpu;

	if (err)
		return err;
	if (!strncmp(text, buffer, sizeof(buffer) - 1)) {
		body = text + sizeof(buffer) - 1;
		d->stats_buffer = sm_arena_strndup(&d->arena, body, strcspn(body, "\n"));
		return d->stats_buffer ? NULL : sm_error_nomem();
	}
	body = strchr(text, '\n');
	if (sscanf(text, "CPU: %5u", &cpu) != 1 || !body || cpu > DAT_CPUS_MAX)
		return NULL;
	if (!sm_grow(&d->stats, &d->stats_cap, d->nstats + 1, sizeof(*d->stats)))
		return sm_error_nomem();
	s = &d->stats[d->nstats++];
	*s = (struct dat_stats){.buffer = d->stats_buffer, .cpu = cpu, .text = body + 1};
	return NULL;
}

/* The CPUs of a version 7 buffer, each 20 bytes. Early writers had no page size before them. */
static struct sm_error *read_cpus(struct dat *d, struct dat_reader *o, struct dat_buffer *b)
{
	uint64_t left = sm_dat_left(o);
	struct sm_error *err;
	uint32_t n, page_size = 0;

	err = sm_dat_u32(o, "buffer's number of CPUs", &n);
	if (!err && left != 4 + UINT64_C(20) * n) {
		page_size = n;
		err = sm_dat_u32(o, "buffer's number of CPUs", &n);
	}
	if (err)
		return err;
	b->page_size = page_size;
	if (n > sm_dat_left(o) / 20) {
		err = sm_dat_fault(o, SM_E_FORMAT, "buffer's table of CPUs cut short",
			"%u CPUs don't fit in it; those that do are read", n);
		n = (uint32_t)(sm_dat_left(o) / 20);
		err = sm_dat_note(d, err);
		if (err)
			return err;
	}
	b->cpus = sm_arena_alloc(&d->arena, (n ? n : 1) * sizeof(*b->cpus));
	if (!b->cpus)
		return sm_error_nomem();
	for (; b->n < n; b->n++) {
		struct dat_cpu *cpu = &b->cpus[b->n];

		err = sm_dat_u32(o, "buffer's CPU", &cpu->cpu);
		if (!err)
			err = sm_dat_u64(o, "buffer's CPU", &cpu->offset);
		if (!err)
			err = sm_dat_u64(o, "buffer's CPU", &cpu->size);
		if (err)
			return err;
	}
	return NULL;
}

static struct sm_error *read_buffer(struct dat *d, struct dat_reader *o, bool text)
{
	struct dat_buffer *b;
	struct sm_error *err;
	uint64_t offset;
	char *name = NULL, *clock = NULL;

	err = sm_dat_u64(o, "buffer's offset", &offset);
	if (!err && d->version < 7)
		err = sm_dat_text(o, "buffer's name", sm_dat_left(o), &name);
	else if (!err)
		err = sm_dat_string(o, "buffer's name", &name);
	if (!err && d->version >= 7)
		err = sm_dat_string(o, "buffer's clock", &clock);
	if (err)
		return err;
	if (*name && !sm_dat_name_valid(name))
		return sm_dat_note(d, sm_dat_fault(o, SM_E_FORMAT, "buffer without a usable name",
					      "its pages are left unread"));
	b = sm_dat_buffer_new(d, name);
	if (!b)
		return sm_error_nomem();
	b->offset = offset;
	b->clock = clock;
	b->text = text;
	return text || d->version < 7 ? NULL : read_cpus(d, o, b);
}

static struct sm_error *read_conversion(struct dat *d, struct dat_reader *o)
{
	uint32_t multiplier, shift;
	struct sm_error *err = sm_dat_u32(o, "tsc2nsec", &multiplier);

	if (!err)
		err = sm_dat_u32(o, "tsc2nsec", &shift);
	if (err)
		return err;
	if (shift >= 64)
		return sm_dat_note(
			d, sm_dat_fault(o, SM_E_FORMAT, "tsc2nsec makes no sense",
				   "a shift by %u; times are given as they were recorded", shift));
	d->facts.multiplier = multiplier;
	d->facts.shift = shift;
	return NULL;
}

static struct sm_error *read_count(struct dat *d, struct dat_reader *o, unsigned last)
{
	uint32_t n;
	struct sm_error *err = sm_dat_u32(o, "number of CPUs", &n);

	if (err)
		return err;
	/* After a buffer it is that buffer's. */
	if (d->version < 7 && last == OPTION_BUFFER && d->nbuffers)
		d->buffers[d->nbuffers - 1].ncpus = n;
	else
		d->facts.cpu_count = n;
	return NULL;
}

static struct sm_error *read_option(struct dat *d, struct dat_reader *o, unsigned id, unsigned last)
{
	switch (id) {
	case OPTION_DATE:
		return read_time(d, o, 1000);
	case OPTION_OFFSET:
		return read_time(d, o, 1);
	case OPTION_CPUSTAT:
		return read_stats(d, o);
	case OPTION_BUFFER:
	case OPTION_BUFFER_TEXT:
		return read_buffer(d, o, id == OPTION_BUFFER_TEXT);
	case OPTION_TRACECLOCK:
		return read_text(o, &d->facts.clocks);
	case OPTION_UNAME:
		return read_text(o, &d->facts.uname);
	case OPTION_VERSION:
		return read_text(o, &d->facts.recorder);
	case OPTION_CPUCOUNT:
		return read_count(d, o, last);
	case OPTION_TRACEID:
		d->facts.has_trace_id = true;
		return sm_dat_u64(o, "trace id", &d->facts.trace_id);
	case OPTION_TIME_SHIFT:
		sm_log(d->src->opts.log, SM_WARN,
			"'%s' is of a guest: its times are the guest's, not shifted to its host's",
			d->src->path);
		return NULL;
	case OPTION_TSC2NSEC:
		return read_conversion(d, o);
	case DAT_HEADERS ... DAT_CMDLINES:
		return sm_dat_u64(o, "section's offset", &d->sections[id]);
	default:
		return NULL;
	}
}

struct sm_error *sm_dat_read_options(struct dat *d, struct dat_reader *r, uint64_t *next)
{
	unsigned last = OPTION_DONE;
	struct sm_error *err;

	*next = 0;
	for (;;) {
		struct dat_reader option;
		uint16_t id;
		uint32_t size;

		err = sm_dat_u16(r, "option", &id);
		if (err || (id == OPTION_DONE && d->version < 7))
			return err;
		err = sm_dat_u32(r, "option", &size);
		if (err)
			return err;
		option = *r;
		err = sm_dat_skip(r, "option", size);
		if (err)
			return err;
		option.end = r->pos;
		option.window = NULL;
		option.window_len = 0;
		if (id == OPTION_DONE)
			err = sm_dat_u64(&option, "last option", next);
		else if (size > OPTION_MAX)
			err = sm_dat_fault(&option, SM_E_FORMAT, "option left out",
				"option %u of %u bytes makes no sense", id, size);
		else
			err = read_option(d, &option, id, last);
		sm_dat_reader_release(&option);
		/* An option that is too short costs itself. */
		if (err && id != OPTION_DONE)
			err = sm_dat_note(d, err);
		if (err || id == OPTION_DONE)
			return err;
		last = id;
	}
}
