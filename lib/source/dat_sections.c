/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trace.dat of version 7: sections, each with a header that says what it is and how long, found by
 * the offsets that options give. Where those are lost (a file that was cut short, or never
 * finished), the sections are found by walking from one header to the next.
 */
#include "dat.h"

#include <errno.h>
#include <stdlib.h>

#define HEADER_SIZE 16
#define PACKED_HEADER_SIZE 8
#define FLAG_PACKED 1
/* Of a section that is decompressed into memory */
#define CONTENT_MAX (64u << 20)
/* A file has about ten, and two for each buffer. */
#define SECTIONS_MAX 4096

struct section {
	unsigned id;
	bool packed;
	uint64_t start;      /* of its header */
	uint64_t data, size; /* as the header says */
};

static struct sm_error *open_section(struct dat *d, uint64_t start, struct section *s)
{
	struct dat_reader r;
	struct sm_error *err;
	uint16_t id, flags = 0;
	uint32_t name;

	*s = (struct section){.start = start};
	sm_dat_reader_init(
		&r, d, start, start < UINT64_MAX - HEADER_SIZE ? start + HEADER_SIZE : UINT64_MAX);
	err = sm_dat_u16(&r, "section's header", &id);
	if (!err)
		err = sm_dat_u16(&r, "section's header", &flags);
	if (!err)
		err = sm_dat_u32(&r, "section's header", &name);
	if (!err)
		err = sm_dat_u64(&r, "section's header", &s->size);
	if (!err) {
		s->id = id;
		s->packed = flags & FLAG_PACKED;
		s->data = r.pos;
	}
	sm_dat_reader_release(&r);
	return err;
}

/* Whether the section lies in the file whole. */
static bool is_whole(const struct dat *d, const struct section *s)
{
	return s->size <= d->src->size - s->data;
}

static struct sm_error *cut_section(const struct dat *d, const struct section *s)
{
	return sm_error_at(SM_E_TRUNCATED, d->src->path, d->src->size, "section cut short",
		"section %u at byte %llu has %llu of %llu bytes", s->id,
		(unsigned long long)s->start, (unsigned long long)(d->src->size - s->data),
		(unsigned long long)s->size);
}

/* The compressed block that a section is: where, how long, and how long its content says to be. */
static struct sm_error *open_block(struct dat *d, const struct section *s, struct dat_place *block)
{
	struct dat_reader r;
	struct sm_error *err;
	uint32_t packed, size = 0;

	if (d->packing == PACKING_NONE)
		return sm_error_at(SM_E_FORMAT, d->src->path, s->start, "compressed section",
			"the file says that it has none");
	sm_dat_reader_init(&r, d, s->data, s->data + PACKED_HEADER_SIZE);
	err = sm_dat_u32(&r, "compressed section", &packed);
	if (!err)
		err = sm_dat_u32(&r, "compressed section", &size);
	if (!err &&
		packed > s->size - (s->size < PACKED_HEADER_SIZE ? s->size : PACKED_HEADER_SIZE))
		err = sm_dat_fault(&r, SM_E_FORMAT, "compressed section",
			"%u bytes are more than it has", packed);
	*block = (struct dat_place){
		.store = DAT_BLOCK, .offset = r.pos, .packed = packed, .unpack = size};
	sm_dat_reader_release(&r);
	return err;
}

/* Decompresses up to `max` bytes. What is sound before a fault is there, too. */
static struct sm_error *unpack(
	struct dat *d, const struct dat_place *block, size_t max, struct sm_buf *content)
{
	struct unpacker *u;
	struct sm_error *err;
	size_t len = 1;

	err = sm_unpacker_new(d->packing, d->src->fd, d->src->path, &u);
	if (err)
		return err;
	err = sm_unpacker_start(u, block->offset, block->packed, block->unpack);
	while (!err && len && content->len < max) {
		size_t room = max - content->len < DAT_WINDOW ? max - content->len : DAT_WINDOW;

		if (!sm_grow(&content->data, &content->cap, content->len + room + 1, 1)) {
			err = sm_error_nomem();
			break;
		}
		err = sm_unpacker_read(u, content->data + content->len, room, &len);
		content->len += err ? 0 : len;
	}
	sm_unpacker_free(u);
	return err;
}

/* A reader on a section's content. *part is what is wrong with it: what comes before is read. */
static struct sm_error *read_section(
	struct dat *d, const struct section *s, struct dat_reader *r, struct sm_error **part)
{
	struct dat_place block;
	struct sm_buf *content;
	struct sm_error *err;

