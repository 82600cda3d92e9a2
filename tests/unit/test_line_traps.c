/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Traps in line tables: rows, files, paths. */
#include "lookup.h"

#include <setjmp.h>
#include <stdio.h>

#include <cmocka.h>

static void root(struct dw *d, const struct ew_section *s, uint64_t end)
{
	dw_name(d, "a.c");
	dw_string(d, DW_AT_comp_dir, "/src");
	dw_code(d, s, 0, end);
}

/* The file register begins at 1, which is the second file in DWARF 5 and the first before. */
static void test_file_1(void **state)
{
	struct trap *t = *state;
	struct dw *d = t->d;
	bool v5 = d->style.version >= 5;

	for (UNIT(d, compile)) {
		root(d, t->text, 0x80);
		for (LINES(d)) {
			if (v5)
				dw_dir(d, "/src");
			dw_file(d, "zeroth.c", 0);
			dw_file(d, "first.c", 0);
			dw_file(d, "second.c", 0);
			dw_set_address(d, t->text, 0); /* no set_file */
			dw_opcode(d, DW_LNS_copy);
			ew_uleb(dw_opcode(d, DW_LNS_advance_pc), 0x10);
			ew_uleb(dw_opcode(d, DW_LNS_set_file), v5 ? 0 : 3);
			dw_opcode(d, DW_LNS_copy);
			ew_uleb(dw_opcode(d, DW_LNS_advance_pc), 0x10);
			ew_uleb(dw_opcode(d, DW_LNS_set_file), 2);
			dw_opcode(d, DW_LNS_copy);
			ew_uleb(dw_opcode(d, DW_LNS_advance_pc), 0x10);
			ew_uleb(dw_opcode(d, DW_LNS_set_file), 4); /* there is none */
			dw_opcode(d, DW_LNS_copy);
			ew_uleb(dw_opcode(d, DW_LNS_advance_pc), 0x50);
			dw_extended(d, DW_LNE_end_sequence, 0);
		}
		for (DIE(d, subprogram)) {
			dw_name(d, "f");
			dw_code(d, t->text, 0, 0x80);
			for (DIE(d, inlined_subroutine)) { /* the same numbers */
				dw_origin(d, "inl");
				dw_code(d, t->text, 0x40, 0x50);
				dw_call(d, 1, 7);
			}
			for (DIE(d, inlined_subroutine)) {
				dw_origin(d, "inl");
				dw_code(d, t->text, 0x50, 0x60);
				dw_call(d, 2, 8);
			}
			for (DIE(d, inlined_subroutine)) {
				dw_origin(d, "inl");
				dw_code(d, t->text, 0x60, 0x70);
				dw_call(d, 9, 8);
			}
		}
		for (DIE(d, subprogram)) {
			dw_label(d, "inl");
			dw_name(d, "inl");
		}
	}
	trap_look(t);
	lookup_expect(&t->l, ".text", 0x00, v5 ? "f first.c:1" : "f zeroth.c:1");
	lookup_expect(&t->l, ".text", 0x10, v5 ? "f zeroth.c:1" : "f second.c:1");
	lookup_expect(&t->l, ".text", 0x20, v5 ? "f second.c:1" : "f first.c:1");
	lookup_expect(
		&t->l, ".text", 0x40, v5 ? "inl ?:0 < f first.c:7" : "inl ?:0 < f zeroth.c:7");
	lookup_expect(
		&t->l, ".text", 0x50, v5 ? "inl ?:0 < f second.c:8" : "inl ?:0 < f first.c:8");
	lookup_expect(&t->l, ".text", 0x6f, "inl ?:0 < f ?:0");
}

