/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "made_unit.h"

void made_begin_at(struct made_file *m, uint64_t base)
{
	m->f = ew_new(64, sm_host_big_endian(), ET_EXEC, EM_X86_64);
	m->text = ew_text(m->f, ".text", base, TEXT_SIZE);
	m->d = dw_new(m->f, &(struct dw_style){.version = 5});
}

void made_begin(struct made_file *m)
{
	made_begin_at(m, TEXT);
}

void made_look(struct made_file *m)
{
	lookup_open(&m->l, m->f, m->d);
}

static size_t write_scopes(struct made_file *m, const struct spec *specs, size_t i, size_t n)
{
	const struct spec *s = &specs[i];
	struct dw_range ranges[SM_ARRAY_SIZE(s->ranges)];
	size_t next = i + 1;

	dw_open(m->d, s->depth ? DW_TAG_inlined_subroutine : DW_TAG_subprogram);
	while (dw_inside(m->d)) {
		if (s->name)
			dw_name(m->d, s->name);
		if (s->depth)
			dw_call(m->d, 1, 100 + i);
		for (unsigned k = 0; k < s->nranges; k++)
			ranges[k] = (struct dw_range){m->text, s->ranges[k][0], s->ranges[k][1]};
		dw_ranges(m->d, s->nranges, ranges);
		while (next < n && specs[next].depth > s->depth)
			next = write_scopes(m, specs, next, n);
	}
	return next;
}

void made_unit(struct made_file *m, const struct spec *specs, size_t n, const struct row *rows,
	size_t nrows)
{
	for (UNIT(m->d, compile)) {
		dw_name(m->d, "a.c");
		dw_string(m->d, DW_AT_comp_dir, "/src");
		RANGES(m->d, {m->text, 0, TEXT_SIZE});
		for (LINES(m->d)) {
			dw_primary(m->d, "/src", "a.c");
			dw_file(m->d, "a.c", 0);
			for (size_t i = 0; i < nrows; i++) {
				if (rows[i].line)
					dw_row(m->d, m->text, rows[i].at, 1, rows[i].line);
				else
					dw_end_sequence(m->d, m->text, rows[i].at);
			}
		}
		for (size_t i = 0; i < n;)
			i = write_scopes(m, specs, i, n);
	}
}
