/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Line tables of DWARF 2 to 5: their headers, directories and files. dwarf_rows.c runs them. */
#include "dwarf_line.h"

#include <stdlib.h>

/* The content types and forms of entries that are read here. Other forms: sm_dwarf_form_read(). */
enum { LNCT_PATH = 1, LNCT_DIRECTORY_INDEX = 2 };
enum { FORM_STRING = 0x08, FORM_UDATA = 0x0f, FORM_DATA16 = 0x1e, FORM_LINE_STRP = 0x1f };

#define STANDARD_OPCODES 12

struct sm_error *sm_line_table_bad(
	const struct line_table *t, const uint8_t *at, const char *detail)
{
	const struct dwarf_file *file = t->unit.file;

	return sm_error_at(SM_E_FORMAT, file->obj ? file->obj->path : NULL,
		(uint64_t)(at - file->line.data), "damaged line table in .debug_line", "%s",
		detail);
}

static bool add_entry(struct line_entries *entries, const uint8_t *at)
{
	if (entries->n == entries->cap &&
		!sm_grow(&entries->at, &entries->cap, entries->n + 1, sizeof(*entries->at)))
		return false;
	entries->at[entries->n++] = at;
	return true;
}

/* A NUL-terminated string; false where the bytes end before. */
static bool skip_string(struct dwarf_bytes *b)
{
	const uint8_t *nul = memchr(b->p, 0, (size_t)(b->end - b->p));

	if (!nul) {
		b->bad = true;
		return false;
	}
	b->p = nul + 1;
	return true;
}

struct sm_error *sm_line_entry_find(
	struct line_entries *entries, struct dwarf_bytes *b, unsigned numbers, bool *last)
{
	const uint8_t *at = b->p;

	*last = !skip_string(b) || b->p == at + 1;
	if (*last)
		return NULL;
	for (unsigned i = 0; i < numbers; i++)
		(void)dwarf_uleb(b);
	if (!b->bad && !add_entry(entries, at))
		return sm_error_nomem();
	return NULL;
}

/* Before DWARF 5: up to an empty string. */
static struct sm_error *find_old_entries(
	struct line_entries *entries, struct dwarf_bytes *b, unsigned numbers)
{
	struct sm_error *err = NULL;
	bool last = false;

	entries->n = 0;
	entries->nformats = 0;
	while (!err && !last && !b->bad)
		err = sm_line_entry_find(entries, b, numbers, &last);
	return err;
}

static void skip_form(const struct line_table *t, struct dwarf_bytes *b, uint16_t form)
{
	size_t size;

	switch (form) {
	case FORM_UDATA:
		(void)dwarf_uleb(b);
		return;
	case FORM_STRING:
		(void)skip_string(b);
		return;
	case FORM_LINE_STRP:
		size = t->unit.offset_size;
		break;
	case FORM_DATA16:
		size = 16;
		break;
	default:
		sm_dwarf_form_skip(&t->unit, b, form);
		return;
	}
	if ((size_t)(b->end - b->p) < size)
		b->bad = true;
	else
		b->p += size;
}

/* DWARF 5: the table says what its entries consist of. */
static struct sm_error *find_entries(
	struct line_table *t, struct line_entries *entries, struct dwarf_bytes *b)
{
	uint64_t n;

	entries->n = 0;
	entries->nformats = (unsigned)dwarf_u(b, 1);
	for (unsigned i = 0; i < entries->nformats; i++) {
		uint64_t content = dwarf_uleb(b), form = dwarf_uleb(b);

		entries->formats[i].content = content < UINT16_MAX ? (uint16_t)content : UINT16_MAX;
		entries->formats[i].form = form < UINT16_MAX ? (uint16_t)form : UINT16_MAX;
	}
	n = dwarf_uleb(b);
	/* An entry may take no bytes at all: then this bounds their number. */
	if (n > (uint64_t)(b->end - b->p))
		b->bad = true;
	for (; n && !b->bad; n--) {
		const uint8_t *at = b->p;

		for (unsigned i = 0; i < entries->nformats; i++)
			skip_form(t, b, entries->formats[i].form);
		if (!b->bad && !add_entry(entries, at))
			return sm_error_nomem();
	}
	return NULL;
}

