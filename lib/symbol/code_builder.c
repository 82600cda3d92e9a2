/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Collects the units of a code map: names, files, and what code_flatten.c makes of the rest. */
#include "code_builder.h"

#include <stdlib.h>

/* ---- the base ---- */

static int compare_sections(const void *a, const void *b)
{
	const struct object_section *x = *(const struct object_section *const *)a;
	const struct object_section *y = *(const struct object_section *const *)b;

	return (x->addr > y->addr) - (x->addr < y->addr);
}

/* Where those 4 GiB begin that hold the most code. */
static bool find_base(const struct object *obj, uint64_t *base)
{
	const struct object_section **code;
	size_t n = 0, low = 0;
	uint64_t best = 0, sum = 0;

	*base = 0;
	if (!obj || !obj->nsections)
		return true;
	code = calloc(obj->nsections, sizeof(const struct object_section *));
	if (!code)
		return false;
	for (size_t i = 0; i < obj->nsections; i++) {
		const struct object_section *s = &obj->sections[i];

		if ((s->flags & SHF_ALLOC) && (s->flags & SHF_EXECINSTR) && s->size &&
			s->size <= UINT32_MAX)
			code[n++] = s;
	}
	qsort(code, n, sizeof(const struct object_section *), compare_sections);
	for (size_t i = 0; i < n; i++) {
		sum += code[i]->size;
		while (low < i && code[i]->addr - code[low]->addr >= UINT32_MAX - code[i]->size)
			sum -= code[low++]->size;
		if (sum > best) {
			best = sum;
			*base = code[low]->addr;
		}
	}
	free(code);
	return true;
}

/* ---- life ---- */

struct code_builder *sm_code_builder_new(struct dwarf *dwarf, const struct sm_log *log)
{
	struct code_builder *b = calloc(1, sizeof(*b));

	if (!b)
		return NULL;
	b->dwarf = dwarf;
	b->log = log;
	if (!find_base(dwarf->main.obj, &b->base)) {
		free(b);
		return NULL;
	}
	return b;
}

void sm_code_part_release(struct code_part *part)
{
	free(part->segments);
	free(part->pieces);
	free(part->scopes);
	free(part->names);
	sm_strings_release(&part->files);
	*part = (struct code_part){0};
}

/* What is needed to add units, and no longer once they are. */
static void release_work(struct code_builder *b)
{
	sm_key_table_release(&b->names);
	sm_key_table_release(&b->dirs);
	sm_key_table_release(&b->files);
	sm_key_table_release(&b->origins);
	sm_key_table_release(&b->inlined);
	sm_key_table_release(&b->pieces);
	sm_buf_release(&b->path);
	sm_line_table_release(&b->table);
	sm_dwarf_rows_release(&b->rows);
	sm_dwarf_scopes_release(&b->scopes);
	free(b->work);
	free(b->order);
	free(b->file_ids);
	free(b->marks);
	free(b->own);
	free(b->keys);
	free(b->spare_keys);
	free(b->stack);
	free(b->edges);
	free(b->chain);
}

void sm_code_builder_free(struct code_builder *b)
{
	if (!b)
		return;
	release_work(b);
	sm_code_part_release(&b->part);
	for (size_t i = 0; i < b->nmerged; i++)
		sm_code_part_release(&b->merged[i]);
	free(b->merged);
	free(b->segments);
	free(b->map_scopes);
	sm_buf_release(&b->strings);
	free(b);
}

struct sm_error *sm_code_builder_merge(struct code_builder *b, struct code_builder *from)
{
	struct code_builder empty = {.dwarf = from->dwarf, .log = from->log, .base = from->base};

	if (!sm_grow(
		    &b->merged, &b->merged_cap, b->nmerged + from->nmerged + 1, sizeof(*b->merged)))
		return sm_error_nomem();
	b->merged[b->nmerged++] = from->part;
	for (size_t i = 0; i < from->nmerged; i++)
		b->merged[b->nmerged++] = from->merged[i];
	release_work(from);
	free(from->merged);
	*from = empty;
	return NULL;
}

/* ---- names, files, scopes ---- */

