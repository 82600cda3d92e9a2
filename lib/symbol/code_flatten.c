/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From the nested ranges of a function, and the rows of its unit, to segments. All of one unit:
 * what units do to each other is code_finish.c's.
 */
#include "code_builder.h"

#include <stdlib.h>

/* Up to here moving keys one by one is faster than counting digits. */
#define INSERT_MAX 48

static void insert_keys(uint64_t *keys, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		uint64_t key = keys[i];
		size_t k = i;

		for (; k && keys[k - 1] > key; k--)
			keys[k] = keys[k - 1];
		keys[k] = key;
	}
}

/* By the upper half: keys come in the order of the lower one. Bytes that all keys share cost a look
 * at them. */
bool sm_code_sort_keys(struct code_builder *b, size_t n)
{
	uint64_t *from = b->keys, *to, differ = 0;

	for (size_t i = 1; i < n; i++)
		differ |= from[i] ^ from[0];
	if (n <= INSERT_MAX) {
		insert_keys(from, n);
		return true;
	}
	if (!sm_grow(&b->spare_keys, &b->spare_keys_cap, n, sizeof(*b->spare_keys)))
		return false;
	to = b->spare_keys;
	for (unsigned shift = 32; shift < 64; shift += 8) {
		uint32_t count[256] = {0}, at = 0;
		uint64_t *swap = from;

		if (!(differ >> shift & 0xff))
			continue;
		for (size_t i = 0; i < n; i++)
			count[from[i] >> shift & 0xff]++;
		for (unsigned i = 0; i < 256; i++) {
			uint32_t k = count[i];

			count[i] = at;
			at += k;
		}
		for (size_t i = 0; i < n; i++)
			to[count[from[i] >> shift & 0xff]++] = from[i];
		from = to;
		to = swap;
	}
	if (from != b->keys) {
		size_t cap = b->keys_cap;

		b->spare_keys = b->keys;
		b->keys = from;
		b->keys_cap = b->spare_keys_cap;
		b->spare_keys_cap = cap;
	}
	return true;
}

/* The part of a range that is in reach of the base; false = none. */
static bool in_reach(
	struct code_builder *b, const struct dwarf_range *range, struct code_mark *mark)
{
	uint64_t limit = b->base > UINT64_MAX - UINT32_MAX ? UINT64_MAX : b->base + UINT32_MAX;
	uint64_t start = range->start > b->base ? range->start : b->base;
	uint64_t end = range->end < limit ? range->end : limit;

	if (range->start >= range->end)
		return false;
	if (start >= end) {
		b->part.outside++;
		return false;
	}
	mark->start = (uint32_t)(start - b->base);
	mark->end = (uint32_t)(end - b->base);
	return true;
}

