/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Traps in trees of DIEs: scopes, names, and where they come from. */
#include "lookup.h"

#include <setjmp.h>
#include <stdio.h>

#include <cmocka.h>

/* ---- names ---- */

static void test_origins_across_units(void **state)
{
	struct trap *t = *state;
	struct dw *d = t->d;

	for (UNIT(d, compile)) {
		trap_root(d, "a.c", t->text, 0, 0x40, 1);
		for (DIE(d, subprogram)) { /* a unit of LTO: nothing but the origin */
			dw_ref_as(d, DW_AT_abstract_origin, DW_FORM_ref_addr, "later");
			dw_code(d, t->text, 0, 0x20);
			for (DIE(d, inlined_subroutine)) {
				dw_ref_as(d, DW_AT_abstract_origin, DW_FORM_ref_addr, "inl");
				dw_code(d, t->text, 0x10, 0x18);
				dw_call(d, 1, 5);
			}
		}
		trap_function(d, "plain", t->text, 0x20, 0x40);
	}
	for (UNIT(d, compile)) {
		dw_name(d, "b.c");
		dw_string(d, DW_AT_comp_dir, "/src");
		for (DIE(d, subprogram)) {
			dw_label(d, "later");
			dw_name(d, "later");
		}
		for (DIE(d, subprogram)) {
			dw_label(d, "inl");
			dw_name(d, "inl");
		}
	}
	trap_look(t);
	lookup_expect(&t->l, ".text", 0x00, "later a.c:1");
	lookup_expect(&t->l, ".text", 0x10, "inl a.c:1 < later a.c:5");
	lookup_expect(&t->l, ".text", 0x18, "later a.c:1");
	lookup_expect(&t->l, ".text", 0x20, "plain a.c:1");
}

/* Out of line, then its abstract instance, then the declaration in a class, which has the name. */
static void test_origin_chain(void **state)
{
	struct trap *t = *state;
	struct dw *d = t->d;

	for (UNIT(d, compile)) {
		trap_root(d, "a.c", t->text, 0, 0x40, 1);
		for (DIE(d, subprogram)) {
			dw_origin(d, "abstract");
			dw_code(d, t->text, 0, 0x20);
		}
		for (DIE(d, subprogram)) {
			dw_label(d, "abstract");
			dw_ref(d, DW_AT_specification, "declared");
			dw_number(d, DW_AT_inline, DW_FORM_data1, DW_INL_inlined);
		}
		for (DIE(d, structure_type)) {
			dw_name(d, "class");
			for (DIE(d, subprogram)) {
				dw_label(d, "declared");
				dw_name(d, "method");
				dw_flag(d, DW_AT_declaration);
			}
		}
	}
	trap_look(t);
	lookup_expect(&t->l, ".text", 0, "method a.c:1");
	lookup_expect(&t->l, ".text", 0x20, "? a.c:1");
}

/* The name may stand anywhere in the chain; the linkage name has it over the name. */
static void test_linkage_names(void **state)
{
	struct trap *t = *state;
	struct dw *d = t->d;

	for (UNIT(d, compile)) {
		trap_root(d, "a.c", t->text, 0, 0x60, 1);
		for (DIE(d, subprogram)) {
			dw_name(d, "read");
			dw_string(d, DW_AT_linkage_name, "__sys_read");
			dw_code(d, t->text, 0, 0x20);
		}
		for (DIE(d, subprogram)) {
			dw_string(d, DW_AT_linkage_name, "first");
			dw_name(d, "second");
			dw_code(d, t->text, 0x20, 0x40);
		}
		for (DIE(d, subprogram)) {
			dw_string(d, DW_AT_MIPS_linkage_name, "__old");
			dw_name(d, "old");
			dw_code(d, t->text, 0x40, 0x60);
		}
	}
	trap_look(t);
	lookup_expect(&t->l, ".text", 0x00, "__sys_read a.c:1");
	lookup_expect(&t->l, ".text", 0x20, "first a.c:1");
	lookup_expect(&t->l, ".text", 0x40, "__old a.c:1");
}

