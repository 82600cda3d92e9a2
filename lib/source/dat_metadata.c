/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The files of the system that a trace.dat holds: events/header_page, header_event, the formats,
 * kallsyms, printk_formats, saved_cmdlines. Each is a length and the file's text.
 */
#include "dat.h"

#include <stdlib.h>

/* A format's first line is "name: NAME". */
#define NAME_LINE 256
#define HEADER_MAX (1 << 20)

static struct sm_error *expect(struct dat_reader *r, const char *word, size_t len, const char *what)
{
	const uint8_t *p;
	uint64_t at = r->pos;
	struct sm_error *err = sm_dat_take(r, what, len, &p);

	if (err)
		return err;
	if (!memcmp(p, word, len))
		return NULL;
	r->pos = at;
	return sm_dat_fault(
		r, SM_E_FORMAT, what, "'%s' should be here; what follows is left out", word);
}

/* The long that the kernel has: it is what a page's commit counts in. */
static unsigned kernel_long(const char *header_page)
{
	const char *commit = strstr(header_page, " commit;");
	const char *size = commit ? strstr(commit, "size:") : NULL;

	return size && (size[5] == '4' || size[5] == '8') ? (unsigned)(size[5] - '0') : 0;
}

struct sm_error *sm_dat_read_headers(struct dat *d, struct dat_reader *r)
{
	struct dat_place place;
	struct sm_error *err;
	uint64_t size;
	char *text;

	err = expect(r, "header_page", 12, "events/header_page");
	if (!err)
		err = sm_dat_u64(r, "events/header_page", &size);
	if (err)
		return err;
	if (size > HEADER_MAX)
		return sm_dat_fault(r, SM_E_FORMAT, "events/header_page",
			"%llu bytes long: more than makes sense", (unsigned long long)size);
	err = sm_dat_text(r, "events/header_page", size, &text);
	if (err)
		return err;
	d->header_page = text;
	d->facts.long_size = kernel_long(text);
	err = sm_dat_add_text(d, text, size, SM_TRACING "/events/header_page");
	if (!err)
		err = expect(r, "header_event", 13, "events/header_event");
	if (!err)
		err = sm_dat_u64(r, "events/header_event", &size);
	if (!err)
		err = sm_dat_locate(r, "events/header_event", size, &place);
	return err ? err : sm_dat_add(d, &place, size, SM_TRACING "/events/header_event");
}

/* The event's name by the first line of its format, in the arena; NULL where there is none. */
static struct sm_error *find_name(struct dat *d, struct dat_reader *r, uint64_t size, char **name)
{
	static const char key[] = "name: ";
	const uint8_t *p, *nl;
	size_t got, len;
	struct sm_error *err;

	*name = NULL;
	err = sm_dat_peek(r, size < NAME_LINE ? (size_t)size : NAME_LINE, &p, &got);
	if (err || got < sizeof(key) || memcmp(p, key, sizeof(key) - 1))
		return err;
	p += sizeof(key) - 1;
	got -= sizeof(key) - 1;
	nl = memchr(p, '\n', got);
	len = nl ? (size_t)(nl - p) : 0;
	if (!len || memchr(p, '\0', len))
		return NULL;
	*name = sm_arena_strndup(&d->arena, (const char *)p, len);
	return *name ? NULL : sm_error_nomem();
}

static struct sm_error *read_format(struct dat *d, struct dat_reader *r, const char *system)
{
	struct dat_place place;
	struct sm_error *err;
	uint64_t size, at;
	char *name;

	err = sm_dat_u64(r, "event format", &size);
	if (err)
		return err;
	at = r->pos;
	err = find_name(d, r, size, &name);
	if (!err)
		err = sm_dat_locate(r, "event format", size, &place);
	if (err)
		return err;
	if (name && sm_dat_name_valid(name) && sm_dat_name_valid(system))
		return sm_dat_add(d, &place, size, SM_TRACING "/events/%s/%s/format", system, name);
	/* Costs its own events only. */
	r->pos = at;
	err = sm_dat_fault(
		r, SM_E_FORMAT, "event format without a usable name", "its events are left unread");
	r->pos = at + size;
	return sm_dat_note(d, err);
}

static struct sm_error *read_formats(
	struct dat *d, struct dat_reader *r, const char *what, const char *system)
{
	struct sm_error *err;
	uint32_t n;

	err = sm_dat_u32(r, what, &n);
	/* Each takes 8 bytes at least: a wild number ends soon. */
	for (uint32_t i = 0; !err && i < n; i++)
		err = read_format(d, r, system);
	return err;
}

struct sm_error *sm_dat_read_ftrace_events(struct dat *d, struct dat_reader *r)
{
	return read_formats(d, r, "formats of ftrace's own events", "ftrace");
}

struct sm_error *sm_dat_read_events(struct dat *d, struct dat_reader *r)
{
	struct sm_error *err;
	uint32_t n;

	err = sm_dat_u32(r, "event formats", &n);
	for (uint32_t i = 0; !err && i < n; i++) {
		char *system;

		err = sm_dat_string(r, "event system's name", &system);
		if (!err)
			err = read_formats(d, r, "event formats", system);
	}
	return err;
}

struct sm_error *sm_dat_read_text(struct dat *d, struct dat_reader *r, unsigned length_size,
	const char *what, const char *name)
{
	struct dat_place place;
	struct sm_error *err, *cut;
	uint64_t size;
	uint32_t size32 = 0;

	if (length_size == 8) {
		err = sm_dat_u64(r, what, &size);
	} else {
		err = sm_dat_u32(r, what, &size32);
		size = size32;
	}
	if (err || !size)
		return err;
	/* A part of it is better than nothing. */
	cut = sm_dat_locate(r, what, size, &place);
	if (cut && (cut->code != SM_E_TRUNCATED || place.store != DAT_FILE))
		return cut;
	err = sm_dat_add(d, &place, size, "%s", name);
	if (!err)
		return cut;
	sm_error_free(cut);
	return err;
}