	*part = NULL;
	if (!s->packed) {
		sm_dat_reader_init(r, d, s->data,
			s->size < UINT64_MAX - s->data ? s->data + s->size : UINT64_MAX);
		if (!is_whole(d, s))
			*part = cut_section(d, s);
		return NULL;
	}
	err = open_block(d, s, &block);
	if (err)
		return err;
	if (block.unpack > CONTENT_MAX)
		return sm_error_at(SM_E_FORMAT, d->src->path, s->start, "compressed section",
			"%llu bytes of content make no sense", (unsigned long long)block.unpack);
	if (!sm_grow(&d->blocks, &d->blocks_cap, d->nblocks + 1, sizeof(*d->blocks)))
		return sm_error_nomem();
	content = &d->blocks[d->nblocks++];
	*content = (struct sm_buf){0};
	err = unpack(d, &block, CONTENT_MAX, content);
	if (err && err->code != SM_E_FORMAT && err->code != SM_E_TRUNCATED)
		return err;
	*part = err;
	*r = (struct dat_reader){
		.dat = d,
		.data = content->data ? (const uint8_t *)content->data : (const uint8_t *)"",
		.end = content->len,
		.base = s->start,
	};
	return NULL;
}

/* Kallsyms and texts like it are decompressed when they are read. */
static struct sm_error *place_packed_text(struct dat *d, const struct section *s,
	unsigned length_size, const char *what, const char *name)
{
	struct sm_buf head = {0};
	struct dat_place block;
	struct sm_error *err;
	uint64_t size = 0;

	err = open_block(d, s, &block);
	if (!err)
		err = unpack(d, &block, length_size, &head);
	if (!err && head.len == length_size)
		size = length_size == 8 ? sm_load64(head.data, d->swap)
					: sm_load32(head.data, d->swap);
	else if (!err)
		err = sm_error_at(
			SM_E_FORMAT, d->src->path, s->start, what, "its section is too short");
	sm_buf_release(&head);
	if (err || !size)
		return err;
	if (size > block.unpack - length_size)
		err = sm_dat_note(d,
			sm_error_at(SM_E_FORMAT, d->src->path, s->start, what,
				"%llu bytes don't fit in its section", (unsigned long long)size));
	if (err)
		return err;
	if (size > block.unpack - length_size)
		size = block.unpack - length_size;
	block.skip = length_size;
	return sm_dat_add(d, &block, size, "%s", name);
}

static struct sm_error *read_text_section(struct dat *d, const struct section *s,
	unsigned length_size, const char *what, const char *name)
{
	struct dat_reader r;
	struct sm_error *err, *part;

	if (s->packed)
		return place_packed_text(d, s, length_size, what, name);
	err = read_section(d, s, &r, &part);
	if (err)
		return err;
	err = sm_dat_read_text(d, &r, length_size, what, name);
	sm_dat_reader_release(&r);
	if (!part)
		return err;
	sm_error_free(err);
	return part;
}

static struct sm_error *read_list_section(struct dat *d, const struct section *s)
{
	struct dat_reader r;
	struct sm_error *err, *part;

	err = read_section(d, s, &r, &part);
	if (err)
		return err;
	err = s->id == DAT_HEADERS         ? sm_dat_read_headers(d, &r)
	      : s->id == DAT_FTRACE_EVENTS ? sm_dat_read_ftrace_events(d, &r)
					   : sm_dat_read_events(d, &r);
	sm_dat_reader_release(&r);
	if (!part)
		return err;
	sm_error_free(err);
	return part;
}

static struct sm_error *read_metadata(struct dat *d, unsigned id)
{
	struct section s;
	struct sm_error *err = open_section(d, d->sections[id], &s);

	if (err)
		return err;
	if (s.id != id)
		return sm_error_at(SM_E_FORMAT, d->src->path, s.start,
			"not the section that is said", "section %u instead of %u", s.id, id);
	switch (id) {
	case DAT_KALLSYMS:
		return read_text_section(d, &s, 4, "proc/kallsyms", "proc/kallsyms");
	case DAT_PRINTK:
		return read_text_section(d, &s, 4, "printk_formats", SM_TRACING "/printk_formats");
	case DAT_CMDLINES:
		return read_text_section(d, &s, 8, "saved_cmdlines", SM_TRACING "/saved_cmdlines");
	default:
		return read_list_section(d, &s);
	}
}

struct visited {
	uint64_t v[SECTIONS_MAX]; /* sections of options */
	size_t n;
};

static bool is_visited(const struct visited *seen, uint64_t start)
{
	for (size_t i = 0; i < seen->n; i++)
		if (seen->v[i] == start)
			return true;
	return false;
}

static struct sm_error *read_options(
	struct dat *d, const struct section *s, struct visited *seen, uint64_t *next)
{
	struct dat_reader r;
	struct sm_error *err, *part;