/* Origins that go round, that lie nowhere, or that are no DIE: nameless, and the others aren't. */
static void test_origin_loops(void **state)
{
	struct trap *t = *state;
	struct dw *d = t->d;

	for (UNIT(d, compile)) {
		trap_root(d, "a.c", t->text, 0, 0x80, 1);
		for (DIE(d, subprogram)) {
			dw_label(d, "a");
			dw_origin(d, "b");
			dw_code(d, t->text, 0, 0x10);
		}
		for (DIE(d, subprogram)) {
			dw_label(d, "b");
			dw_ref(d, DW_AT_specification, "a");
			dw_code(d, t->text, 0x10, 0x20);
		}
		for (DIE(d, subprogram)) {
			dw_label(d, "self");
			dw_origin(d, "self");
			dw_code(d, t->text, 0x20, 0x30);
		}
		for (DIE(d, subprogram)) {
			dw_number(d, DW_AT_abstract_origin, DW_FORM_ref4, 0x7fffffff);
			dw_code(d, t->text, 0x30, 0x40);
		}
		for (DIE(d, subprogram)) {
			dw_number(d, DW_AT_abstract_origin, DW_FORM_ref_addr, 0xfffffff0);
			dw_code(d, t->text, 0x40, 0x50);
		}
		for (DIE(d, subprogram)) {
			dw_number(d, DW_AT_abstract_origin, DW_FORM_ref4, 1); /* the header */
			dw_code(d, t->text, 0x50, 0x60);
		}
		trap_function(d, "good", t->text, 0x60, 0x80);
	}
	trap_look(t);
	for (uint64_t at = 0; at < 0x50; at += 0x10)
		lookup_expect(&t->l, ".text", at, "? a.c:1");
	lookup_expect(&t->l, ".text", 0x60, "good a.c:1");
	/* Whatever these bytes say, both ways say it. */
	assert_string_equal(lookup_chain_alone(&t->l, lookup_at(&t->l, ".text", 0x50)),
		lookup_chain(&t->l, lookup_at(&t->l, ".text", 0x50)));
}

static void test_indirect_and_implicit_forms(void **state)
{
	struct trap *t = *state;
	struct dw *d = t->d;

	for (UNIT(d, compile)) {
		trap_root(d, "a.c", t->text, 0, 0x40, 1);
		for (DIE(d, subprogram)) {
			dw_name(d, "f");
			dw_address(d, DW_AT_low_pc, t->text, 0);
			dw_indirect(d, DW_AT_high_pc, DW_FORM_data2, 0x40);
			for (DIE(d, inlined_subroutine)) {
				dw_indirect(d, DW_AT_call_file, DW_FORM_udata, 1);
				dw_number(d, DW_AT_call_line,
					d->style.version < 5 ? DW_FORM_sdata
							     : DW_FORM_implicit_const,
					70000);
				dw_code(d, t->text, 0x10, 0x20);
				dw_origin(d, "inl");
			}
		}
		for (DIE(d, subprogram)) {
			dw_label(d, "inl");
			dw_attribute(d, DW_AT_name, DW_FORM_indirect, 0);
			ew_uleb(d->info, DW_FORM_string);
			ew_string(d->info, "inl");
		}
	}
	trap_look(t);
	lookup_expect(&t->l, ".text", 0x10, "inl a.c:1 < f a.c:70000");
	lookup_expect(&t->l, ".text", 0x3f, "f a.c:1");
}

