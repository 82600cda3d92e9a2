/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A second opinion: generated files and this program itself, walked with libdw; for the first and
 * last address of each function's parts, and for some within, our reader says the same.
 */
#include "sample_tree.h"

#include "capture.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#if __has_include(<elfutils/libdw.h>)

#include <elfutils/libdw.h>
#include <fcntl.h>
#include <unistd.h>

#define MAX_CHAIN 64
/* Addresses within each part of a function. */
#define SAMPLES 24

struct opinion {
	const struct lookup *l;
	const char *comp_dir; /* of the unit */
	Dwarf_Die *cu;
	Dwarf_Files *files;
	size_t functions, addresses, wrong;
};

/* As lib/symbol/dwarf_path.c, but by the parts of a path. */
static void normalise(const char *path, char *out, size_t size)
{
	char copy[4096], *parts[256], *save = NULL;
	size_t n = 0, len = 0;

	snprintf(copy, sizeof(copy), "%s", path);
	for (char *s = strtok_r(copy, "/", &save); s; s = strtok_r(NULL, "/", &save)) {
		if (strcmp(s, ".") == 0)
			continue;
		if (strcmp(s, "..") == 0 && n && strcmp(parts[n - 1], "..") != 0)
			n--;
		else if (strcmp(s, "..") != 0 || *path != '/')
			parts[n++] = s;
		assert_true(n < 256);
	}
	*out = '\0';
	for (size_t i = 0; i < n && len < size; i++)
		len += (size_t)snprintf(
			out + len, size - len, "%s%s", i || *path == '/' ? "/" : "", parts[i]);
}

static const char *name_of(Dwarf_Die *die)
{
	Dwarf_Attribute attr;

	if (!dwarf_attr_integrate(die, DW_AT_linkage_name, &attr) &&
		!dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attr) &&
		!dwarf_attr_integrate(die, DW_AT_name, &attr))
		return NULL;
	return dwarf_formstring(&attr);
}

static bool is_block(int tag)
{
	return tag == DW_TAG_lexical_block || tag == DW_TAG_try_block || tag == DW_TAG_catch_block;
}

/* The start of the part of a DIE's code that holds an address. */
static bool part_start(Dwarf_Die *die, Dwarf_Addr addr, Dwarf_Addr *start)
{
	Dwarf_Addr base, low, high;
	ptrdiff_t at = 0;

	while ((at = dwarf_ranges(die, at, &base, &low, &high)) > 0)
		if (addr >= low && addr < high) {
			*start = low;
			return true;
		}
	return false;
}

/* What is inlined right into a function (or another) at an address: of several what starts last.
 * Blocks are passed through, whatever they say. */
static bool find_inlined(Dwarf_Die *die, Dwarf_Addr addr, Dwarf_Die *found, Dwarf_Addr *best)
{
	Dwarf_Die child;
	bool any = false;

	if (dwarf_child(die, &child) != 0)
		return false;
	do {
		Dwarf_Addr start;
		int tag = dwarf_tag(&child);

		if (is_block(tag)) {
			any |= find_inlined(&child, addr, found, best);
		} else if (tag == DW_TAG_inlined_subroutine && part_start(&child, addr, &start) &&
			   start >= *best) {
			*found = child;
			*best = start;
			any = true;
		}
	} while (dwarf_siblingof(&child, &child) == 0);
	return any;
}

/* A relative path is one of `dir`; libdw leaves directories of old tables so. */
static void add_line(
	char *out, size_t size, const char *function, const char *dir, const char *file, int line)
{
	char path[4096] = "?", joined[4096];
	size_t len = strlen(out);

	if (file && *file != '/' && dir) {
		snprintf(joined, sizeof(joined), "%s/%s", dir, file);
		file = joined;
	}
	if (file && line)
		normalise(file, path, sizeof(path));
	snprintf(out + len, size - len, "%s%s %s:%d", len ? " < " : "", function ? function : "?",
		path, file ? line : 0);
}

