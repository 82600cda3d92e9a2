// SPDX-License-Identifier: GPL-2.0-or-later
/* linewriter: line tables of dwarfwriter. */
#include "dwarfpool.h"

#include <stdlib.h>
#include <string.h>

static struct ew_section *line_section(struct dw *d)
{
	return ew_debug(d->elf, ".debug_line");
}

static uint8_t min_insn(const struct dw *d)
{
	return d->style.min_insn ? d->style.min_insn : 1;
}

static uint8_t line_range(const struct dw *d)
{
	return d->style.line_range ? d->style.line_range : 14;
}

static int line_base(const struct dw *d)
{
	return d->style.line_base ? d->style.line_base : -5;
}

static uint8_t opcode_base(const struct dw *d)
{
	return d->style.opcode_base ? d->style.opcode_base : 13;
}

static void stmt_list(struct dw *d, uint64_t offset)
{
	dw_number(d, DW_AT_stmt_list, DW_FORM_sec_offset, 0);
	ew_patch_ref(d->info, d->info->len - dw_offset_size(d), dw_offset_size(d), line_section(d),
		offset);
}

void dw_lines_open(struct dw *d)
{
	struct dw_private *p = d->priv;

	p->lines_entered = p->in_program = p->in_sequence = false;
	p->last_lines = line_section(d)->len;
	stmt_list(d, p->last_lines);
}

void dw_lines_again(struct dw *d)
{
	stmt_list(d, d->priv->last_lines);
}

/* ---- header ---- */

void dw_dir(struct dw *d, const char *path)
{
	struct dw_private *p = d->priv;

	ew_grow(&p->dirs, &p->dirs_cap, p->ndirs + 1, sizeof(*p->dirs));
	p->dirs[p->ndirs++] = ew_strdup(path);
}

void dw_file(struct dw *d, const char *path, uint64_t dir)
{
	struct dw_private *p = d->priv;

	ew_grow(&p->files, &p->files_cap, p->nfiles + 1, sizeof(*p->files));
	p->files[p->nfiles].path = ew_strdup(path);
	p->files[p->nfiles++].dir = dir;
}

void dw_primary(struct dw *d, const char *comp_dir, const char *path)
{
	if (d->style.version < 5)
		return;
	dw_dir(d, comp_dir);
	dw_file(d, path, 0);
}

static uint32_t path_form(const struct dw *d)
{
	return d->style.path_form ? d->style.path_form : DW_FORM_line_strp;
}

static void put_path(struct dw *d, struct ew_section *s, const char *path)
{
	uint32_t form = path_form(d);
	const char *section = form == DW_FORM_line_strp ? ".debug_line_str" : ".debug_str";

	if (form == DW_FORM_string)
		ew_string(s, path);
	else if (form == DW_FORM_udata || form == DW_FORM_strx)
		ew_uleb(s, dw_pool_string(d, path));
	else
		ew_ref(s, dw_offset_size(d), ew_debug(d->elf, section), dw_text(d, section, path));
}

static void put_format(struct dw *d, struct ew_section *s, bool files)
{
	bool extras = files && d->style.path_extras;
	unsigned n = extras ? 6 : files ? 2 : 1;

	ew_u(s, 1, n);
	if (extras) { /* a vendor's comes first: nothing says that the path does */
		ew_uleb(s, 0x2001);
		ew_uleb(s, DW_FORM_block);
	}
	ew_uleb(s, DW_LNCT_path);
	ew_uleb(s, path_form(d));
	if (files) {
		ew_uleb(s, DW_LNCT_directory_index);
		ew_uleb(s, extras ? DW_FORM_data1 : DW_FORM_udata);
	}
	if (extras) {
		ew_uleb(s, DW_LNCT_MD5);
		ew_uleb(s, DW_FORM_data16);
		ew_uleb(s, DW_LNCT_size);
		ew_uleb(s, DW_FORM_udata);
		ew_uleb(s, DW_LNCT_timestamp);
		ew_uleb(s, DW_FORM_data4);
	}
}

static void put_tables_v5(struct dw *d, struct ew_section *s)
{
	struct dw_private *p = d->priv;
	bool extras = d->style.path_extras;

	put_format(d, s, false);
	ew_uleb(s, p->ndirs);
	for (size_t i = 0; i < p->ndirs; i++)
		put_path(d, s, p->dirs[i]);
	put_format(d, s, true);
	ew_uleb(s, p->nfiles);
	for (size_t i = 0; i < p->nfiles; i++) {
		if (extras) {
			ew_uleb(s, 3);
			ew_put(s, "\0\1\2", 3);
		}
		put_path(d, s, p->files[i].path);
		if (extras) {
			ew_u(s, 1, p->files[i].dir);
			ew_put(s, "0123456789abcdef", 16);
			ew_uleb(s, 12345);
			ew_u(s, 4, 99);
		} else {
			ew_uleb(s, p->files[i].dir);
		}
	}
}

static void put_tables(struct dw *d, struct ew_section *s)
{
	struct dw_private *p = d->priv;

	for (size_t i = 0; i < p->ndirs; i++)
		ew_string(s, p->dirs[i]);
	ew_u(s, 1, 0);
	for (size_t i = 0; i < p->nfiles; i++) {
		ew_string(s, p->files[i].path);
		ew_uleb(s, p->files[i].dir);
		ew_uleb(s, 0);
		ew_uleb(s, 0);
	}
	ew_u(s, 1, 0);
}