	seen->v[seen->n++] = s->start;
	err = read_section(d, s, &r, &part);
	if (err)
		return err;
	err = sm_dat_read_options(d, &r, next);
	sm_dat_reader_release(&r);
	if (!part)
		return err;
	sm_error_free(err);
	return part;
}

/* From the first section of options to the last. */
static struct sm_error *follow_options(struct dat *d, uint64_t at, struct visited *seen)
{
	struct sm_error *err = NULL;

	if (!at)
		return sm_error_at(SM_E_TRUNCATED, d->src->path, 0, "trace.dat was never finished",
			"it doesn't say where its options are");
	while (at && !err) {
		struct section s;
		uint64_t next = 0;

		if (seen->n == SECTIONS_MAX || is_visited(seen, at))
			return sm_error_at(SM_E_FORMAT, d->src->path, at,
				"options lead in a circle",
				"what they say more than once is left out");
		err = open_section(d, at, &s);
		if (!err && s.id != DAT_OPTIONS)
			err = sm_error_at(SM_E_FORMAT, d->src->path, at, "no options",
				"section %u is where they should be", s.id);
		if (!err)
			err = read_options(d, &s, seen, &next);
		at = next;
	}
	return err;
}

static bool is_told(const struct dat *d, uint64_t start)
{
	for (size_t i = 0; i < d->nbuffers; i++)
		if (d->buffers[i].offset == start)
			return true;
	return false;
}

/* From header to header, for what no option leads to. */
static struct sm_error *walk(struct dat *d, uint64_t at, struct visited *seen)
{
	unsigned nbuffers = 0;

	for (unsigned i = 0; i < SECTIONS_MAX && at < d->src->size; i++) {
		struct sm_error *err;
		struct section s;
		uint64_t next;

		err = open_section(d, at, &s);
		if (err || s.id >= DAT_SECTIONS) {
			bool fatal = err && (err->code == SM_E_NOMEM || err->code == SM_E_IO);

			if (fatal)
				return err;
			sm_error_free(err);
			return NULL;
		}
		if (s.id == DAT_OPTIONS && !is_visited(seen, at) && seen->n < SECTIONS_MAX)
			err = read_options(d, &s, seen, &next);
		else if (s.id >= DAT_HEADERS && s.id <= DAT_CMDLINES && !d->sections[s.id])
			d->sections[s.id] = at;
		else if (s.id == DAT_PAGES && !is_told(d, at))
			err = sm_dat_recover_buffer(d, at, s.data, s.size, s.packed, nbuffers);
		nbuffers += s.id == DAT_PAGES;
		err = sm_dat_note(d, err);
		if (err || !is_whole(d, &s))
			return err;
		at = s.data + s.size;
	}
	return NULL;
}

/* Which kind of section a buffer's is. */
static struct sm_error *open_buffers(struct dat *d)
{
	for (size_t i = 0; i < d->nbuffers; i++) {
		struct dat_buffer *b = &d->buffers[i];
		struct section s;
		struct sm_error *err = open_section(d, b->offset, &s);

		if (!err && s.id != (b->text ? DAT_TEXT : DAT_PAGES))
			err = sm_error_at(SM_E_FORMAT, d->src->path, b->offset,
				"not the section that is said", "section %u instead of a buffer's",
				s.id);
		b->packed = s.packed;
		if (!err && b->text) {
			b->offset = s.data;
			b->text_size = s.size;
		}
		if (err) {
			b->n = 0;
			b->text = false;
		}
		err = sm_dat_note(d, err);
		if (err)
			return err;
	}
	return NULL;
}

struct sm_error *sm_dat_read_sections(struct dat *d, uint64_t pos)
{
	struct visited *seen;
	struct dat_reader r;
	struct sm_error *err;
	uint64_t first;
	bool lost;

	sm_dat_reader_init(&r, d, pos, UINT64_MAX);
	err = sm_dat_u64(&r, "offset of the options", &first);
	pos = r.pos;
	sm_dat_reader_release(&r);
	if (err)
		return sm_dat_note(d, err);
	seen = malloc(sizeof(*seen));
	if (!seen)
		return sm_error_nomem();
	seen->n = 0;
	err = follow_options(d, first, seen);
	lost = err != NULL;
	err = sm_dat_note(d, err);
	if (!err && lost)
		err = walk(d, pos, seen);
	free(seen);
	if (!err)
		err = open_buffers(d);
	for (unsigned id = DAT_HEADERS; !err && id <= DAT_CMDLINES; id++)
		if (d->sections[id])
			err = sm_dat_note(d, read_metadata(d, id));
	return err;
}
