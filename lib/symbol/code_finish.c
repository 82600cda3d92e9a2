/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From the pieces of all units to one table. */
#include "code_builder.h"

#include <stdlib.h>

/* A part, and where its scopes and strings went; UINT32_MAX = not yet. */
struct finish_part {
	const struct code_part *part;
	uint32_t *scopes, *names, *files;
};

struct finish_piece {
	struct code_piece piece;
	uint32_t part;
};

struct finish {
	struct code_builder *b;
	struct finish_part *parts;
	size_t nparts;
	struct finish_piece *pieces;
	size_t npieces;
	uint32_t *heap; /* pieces that hold the current address, the one that has it first */
	size_t nheap;
	struct code_segment *segments;
	size_t nsegments;
	struct code_scope *scopes;
	size_t nscopes;
	/* Strings of several parts are joined. */
	struct key_table names; /* pointers to offsets */
	struct sm_strings files;
	uint32_t *file_offsets;
	size_t file_offsets_cap;
	struct sm_buf name_bytes, file_bytes;
	uint32_t *chain;
	size_t chain_cap;
	uint64_t refused;
};

/* ---- strings ---- */

/* Appends a string; *offset 0 where there is no room. */
static bool append(
	struct sm_buf *bytes, const char *string, size_t len, size_t align, uint32_t *offset)
{
	*offset = 0;
	if (len < UINT32_MAX - align && bytes->len < UINT32_MAX - align - len) {
		*offset = (uint32_t)bytes->len;
		sm_buf_add(bytes, string, len + 1);
		while (bytes->len % align)
			sm_buf_addc(bytes, '\0');
	}
	return !bytes->failed;
}

static bool place_name(struct finish *f, struct finish_part *p, uint32_t id, uint32_t *offset)
{
	const char *name;
	uint32_t *slot;
	bool found;

	*offset = 0;
	if (!id)
		return true;
	if (p->names[id - 1] == UINT32_MAX) {
		name = p->part->names[id - 1];
		slot = key_table_slot(&f->names, (uintptr_t)name, 0, &found);
		if (!slot || (!found && !append(&f->name_bytes, name, strlen(name), 1, slot)))
			return false;
		p->names[id - 1] = *slot;
	}
	*offset = p->names[id - 1];
	return true;
}

/* A quarter of the offset. Files have no common places: they were joined. */
static bool place_file(struct finish *f, struct finish_part *p, uint32_t id, uint32_t *place)
{
	const struct sm_string *file;
	uint32_t string;
	size_t known = f->files.n;

	*place = 0;
	if (!id)
		return true;
	if (p->files[id - 1] == UINT32_MAX) {
		file = &p->part->files.items[id - 1];
		string = sm_strings_add(&f->files, file->data, file->len);
		if (string == SM_NO_STRING || !sm_grow(&f->file_offsets, &f->file_offsets_cap,
						      f->files.n, sizeof(*f->file_offsets)))
			return false;
		if (string == known &&
			!append(&f->file_bytes, file->data, file->len, 4, &f->file_offsets[string]))
			return false;
		if (f->file_offsets[string] / 4 <= CODE_MAX_FILE)
			p->files[id - 1] = f->file_offsets[string] / 4;
		else
			p->files[id - 1] = 0;
	}
	*place = p->files[id - 1];
	return true;
}

/* ---- scopes and segments ---- */

/* Scopes are numbered in the order in which addresses need them: neighbours lie together, and those
 * that nothing needs are left out. */
static bool place_scope(struct finish *f, struct finish_part *p, uint32_t scope, uint32_t *place)
{
	uint32_t s = scope, parent = CODE_NO_SCOPE;
	size_t depth = 0;

	while (s != CODE_NO_SCOPE && p->scopes[s] == UINT32_MAX) {
		if (!sm_grow(&f->chain, &f->chain_cap, depth + 1, sizeof(*f->chain)))
			return false;
		f->chain[depth++] = s;
		s = p->part->scopes[s].parent;
	}
	if (s != CODE_NO_SCOPE)
		parent = p->scopes[s];
	while (depth) {
		const struct code_scope *from;
		struct code_scope *to = &f->scopes[f->nscopes];
		uint32_t name, file;

		s = f->chain[--depth];
		from = &p->part->scopes[s];
		p->scopes[s] = CODE_NO_SCOPE;
		if (f->nscopes >= CODE_MAX_SCOPES ||
			(from->parent != CODE_NO_SCOPE && parent == CODE_NO_SCOPE)) {
			f->refused++;
			parent = CODE_NO_SCOPE;
			continue;
		}
		if (!place_name(f, p, from->name, &name) || !place_file(f, p, from->file, &file))
			return false;
		to->name = name;
		to->parent = parent & CODE_NO_SCOPE;
		to->file = file & CODE_MAX_FILE;
		to->line = file ? from->line : 0;
		parent = p->scopes[s] = (uint32_t)f->nscopes++;
	}
	*place = parent;
	return true;
}

