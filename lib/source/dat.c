/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trace.dat, the file of trace-cmd, as a capture: its header, and the names of what is in it. */
#include "dat.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>

#define MAGIC_LEN 10

struct sm_error *sm_dat_note(struct dat *d, struct sm_error *err)
{
	if (!err || (err->code != SM_E_FORMAT && err->code != SM_E_TRUNCATED))
		return err;
	if (d->src->damage)
		sm_log_error(d->src->opts.log, SM_WARN, err, "");
	else
		d->src->damage = err;
	return NULL;
}

bool sm_dat_name_valid(const char *name)
{
	return sm_names_valid(name) && !strchr(name, '/');
}

static struct sm_error *add(
	struct dat *d, const struct dat_place *place, uint64_t size, const char *name)
{
	struct member m = {.offset = d->nplaces, .size = size};

	if (!sm_grow(&d->places, &d->places_cap, d->nplaces + 1, sizeof(*d->places)))
		return sm_error_nomem();
	d->places[d->nplaces++] = *place;
	return sm_members_add(&d->src->members, name, &m) ? NULL : sm_error_nomem();
}

static struct sm_error *add_named(
	struct dat *d, const struct dat_place *place, uint64_t size, const char *fmt, va_list ap)
{
	struct sm_buf name = {0};
	struct sm_error *err;

	sm_buf_vaddf(&name, fmt, ap);
	err = name.failed ? sm_error_nomem() : add(d, place, size, name.data);
	sm_buf_release(&name);
	return err;
}

struct sm_error *sm_dat_add(
	struct dat *d, const struct dat_place *place, uint64_t size, const char *fmt, ...)
{
	struct sm_error *err;
	va_list ap;

	va_start(ap, fmt);
	err = add_named(d, place, size, fmt, ap);
	va_end(ap);
	return err;
}

struct sm_error *sm_dat_add_text(struct dat *d, const char *text, size_t len, const char *fmt, ...)
{
	const struct dat_place place = {.store = DAT_MEMORY, .data = (const uint8_t *)text};
	struct sm_error *err;
	va_list ap;

	va_start(ap, fmt);
	err = add_named(d, &place, len, fmt, ap);
	va_end(ap);
	return err;
}

static struct sm_error *unsupported(const struct dat *d, const char *what, const char *text)
{
	return sm_error_new(SM_E_UNSUPPORTED, d->src->path, what,
		"'%s'; have trace-cmd convert --file-version 7 --compression zstd write it again",
		text);
}

/* Version 7 names how it is compressed, and by which version of that. */
static struct sm_error *read_packing(struct dat *d, struct dat_reader *r)
{
	static const struct {
		const char *name;
		enum packing packing;
	} KNOWN[] = {{"none", PACKING_NONE}, {"zstd", PACKING_ZSTD}, {"zlib", PACKING_ZLIB}};
	char *name, *version;
	struct sm_error *err;

	err = sm_dat_string(r, "name of the compression", &name);
	if (!err)
		err = sm_dat_string(r, "version of the compression", &version);
	if (err)
		return err;
	for (size_t i = 0; i < SM_ARRAY_SIZE(KNOWN); i++) {
		if (strcmp(KNOWN[i].name, name))
			continue;
		d->packing = KNOWN[i].packing;
		return NULL;
	}
	return unsupported(d, "trace.dat with a compression that isn't known", name);
}

static struct sm_error *read_header(struct dat *d, struct dat_reader *r)
{
	const uint8_t *p;
	struct sm_error *err;
	char *version;

	err = sm_dat_skip(r, "header", MAGIC_LEN);
	if (!err)
		err = sm_dat_string(r, "header", &version);
	if (err)
		return err;
	d->version = !strcmp(version, "6") ? 6 : !strcmp(version, "7") ? 7 : 0;
	if (!d->version)
		return unsupported(d, "trace.dat of a version that isn't known", version);
	err = sm_dat_take(r, "header", 2, &p);
	if (err)
		return err;
	d->big_endian = p[0];
	d->long_size = p[1];
	d->swap = d->big_endian != sm_host_big_endian();
	err = sm_dat_u32(r, "header", &d->page_size);
	return err || d->version < 7 ? err : read_packing(d, r);
}

static struct sm_error *read_all(struct dat *d)
{
	struct dat_reader r;
	struct sm_error *err;
	uint64_t pos;

	sm_dat_reader_init(&r, d, 0, UINT64_MAX);
	err = read_header(d, &r);
	pos = r.pos;
	sm_dat_reader_release(&r);
	if (err)
		return err;
	err = d->version < 7 ? sm_dat_read_linear(d, pos) : sm_dat_read_sections(d, pos);
	if (!err)
		err = sm_dat_place_buffers(d);
	return err ? err : sm_dat_describe(d);
}

struct sm_error *sm_dat_open(struct sm_source *src)
{
	struct dat *d = calloc(1, sizeof(*d));
	struct sm_error *err;
	size_t n;

	if (!d)
		return sm_error_nomem();
	src->kind = SM_SOURCE_DAT;
	src->ops = &sm_dat_ops;
	src->dat = d;
	d->src = src;
	d->stats_buffer = "";
	err = read_all(d);
	if (err)
		return err;
	n = src->members.n;
	if (!sm_members_finish(&src->members))
		return sm_error_nomem();
	if (src->members.n < n)
		err = sm_dat_note(
			d, sm_error_new(SM_E_FORMAT, src->path, "trace.dat says things twice",
				   "of each name the last is read; %zu are left out",
				   n - src->members.n));
	return err;
}

void sm_dat_free(struct dat *d)
{
	if (!d)
		return;
	for (size_t i = 0; i < d->nblocks; i++)
		sm_buf_release(&d->blocks[i]);
	free(d->blocks);
	free(d->places);
	free(d->buffers);
	free(d->stats);
	sm_arena_release(&d->arena);
	free(d);
}