/* Rows don't reach over an end_sequence, even where the function does. */
static void test_gaps(void **state)
{
	struct trap *t = *state;
	struct dw *d = t->d;

	for (UNIT(d, compile)) {
		root(d, t->text, 0x100);
		for (LINES(d)) {
			dw_primary(d, "/src", "a.c");
			dw_file(d, "a.c", 0);
			dw_row(d, t->text, 0x10, 1, 1);
			dw_end_sequence(d, t->text, 0x20);
			dw_row(d, t->text, 0x30, 1, 2);
			dw_row(d, t->text, 0x38, 1, 3);
			dw_end_sequence(d, t->text, 0x40);
			dw_row(d, t->text, 0x40, 1, 4); /* right after */
			dw_end_sequence(d, t->text, 0x48);
		}
		trap_function(d, "f", t->text, 0, 0x100);
	}
	trap_look(t);
	lookup_expect_range(&t->l, ".text", 0x00, 0x10, "f ?:0");
	lookup_expect_range(&t->l, ".text", 0x10, 0x20, "f a.c:1");
	lookup_expect_range(&t->l, ".text", 0x20, 0x30, "f ?:0");
	lookup_expect_range(&t->l, ".text", 0x30, 0x38, "f a.c:2");
	lookup_expect_range(&t->l, ".text", 0x38, 0x40, "f a.c:3");
	lookup_expect_range(&t->l, ".text", 0x40, 0x48, "f a.c:4");
	lookup_expect_range(&t->l, ".text", 0x48, 0x100, "f ?:0");
}

static void test_sequences_out_of_order(void **state)
{
	struct trap *t = *state;
	struct dw *d = t->d;
	static const uint64_t order[] = {5, 0, 3, 1, 4, 2};

	for (UNIT(d, compile)) {
		root(d, t->text, 0x60);
		for (LINES(d)) {
			dw_primary(d, "/src", "a.c");
			dw_file(d, "a.c", 0);
			for (size_t i = 0; i < SM_ARRAY_SIZE(order); i++) {
				uint64_t at = order[i] * 0x10;

				dw_row(d, t->text, at, 1, 10 * order[i] + 1);
				dw_row(d, t->text, at + 8, 1, 10 * order[i] + 2);
				dw_end_sequence(d, t->text, at + 0x10);
			}
		}
		trap_function(d, "f", t->text, 0, 0x60);
	}
	trap_look(t);
	for (unsigned i = 0; i < 6; i++) {
		char want[32];

		snprintf(want, sizeof(want), "f a.c:%u", 10 * i + 1);
		lookup_expect_range(&t->l, ".text", i * 0x10, i * 0x10 + 8, want);
		snprintf(want, sizeof(want), "f a.c:%u", 10 * i + 2);
		lookup_expect_range(&t->l, ".text", i * 0x10 + 8, i * 0x10 + 0x10, want);
	}
}

/* Of several rows at an address the last counts; a sequence may be empty; line 0 is unknown. */
static void test_rows_at_one_address(void **state)
{
	struct trap *t = *state;
	struct dw *d = t->d;

	for (UNIT(d, compile)) {
		root(d, t->text, 0x40);
		for (LINES(d)) {
			dw_primary(d, "/src", "a.c");
			dw_file(d, "a.c", 0);
			dw_file(d, "b.h", 0);
			dw_row(d, t->text, 0x20, 1, 99);
			dw_end_sequence(d, t->text, 0x20); /* empty, in the midst of the next */
			dw_row(d, t->text, 0, 1, 1);
			dw_row(d, t->text, 0, 2, 2);
			dw_row(d, t->text, 0, 1, 3);
			dw_row(d, t->text, 0x10, 2, 4);
			dw_row(d, t->text, 0x10, 2, 5);
			dw_row(d, t->text, 0x30, 1, 0);
			dw_row(d, t->text, 0x38, 1, 7);
			dw_row(d, t->text, 0x40, 1, 8); /* where it ends */
			dw_end_sequence(d, t->text, 0x40);
		}
		trap_function(d, "f", t->text, 0, 0x40);
	}
	trap_look(t);
	lookup_expect_range(&t->l, ".text", 0x00, 0x10, "f a.c:3");
	lookup_expect_range(&t->l, ".text", 0x10, 0x30, "f b.h:5");
	lookup_expect_range(&t->l, ".text", 0x30, 0x38, "f a.c:0");
	lookup_expect_range(&t->l, ".text", 0x38, 0x40, "f a.c:7");
	lookup_expect(&t->l, ".text", 0x40, "");
}