static void begin_program(struct dw *d)
{
	static const uint8_t operands[] = {0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1, 1, 1, 1};
	struct dw_private *p = d->priv;
	struct ew_section *s = line_section(d);
	unsigned size = dw_offset_size(d);

	if (p->in_program)
		return;
	p->in_program = true;
	p->length_at = dw_length_open(d, s);
	ew_u(s, 2, d->style.version);
	if (d->style.version >= 5) {
		ew_u(s, 1, dw_word(d));
		ew_u(s, 1, 0);
	}
	p->header_length_at = s->len;
	ew_u(s, size, 0);
	ew_u(s, 1, min_insn(d));
	if (d->style.version >= 4)
		ew_u(s, 1, 1);
	ew_u(s, 1, 1);
	ew_u(s, 1, (uint8_t)line_base(d));
	ew_u(s, 1, line_range(d));
	ew_u(s, 1, opcode_base(d));
	ew_put(s, operands, opcode_base(d) - 1u);
	if (d->style.version >= 5)
		put_tables_v5(d, s);
	else
		put_tables(d, s);
	ew_patch(s, p->header_length_at, size, s->len - p->header_length_at - size);
}

bool dw_lines_inside(struct dw *d)
{
	struct dw_private *p = d->priv;

	if (!p->lines_entered)
		return p->lines_entered = true;
	begin_program(d);
	dw_length_close(d, line_section(d), p->length_at);
	for (size_t i = 0; i < p->ndirs; i++)
		free(p->dirs[i]);
	for (size_t i = 0; i < p->nfiles; i++)
		free(p->files[i].path);
	p->ndirs = p->nfiles = 0;
	return false;
}

/* ---- program ---- */

struct ew_section *dw_opcode(struct dw *d, uint8_t opcode)
{
	begin_program(d);
	ew_u(line_section(d), 1, opcode);
	return line_section(d);
}

struct ew_section *dw_extended(struct dw *d, uint8_t opcode, uint64_t len)
{
	struct ew_section *s = dw_opcode(d, 0);

	ew_uleb(s, len + 1);
	ew_u(s, 1, opcode);
	return s;
}

void dw_set_address(struct dw *d, const struct ew_section *section, uint64_t offset)
{
	ew_ref(dw_extended(d, DW_LNE_set_address, dw_word(d)), dw_word(d), section, offset);
	d->priv->row_section = section;
	d->priv->row_offset = offset;
}

static void begin_sequence(struct dw *d, const struct ew_section *section, uint64_t offset)
{
	struct dw_private *p = d->priv;

	dw_set_address(d, section, offset);
	p->row_file = p->row_line = 1;
	p->in_sequence = true;
}

/* Advances the address, without a row. */
static void advance_pc(struct dw *d, uint64_t offset)
{
	uint64_t step = offset - d->priv->row_offset;

	if (!step)
		return;
	if (d->style.rows == DW_ROWS_FIXED && step < 0x10000)
		ew_u(dw_opcode(d, DW_LNS_fixed_advance_pc), 2, step);
	else
		ew_uleb(dw_opcode(d, DW_LNS_advance_pc), step / min_insn(d));
	d->priv->row_offset = offset;
}

/* A special opcode, with a const_add_pc before where that helps. */
static bool special_row(struct dw *d, uint64_t offset, uint64_t line)
{
	struct dw_private *p = d->priv;
	uint64_t step = (offset - p->row_offset) / min_insn(d);
	int64_t lines = (int64_t)(line - p->row_line) - line_base(d);
	uint64_t most = (255u - opcode_base(d)) / line_range(d);
	bool add = false;
	uint64_t opcode;

	if (lines < 0 || lines >= line_range(d))
		return false;
	opcode = (uint64_t)lines + step * line_range(d) + opcode_base(d);
	if (opcode > 255 && step >= most) {
		add = true;
		opcode = (uint64_t)lines + (step - most) * line_range(d) + opcode_base(d);
	}
	if (opcode > 255)
		return false;
	if (add)
		dw_opcode(d, DW_LNS_const_add_pc);
	dw_opcode(d, (uint8_t)opcode);
	return true;
}

void dw_row(struct dw *d, const struct ew_section *section, uint64_t offset, uint64_t file,
	uint64_t line)
{
	struct dw_private *p = d->priv;

	begin_program(d);
	if (!p->in_sequence)
		begin_sequence(d, section, offset);
	else if (section != p->row_section || offset < p->row_offset ||
		 d->style.rows == DW_ROWS_ADDRESS)
		dw_set_address(d, section, offset);
	if (file != p->row_file)
		ew_uleb(dw_opcode(d, DW_LNS_set_file), file);
	if (d->style.rows != DW_ROWS_SPECIAL || !special_row(d, offset, line)) {
		advance_pc(d, offset);
		if (line != p->row_line)
			ew_sleb(dw_opcode(d, DW_LNS_advance_line), (int64_t)(line - p->row_line));
		dw_opcode(d, DW_LNS_copy);
	}
	p->row_offset = offset;
	p->row_file = file;
	p->row_line = line;
}

void dw_end_sequence(struct dw *d, const struct ew_section *section, uint64_t offset)
{
	if (section != d->priv->row_section || offset < d->priv->row_offset)
		dw_set_address(d, section, offset);
	else
		advance_pc(d, offset);
	dw_extended(d, DW_LNE_end_sequence, 0);
	d->priv->in_sequence = false;
}
