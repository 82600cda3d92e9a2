/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The members of a trace.dat's buffers: pages, stats and clock of each. */
#include "dat.h"

#include <stdio.h>
#include <stdlib.h>

static bool has_pages(const struct dat_buffer *b)
{
	for (size_t i = 0; i < b->n; i++)
		if (b->cpus[i].size)
			return true;
	return false;
}

/* A member's name up to the slash before what lies in the buffer's directory. */
#define FOLDER SM_TRACING "%s%s"
static const char *folder_of(const char *buffer)
{
	return *buffer ? "/instances/" : "";
}

static struct sm_error *place_text(struct dat *d, const struct dat_buffer *b)
{
	struct dat_place place = {.store = DAT_FILE, .offset = b->offset};

	if (b->packed) {
		place.store = DAT_CHUNKS;
		place.packed = b->text_size;
	}
	return sm_dat_add(d, &place, b->packed ? 0 : b->text_size, FOLDER "/trace",
		folder_of(b->name), b->name);
}

static struct sm_error *place_cpu(
	struct dat *d, const struct dat_buffer *b, const struct dat_cpu *cpu)
{
	struct dat_place place = {.store = DAT_FILE, .offset = cpu->offset};
	struct sm_error *err;

	if (cpu->cpu >= DAT_CPUS_MAX || cpu->size > INT64_MAX || cpu->offset > INT64_MAX)
		return sm_dat_note(d,
			sm_error_new(SM_E_FORMAT, d->src->path, "CPU's pages make no sense",
				"CPU %u, %llu bytes at byte %llu; they are left unread", cpu->cpu,
				(unsigned long long)cpu->size, (unsigned long long)cpu->offset));
	if (b->packed && cpu->size) {
		place.store = DAT_CHUNKS;
		place.packed = cpu->size;
	}
	err = sm_dat_add(d, &place, place.packed ? 0 : cpu->size,
		FOLDER "/per_cpu/cpu%u/trace_pipe_raw", folder_of(b->name), b->name, cpu->cpu);
	if (err || !cpu->size || cpu->offset + cpu->size <= d->src->size)
		return err;
	return sm_dat_note(
		d, sm_error_at(SM_E_TRUNCATED, d->src->path, d->src->size, "trace.dat cut short",
			   "it lacks %llu bytes of CPU %u's pages",
			   (unsigned long long)(cpu->offset + cpu->size -
						(cpu->offset < d->src->size ? d->src->size
									    : cpu->offset)),
			   cpu->cpu));
}

static bool has_cpu(const struct dat_buffer *b, uint32_t cpu)
{
	for (size_t i = 0; i < b->n; i++)
		if (b->cpus[i].cpu == cpu)
			return true;
	return false;
}

/* CPUs whose stats are all that is known had no pages. */
static struct sm_error *place_idle_cpus(struct dat *d, const struct dat_buffer *b)
{
	struct sm_error *err = NULL;

	for (size_t i = 0; !err && i < d->nstats; i++) {
		const struct dat_cpu cpu = {.cpu = d->stats[i].cpu};

		if (!strcmp(d->stats[i].buffer, b->name) && !has_cpu(b, cpu.cpu))
			err = place_cpu(d, b, &cpu);
	}
	return err;
}

static struct sm_error *place_clock(struct dat *d, const struct dat_buffer *b)
{
	struct sm_buf line = {0};
	struct sm_error *err;
	const char *text = NULL;

	if (!*b->name && d->facts.clocks)
		return sm_dat_add_text(
			d, d->facts.clocks, strlen(d->facts.clocks), SM_TRACING "/trace_clock");
	if (!b->clock || !*b->clock)
		return NULL;
	sm_buf_addf(&line, "[%s]\n", b->clock);
	if (!line.failed)
		text = sm_arena_strndup(&d->arena, line.data, line.len);
	err = text ? sm_dat_add_text(
			     d, text, line.len, FOLDER "/trace_clock", folder_of(b->name), b->name)
		   : sm_error_nomem();
	sm_buf_release(&line);
	return err;
}

static struct sm_error *place_stats(struct dat *d)
{
	struct sm_error *err = NULL;

	for (size_t i = 0; !err && i < d->nstats; i++) {
		const struct dat_stats *s = &d->stats[i];

		if (!*s->buffer || sm_dat_name_valid(s->buffer))
			err = sm_dat_add_text(d, s->text, strlen(s->text),
				FOLDER "/per_cpu/cpu%u/stats", folder_of(s->buffer), s->buffer,
				s->cpu);
	}
	return err;
}

/* A number after `key` in the line of header_page that is about the data; 0 where it isn't there.
 */
static const char *find_number(const char *header_page, const char *key, uint64_t *v)
{
	const char *line = header_page ? strstr(header_page, " data;") : NULL;
	const char *p = line ? strstr(line, key) : NULL;

	if (!p || memchr(line, '\n', (size_t)(p - line)))
		return NULL;
	p += strlen(key);
	*v = strtoull(p, NULL, 10);
	return p;
}

/* Where an instance's sub-buffers have another size than the top level's, it has a header_page of
 * its own. Early writers say the machine's page size for all, so that says nothing. */
static struct sm_error *place_layout(struct dat *d, const struct dat_buffer *b)
{
	uint64_t offset, size;
	const char *offset_at = find_number(d->header_page, "offset:", &offset);
	const char *size_at = find_number(d->header_page, "size:", &size);
	struct sm_buf text = {0};
	struct sm_error *err;
	const char *copy = NULL;

	if (!b->page_size || b->page_size == d->page_size || !offset_at || !size_at ||
		offset >= b->page_size || b->page_size == offset + size)
		return NULL;
	sm_buf_add(&text, d->header_page, (size_t)(size_at - d->header_page));
	sm_buf_addf(&text, "%llu%s", (unsigned long long)(b->page_size - offset),
		size_at + strspn(size_at, "0123456789"));
	if (!text.failed)
		copy = sm_arena_strndup(&d->arena, text.data, text.len);
	err = copy ? sm_dat_add_text(d, copy, text.len, FOLDER "/events/header_page",
			     folder_of(b->name), b->name)
		   : sm_error_nomem();
	sm_buf_release(&text);
	return err;
}

struct sm_error *sm_dat_place_buffers(struct dat *d)
{
	struct sm_error *err = NULL;
	bool any = false;

	for (size_t i = 0; i < d->nbuffers; i++)
		any |= has_pages(&d->buffers[i]);
	for (size_t i = 0; !err && i < d->nbuffers; i++) {
		const struct dat_buffer *b = &d->buffers[i];

		err = place_clock(d, b);
		if (!err)
			err = place_layout(d, b);
		if (!err && b->text) {
			err = place_text(d, b);
			continue;
		}
		/* A buffer that nothing was recorded into isn't the one that is meant. */
		if (any && !has_pages(b))
			continue;
		for (size_t k = 0; !err && k < b->n; k++)
			err = place_cpu(d, b, &b->cpus[k]);
		if (!err)
			err = place_idle_cpus(d, b);
	}
	return err ? err : place_stats(d);
}
