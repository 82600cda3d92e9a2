/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lookup.h"

#include "capture.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define MAX_LINES 300

static void open_object(const uint8_t *data, size_t len, struct object **obj)
{
	expect_none(sm_object_from_memory("generated", data, len, NULL, obj));
	assert_non_null(*obj);
}

static void open_dwarf(struct lookup *l)
{
	expect_none(sm_dwarf_open(l->obj, l->alt, NULL, &l->dwarf));
	if (!l->dwarf)
		return;
	l->builder = sm_code_builder_new(l->dwarf, NULL);
	assert_non_null(l->builder);
	for (uint32_t unit = 0; unit < sm_dwarf_units(l->dwarf); unit++)
		expect_none(sm_code_builder_add(l->builder, unit, NULL, 0, &l->bad));
	expect_none(sm_code_builder_finish(l->builder, &l->map));
}

void lookup_open_bytes(struct lookup *l, const uint8_t *data, size_t len, struct object *alt)
{
	memset(l, 0, sizeof(*l));
	l->alt = alt;
	open_object(data, len, &l->obj);
	open_dwarf(l);
}

static uint8_t *finish(struct ew *f, struct dw *d, size_t *len)
{
	uint8_t *data;

	if (d)
		dw_finish(d);
	data = ew_finish(f, len);
	if (d)
		dw_free(d);
	ew_free(f);
	return data;
}

void lookup_open(struct lookup *l, struct ew *f, struct dw *d)
{
	size_t len;
	uint8_t *data = finish(f, d, &len);

	lookup_open_bytes(l, data, len, NULL);
	free(data);
}

struct object *lookup_alt(struct ew *f, struct dw *d)
{
	struct object *alt;
	size_t len;
	uint8_t *data = finish(f, d, &len);

	open_object(data, len, &alt);
	free(data);
	return alt;
}

void lookup_open_path(struct lookup *l, const char *path)
{
	memset(l, 0, sizeof(*l));
	expect_none(sm_object_open(path, NULL, &l->obj));
	open_dwarf(l);
}

void lookup_close(struct lookup *l)
{
	sm_code_builder_free(l->builder);
	sm_dwarf_free(l->dwarf);
	sm_object_free(l->obj);
	sm_object_free(l->alt);
	memset(l, 0, sizeof(*l));
}

uint64_t lookup_at(const struct lookup *l, const char *section, uint64_t offset)
{
	const struct object_section *s = sm_object_section(l->obj, section);

	if (!s)
		fail_msg("no section '%s'", section);
	return s->addr + offset;
}

static const char *find_chain(const struct code_map *map, uint64_t addr, char *buf, size_t size)
{
	struct sm_line lines[MAX_LINES];
	size_t n = sm_code_map_find(map, addr, lines, MAX_LINES), len = 0;

	assert_true(n <= MAX_LINES);
	*buf = '\0';
	for (size_t i = 0; i < n && len < size; i++)
		len += (size_t)snprintf(buf + len, size - len, "%s%s %s:%u", i ? " < " : "",
			lines[i].function ? lines[i].function : "?",
			lines[i].file ? lines[i].file : "?", lines[i].line);
	return buf;
}

const char *lookup_chain(const struct lookup *l, uint64_t addr)
{
	static char buf[MAX_LINES * 40];

	*buf = '\0';
	return l->dwarf ? find_chain(&l->map, addr, buf, sizeof(buf)) : buf;
}

const char *lookup_chain_alone(const struct lookup *l, uint64_t addr)
{
	static char buf[MAX_LINES * 40];
	struct code_builder *b;
	struct code_map map;
	uint32_t unit;
	size_t bad = 0;

	*buf = '\0';
	if (!l->dwarf)
		return buf;
	expect_none(sm_dwarf_find_units(l->dwarf, &addr, 1, &unit));
	if (unit == DWARF_NONE)
		return buf;
	assert_true(unit < sm_dwarf_units(l->dwarf));
	b = sm_code_builder_new(l->dwarf, NULL);
	assert_non_null(b);
	expect_none(sm_code_builder_add(b, unit, &addr, 1, &bad));
	expect_none(sm_code_builder_finish(b, &map));
	find_chain(&map, addr, buf, sizeof(buf));
	sm_code_builder_free(b);
	return buf;
}