/* All opcodes that say nothing about lines, and those that nobody knows. */
static void test_opcodes_to_skip(void **state)
{
	struct trap *t = *state;
	struct dw *d = t->d;

	d->style.opcode_base = 16; /* 13 to 15 take an operand each */
	for (UNIT(d, compile)) {
		root(d, t->text, 0x100);
		for (LINES(d)) {
			dw_primary(d, "/src", "a.c");
			dw_file(d, "a.c", 0);
			dw_row(d, t->text, 0, 1, 1);
			ew_uleb(dw_opcode(d, DW_LNS_set_column), 300);
			dw_opcode(d, DW_LNS_negate_stmt); /* what follows counts all the same */
			dw_opcode(d, DW_LNS_set_basic_block);
			dw_opcode(d, DW_LNS_set_prologue_end);
			dw_opcode(d, DW_LNS_set_epilogue_begin);
			ew_uleb(dw_opcode(d, DW_LNS_set_isa), 1);
			ew_uleb(dw_opcode(d, 13), 0x81);
			ew_uleb(dw_opcode(d, 15), 0x4000);
			ew_uleb(dw_extended(d, DW_LNE_set_discriminator, 1), 5);
			ew_string(dw_extended(d, 0x80, 5), "gcc!"); /* a vendor's */
			dw_row(d, t->text, 0x20, 1, 200);
			ew_sleb(dw_opcode(d, DW_LNS_advance_line), -150);
			ew_uleb(dw_opcode(d, DW_LNS_advance_pc), 0x20);
			dw_opcode(d, DW_LNS_copy);
			ew_u(dw_opcode(d, DW_LNS_fixed_advance_pc), 2, 0x20);
			dw_opcode(d, 16 + 5 + 7);           /* special: 0 operations, line + 7 */
			dw_opcode(d, DW_LNS_const_add_pc);  /* (255 - 16) / 14 = 17 */
			dw_opcode(d, 16 + 5 + 14 * 15 + 1); /* 15 operations, line + 1 */
			dw_set_address(d, t->text, 0xa0);
			dw_extended(d, DW_LNE_end_sequence, 0);
		}
		trap_function(d, "f", t->text, 0, 0x100);
	}
	trap_look(t);
	lookup_expect_range(&t->l, ".text", 0x00, 0x20, "f a.c:1");
	lookup_expect_range(&t->l, ".text", 0x20, 0x40, "f a.c:200");
	lookup_expect_range(&t->l, ".text", 0x40, 0x60, "f a.c:50");
	lookup_expect_range(&t->l, ".text", 0x60, 0x80, "f a.c:57");
	lookup_expect_range(&t->l, ".text", 0x80, 0xa0, "f a.c:58");
	lookup_expect_range(&t->l, ".text", 0xa0, 0x100, "f ?:0");
}

/* Before DWARF 5 a program may name a file itself. */
static void test_define_file(void **state)
{
	struct trap *t = *state;
	struct dw *d = t->d;

	if (d->style.version >= 5)
		skip();
	for (UNIT(d, compile)) {
		struct ew_section *s;

		root(d, t->text, 0x40);
		for (LINES(d)) {
			dw_dir(d, "include");
			dw_file(d, "a.c", 0);
			dw_row(d, t->text, 0, 1, 1);
			s = dw_extended(d, DW_LNE_define_file, 7);
			ew_string(s, "b.h");
			ew_uleb(s, 1);
			ew_uleb(s, 0);
			ew_uleb(s, 0);
			dw_row(d, t->text, 0x20, 2, 2);
			dw_end_sequence(d, t->text, 0x40);
		}
		trap_function(d, "f", t->text, 0, 0x40);
	}
	trap_look(t);
	lookup_expect(&t->l, ".text", 0x00, "f a.c:1");
	lookup_expect(&t->l, ".text", 0x20, "f include/b.h:2");
}