/* All forms that there are, on a DIE that nobody needs: what follows is still found. */
static void test_forms_to_skip(void **state)
{
	struct trap *t = *state;
	struct dw *d = t->d;
	static const uint32_t blocks[] = {
		DW_FORM_block, DW_FORM_block1, DW_FORM_block2, DW_FORM_block4, DW_FORM_exprloc};
	static const uint32_t numbers[] = {DW_FORM_data1, DW_FORM_data2, DW_FORM_data4,
		DW_FORM_data8, DW_FORM_sdata, DW_FORM_udata, DW_FORM_flag, DW_FORM_flag_present,
		DW_FORM_sec_offset, DW_FORM_ref1, DW_FORM_ref2, DW_FORM_ref4, DW_FORM_ref8,
		DW_FORM_ref_udata, DW_FORM_ref_addr, DW_FORM_ref_sig8, DW_FORM_strp, DW_FORM_addr,
		DW_FORM_GNU_ref_alt, DW_FORM_GNU_strp_alt, DW_FORM_GNU_addr_index,
		DW_FORM_GNU_str_index};
	static const uint32_t new_numbers[] = {DW_FORM_strx, DW_FORM_strx1, DW_FORM_strx2,
		DW_FORM_strx3, DW_FORM_strx4, DW_FORM_addrx, DW_FORM_addrx1, DW_FORM_addrx2,
		DW_FORM_addrx3, DW_FORM_addrx4, DW_FORM_line_strp, DW_FORM_implicit_const,
		DW_FORM_rnglistx, DW_FORM_loclistx, DW_FORM_ref_sup4, DW_FORM_ref_sup8,
		DW_FORM_strp_sup};

	for (UNIT(d, compile)) {
		trap_root(d, "a.c", t->text, 0, 0x40, 1);
		for (DIE(d, variable)) {
			uint32_t at = DW_AT_lo_user;

			for (size_t i = 0; i < SM_ARRAY_SIZE(blocks); i++)
				dw_block(d, at++, blocks[i], "12345", 5);
			for (size_t i = 0; i < SM_ARRAY_SIZE(numbers); i++)
				dw_number(d, at++, numbers[i], 0x81);
			for (size_t i = 0; d->style.version >= 5 && i < SM_ARRAY_SIZE(new_numbers);
				i++)
				dw_number(d, at++, new_numbers[i], 0x81);
			if (d->style.version >= 5)
				dw_block(d, at++, DW_FORM_data16, "0123456789abcdef", 16);
			dw_string_as(d, at++, DW_FORM_string, "text");
		}
		trap_function(d, "f", t->text, 0, 0x40);
	}
	trap_look(t);
	lookup_expect(&t->l, ".text", 0x10, "f a.c:1");
}

/* ---- scopes ---- */

static void test_parts_elsewhere(void **state)
{
	struct trap *t = *state;
	struct dw *d = t->d;

	for (UNIT(d, compile)) {
		dw_name(d, "a.c");
		dw_string(d, DW_AT_comp_dir, "/src");
		dw_address(d, DW_AT_low_pc, NULL, 0);
		RANGES(d, {t->text, 0, 0x60}, {t->cold, 0, 0x20});
		for (DIE(d, subprogram)) { /* its cold part comes first */
			dw_name(d, "f");
			RANGES(d, {t->cold, 0, 0x8}, {t->text, 0, 0x20}, {t->text, 0x40, 0x50});
		}
		for (DIE(d, subprogram)) { /* with an empty part */
			dw_name(d, "g");
			RANGES(d, {t->text, 0x30, 0x30}, {t->text, 0x20, 0x40},
				{t->cold, 0x10, 0x18});
		}
	}
	trap_look(t);
	lookup_expect_range(&t->l, ".text", 0x00, 0x20, "f ?:0");
	lookup_expect_range(&t->l, ".text", 0x20, 0x40, "g ?:0");
	lookup_expect_range(&t->l, ".text", 0x40, 0x50, "f ?:0");
	lookup_expect_range(&t->l, ".text", 0x50, 0x60, "");
	lookup_expect_range(&t->l, ".text.unlikely", 0x00, 0x08, "f ?:0");
	lookup_expect_range(&t->l, ".text.unlikely", 0x08, 0x10, "");
	lookup_expect_range(&t->l, ".text.unlikely", 0x10, 0x18, "g ?:0");
}

static void inlined(struct dw *d, const char *origin, const struct ew_section *s, uint64_t start,
	uint64_t end, uint64_t line)
{
	dw_origin(d, origin);
	dw_code(d, s, start, end);
	dw_call(d, 1, line);
}

static void abstract(struct dw *d, const char *name)
{
	for (DIE(d, subprogram)) {
		dw_label(d, name);
		dw_name(d, name);
		dw_number(d, DW_AT_inline, DW_FORM_data1, DW_INL_inlined);
	}
}

/* Inlined functions in each other, begins and ends in common, through blocks of all kinds, with
 * DIEs between that have children and no code. */