static void add_segment(
	struct finish *f, uint32_t start, uint32_t scope, uint32_t file, uint32_t line)
{
	struct code_segment *last = f->nsegments ? &f->segments[f->nsegments - 1] : NULL;

	if (last && last->scope == scope && last->file == file && last->line == line)
		return;
	last = &f->segments[f->nsegments++];
	last->start = start;
	last->scope = scope & CODE_NO_SCOPE;
	last->file = file & CODE_MAX_FILE;
	last->line = line & CODE_MAX_LINE;
}

/* Takes over what a piece has from `start` up to `end`. */
static bool add_segments(
	struct finish *f, const struct finish_piece *fp, uint32_t start, uint32_t end)
{
	struct finish_part *p = &f->parts[fp->part];
	const struct code_segment *from = &p->part->segments[fp->piece.first];
	size_t low = 0, high = fp->piece.n;

	if (start != fp->piece.start) {
		while (high - low > 1) {
			size_t middle = low + (high - low) / 2;

			if (from[middle].start <= start)
				low = middle;
			else
				high = middle;
		}
	}
	for (; low < fp->piece.n && from[low].start < end; low++) {
		uint32_t scope = from[low].scope, file;

		if (scope != CODE_NO_SCOPE && !place_scope(f, p, scope, &scope))
			return false;
		if (!place_file(f, p, from[low].file, &file))
			return false;
		add_segment(f, from[low].start > start ? from[low].start : start, scope, file,
			file ? from[low].line : 0);
	}
	return true;
}

/* ---- which piece has an address ---- */

static bool goes_before(const struct finish *f, uint32_t a, uint32_t b)
{
	const struct code_piece *x = &f->pieces[a].piece, *y = &f->pieces[b].piece;

	if (x->function != y->function)
		return x->function;
	if (x->start != y->start)
		return x->start > y->start;
	if (x->end != y->end)
		return x->end < y->end;
	if (x->unit != y->unit)
		return x->unit < y->unit;
	return x->first < y->first;
}

static void heap_push(struct finish *f, uint32_t piece)
{
	size_t i = f->nheap++;

	for (; i && goes_before(f, piece, f->heap[(i - 1) / 2]); i = (i - 1) / 2)
		f->heap[i] = f->heap[(i - 1) / 2];
	f->heap[i] = piece;
}

static void heap_pop(struct finish *f)
{
	uint32_t piece = f->heap[--f->nheap];
	size_t i = 0;

	for (;;) {
		size_t child = 2 * i + 1;

		if (child >= f->nheap)
			break;
		if (child + 1 < f->nheap && goes_before(f, f->heap[child + 1], f->heap[child]))
			child++;
		if (!goes_before(f, f->heap[child], piece))
			break;
		f->heap[i] = f->heap[child];
		i = child;
	}
	f->heap[i] = piece;
}

/* Goes from one start or end of a piece to the next; keys sort the pieces. */
static bool sweep(struct finish *f)
{
	const uint64_t *keys = f->b->keys;
	uint32_t pos = 0;
	size_t next = 0;

	while (next < f->npieces || f->nheap) {
		uint32_t end;

		if (!f->nheap) {
			uint32_t start = f->pieces[(uint32_t)keys[next]].piece.start;

			if (start > pos && f->nsegments)
				add_segment(f, pos, CODE_NO_SCOPE, 0, 0);
			pos = start;
		}
		while (next < f->npieces && f->pieces[(uint32_t)keys[next]].piece.start <= pos)
			heap_push(f, (uint32_t)keys[next++]);
		while (f->nheap && f->pieces[f->heap[0]].piece.end <= pos)
			heap_pop(f);
		if (!f->nheap)
			continue;
		end = f->pieces[f->heap[0]].piece.end;
		if (next < f->npieces && f->pieces[(uint32_t)keys[next]].piece.start < end)
			end = f->pieces[(uint32_t)keys[next]].piece.start;
		if (!add_segments(f, &f->pieces[f->heap[0]], pos, end))
			return false;
		pos = end;
	}
	if (f->nsegments)
		add_segment(f, pos, CODE_NO_SCOPE, 0, 0);
	return true;
}

/* ---- all of it ---- */

static uint32_t *unplaced(size_t n)
{
	uint32_t *ids = malloc(n ? n * sizeof(*ids) : 1);

	if (ids && n)
		memset(ids, 0xff, n * sizeof(*ids));
	return ids;
}

static bool add_part(struct finish *f, const struct code_part *part)
{
	uint32_t index = (uint32_t)f->nparts;
	struct finish_part *p = &f->parts[f->nparts++];

	p->part = part;
	p->scopes = unplaced(part->nscopes);
	p->names = unplaced(part->nnames);
	p->files = unplaced(part->files.n);
	if (!p->scopes || !p->names || !p->files)
		return false;
	for (size_t i = 0; i < part->npieces; i++) {
		f->pieces[f->npieces] = (struct finish_piece){part->pieces[i], index};
		f->b->keys[f->npieces] =
			(uint64_t)part->pieces[i].start << 32 | (uint32_t)f->npieces;
		f->npieces++;
	}
	f->refused += part->refused;
	return true;
}