/* Names are told apart by where they are: linkers put equal ones at one place. */
static bool name_id(struct code_builder *b, uint64_t origin, uint32_t *id)
{
	struct code_part *part = &b->part;
	const char *name;
	uint32_t *slot, *of_pointer;
	bool found;

	slot = key_table_slot(&b->origins, origin, 0, &found);
	if (!slot)
		return false;
	if (!found) {
		name = sm_dwarf_name(b->dwarf, origin);
		*slot = 0;
		if (name && *name) {
			of_pointer = key_table_slot(&b->names, (uintptr_t)name, 0, &found);
			if (!of_pointer)
				return false;
			if (!found) {
				if (part->nnames >= UINT32_MAX - 1 ||
					!sm_grow(&part->names, &part->names_cap, part->nnames + 1,
						sizeof(*part->names)))
					return false;
				part->names[part->nnames++] = name;
				*of_pointer = (uint32_t)part->nnames;
			}
			*slot = *of_pointer;
		}
	}
	*id = *slot;
	return true;
}

/* The id of a path that the unit's table has. */
static bool path_id(struct code_builder *b, const struct line_path *path, uint32_t *id)
{
	uint32_t *slot, dir, string;
	bool found;

	slot = key_table_slot(
		&b->dirs, (uintptr_t)path->parts[0], (uintptr_t)path->parts[1], &found);
	if (!slot)
		return false;
	if (!found)
		*slot = (uint32_t)b->dirs.n;
	dir = *slot;
	slot = key_table_slot(&b->files, dir, (uintptr_t)path->parts[2], &found);
	if (!slot)
		return false;
	if (!found) {
		*slot = 0;
		sm_buf_reset(&b->path);
		sm_line_path_join(path, b->dwarf, &b->path);
		if (b->path.failed)
			return false;
		string = sm_strings_add(&b->part.files, b->path.data, b->path.len);
		if (string == SM_NO_STRING)
			return false;
		if (string < CODE_MAX_FILE)
			*slot = string + 1;
		else
			b->part.refused++;
	}
	*id = *slot;
	return true;
}

bool sm_code_file_id(struct code_builder *b, uint32_t file, uint32_t *id)
{
	struct line_path path;

	*id = 0;
	if (file >= b->nfile_ids)
		return true;
	if (!b->file_ids[file]) {
		if (sm_line_table_file(&b->table, file, &path) && !path_id(b, &path, id))
			return false;
		b->file_ids[file] = *id + 1;
	}
	*id = b->file_ids[file] - 1;
	return true;
}

static bool make_scope(struct code_builder *b, uint32_t scope, uint32_t parent, uint32_t *id)
{
	const struct dwarf_scope *s = &b->scopes.scopes[scope];
	struct code_part *part = &b->part;
	uint32_t name, file = 0, line = 0, *slot;
	bool found;

	*id = CODE_NO_SCOPE;
	if (s->parent != DWARF_NONE) {
		if (parent == CODE_NO_SCOPE)
			return true; /* refused */
		if ((s->call_file || s->call_line) && !sm_code_file_id(b, s->call_file, &file))
			return false;
		if (file && s->call_line <= CODE_MAX_LINE)
			line = s->call_line;
	}
	if (!name_id(b, s->origin, &name))
		return false;
	slot = key_table_slot(
		&b->inlined, (uint64_t)parent << 32 | name, (uint64_t)file << 32 | line, &found);
	if (!slot)
		return false;
	if (!found) {
		*slot = CODE_NO_SCOPE;
		if (part->nscopes >= CODE_MAX_SCOPES) {
			part->refused++;
			return true;
		}
		if (!sm_grow(&part->scopes, &part->scopes_cap, part->nscopes + 1,
			    sizeof(*part->scopes)))
			return false;
		part->scopes[part->nscopes] = (struct code_scope){.name = name,
			.parent = parent & CODE_NO_SCOPE,
			.file = file & CODE_MAX_FILE,
			.line = line & CODE_MAX_LINE};
		*slot = (uint32_t)part->nscopes++;
	}
	*id = *slot;
	return true;
}

bool sm_code_scope_id(struct code_builder *b, uint32_t scope, uint32_t *id)
{
	uint32_t s = scope, parent = CODE_NO_SCOPE;
	size_t depth = 0;

	while (s != DWARF_NONE && !b->work[s].id) {
		if (!sm_grow(&b->chain, &b->chain_cap, depth + 1, sizeof(*b->chain)))
			return false;
		b->chain[depth++] = s;
		s = b->scopes.scopes[s].parent;
	}
	if (s != DWARF_NONE)
		parent = b->work[s].id - 1;
	while (depth) {
		s = b->chain[--depth];
		if (!make_scope(b, s, parent, &parent))
			return false;
		b->work[s].id = parent + 1;
	}
	*id = parent;
	return true;
}

/* ---- units ---- */

/* Takes a fault: what it is isn't worth failing for, but for a lack of memory. */
static struct sm_error *note_fault(struct code_builder *b, struct sm_error *err, bool *bad)
{
	struct sm_buf text = {0};