static void test_nested_inlines(void **state)
{
	struct trap *t = *state;
	struct dw *d = t->d;

	for (UNIT(d, compile)) {
		trap_root(d, "a.c", t->text, 0, 0x100, 9);
		for (DIE(d, subprogram)) {
			dw_name(d, "f");
			dw_code(d, t->text, 0, 0x100);
			for (DIE(d, call_site)) {
				dw_address(d, DW_AT_call_return_pc, t->text, 0x18);
				dw_ref(d, DW_AT_call_origin, "one");
				for (DIE(d, call_site_parameter))
					dw_block(d, DW_AT_location, DW_FORM_exprloc, "\x55", 1);
			}
			for (DIE(d, inlined_subroutine)) { /* all of it */
				inlined(d, "one", t->text, 0, 0x100, 1);
				for (DIE(d, try_block)) {
					dw_code(d, t->text, 0, 0x80);
					for (DIE(d, lexical_block)) { /* without an address */
						for (DIE(d, inlined_subroutine)) {
							inlined(d, "two", t->text, 0, 0x40, 2);
							for (DIE(d, inlined_subroutine))
								inlined(d, "three", t->text, 0, 0x8,
									3);
						}
					}
				}
				for (DIE(d, catch_block)) {
					dw_code(d, t->text, 0x80, 0x100);
					for (DIE(d, inlined_subroutine))
						inlined(d, "three", t->text, 0xf8, 0x100, 4);
				}
			}
		}
		abstract(d, "one");
		abstract(d, "two");
		abstract(d, "three");
	}
	trap_look(t);
	lookup_expect_range(
		&t->l, ".text", 0x00, 0x08, "three a.c:9 < two a.c:3 < one a.c:2 < f a.c:1");
	lookup_expect_range(&t->l, ".text", 0x08, 0x40, "two a.c:9 < one a.c:2 < f a.c:1");
	lookup_expect_range(&t->l, ".text", 0x40, 0xf8, "one a.c:9 < f a.c:1");
	lookup_expect_range(&t->l, ".text", 0xf8, 0x100, "three a.c:9 < one a.c:4 < f a.c:1");
}

/* Not code: an inlined function without addresses, one of length 0, an entry point. */
static void test_inlines_without_code(void **state)
{
	struct trap *t = *state;
	struct dw *d = t->d;

	for (UNIT(d, compile)) {
		trap_root(d, "a.c", t->text, 0, 0x40, 9);
		for (DIE(d, subprogram)) {
			dw_name(d, "f");
			dw_code(d, t->text, 0, 0x40);
			for (DIE(d, inlined_subroutine)) {
				dw_origin(d, "one");
				dw_call(d, 1, 1);
				for (DIE(d, inlined_subroutine)) /* it has some itself */
					inlined(d, "two", t->text, 0x20, 0x28, 2);
			}
			for (DIE(d, inlined_subroutine))
				inlined(d, "one", t->text, 0x10, 0x10, 3);
			for (DIE(d, label)) {
				dw_name(d, "out");
				dw_address(d, DW_AT_low_pc, t->text, 0x18);
			}
		}
		for (DIE(d, subprogram)) {
			dw_name(d, "declared");
			dw_flag(d, DW_AT_declaration);
		}
		abstract(d, "one");
		abstract(d, "two");
	}
	trap_look(t);
	lookup_expect_range(&t->l, ".text", 0x00, 0x20, "f a.c:9");
	lookup_expect_range(&t->l, ".text", 0x28, 0x40, "f a.c:9");
}

/* In namespaces and classes, and in each other, which isn't inlining. */
static void test_functions_in_others(void **state)
{
	struct trap *t = *state;
	struct dw *d = t->d;

	for (UNIT(d, compile)) {
		trap_root(d, "a.c", t->text, 0, 0x80, 9);
		for (DIE(d, namespace)) {
			dw_name(d, "kernel");
			for (DIE(d, namespace)) {
				dw_name(d, "sync");
				trap_function(d, "in_namespace", t->text, 0, 0x10);
			}
			for (DIE(d, class_type)) {
				dw_name(d, "c");
				trap_function(d, "in_class", t->text, 0x10, 0x20);
			}
		}
		for (DIE(d, module)) {
			trap_function(d, "in_module", t->text, 0x20, 0x30);
		}
		for (DIE(d, subprogram)) {
			dw_name(d, "outer");
			dw_code(d, t->text, 0x30, 0x50);
			for (DIE(d, lexical_block)) {
				dw_code(d, t->text, 0x30, 0x50);
				trap_function(d, "inner", t->text, 0x60, 0x70);
			}
		}
		for (DIE(d, subprogram)) { /* without code itself */
			dw_label(d, "abstract");
			dw_name(d, "abstract");
			trap_function(d, "local", t->text, 0x70, 0x80);
		}
	}
	trap_look(t);
	lookup_expect(&t->l, ".text", 0x00, "in_namespace a.c:9");
	lookup_expect(&t->l, ".text", 0x10, "in_class a.c:9");
	lookup_expect(&t->l, ".text", 0x20, "in_module a.c:9");
	lookup_expect(&t->l, ".text", 0x30, "outer a.c:9");
	lookup_expect(&t->l, ".text", 0x50, "? a.c:9");
	lookup_expect(&t->l, ".text", 0x60, "inner a.c:9");
	lookup_expect(&t->l, ".text", 0x70, "local a.c:9");
}