void lookup_expect(const struct lookup *l, const char *section, uint64_t offset, const char *chain)
{
	uint64_t addr = lookup_at(l, section, offset);
	const char *all = lookup_chain(l, addr), *alone = lookup_chain_alone(l, addr);

	if (strcmp(all, chain) != 0)
		fail_msg("%s+%#llx is '%s' in the map of all, not '%s'", section,
			(unsigned long long)offset, all, chain);
	if (strcmp(alone, chain) != 0)
		fail_msg("%s+%#llx is '%s' alone, not '%s'", section, (unsigned long long)offset,
			alone, chain);
}

void lookup_expect_range(
	const struct lookup *l, const char *section, uint64_t from, uint64_t to, const char *chain)
{
	assert_true(from < to);
	lookup_expect(l, section, from, chain);
	lookup_expect(l, section, to - 1, chain);
	for (uint64_t at = from; at < to; at++) {
		const char *all = lookup_chain(l, lookup_at(l, section, at));

		if (strcmp(all, chain) != 0)
			fail_msg("%s+%#llx is '%s' in the map of all, not '%s'", section,
				(unsigned long long)at, all, chain);
	}
}

const char *lookup_symbol(const struct lookup *l, uint64_t addr)
{
	static char buf[256];
	struct kallsyms k = {0};
	struct sm_symbol sym;

	*buf = '\0';
	expect_none(sm_object_symbols(l->obj, &k));
	if (sm_kallsyms_find(&k, addr, &sym) && sym.name)
		snprintf(buf, sizeof(buf), "%s", sym.name);
	sm_kallsyms_release(&k);
	return buf;
}

/* ---- traps ---- */

const struct dw_style trap_styles[4] = {{.version = 4}, {.version = 5},
	{.version = 4, .aranges = true}, {.version = 5, .aranges = true}};

void trap_begin(struct trap *t, uint16_t type, uint16_t machine)
{
	uint64_t base = type == ET_REL ? 0 : 0xffffffff81000000;

	if (t->d)
		dw_free(t->d);
	ew_free(t->f);
	t->f = ew_new(64, false, type, machine);
	t->text = ew_text(t->f, ".text", base, 0x400);
	t->cold = ew_text(t->f, ".text.unlikely", base ? base + 0x10000 : 0, 0x100);
	t->d = dw_new(t->f, &t->style);
}

int trap_setup(void **state)
{
	struct trap *t = calloc(1, sizeof(*t));

	assert_non_null(t);
	t->style = *(const struct dw_style *)*state;
	trap_begin(t, ET_EXEC, EM_X86_64);
	*state = t;
	return 0;
}

void trap_look(struct trap *t)
{
	lookup_open(&t->l, t->f, t->d);
	t->f = NULL;
	t->d = NULL;
	t->open = true;
}

int trap_teardown(void **state)
{
	struct trap *t = *state;

	if (t->open)
		lookup_close(&t->l);
	if (t->d)
		dw_free(t->d);
	ew_free(t->f);
	free(t);
	return 0;
}

void trap_function(
	struct dw *d, const char *name, const struct ew_section *s, uint64_t start, uint64_t end)
{
	for (DIE(d, subprogram)) {
		dw_name(d, name);
		dw_code(d, s, start, end);
	}
}

void trap_root(struct dw *d, const char *file, const struct ew_section *s, uint64_t start,
	uint64_t end, uint64_t line)
{
	dw_name(d, file);
	dw_string(d, DW_AT_comp_dir, "/src");
	dw_code(d, s, start, end);
	for (LINES(d)) {
		dw_primary(d, "/src", file);
		dw_file(d, file, 0);
		dw_row(d, s, start, 1, line);
		dw_end_sequence(d, s, end);
	}
}

void trap_unit(struct dw *d, const char *file, const char *function, const struct ew_section *s,
	uint64_t start, uint64_t end, uint64_t line)
{
	for (UNIT(d, compile)) {
		trap_root(d, file, s, start, end, line);
		trap_function(d, function, s, start, end);
	}
}