/* A new assembler's units with an old one's line table: files are numbered as the table has it. */
static void test_table_of_another_version(void **state)
{
	struct trap *t = *state;
	struct dw *d = t->d;
	unsigned version = d->style.version;

	for (UNIT(d, compile)) {
		root(d, t->text, 0x40);
		for (LINES(d)) {
			d->style.version = 3;
			dw_dir(d, "include");
			dw_file(d, "a.c", 0);
			dw_file(d, "b.h", 1);
			dw_row(d, t->text, 0, 1, 1);
			dw_row(d, t->text, 0x20, 2, 2);
			dw_end_sequence(d, t->text, 0x40);
		}
		d->style.version = version;
		trap_function(d, "f", t->text, 0, 0x40);
	}
	trap_look(t);
	lookup_expect(&t->l, ".text", 0x00, "f a.c:1");
	lookup_expect(&t->l, ".text", 0x20, "f include/b.h:2");
}

/* Two units, one table: its rows are those of the unit that holds them. */
static void test_shared_table(void **state)
{
	struct trap *t = *state;
	struct dw *d = t->d;

	for (UNIT(d, compile)) {
		root(d, t->text, 0x40);
		for (LINES(d)) {
			dw_primary(d, "/src", "a.c");
			dw_file(d, "a.c", 0);
			dw_file(d, "b.c", 0);
			dw_row(d, t->text, 0, 1, 1);
			dw_row(d, t->text, 0x40, 2, 2);
			dw_end_sequence(d, t->text, 0x80);
		}
		trap_function(d, "f", t->text, 0, 0x40);
	}
	for (UNIT(d, compile)) {
		dw_name(d, "b.c");
		dw_string(d, DW_AT_comp_dir, "/src");
		dw_code(d, t->text, 0x40, 0x80);
		dw_lines_again(d);
		trap_function(d, "g", t->text, 0x40, 0x80);
	}
	trap_look(t);
	lookup_expect_range(&t->l, ".text", 0x00, 0x40, "f a.c:1");
	lookup_expect_range(&t->l, ".text", 0x40, 0x80, "g b.c:2");
}

/* Sequences of dropped code, at 0 and at the end of the address space. */
static void test_dropped_sequences(void **state)
{
	struct trap *t = *state;
	struct dw *d = t->d;
	static const uint64_t at[] = {0, UINT64_MAX, UINT64_MAX - 1};

	for (UNIT(d, compile)) {
		root(d, t->text, 0x40);
		for (LINES(d)) {
			dw_primary(d, "/src", "a.c");
			dw_file(d, "a.c", 0);
			for (size_t i = 0; i < SM_ARRAY_SIZE(at); i++) {
				dw_set_address(d, NULL, at[i]);
				dw_opcode(d, DW_LNS_copy);
				ew_uleb(dw_opcode(d, DW_LNS_advance_pc), 0x20);
				dw_opcode(d, DW_LNS_copy);
				ew_uleb(dw_opcode(d, DW_LNS_advance_pc), 0x20);
				dw_extended(d, DW_LNE_end_sequence, 0);
			}
			dw_row(d, t->text, 0, 1, 5);
			dw_end_sequence(d, t->text, 0x40);
		}
		trap_function(d, "f", t->text, 0, 0x40);
	}
	trap_look(t);
	lookup_expect_range(&t->l, ".text", 0, 0x40, "f a.c:5");
	lookup_expect(&t->l, ".text", 0x40, "");
	assert_string_equal(lookup_chain(&t->l, 0x10), "");
	assert_string_equal(lookup_chain(&t->l, UINT64_MAX - 1), "");
	assert_string_equal(lookup_chain_alone(&t->l, 0x10), "");
}