/* What each known opcode takes is fixed: with other numbers it would be another machine's. */
static bool operands_are_standard(const struct line_table *t)
{
	static const uint8_t standard[STANDARD_OPCODES] = {0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1};
	size_t n = t->opcode_base - 1u;

	return memcmp(t->operands, standard, n < sizeof(standard) ? n : sizeof(standard)) == 0;
}

static struct sm_error *read_header(struct line_table *t, struct dwarf_bytes *b)
{
	struct sm_error *err = NULL;
	struct dwarf_bytes header;
	uint64_t len;

	t->unit.version = (uint16_t)dwarf_u(b, 2);
	if (b->bad || t->unit.version < 2 || t->unit.version > 5)
		return sm_line_table_bad(t, b->p, "its version is none of 2 to 5");
	if (t->unit.version >= 5) {
		t->unit.addr_size = (uint8_t)dwarf_u(b, 1);
		/* Segment selectors: none have ever been used. */
		if (dwarf_u(b, 1) != 0)
			return sm_line_table_bad(t, b->p, "it has segment selectors");
	}
	len = dwarf_u(b, t->unit.offset_size);
	if (b->bad || len > (uint64_t)(b->end - b->p))
		return sm_line_table_bad(t, b->p, "its header is longer than the table");
	header = *b;
	header.end = b->p + len;
	t->min_insn = (uint8_t)dwarf_u(&header, 1);
	t->max_ops = t->unit.version >= 4 ? (uint8_t)dwarf_u(&header, 1) : 1;
	(void)dwarf_u(&header, 1); /* is_stmt: breakpoints' */
	t->line_base = (int8_t)(uint8_t)dwarf_u(&header, 1);
	t->line_range = (uint8_t)dwarf_u(&header, 1);
	t->opcode_base = (uint8_t)dwarf_u(&header, 1);
	if (header.bad || !t->max_ops || !t->line_range || !t->opcode_base ||
		t->opcode_base - 1 > header.end - header.p)
		return sm_line_table_bad(t, b->p, "its header makes no sense");
	t->operands = header.p;
	header.p += t->opcode_base - 1;
	if (!operands_are_standard(t))
		return sm_line_table_bad(t, t->operands, "its opcodes take other operands");
	if (t->unit.version >= 5) {
		err = find_entries(t, &t->dirs, &header);
		if (!err && !header.bad)
			err = find_entries(t, &t->files, &header);
	} else {
		err = find_old_entries(&t->dirs, &header, 0);
		if (!err && !header.bad)
			err = find_old_entries(&t->files, &header, 3);
	}
	if (!err && header.bad)
		err = sm_line_table_bad(t, header.p, "its tables of files reach beyond its header");
	t->program = header.end;
	t->end = b->end;
	t->nfiles = t->files.n;
	return err;
}

struct sm_error *sm_line_table_open(struct line_table *t, struct dwarf *dwarf, uint32_t unit)
{
	const struct dwarf_section *section;
	struct sm_error *err;
	struct dwarf_bytes b;
	uint64_t len;

	t->program = NULL;
	t->dirs.n = t->files.n = 0;
	if (unit >= dwarf->nunits)
		return NULL;
	err = sm_dwarf_unit_load(dwarf, &dwarf->units[unit]);
	if (err)
		return err;
	t->dwarf = dwarf;
	t->unit = dwarf->units[unit];
	section = &t->unit.file->line;
	if (!t->unit.has_line || !section->data)
		return NULL;
	t->offset = t->unit.stmt_list;
	if (t->offset >= section->len)
		return sm_line_table_bad(
			t, section->data + section->len, "it would begin behind the section");
	b = (struct dwarf_bytes){
		section->data + t->offset, section->data + section->len, t->unit.file->swap, false};
	t->unit.offset_size = 4;
	len = dwarf_u(&b, 4);
	if (len == UINT32_MAX) {
		t->unit.offset_size = 8;
		len = dwarf_u(&b, 8);
	}
	if (b.bad || len > (uint64_t)(b.end - b.p))
		return sm_line_table_bad(t, b.p, "it reaches beyond the section");
	b.end = b.p + len;
	err = read_header(t, &b);
	if (err)
		t->program = NULL;
	return err;
}

void sm_line_table_release(struct line_table *t)
{
	free(t->dirs.at);
	free(t->files.at);
	free(t->sequences);
	sm_dwarf_rows_release(&t->sorted);
	*t = (struct line_table){0};
}