static int compare_marks(const void *a, const void *b)
{
	const struct code_mark *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

/* The function's own ranges, sorted, those that touch joined. */
static bool take_own(struct code_builder *b, uint32_t scope, size_t *n)
{
	const struct dwarf_scope *s = &b->scopes.scopes[scope];
	const struct dwarf_range *ranges = &b->scopes.ranges[s->first_range];
	size_t kept = 0, joined = 0;

	if (!sm_grow(&b->own, &b->own_cap, s->nranges, sizeof(*b->own)))
		return false;
	for (uint32_t i = 0; i < s->nranges; i++) {
		struct code_mark *mark = &b->own[kept];

		mark->scope = scope;
		if (in_reach(b, &ranges[i], mark))
			kept++;
	}
	if (kept > 1)
		qsort(b->own, kept, sizeof(*b->own), compare_marks);
	for (size_t i = 0; i < kept; i++) {
		struct code_mark *last = joined ? &b->own[joined - 1] : NULL;

		if (last && b->own[i].start <= last->end) {
			if (b->own[i].end > last->end)
				last->end = b->own[i].end;
		} else {
			b->own[joined++] = b->own[i];
		}
	}
	*n = joined;
	return true;
}

/* What is inlined, as marks, and keys that sort these: outer ones before inner ones. */
static bool take_inlined(struct code_builder *b, const uint32_t *scopes, size_t n)
{
	b->nmarks = 0;
	for (size_t i = 1; i < n; i++) {
		const struct dwarf_scope *s = &b->scopes.scopes[scopes[i]];
		const struct dwarf_range *ranges = &b->scopes.ranges[s->first_range];

		if (!sm_grow(&b->marks, &b->marks_cap, b->nmarks + s->nranges, sizeof(*b->marks)) ||
			!sm_grow(&b->keys, &b->keys_cap, b->nmarks + s->nranges, sizeof(*b->keys)))
			return false;
		for (uint32_t k = 0; k < s->nranges; k++) {
			struct code_mark *mark = &b->marks[b->nmarks];

			if (!in_reach(b, &ranges[k], mark))
				continue;
			mark->scope = scopes[i];
			b->keys[b->nmarks] = (uint64_t)mark->start << 32 | (uint32_t)b->nmarks;
			b->nmarks++;
		}
	}
	return sm_code_sort_keys(b, b->nmarks);
}

/* ---- the edges of one range of a function ---- */

static bool add_edge(struct code_builder *b, uint32_t start, uint32_t scope)
{
	if (b->nedges && b->edges[b->nedges - 1].start == start)
		b->nedges--;
	if (b->nedges && b->edges[b->nedges - 1].scope == scope)
		return true;
	if (!sm_grow(&b->edges, &b->edges_cap, b->nedges + 1, sizeof(*b->edges)))
		return false;
	b->edges[b->nedges++] = (struct code_edge){start, scope};
	return true;
}

static bool push(struct code_builder *b, size_t *depth, const struct code_mark *mark)
{
	if (!sm_grow(&b->stack, &b->stack_cap, *depth + 1, sizeof(*b->stack)))
		return false;
	b->stack[(*depth)++] = *mark;
	b->work[mark->scope].on_stack = (uint32_t)*depth;
	return true;
}

/* Takes off what ends up to `pos`, or lies below such and ended before. */
static bool pop(struct code_builder *b, size_t *depth, uint32_t pos)
{
	while (*depth && b->stack[*depth - 1].end <= pos) {
		uint32_t end = b->stack[*depth - 1].end;

		do {
			uint32_t scope = b->stack[*depth - 1].scope;

			if (b->work[scope].on_stack == *depth)
				b->work[scope].on_stack = 0;
			--*depth;
		} while (*depth && b->stack[*depth - 1].end <= end);
		if (*depth && !add_edge(b, end, b->stack[*depth - 1].scope))
			return false;
	}
	return true;
}

/* Walks through the marks that begin before the end of `own`, from *next on. */
static bool find_edges(struct code_builder *b, const struct code_mark *own, size_t *next)
{
	size_t depth = 0;

	b->nedges = 0;
	if (!push(b, &depth, own) || !add_edge(b, own->start, own->scope))
		return false;
	for (; *next < b->nmarks; ++*next) {
		struct code_mark mark = b->marks[(uint32_t)b->keys[*next]];
		uint32_t parent = b->scopes.scopes[mark.scope].parent, place;

		if (mark.start >= own->end)
			break;
		if (mark.end <= own->start)
			continue;
		if (mark.start < own->start)
			mark.start = own->start;
		if (!pop(b, &depth, mark.start))
			return false;
		/* It is only where its parent is. */
		place = b->work[parent].on_stack;
		if (!place)
			continue;
		if (mark.end > b->stack[place - 1].end)
			mark.end = b->stack[place - 1].end;
		if (mark.start >= mark.end)
			continue; /* it lay below another, and had ended */
		if (!push(b, &depth, &mark) || !add_edge(b, mark.start, mark.scope))
			return false;
	}
	return pop(b, &depth, own->end);
}

/* ---- segments ---- */

static bool add_segment(struct code_builder *b, size_t first, uint32_t start, uint32_t scope,
	uint32_t file, uint32_t line)
{
	struct code_part *part = &b->part;
	struct code_segment *last;

	if (part->nsegments > first) {
		last = &part->segments[part->nsegments - 1];
		if (last->scope == scope && last->file == file && last->line == line)
			return true;
	}
	if (!b->budget || part->nsegments >= UINT32_MAX)
		return true;
	b->budget--;
	if (part->nsegments == part->segments_cap &&
		!sm_grow(&part->segments, &part->segments_cap, part->nsegments + 1,
			sizeof(*part->segments)))
		return false;
	last = &part->segments[part->nsegments++];
	last->start = start;
	last->scope = scope & CODE_NO_SCOPE;
	last->file = file & CODE_MAX_FILE;
	last->line = line & CODE_MAX_LINE;
	return true;
}

static bool add_piece(
	struct code_builder *b, size_t first, uint32_t start, uint32_t end, bool function)
{
	struct code_part *part = &b->part;

	if (part->nsegments == first)
		return true;
	if (!sm_grow(&part->pieces, &part->pieces_cap, part->npieces + 1, sizeof(*part->pieces)))
		return false;
	part->pieces[part->npieces++] = (struct code_piece){start, end, (uint32_t)first,
		(uint32_t)(part->nsegments - first), b->unit, function};
	return true;
}

/* The first row behind an address. */
static size_t rows_after(const struct code_builder *b, uint64_t addr)
{
	size_t low = 0, high = b->rows.n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (b->rows.rows[middle].addr <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The first wanted address that isn't below. */
static size_t wanted_from(const struct code_builder *b, uint64_t addr)
{
	size_t low = 0, high = b->nwanted;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (b->wanted[middle] < addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* File and line of a row, as segments have them; row NULL = unknown. */
static bool row_line(
	struct code_builder *b, const struct dwarf_row *row, uint32_t *file, uint32_t *line)
{
	*file = *line = 0;
	if (!row || row->file == DWARF_NONE)
		return true;
	if (!sm_code_file_id(b, row->file, file))
		return false;
	if (*file && row->line <= CODE_MAX_LINE)
		*line = row->line;
	return true;
}

/* Where edges and rows meet. */
static bool add_segments(struct code_builder *b, const struct code_mark *own)
{
	size_t first = b->part.nsegments, next_row = rows_after(b, b->base + own->start);
	size_t next_edge = 1, next_wanted = wanted_from(b, b->base + own->start);
	const struct dwarf_row *row = next_row ? &b->rows.rows[next_row - 1] : NULL;
	uint32_t pos = own->start, scope = CODE_NO_SCOPE, file = 0, line = 0;
	bool know_scope = false, know_line = false;

	while (pos < own->end) {
		uint32_t end = own->end;
		bool is_wanted = true;

		if (next_edge < b->nedges && b->edges[next_edge].start < end)
			end = b->edges[next_edge].start;
		if (next_row < b->rows.n && b->rows.rows[next_row].addr - b->base < end)
			end = (uint32_t)(b->rows.rows[next_row].addr - b->base);
		if (b->wanted) {
			while (next_wanted < b->nwanted && b->wanted[next_wanted] < b->base + pos)
				next_wanted++;
			is_wanted =
				next_wanted < b->nwanted && b->wanted[next_wanted] < b->base + end;
		}
		if (!is_wanted) {
			if (!add_segment(b, first, pos, CODE_NO_SCOPE, 0, 0))
				return false;
		} else {
			if (!know_scope &&
				!sm_code_scope_id(b, b->edges[next_edge - 1].scope, &scope))
				return false;
			if (!know_line && !row_line(b, row, &file, &line))
				return false;
			know_scope = know_line = true;
			if (!add_segment(b, first, pos, scope, file, line))
				return false;
		}
		pos = end;
		if (next_edge < b->nedges && b->edges[next_edge].start == pos) {
			next_edge++;
			know_scope = false;
		}
		if (next_row < b->rows.n && b->rows.rows[next_row].addr - b->base == pos) {
			row = &b->rows.rows[next_row++];
			know_line = false;
		}
	}
	return add_piece(b, first, own->start, own->end, true);
}

bool sm_code_add_function(struct code_builder *b, const uint32_t *scopes, size_t n)
{
	size_t nown, next = 0;

	if (!take_own(b, scopes[0], &nown))
		return false;
	if (!nown)
		return true;
	if (!take_inlined(b, scopes, n))
		return false;
	for (size_t i = 0; i < nown; i++) {
		bool is_alias;

		/* An assembler writes a function for each name of one: the first has it. */
		if (!key_table_slot(&b->pieces, b->own[i].start, b->own[i].end, &is_alias))
			return false;
		if (!is_alias &&
			(!find_edges(b, &b->own[i], &next) || !add_segments(b, &b->own[i])))
			return false;
	}
	return true;
}

/* ---- lines of no function ---- */

struct lines_piece {
	size_t first; /* segment */
	uint32_t start, end;
};

static bool close_lines(struct code_builder *b, struct lines_piece *open)
{
	bool ok = add_piece(b, open->first, open->start, open->end, false);

	open->first = b->part.nsegments;
	return ok;
}

static bool add_line(struct code_builder *b, struct lines_piece *open, uint32_t start, uint32_t end,
	const struct dwarf_row *row)
{
	uint32_t file, line;

	if (!row_line(b, row, &file, &line))
		return false;
	if (!file)
		return true;
	if (open->end != start || open->first == b->part.nsegments) {
		if (!close_lines(b, open))
			return false;
		open->start = start;
	}
	open->end = end;
	return add_segment(b, open->first, start, CODE_NO_SCOPE, file, line);
}

bool sm_code_add_lines(struct code_builder *b, size_t first_piece)
{
	const struct dwarf_row *rows = b->rows.rows;
	size_t n = b->part.npieces - first_piece, next = 0;
	struct lines_piece open = {.first = b->part.nsegments};

	if (!sm_grow(&b->keys, &b->keys_cap, n, sizeof(*b->keys)))
		return false;
	for (size_t i = 0; i < n; i++)
		b->keys[i] = (uint64_t)b->part.pieces[first_piece + i].start << 32 | i;
	if (!sm_code_sort_keys(b, n))
		return false;
	for (size_t i = 0; i + 1 < b->rows.n;) {
		struct dwarf_range range = {rows[i].addr, rows[i + 1].addr};
		const struct code_piece *piece = NULL;
		struct code_mark mark;
		uint32_t end;

		if (rows[i].file == DWARF_NONE || !in_reach(b, &range, &mark)) {
			i++;
			continue;
		}
		/* Mostly whole functions lie here. */
		while (mark.start < mark.end) {
			for (; next < n; next++) {
				piece = &b->part.pieces[first_piece + (uint32_t)b->keys[next]];
				if (piece->end > mark.start)
					break;
			}
			if (next < n && piece->start <= mark.start) {
				mark.start = piece->end;
				continue;
			}
			end = next < n && piece->start < mark.end ? piece->start : mark.end;
			if (!add_line(b, &open, mark.start, end, &rows[i]))
				return false;
			mark.start = end;
		}
		/* The row that holds where we are now. */
		if (mark.start > mark.end)
			i = rows_after(b, b->base + mark.start) - 1;
		else
			i++;
	}
	return close_lines(b, &open);
}