/* A function between others that has no rows, and a unit without a table at all. */
static void test_without_rows(void **state)
{
	struct trap *t = *state;
	struct dw *d = t->d;

	for (UNIT(d, compile)) {
		root(d, t->text, 0x60);
		for (LINES(d)) {
			dw_primary(d, "/src", "a.c");
			dw_file(d, "a.c", 0);
			dw_row(d, t->text, 0, 1, 1);
			dw_end_sequence(d, t->text, 0x20);
			dw_row(d, t->text, 0x40, 1, 3);
			dw_end_sequence(d, t->text, 0x60);
		}
		trap_function(d, "f", t->text, 0, 0x20);
		trap_function(d, "g", t->text, 0x20, 0x40);
		trap_function(d, "h", t->text, 0x40, 0x60);
	}
	for (UNIT(d, compile)) {
		dw_name(d, "b.c");
		dw_code(d, t->text, 0x60, 0x80);
		trap_function(d, "i", t->text, 0x60, 0x80);
	}
	for (UNIT(d, compile)) { /* a table without a row */
		dw_name(d, "c.c");
		dw_code(d, t->text, 0x80, 0xa0);
		for (LINES(d))
			dw_primary(d, "/src", "c.c");
		trap_function(d, "j", t->text, 0x80, 0xa0);
	}
	trap_look(t);
	assert_int_equal(t->l.bad, 0);
	lookup_expect_range(&t->l, ".text", 0x00, 0x20, "f a.c:1");
	lookup_expect_range(&t->l, ".text", 0x20, 0x40, "g ?:0");
	lookup_expect_range(&t->l, ".text", 0x40, 0x60, "h a.c:3");
	lookup_expect_range(&t->l, ".text", 0x60, 0x80, "i ?:0");
	lookup_expect_range(&t->l, ".text", 0x80, 0xa0, "j ?:0");
}

/* Names go with what is sound, lines are lost with their table. */
static void test_damaged_table(void **state)
{
	struct trap *t = *state;
	struct dw *d = t->d;
	struct ew_section *s;

	trap_unit(d, "a.c", "f", t->text, 0, 0x40, 1);
	s = ew_debug(t->f, ".debug_line");
	trap_unit(d, "b.c", "g", t->text, 0x40, 0x80, 2);
	trap_unit(d, "c.c", "h", t->text, 0x80, 0xc0, 3);
	ew_patch(s, 4, 2, 77); /* the version of the first */
	for (UNIT(d, compile)) {
		dw_name(d, "d.c");
		dw_code(d, t->text, 0xc0, 0x100);
		dw_number(d, DW_AT_stmt_list, DW_FORM_sec_offset, 0x1000000);
		trap_function(d, "i", t->text, 0xc0, 0x100);
	}
	trap_look(t);
	assert_int_equal(t->l.bad, 2);
	lookup_expect(&t->l, ".text", 0x00, "f ?:0");
	lookup_expect(&t->l, ".text", 0x40, "g b.c:2");
	lookup_expect(&t->l, ".text", 0x80, "h c.c:3");
	lookup_expect(&t->l, ".text", 0xc0, "i ?:0");
}

/* ---- paths ---- */

static void test_paths(void **state)
{
	struct trap *t = *state;
	struct dw *d = t->d;
	/* The directory of the compilation is /src/linux, which no path but one leaves. */
	static const struct {
		const char *dir, *file, *want;
	} paths[] = {
		{"mm", "slub.c", "mm/slub.c"},
		{"./mm/", "slub.c", "mm/slub.c"},
		{"./include/linux", "./slab.h", "include/linux/slab.h"},
		{"arch/x86//include/./asm", "io.h", "arch/x86/include/asm/io.h"},
		{"drivers/net/../char", "mem.c", "drivers/char/mem.c"},
		{"a/b/c", "../../../d.c", "d.c"},
		{"/src/linux/mm", "abs.c", "mm/abs.c"},
		{"/src/linux/./mm/../fs", "abs.c", "fs/abs.c"},
		{"mm", "/src/linux/fs/file.c", "fs/file.c"},
		{"/usr/include", "stdio.h", "/usr/include/stdio.h"},
		{"/src/linux2", "x.c", "/src/linux2/x.c"},
		{"../other", "x.c", "/src/other/x.c"},
		{"..", "linux/x.c", "x.c"},
		{"mm", "a..b.c", "mm/a..b.c"},
		{"mm/...", "x.c", "mm/.../x.c"},
		{"/", "x.c", "/x.c"},
		{"/../..", "x.c", "/x.c"},
		{"mm", "with blank.c", "mm/with blank.c"},
	};

	for (UNIT(d, compile)) {
		dw_name(d, "mm/slub.c");
		dw_string(d, DW_AT_comp_dir, "/src/linux");
		dw_code(d, t->text, 0, 0x200);
		for (LINES(d)) {
			dw_primary(d, "/src/linux", "mm/slub.c");
			for (size_t i = 0; i < SM_ARRAY_SIZE(paths); i++)
				dw_dir(d, paths[i].dir);
			for (size_t i = 0; i < SM_ARRAY_SIZE(paths); i++)
				dw_file(d, paths[i].file, i + 1);
			dw_file(d, "nodir.c", 0);
			dw_file(d, "baddir.c", 99);
			for (size_t i = 0; i <= SM_ARRAY_SIZE(paths) + 1; i++)
				dw_row(d, t->text, i * 0x10, i + 1, 7);
			dw_end_sequence(d, t->text, 0x200);
		}
	}
	trap_look(t);
	assert_string_equal(sm_dwarf_root(t->l.dwarf), "/src/linux/");
	for (size_t i = 0; i < SM_ARRAY_SIZE(paths); i++) {
		char want[64];

		snprintf(want, sizeof(want), "? %s:7", paths[i].want);
		lookup_expect(&t->l, ".text", i * 0x10, want);
	}
	lookup_expect(&t->l, ".text", SM_ARRAY_SIZE(paths) * 0x10, "? nodir.c:7");
	/* A directory that doesn't exist: what is known of the path. */
	lookup_expect(&t->l, ".text", (SM_ARRAY_SIZE(paths) + 1) * 0x10, "? baddir.c:7");
}