static bool gather(struct finish *f)
{
	struct code_builder *b = f->b;
	size_t nsegments = b->part.nsegments, nscopes = b->part.nscopes, npieces = b->part.npieces;
	size_t nnames = b->part.nnames;

	for (size_t i = 0; i < b->nmerged; i++) {
		nsegments += b->merged[i].nsegments;
		nscopes += b->merged[i].nscopes;
		npieces += b->merged[i].npieces;
		nnames += b->merged[i].nnames;
	}
	if (npieces > UINT32_MAX)
		return false;
	/* A segment may be cut in two where a piece begins and where one ends; a gap may follow
	 * each piece. */
	nsegments += 3 * npieces + 2;
	f->segments = sm_table_alloc(nsegments * sizeof(*f->segments));
	f->scopes = sm_table_alloc((nscopes + 1) * sizeof(*f->scopes));
	f->pieces = calloc(npieces + 1, sizeof(*f->pieces));
	f->heap = calloc(npieces + 1, sizeof(*f->heap));
	f->parts = calloc(b->nmerged + 1, sizeof(*f->parts));
	if (!f->segments || !f->scopes || !f->pieces || !f->heap || !f->parts ||
		!sm_grow(&b->keys, &b->keys_cap, npieces, sizeof(*b->keys)) ||
		!sm_key_table_reset(&f->names, nnames))
		return false;
	for (size_t i = 0; i < b->nmerged; i++) {
		if (!add_part(f, &b->merged[i]))
			return false;
	}
	return add_part(f, &b->part);
}

/* The files come first: a quarter of their offset has 20 bits. */
static bool join_strings(struct finish *f)
{
	struct sm_buf *bytes = &f->file_bytes;
	uint32_t shift = (uint32_t)bytes->len;

	/* Offset 0 stays that: unknown. */
	if (f->name_bytes.len > UINT32_MAX - bytes->len)
		return false;
	for (size_t i = 0; i < f->nscopes; i++)
		f->scopes[i].name = f->scopes[i].name ? f->scopes[i].name + shift : 0;
	sm_buf_add(bytes, f->name_bytes.data, f->name_bytes.len);
	return !bytes->failed;
}

static bool finish(struct finish *f)
{
	sm_buf_add(&f->file_bytes, "\0\0\0\0", 4);
	/* An empty one too, so that no name lies at 0. */
	sm_buf_addc(&f->name_bytes, '\0');
	return gather(f) && sm_code_sort_keys(f->b, f->npieces) && sweep(f) && join_strings(f);
}

static void release(struct finish *f)
{
	for (size_t i = 0; i < f->nparts; i++) {
		free(f->parts[i].scopes);
		free(f->parts[i].names);
		free(f->parts[i].files);
	}
	free(f->parts);
	free(f->pieces);
	free(f->heap);
	free(f->segments);
	free(f->scopes);
	sm_key_table_release(&f->names);
	sm_strings_release(&f->files);
	free(f->file_offsets);
	sm_buf_release(&f->name_bytes);
	sm_buf_release(&f->file_bytes);
	free(f->chain);
}

struct sm_error *sm_code_builder_finish(struct code_builder *b, struct code_map *map)
{
	struct finish f = {.b = b};
	uint64_t outside = b->part.outside;
	bool ok = finish(&f);

	for (size_t i = 0; i < b->nmerged; i++)
		outside += b->merged[i].outside;
	if (ok) {
		if (outside)
			sm_log(b->log, SM_DEBUG,
				"%llu ranges of code are more than 4 GiB away: left out",
				(unsigned long long)outside);
		if (f.refused)
			sm_log(b->log, SM_DEBUG, "%llu functions or files too many: left out",
				(unsigned long long)f.refused);
		*map = (struct code_map){.base = b->base,
			.segments = f.segments,
			.nsegments = f.nsegments,
			.scopes = f.scopes,
			.nscopes = f.nscopes,
			.strings = f.file_bytes.data,
			.strings_len = f.file_bytes.len};
		free(b->segments);
		free(b->map_scopes);
		sm_buf_release(&b->strings);
		b->segments = f.segments;
		b->map_scopes = f.scopes;
		b->strings = f.file_bytes;
		f.segments = NULL;
		f.scopes = NULL;
		f.file_bytes = (struct sm_buf){0};
		sm_code_part_release(&b->part);
		for (size_t i = 0; i < b->nmerged; i++)
			sm_code_part_release(&b->merged[i]);
		b->nmerged = 0;
	}
	release(&f);
	return ok ? NULL : sm_error_nomem();
}