/* The chain by libdw, with whole paths. */
static void ask_libdw(
	const struct opinion *o, Dwarf_Die *function, Dwarf_Addr addr, char *out, size_t size)
{
	Dwarf_Die chain[MAX_CHAIN];
	Dwarf_Line *row = dwarf_getsrc_die(o->cu, addr);
	const char *file = row ? dwarf_linesrc(row, NULL, NULL) : NULL;
	int line = 0;
	size_t n = 1;
	Dwarf_Addr best = 0;

	if (row)
		dwarf_lineno(row, &line);
	chain[0] = *function;
	while (n < MAX_CHAIN && find_inlined(&chain[n - 1], addr, &chain[n], &best)) {
		best = 0;
		n++;
	}
	*out = '\0';
	while (n--) {
		Dwarf_Attribute attr;
		Dwarf_Word v = 0;

		add_line(out, size, name_of(&chain[n]), o->comp_dir, file, line);
		file = NULL;
		line = 0;
		if (o->files && dwarf_attr(&chain[n], DW_AT_call_file, &attr) &&
			dwarf_formudata(&attr, &v) == 0)
			file = dwarf_filesrc(o->files, v, NULL, NULL);
		if (dwarf_attr(&chain[n], DW_AT_call_line, &attr) &&
			dwarf_formudata(&attr, &v) == 0)
			line = (int)v;
	}
}

/* Ours, with whole paths too. */
static void ask_ours(const struct lookup *l, uint64_t addr, char *out, size_t size)
{
	struct sm_line lines[MAX_CHAIN];
	size_t n = sm_code_map_find(&l->map, addr, lines, MAX_CHAIN);

	*out = '\0';
	for (size_t i = 0; i < n; i++)
		add_line(out, size, lines[i].function, sm_dwarf_root(l->dwarf), lines[i].file,
			(int)lines[i].line);
}

static void compare_at(struct opinion *o, Dwarf_Die *function, Dwarf_Addr addr)
{
	static char theirs[1 << 16], ours[1 << 16], alone[1 << 16];

	ask_libdw(o, function, addr, theirs, sizeof(theirs));
	ask_ours(o->l, addr, ours, sizeof(ours));
	o->addresses++;
	if (strcmp(theirs, ours) != 0 && o->wrong++ < 10)
		print_error(
			"%#llx: libdw '%s'\n  ours '%s'\n", (unsigned long long)addr, theirs, ours);
	/* The other way costs more: at a sample. */
	if (o->addresses % 97 != 0)
		return;
	snprintf(alone, sizeof(alone), "%s", lookup_chain_alone(o->l, addr));
	if (strcmp(alone, lookup_chain(o->l, addr)) != 0 && o->wrong++ < 10)
		print_error("%#llx: alone '%s'\n  of all '%s'\n", (unsigned long long)addr, alone,
			lookup_chain(o->l, addr));
}

static void compare_function(struct opinion *o, Dwarf_Die *die)
{
	Dwarf_Addr base, low, high;
	ptrdiff_t at = 0;

	while ((at = dwarf_ranges(die, at, &base, &low, &high)) > 0) {
		Dwarf_Addr step = (high - low) / SAMPLES + 1;

		if (low == 0 || low >= high)
			continue;
		o->functions++;
		for (Dwarf_Addr addr = low; addr < high; addr += step)
			compare_at(o, die, addr);
		compare_at(o, die, high - 1);
	}
}

static void compare_children(struct opinion *o, Dwarf_Die *parent)
{
	Dwarf_Die child;

	if (dwarf_child(parent, &child) != 0)
		return;
	do {
		switch (dwarf_tag(&child)) {
		case DW_TAG_subprogram:
			compare_function(o, &child);
			break;
		case DW_TAG_namespace:
			compare_children(o, &child);
			break;
		}
	} while (dwarf_siblingof(&child, &child) == 0);
}

