/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An ELF file's debug information: units, functions, names, lines. Where its size is odd the file
 * is its own supplementary file too.
 */
#include <stdlib.h>

#include "lib/symbol/dwarf.h"

/* Units that are looked at: each may be as large as the file, or use all of a line table. */
#define UNITS_MAX 64
#define FILES_MAX 16
#define WANTED_MAX 64

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Reads the text of an error. True = there was one. */
static bool failed(struct sm_error *err)
{
	struct sm_buf text = {0};

	if (!err)
		return false;
	sm_error_format(err, &text);
	sm_buf_release(&text);
	sm_error_free(err);
	return true;
}

static void read_name(const char *name)
{
	static volatile size_t seen;

	if (name)
		seen = seen + strlen(name);
}

static bool holds(const struct dwarf_scopes *s, const struct dwarf_scope *scope,
	const uint64_t *wanted, size_t n)
{
	for (size_t i = 0; i < scope->nranges; i++) {
		const struct dwarf_range *r = &s->ranges[scope->first_range + i];

		for (size_t k = 0; k < n; k++)
			if (wanted[k] >= r->start && wanted[k] < r->end)
				return true;
	}
	return false;
}

/* `wanted` NULL = all functions */
static void check_scopes(
	struct dwarf *d, const struct dwarf_scopes *s, const uint64_t *wanted, size_t n)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct dwarf_scope *scope = &s->scopes[i];
		bool function = scope->parent == DWARF_NONE;

		if (!function && scope->parent >= i)
			abort();
		if (scope->first_range > s->nranges ||
			scope->nranges > s->nranges - scope->first_range)
			abort();
		if (function && !scope->nranges)
			abort();
		for (size_t k = 0; k < scope->nranges; k++)
			if (s->ranges[scope->first_range + k].start >=
				s->ranges[scope->first_range + k].end)
				abort();
		if (function && wanted && !holds(s, scope, wanted, n))
			abort();
		read_name(scope->name);
		if (i < 256 && sm_dwarf_name(d, scope->origin) != scope->name)
			abort();
	}
}

static int compare_addresses(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static void check_rows(const struct dwarf_rows *rows)
{
	for (size_t i = 1; i < rows->n; i++)
		if (rows->rows[i - 1].addr >= rows->rows[i].addr)
			abort();
}

static void read_unit(struct dwarf *d, uint32_t unit, struct dwarf_scopes *s,
	struct dwarf_rows *rows, struct sm_buf *path)
{
	uint64_t wanted[WANTED_MAX];
	size_t n = 0;

	s->n = s->nranges = 0;
	rows->n = 0;
	failed(sm_dwarf_scopes(d, unit, NULL, 0, s));
	check_scopes(d, s, NULL, 0);
	if (!failed(sm_dwarf_rows(d, unit, NULL, 0, rows)))
		check_rows(rows);
	for (size_t i = 0; i < s->nranges && n < WANTED_MAX; i++)
		wanted[n++] = i % 2 ? s->ranges[i].end : s->ranges[i].start;
	if (n)
		qsort(wanted, n, sizeof(*wanted), compare_addresses);
	s->n = s->nranges = 0;
	rows->n = 0;
	failed(sm_dwarf_scopes(d, unit, wanted, n, s));
	check_scopes(d, s, wanted, n);
	if (!failed(sm_dwarf_rows(d, unit, wanted, n, rows)))
		check_rows(rows);
	for (uint32_t i = 0; i < FILES_MAX; i++) {
		sm_buf_reset(path);
		if (sm_dwarf_file(d, unit, i, path))
			read_name(path->data);
	}
}

static void find_units(struct dwarf *d, const struct object *obj)
{
	for (size_t i = 0; i < obj->nsections && i < UNITS_MAX; i++) {
		const struct object_section *s = &obj->sections[i];
		uint64_t addrs[] = {s->addr, s->addr + s->size / 2, s->addr + s->size};
		uint32_t units[3];

		if (!(s->flags & SHF_ALLOC) || s->size > UINT64_MAX - s->addr)
			continue;
		if (failed(sm_dwarf_find_units(d, addrs, 3, units)))
			continue;
		for (unsigned k = 0; k < 3; k++)
			if (units[k] != DWARF_NONE && units[k] >= sm_dwarf_units(d))
				abort();
	}
}

static void read_dwarf(struct dwarf *d, const struct object *obj)
{
	struct dwarf_scopes scopes = {0};
	struct dwarf_rows rows = {0};
	struct sm_buf path = {0};

	find_units(d, obj);
	for (uint32_t i = 0; i < sm_dwarf_units(d) && i < UNITS_MAX; i++)
		read_unit(d, i, &scopes, &rows, &path);
	read_name(sm_dwarf_root(d));
	sm_dwarf_scopes_release(&scopes);
	sm_dwarf_rows_release(&rows);
	sm_buf_release(&path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct object *obj, *alt = NULL;
	struct dwarf *d;

	if (failed(sm_object_from_memory("input", data, size, NULL, &obj)))
		return 0;
	if (size % 2 && failed(sm_object_from_memory("alt", data, size, NULL, &alt)))
		abort();
	if (!failed(sm_dwarf_open(obj, alt, NULL, &d)) && d) {
		read_dwarf(d, obj);
		sm_dwarf_free(d);
	}
	sm_object_free(alt);
	sm_object_free(obj);
	return 0;
}