/* As deep as nobody writes: all of it is found, and no stack is used up. */
static void test_depth(void **state)
{
	struct trap *t = *state;
	struct dw *d = t->d;
	char want[4096];
	size_t n = 0;

	for (UNIT(d, compile)) {
		trap_root(d, "a.c", t->text, 0, 0x400, 9);
		dw_open(d, DW_TAG_subprogram);
		dw_inside(d);
		dw_name(d, "f");
		dw_code(d, t->text, 0, 0x400);
		for (unsigned i = 0; i < 60; i++) {
			dw_open(d, DW_TAG_lexical_block);
			dw_inside(d);
			dw_code(d, t->text, i, 0x400);
			dw_open(d, DW_TAG_inlined_subroutine);
			dw_inside(d);
			inlined(d, "inl", t->text, i, 0x400, i + 100);
		}
		for (unsigned i = 0; i < 120; i++)
			dw_inside(d); /* closes */
		dw_inside(d);
		abstract(d, "inl");
	}
	trap_look(t);
	for (unsigned i = 60; i-- > 0;)
		n += (size_t)snprintf(
			want + n, sizeof(want) - n, "inl a.c:%u < ", i == 59 ? 9 : i + 101);
	snprintf(want + n, sizeof(want) - n, "f a.c:100");
	lookup_expect(&t->l, ".text", 0x3ff, want);
	lookup_expect(&t->l, ".text", 0, "inl a.c:9 < f a.c:100");
}

/* The order of units and functions isn't that of addresses. */
static void test_order(void **state)
{
	struct trap *t = *state;
	struct dw *d = t->d;

	for (int i = 3; i >= 0; i--) {
		uint64_t at = (uint64_t)i * 0x100;
		char file[8] = {(char)('a' + i), '.', 'c', 0}, name[4] = {'f', (char)('0' + i)};

		for (UNIT(d, compile)) {
			trap_root(d, file, t->text, at, at + 0x100, 9);
			name[2] = 'b';
			trap_function(d, name, t->text, at + 0x80, at + 0x100);
			name[2] = 'a';
			trap_function(d, name, t->text, at, at + 0x80);
		}
	}
	trap_look(t);
	lookup_expect(&t->l, ".text", 0x000, "f0a a.c:9");
	lookup_expect(&t->l, ".text", 0x0ff, "f0b a.c:9");
	lookup_expect(&t->l, ".text", 0x100, "f1a b.c:9");
	lookup_expect(&t->l, ".text", 0x2ff, "f2b c.c:9");
	lookup_expect(&t->l, ".text", 0x37f, "f3a d.c:9");
	lookup_expect(&t->l, ".text", 0x3ff, "f3b d.c:9");
}

/* What the linker discarded stays in DWARF, at 0, at 1, or at the end of the address space. */
static void test_tombstones(void **state)
{
	struct trap *t = *state;
	struct dw *d = t->d;
	static const uint64_t at[] = {0, 1, UINT64_MAX, UINT64_MAX - 1};

	for (size_t i = 0; i < SM_ARRAY_SIZE(at); i++)
		for (UNIT(d, compile)) {
			d->style.aranges = false;
			dw_name(d, "dead.c");
			dw_address(d, DW_AT_low_pc, NULL, at[i]);
			dw_number(d, DW_AT_high_pc, DW_FORM_udata, 0x40);
			trap_function(d, "dead", NULL, at[i], at[i] + 0x40);
			d->style.aranges = t->style.aranges;
		}
	for (UNIT(d, compile)) {
		trap_root(d, "a.c", t->text, 0, 0x40, 9);
		trap_function(d, "dead2", NULL, 0, 0x4000);
		trap_function(d, "f", t->text, 0, 0x40);
		trap_function(d, "dead3", NULL, UINT64_MAX, 0x100);
	}
	trap_look(t);
	lookup_expect(&t->l, ".text", 0, "f a.c:9");
	lookup_expect(&t->l, ".text", 0x3f, "f a.c:9");
	lookup_expect(&t->l, ".text", 0x40, "");
	for (size_t i = 0; i < SM_ARRAY_SIZE(at); i++)
		for (uint64_t k = 0; k < 4; k++)
			assert_string_equal(lookup_chain_alone(&t->l, at[i] + k), "");
	assert_string_equal(lookup_chain(&t->l, 0x10), "");
	assert_string_equal(lookup_chain(&t->l, UINT64_MAX - 1), "");
}