static void compare_all(const struct lookup *l, Dwarf *dwarf, struct opinion *o)
{
	Dwarf_Off offset = 0, next;
	size_t header;

	*o = (struct opinion){.l = l};
	while (dwarf_nextcu(dwarf, offset, &next, &header, NULL, NULL, NULL) == 0) {
		Dwarf_Die cu;
		size_t n;

		if (dwarf_offdie(dwarf, offset + header, &cu)) {
			Dwarf_Attribute attr;

			o->cu = &cu;
			o->comp_dir = dwarf_attr(&cu, DW_AT_comp_dir, &attr)
					      ? dwarf_formstring(&attr)
					      : NULL;
			if (dwarf_getsrcfiles(&cu, &o->files, &n) != 0)
				o->files = NULL;
			compare_children(o, &cu);
		}
		offset = next;
	}
	if (o->wrong)
		print_error("%zu parts of functions, %zu addresses, %zu differences\n",
			o->functions, o->addresses, o->wrong);
	assert_int_equal(o->wrong, 0);
}

static void compare_generated(const struct dw_style *style)
{
	struct ew *f = ew_new(64, false, ET_EXEC, EM_X86_64);
	struct ew_section *text = ew_text(f, ".text", 0xffffffff81000000, 0xc0);
	struct ew_section *cold = ew_text(f, ".text.unlikely", 0xffffffff81001000, 0x20);
	struct dw *d = dw_new(f, style);
	struct opinion o;
	struct lookup l;
	uint8_t *data;
	size_t len;
	Elf *elf;
	Dwarf *dwarf;

	sample_tree_write(d, text, cold);
	dw_finish(d);
	data = ew_finish(f, &len);
	dw_free(d);
	ew_free(f);
	lookup_open_bytes(&l, data, len, NULL);
	elf = elf_memory((char *)data, len);
	assert_non_null(elf);
	dwarf = dwarf_begin_elf(elf, DWARF_C_READ, NULL);
	assert_non_null(dwarf);
	compare_all(&l, dwarf, &o);
	/* alloc(), its cold part, free_one(), other() */
	assert_int_equal(o.functions, 4);
	dwarf_end(dwarf);
	elf_end(elf);
	lookup_close(&l);
	free(data);
}

static void test_generated(void **state)
{
	(void)state;
	elf_version(EV_CURRENT);
	for (unsigned version = 2; version <= 5; version++)
		for (unsigned k = 0; k < 8; k++)
			compare_generated(&(struct dw_style){.version = version,
				.dwarf64 = version > 2 && (k & 1),
				.aranges = k & 2,
				.siblings = k & 4,
				.rows = (enum dw_row_style)(k % 4)});
	for (enum dw_range_style r = 0; r <= DW_RANGES_INDEX_BASE; r++)
		compare_generated(&(struct dw_style){.version = 5,
			.ranges = r,
			.ranges_form = DW_FORM_rnglistx,
			.string_form = DW_FORM_strx1,
			.address_form = DW_FORM_addrx});
}

/* What the compiler that is at hand writes. */
static void test_this_program(void **state)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	struct opinion o;
	struct lookup l;
	Dwarf *dwarf;

	(void)state;
	assert_true(fd >= 0);
	elf_version(EV_CURRENT);
	lookup_open_path(&l, "/proc/self/exe");
	dwarf = dwarf_begin(fd, DWARF_C_READ);
	if (l.dwarf && dwarf) {
		assert_int_equal(l.bad, 0);
		compare_all(&l, dwarf, &o);
		assert_true(o.functions > 50);
	}
	assert_int_equal(!l.dwarf, !dwarf);
	if (dwarf)
		dwarf_end(dwarf);
	close(fd);
	lookup_close(&l);
	if (!dwarf)
		skip(); /* built without -g */
}

#else

static void test_generated(void **state)
{
	(void)state;
	skip(); /* no libdw here */
}

static void test_this_program(void **state)
{
	(void)state;
	skip();
}

#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_generated),
		cmocka_unit_test(test_this_program),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