	if (!err || err->code == SM_E_NOMEM)
		return err;
	if (!*bad && b->log) {
		sm_error_format(err, &text);
		sm_log(b->log, SM_DEBUG, "unit %u: %s", b->unit,
			text.failed ? err->what : text.data);
		sm_buf_release(&text);
	}
	*bad = true;
	sm_error_free(err);
	return NULL;
}

/* Parents come before children: so the scopes of a function are found in one pass, also where those
 * of another lie between them. */
static bool order_scopes(struct code_builder *b)
{
	struct dwarf_scope *scopes = b->scopes.scopes;
	size_t n = b->scopes.n;
	uint32_t at = 0;

	if (!sm_grow(&b->work, &b->work_cap, n, sizeof(*b->work)) ||
		!sm_grow(&b->order, &b->order_cap, n, sizeof(*b->order)))
		return false;
	for (size_t i = 0; i < n; i++) {
		uint32_t parent = scopes[i].parent;

		if (scopes[i].first_range > b->scopes.nranges ||
			scopes[i].nranges > b->scopes.nranges - scopes[i].first_range)
			scopes[i].nranges = 0; /* the unit's fault was here */
		b->work[i] = (struct code_scope_work){0};
		b->work[i].root = parent < i ? b->work[parent].root : (uint32_t)i;
		b->work[b->work[i].root].count++;
	}
	/* From how many to where the next one goes. */
	for (size_t i = 0; i < n; i++) {
		uint32_t count = b->work[i].count;

		b->work[i].count = at;
		at += count;
	}
	for (size_t i = 0; i < n; i++)
		b->order[b->work[b->work[i].root].count++] = (uint32_t)i;
	return true;
}

static struct sm_error *add_unit(struct code_builder *b)
{
	size_t first_piece = b->part.npieces, n = b->scopes.n;
	size_t nfiles = b->table.program ? b->table.files.n + 1 : 0;

	if (!order_scopes(b) ||
		!sm_grow(&b->file_ids, &b->file_ids_cap, nfiles, sizeof(*b->file_ids)) ||
		!sm_key_table_reset(&b->origins, n) || !sm_key_table_reset(&b->inlined, n) ||
		!sm_key_table_reset(&b->pieces, 0))
		return sm_error_nomem();
	if (nfiles)
		memset(b->file_ids, 0, nfiles * sizeof(*b->file_ids));
	b->nfile_ids = nfiles;
	/* Each row and each end of a range begins at most one segment, but for functions that
	 * overlap. */
	b->budget = 8 * ((uint64_t)b->rows.n + b->scopes.nranges) + 64;
	for (size_t i = 0, next; i < n; i = next) {
		for (next = i + 1; next < n; next++) {
			if (b->work[b->order[next]].root != b->order[i])
				break;
		}
		if (!sm_code_add_function(b, &b->order[i], next - i))
			return sm_error_nomem();
	}
	if (!sm_code_add_lines(b, first_piece))
		return sm_error_nomem();
	if (!b->budget)
		return sm_error_new(SM_E_FORMAT, NULL, "functions overlap all over the unit", NULL);
	return NULL;
}

/* Address space for a whole kernel at once: moving tens of megabytes costs as much as filling them.
 * In gcc's kernels a segment takes 14 bytes of .debug_line. */
static bool reserve_segments(struct code_builder *b)
{
	return sm_grow(&b->part.segments, &b->part.segments_cap, b->dwarf->main.line.len / 13 + 1,
		       sizeof(*b->part.segments)) &&
	       sm_key_table_reset(&b->names, b->dwarf->main.str.len / 64);
}

struct sm_error *sm_code_builder_add(
	struct code_builder *b, uint32_t unit, const uint64_t *wanted, size_t nwanted, size_t *bad)
{
	struct sm_error *err;
	bool faulty = false;

	if (!wanted && !b->part.segments_cap && !reserve_segments(b))
		return sm_error_nomem();
	b->unit = unit;
	b->wanted = wanted;
	b->nwanted = nwanted;
	b->rows.n = b->scopes.n = b->scopes.nranges = 0;
	err = sm_dwarf_scopes(b->dwarf, unit, wanted, nwanted, &b->scopes);
	err = note_fault(b, err, &faulty);
	if (err)
		return err;
	err = sm_line_table_open(&b->table, b->dwarf, unit);
	if (!err)
		err = sm_line_table_run(&b->table, wanted, nwanted, &b->rows);
	err = note_fault(b, err, &faulty);
	if (!err)
		err = note_fault(b, add_unit(b), &faulty);
	if (faulty)
		++*bad;
	return err;
}