/* The name of an entry and the number of its directory. */
static const char *read_entry(
	const struct line_table *t, const struct line_entries *entries, size_t i, uint64_t *dir)
{
	struct dwarf_bytes b = {entries->at[i], t->end, t->unit.file->swap, false};
	const char *name = NULL;

	*dir = 0;
	if (!entries->nformats) {
		/* An old table's. Strings were found to end, or there is no entry. */
		if (t->unit.version >= 5)
			return NULL;
		name = (const char *)b.p;
		b.p += strlen(name) + 1;
		*dir = dwarf_uleb(&b);
		return name;
	}
	for (unsigned k = 0; k < entries->nformats && !b.bad; k++) {
		struct dwarf_value v = {0};

		switch (entries->formats[k].content) {
		case LNCT_PATH:
			sm_dwarf_form_read(t->dwarf, &t->unit, &b, entries->formats[k].form, 0, &v);
			if (!b.bad && v.kind == DWARF_STRING)
				name = v.s;
			break;
		case LNCT_DIRECTORY_INDEX:
			sm_dwarf_form_read(t->dwarf, &t->unit, &b, entries->formats[k].form, 0, &v);
			if (!b.bad && v.kind == DWARF_CONSTANT)
				*dir = v.u;
			break;
		default:
			skip_form(t, &b, entries->formats[k].form);
			break;
		}
	}
	return name;
}

static const char *directory(const struct line_table *t, uint64_t dir)
{
	uint64_t unused;

	if (t->unit.version < 5) {
		if (dir == 0)
			return NULL; /* that of the compilation */
		dir--;
	}
	return dir < t->dirs.n ? read_entry(t, &t->dirs, (size_t)dir, &unused) : NULL;
}

bool sm_line_table_file(const struct line_table *t, uint32_t file, struct line_path *path)
{
	const char **parts = path->parts, *compilation;
	uint64_t dir;

	*path = (struct line_path){0};
	if (t->unit.version < 5) {
		if (file == 0)
			return false;
		file--;
	}
	if (!t->program || file >= t->files.n)
		return false;
	parts[2] = read_entry(t, &t->files, file, &dir);
	if (!parts[2] || !*parts[2])
		return false;
	if (*parts[2] == '/')
		return true;
	parts[1] = directory(t, dir);
	if (parts[1] && *parts[1] == '/')
		return true;
	parts[0] = t->unit.comp_dir;
	if (t->unit.version < 5)
		return true;
	/* Directory 0 is the compilation's too. It may be relative to what the unit says, or be the
	 * same, which may be relative. */
	compilation = directory(t, 0);
	if (compilation && (!parts[0] || (*compilation == '/' && *parts[0] != '/')))
		parts[0] = compilation;
	if (dir == 0 && parts[0] && parts[1] && strcmp(parts[0], parts[1]) == 0)
		parts[0] = NULL;
	return true;
}

bool sm_dwarf_file(struct dwarf *dwarf, uint32_t unit, uint32_t file, struct sm_buf *path)
{
	struct line_table t = {0};
	struct line_path parts;
	struct sm_error *err = sm_line_table_open(&t, dwarf, unit);
	struct dwarf_rows rows = {0};
	bool found;

	found = !err && sm_line_table_file(&t, file, &parts);
	if (!err && !found && t.program && t.unit.version < 5) {
		/* The program may define it. */
		err = sm_line_table_run(&t, NULL, 0, &rows);
		found = sm_line_table_file(&t, file, &parts);
	}
	if (found)
		sm_line_path_join(&parts, dwarf, path);
	sm_dwarf_rows_release(&rows);
	sm_line_table_release(&t);
	sm_error_free(err);
	return found;
}

struct sm_error *sm_dwarf_rows(struct dwarf *dwarf, uint32_t unit, const uint64_t *wanted,
	size_t nwanted, struct dwarf_rows *rows)
{
	struct line_table t = {0};
	struct sm_error *err = sm_line_table_open(&t, dwarf, unit);

	rows->n = 0;
	if (!err)
		err = sm_line_table_run(&t, wanted, nwanted, rows);
	sm_line_table_release(&t);
	return err;
}

void sm_dwarf_rows_release(struct dwarf_rows *rows)
{
	free(rows->rows);
	*rows = (struct dwarf_rows){0};
}
