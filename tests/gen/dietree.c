// SPDX-License-Identifier: GPL-2.0-or-later
/* dietree: what needs all of a mkelf script: its debug information, calls, damage. */
#include "elfscript.h"

#include <stdlib.h>
#include <string.h>

static void write_code(struct dw *d, const struct elf_scope *s)
{
	if (s->nparts == 1)
		dw_code(d, s->parts[0].section, s->parts[0].start, s->parts[0].end);
	else if (s->nparts)
		dw_ranges(d, s->nparts, s->parts);
}

static void label_of(const struct elf_unit *unit, const char *name, char *label, size_t size)
{
	snprintf(label, size, "%p %s", (const void *)unit, name);
}

static void write_inlined(struct dw *d, const struct elf_unit *unit, const struct elf_scope *s)
{
	char label[512];

	for (size_t i = 0; i < s->nchildren; i++) {
		const struct elf_scope *child = s->children[i];

		label_of(unit, child->name, label, sizeof(label));
		for (DIE(d, inlined_subroutine)) {
			dw_origin(d, label);
			write_code(d, child);
			dw_call(d, child->call_file, child->call_line);
			write_inlined(d, unit, child);
		}
	}
}

/* One abstract instance of each name. */
static void write_abstract(struct dw *d, const struct elf_unit *unit, const struct elf_scope *s,
	char ***done, size_t *n, size_t *cap)
{
	char label[512];

	for (size_t i = 0; i < s->nchildren; i++) {
		const struct elf_scope *child = s->children[i];
		bool known = s == &unit->root; /* a function itself */

		for (size_t k = 0; k < *n && !known; k++)
			known = !strcmp((*done)[k], child->name);
		if (!known) {
			gen_grow(NULL, done, cap, *n + 1, sizeof(char *));
			(*done)[(*n)++] = child->name;
			label_of(unit, child->name, label, sizeof(label));
			for (DIE(d, subprogram)) {
				dw_label(d, label);
				dw_name(d, child->name);
				dw_number(d, DW_AT_inline, DW_FORM_data1, DW_INL_inlined);
			}
		}
		write_abstract(d, unit, child, done, n, cap);
	}
}

static void write_lines(struct dw *d, const struct elf_unit *unit)
{
	for (LINES(d)) {
		dw_primary(d, unit->dir, unit->file);
		for (size_t i = 0; i < unit->nfiles; i++)
			dw_file(d, unit->files[i], 0);
		for (size_t i = 0; i < unit->nrows; i++) {
			const struct elf_row *row = &unit->rows[i];

			if (row->file)
				dw_row(d, row->section, row->offset, row->file, row->line);
			else
				dw_end_sequence(d, row->section, row->offset);
		}
	}
}

static void unit_parts(struct dw *d, const struct elf_unit *unit)
{
	struct dw_range *parts = NULL;
	size_t n = 0, cap = 0;

	for (size_t i = 0; i < unit->root.nchildren; i++) {
		const struct elf_scope *f = unit->root.children[i];

		for (size_t k = 0; k < f->nparts; k++) {
			gen_grow(NULL, &parts, &cap, n + 1, sizeof(*parts));
			parts[n++] = f->parts[k];
		}
	}
	if (n == 1) {
		dw_code(d, parts[0].section, parts[0].start, parts[0].end);
	} else if (n) {
		dw_address(d, DW_AT_low_pc, NULL, 0);
		dw_ranges(d, n, parts);
	}
	free(parts);
}

static void write_tree(struct elf_script *s)
{
	struct dw *d = dw_new(s->elf, &s->style);

	for (size_t i = 0; i < s->nunits; i++) {
		const struct elf_unit *unit = s->units[i];
		char **done = NULL;
		size_t n = 0, cap = 0;

		for (UNIT(d, compile)) {
			dw_number(d, DW_AT_language, DW_FORM_data1, DW_LANG_C99);
			dw_name(d, unit->file);
			dw_string(d, DW_AT_comp_dir, unit->dir);
			unit_parts(d, unit);
			write_lines(d, unit);
			for (size_t k = 0; k < unit->root.nchildren; k++) {
				const struct elf_scope *f = unit->root.children[k];

				if (f->no_die)
					continue;
				for (DIE(d, subprogram)) {
					dw_name(d, f->name);
					write_code(d, f);
					write_inlined(d, unit, f);
				}
			}
			write_abstract(d, unit, &unit->root, &done, &n, &cap);
		}
		free(done);
	}
	dw_finish(d);
	dw_free(d);
}

void elf_script_link(struct elf_script *s)
{
	struct ew *f = s->elf;

	for (size_t i = 0; i < s->ncalls; i++) {
		const struct elf_call *c = &s->calls[i];
		const struct elf_name *to = elf_script_find(s, c->name);

		s->g->line = c->line;
		if (f->type == ET_REL)
			ew_call_symbol(c->section, c->offset,
				to && to->symbol ? to->symbol : ew_undefined(f, c->name));
		else if (to)
			ew_call(c->section, c->offset,
				to->offset + (to->section ? to->section->addr : 0));
		else
			gen_die(s->g, "nothing is called '%s'", c->name);
	}
	if (s->has_style && !s->strip)
		write_tree(s);
	for (size_t i = 0; i < s->npatches; i++) {
		const struct elf_patch *p = &s->patches[i];
		struct ew_section *section = ew_find(f, p->section);

		s->g->line = p->line;
		if (!section)
			gen_die(s->g, "there is no section '%s'", p->section);
		for (size_t k = 0; k < p->bytes.len; k++)
			ew_patch(section, p->offset + k, 1, (uint8_t)p->bytes.s[k]);
	}
	for (size_t i = 1; i < f->nsections && s->hollow; i++)
		if ((f->sections[i]->flags & SHF_ALLOC) && f->sections[i]->type == SHT_PROGBITS)
			ew_hollow(f->sections[i]);
	f->no_symtab = s->strip;
	ew_compress(f, ".debug_", s->compression);
}