/* Several directories of compilation: paths are relative to what they share. */
static void root_of(struct dw *d, const char *comp_dir, const char *file,
	const struct ew_section *s, uint64_t start)
{
	for (UNIT(d, compile)) {
		dw_name(d, file);
		if (comp_dir)
			dw_string(d, DW_AT_comp_dir, comp_dir);
		dw_code(d, s, start, start + 0x10);
		for (LINES(d)) {
			dw_primary(d, comp_dir ? comp_dir : "/build/top/none", file);
			dw_file(d, file, 0);
			dw_row(d, s, start, 1, 1);
			dw_end_sequence(d, s, start + 0x10);
		}
	}
}

static void test_root(void **state)
{
	struct trap *t = *state;
	struct dw *d = t->d;

	root_of(d, "/build/top/linux", "a.c", t->text, 0);
	root_of(d, "/build/top/lib", "b.c", t->text, 0x10);
	root_of(d, "/build/top/linux/sub", "/build/top/linux/c.c", t->text, 0x20);
	trap_look(t);
	assert_string_equal(sm_dwarf_root(t->l.dwarf), "/build/top/");
	lookup_expect(&t->l, ".text", 0x00, "? linux/a.c:1");
	lookup_expect(&t->l, ".text", 0x10, "? lib/b.c:1");
	lookup_expect(&t->l, ".text", 0x20, "? linux/c.c:1");
}

static void test_no_root(void **state)
{
	struct trap *t = *state;
	struct dw *d = t->d;

	root_of(d, "/build/linux", "a.c", t->text, 0);
	root_of(d, "/usr/src/lib", "./b.c", t->text, 0x10);
	root_of(d, NULL, "c.c", t->text, 0x20);
	trap_look(t);
	assert_string_equal(sm_dwarf_root(t->l.dwarf), "");
	lookup_expect(&t->l, ".text", 0x00, "? /build/linux/a.c:1");
	lookup_expect(&t->l, ".text", 0x10, "? /usr/src/lib/b.c:1");
	lookup_expect(
		&t->l, ".text", 0x20, t->style.version < 5 ? "? c.c:1" : "? /build/top/none/c.c:1");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TRAP(test_file_1),
		TRAP(test_gaps),
		TRAP(test_sequences_out_of_order),
		TRAP(test_rows_at_one_address),
		TRAP(test_opcodes_to_skip),
		TRAP_IN(test_define_file, 0, "DWARF 4"),
		TRAP(test_table_of_another_version),
		TRAP(test_shared_table),
		TRAP(test_dropped_sequences),
		TRAP(test_without_rows),
		TRAP(test_damaged_table),
		TRAP(test_paths),
		TRAP(test_root),
		TRAP(test_no_root),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