/* Two units claim the same code: the function that begins nearest before has it. */
static void test_overlap(void **state)
{
	struct trap *t = *state;
	struct dw *d = t->d;

	trap_unit(d, "outer.c", "outer", t->text, 0, 0x100, 1);
	trap_unit(d, "inner.c", "inner", t->text, 0x40, 0x80, 2);
	trap_look(t);
	assert_string_equal(
		lookup_chain(&t->l, lookup_at(&t->l, ".text", 0x3f)), "outer outer.c:1");
	assert_string_equal(
		lookup_chain(&t->l, lookup_at(&t->l, ".text", 0x40)), "inner inner.c:2");
	assert_string_equal(
		lookup_chain(&t->l, lookup_at(&t->l, ".text", 0x7f)), "inner inner.c:2");
	assert_string_equal(
		lookup_chain(&t->l, lookup_at(&t->l, ".text", 0x80)), "outer outer.c:1");
	lookup_expect(&t->l, ".text", 0x60, "inner inner.c:2");
	lookup_expect(&t->l, ".text", 0xc0, "outer outer.c:1");
}

/* Equal functions that the linker folded: one of them, and always the same. */
static void test_folded(void **state)
{
	struct trap *t = *state;
	struct dw *d = t->d;
	const char *all, *alone;

	trap_unit(d, "a.c", "one", t->text, 0, 0x40, 1);
	trap_unit(d, "b.c", "two", t->text, 0, 0x40, 2);
	trap_look(t);
	for (uint64_t at = 0; at < 0x40; at++) {
		uint64_t addr = lookup_at(&t->l, ".text", at);

		all = lookup_chain(&t->l, addr);
		alone = lookup_chain_alone(&t->l, addr);
		assert_string_equal(all, alone);
		assert_true(!strcmp(all, "one a.c:1") || !strcmp(all, "two b.c:2"));
		assert_string_equal(all, lookup_chain(&t->l, lookup_at(&t->l, ".text", 0)));
	}
}

/* Assembler, thunks: lines alone. The name is that of the ELF symbol. */
static void test_function_without_die(void **state)
{
	struct trap *t = *state;
	struct dw *d = t->d;

	ew_function(t->text, "memcpy", 0x40, 0x40);
	ew_static_function(t->text, "f", 0, 0x40);
	for (UNIT(d, compile))
		trap_root(d, "arch/memcpy.S", t->text, 0x40, 0x80, 33);
	trap_unit(d, "a.c", "f", t->text, 0, 0x40, 1);
	trap_look(t);
	lookup_expect(&t->l, ".text", 0, "f a.c:1");
	lookup_expect(&t->l, ".text", 0x50, "? arch/memcpy.S:33");
	assert_string_equal(lookup_symbol(&t->l, lookup_at(&t->l, ".text", 0x50)), "memcpy");
	assert_string_equal(lookup_symbol(&t->l, lookup_at(&t->l, ".text", 0x3f)), "f");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TRAP(test_origins_across_units),
		TRAP(test_origin_chain),
		TRAP(test_linkage_names),
		TRAP(test_origin_loops),
		TRAP(test_indirect_and_implicit_forms),
		TRAP(test_forms_to_skip),
		TRAP(test_parts_elsewhere),
		TRAP(test_nested_inlines),
		TRAP(test_inlines_without_code),
		TRAP(test_functions_in_others),
		TRAP(test_depth),
		TRAP(test_order),
		TRAP(test_tombstones),
		TRAP(test_overlap),
		TRAP(test_folded),
		TRAP(test_function_without_die),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
