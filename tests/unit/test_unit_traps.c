/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Traps in units and files: which unit an address is in, units without code, relocation, other
 * files. */
#include "lookup.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

/* ---- finding the unit ---- */

/* Nothing says which code a unit has, but its functions: no compiler writes that. Its functions are
 * in the map of all; looking for them in each unit for a single address would cost too much. */
static void test_unit_without_ranges(void **state)
{
	struct trap *t = *state;
	struct dw *d = t->d;
	const char *alone;

	trap_unit(d, "a.c", "f", t->text, 0, 0x40, 1);
	for (UNIT(d, compile)) {
		dw_name(d, "b.c");
		trap_function(d, "g", t->text, 0x40, 0x80);
	}
	trap_look(t);
	lookup_expect(&t->l, ".text", 0x00, "f a.c:1");
	assert_string_equal(lookup_chain(&t->l, lookup_at(&t->l, ".text", 0x40)), "g ?:0");
	alone = lookup_chain_alone(&t->l, lookup_at(&t->l, ".text", 0x40));
	assert_true(!*alone || !strcmp(alone, "g ?:0"));
}

/* Some units have them and others not. */
static void test_incomplete_aranges(void **state)
{
	struct trap *t = *state;
	struct dw *d = t->d;

	d->style.aranges = false;
	trap_unit(d, "a.c", "f", t->text, 0, 0x40, 1);
	d->style.aranges = true;
	trap_unit(d, "b.c", "g", t->text, 0x40, 0x80, 2);
	d->style.aranges = false;
	for (UNIT(d, compile)) {
		dw_name(d, "c.c");
		dw_address(d, DW_AT_low_pc, NULL, 0);
		RANGES(d, {t->text, 0x80, 0xc0}, {t->cold, 0, 0x10});
		for (DIE(d, subprogram)) {
			dw_name(d, "h");
			RANGES(d, {t->text, 0x80, 0xc0}, {t->cold, 0, 0x10});
		}
	}
	trap_look(t);
	lookup_expect(&t->l, ".text", 0x00, "f a.c:1");
	lookup_expect(&t->l, ".text", 0x40, "g b.c:2");
	lookup_expect(&t->l, ".text", 0x80, "h ?:0");
	lookup_expect(&t->l, ".text", 0xc0, "");
	lookup_expect(&t->l, ".text.unlikely", 0x0f, "h ?:0");
}

/* Empty tuples, which look like the end at address 0, and several sets for a unit's neighbours. */
static void test_odd_aranges(void **state)
{
	struct trap *t = *state;
	struct dw *d = t->d;

	d->style.aranges = false;
	for (UNIT(d, compile)) {
		dw_arange(d, t->cold, 0x20, 0x20);
		dw_arange(d, NULL, 0, 0x40); /* discarded */
		dw_arange(d, NULL, 0, 0);
		dw_arange(d, t->text, 0, 0x40);
		trap_root(d, "a.c", t->text, 0, 0x40, 1);
		trap_function(d, "f", t->text, 0, 0x40);
	}
	trap_unit(d, "b.c", "g", t->text, 0x40, 0x80, 2);
	trap_look(t);
	lookup_expect(&t->l, ".text", 0x00, "f a.c:1");
	lookup_expect(&t->l, ".text", 0x40, "g b.c:2");
	lookup_expect(&t->l, ".text.unlikely", 0x20, "");
}

/* Aranges that make no sense: of another version, of no unit, longer than the section. */
static void test_damaged_aranges(void **state)
{
	struct trap *t = *state;
	struct dw *d = t->d;
	struct ew_section *s;

	d->style.aranges = true;
	trap_unit(d, "a.c", "f", t->text, 0, 0x40, 1);
	trap_unit(d, "b.c", "g", t->text, 0x40, 0x80, 2);
	trap_unit(d, "c.c", "h", t->text, 0x80, 0xc0, 3);
	s = ew_debug(t->f, ".debug_aranges");
	assert_int_equal(s->len, 3 * 48);
	ew_patch(s, 4, 2, 7);        /* the version */
	ew_patch(s, 48 + 6, 4, 3);   /* the unit's offset */
	ew_patch(s, 96, 4, 0x10000); /* the length */
	trap_look(t);
	lookup_expect(&t->l, ".text", 0x00, "f a.c:1");
	lookup_expect(&t->l, ".text", 0x40, "g b.c:2");
	lookup_expect(&t->l, ".text", 0x80, "h c.c:3");
}

/* ---- units of other kinds ---- */

/* dwz's: what several units have in common is in partial ones, imported. */
static void test_partial_units(void **state)
{
	struct trap *t = *state;
	struct dw *d = t->d;

	trap_unit(d, "a.c", "f", t->text, 0, 0x40, 1);
	for (UNIT(d, partial)) {
		dw_label(d, "partial");
		for (DIE(d, subprogram)) {
			dw_label(d, "inl");
			dw_name(d, "inl");
			dw_number(d, DW_AT_inline, DW_FORM_data1, DW_INL_inlined);
		}
	}
	for (UNIT(d, compile)) {
		trap_root(d, "b.c", t->text, 0x40, 0x80, 2);
		for (DIE(d, imported_unit))
			dw_ref_as(d, DW_AT_import, DW_FORM_ref_addr, "partial");
		for (DIE(d, subprogram)) {
			dw_name(d, "g");
			dw_code(d, t->text, 0x40, 0x80);
			for (DIE(d, inlined_subroutine)) {
				dw_ref_as(d, DW_AT_abstract_origin, DW_FORM_ref_addr, "inl");
				dw_code(d, t->text, 0x50, 0x58);
				dw_call(d, 1, 77);
			}
		}
	}
	trap_look(t);
	lookup_expect(&t->l, ".text", 0x00, "f a.c:1");
	lookup_expect(&t->l, ".text", 0x50, "inl b.c:2 < g b.c:77");
	lookup_expect(&t->l, ".text", 0x58, "g b.c:2");
}

/* Headers with more in them, between others. */
static void test_type_and_skeleton_units(void **state)
{
	struct trap *t = *state;
	struct dw *d = t->d;

	dw_signature(d, 0x1122334455667788);
	for (UNIT(d, type)) {
		for (DIE(d, structure_type)) {
			dw_label(d, "type");
			dw_name(d, "page");
			dw_number(d, DW_AT_byte_size, DW_FORM_data1, 64);
		}
	}
	trap_unit(d, "a.c", "f", t->text, 0, 0x40, 1);
	dw_signature(d, 0x8877665544332211);
	for (UNIT(d, skeleton)) {
		dw_string(d, DW_AT_dwo_name, "x.dwo");
		dw_code(d, t->text, 0x80, 0xc0);
	}
	for (UNIT(d, compile)) {
		trap_root(d, "b.c", t->text, 0x40, 0x80, 2);
		for (DIE(d, variable))
			dw_number(d, DW_AT_type, DW_FORM_ref_sig8, 0x1122334455667788);
		trap_function(d, "g", t->text, 0x40, 0x80);
	}
	trap_look(t);
	lookup_expect(&t->l, ".text", 0x00, "f a.c:1");
	lookup_expect(&t->l, ".text", 0x40, "g b.c:2");
	lookup_expect(&t->l, ".text", 0x80, "");
}

/* 32-bit and 64-bit DWARF, and all versions, in one file, by one table of abbreviations. */
static void test_mixed_units(void **state)
{
	struct trap *t = *state;
	struct dw *d = t->d;

	d->style.shared_abbrevs = true;
	for (unsigned i = 0; i < 8; i++) {
		char file[] = {(char)('a' + i), '.', 'c', 0}, name[] = {'f', (char)('0' + i), 0};

		d->style.version = 2 + i % 4;
		d->style.dwarf64 = i >= 4 && d->style.version > 2;
		trap_unit(d, file, name, t->text, i * 0x20, i * 0x20 + 0x20, i + 1);
	}
	trap_look(t);
	for (unsigned i = 0; i < 8; i++) {
		char want[32];

		snprintf(want, sizeof(want), "f%u %c.c:%u", i, 'a' + i, i + 1);
		lookup_expect(&t->l, ".text", i * 0x20, want);
		lookup_expect(&t->l, ".text", i * 0x20 + 0x1f, want);
	}
}

/* Of a vmlinux's sections some begin at 0 (per-CPU data): that isn't code. Code near the
 * end of the address space, where sums wrap, is. */
static void test_end_of_address_space(void **state)
{
	struct trap *t = *state;
	struct dw *d = t->d;
	struct ew_section *last = ew_text(t->f, ".last", 0xfffffffffffff000, 0x100);

	ew_section(t->f, ".data..percpu", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, 0);
	ew_zeros(ew_find(t->f, ".data..percpu"), 0x1000);
	trap_unit(d, "a.c", "f", t->text, 0, 0x40, 1);
	trap_unit(d, "b.c", "g", last, 0x40, 0xf0, 2);
	trap_look(t);
	lookup_expect(&t->l, ".text", 0x10, "f a.c:1");
	lookup_expect(&t->l, ".last", 0xef, "g b.c:2");
	lookup_expect(&t->l, ".last", 0xf0, "");
	lookup_expect(&t->l, ".data..percpu", 0x10, "");
}

/* ---- relocatable files ---- */

/* Several sections whose offsets are the same: a function in each. */
static void test_sections_of_a_module(void **state)
{
	struct trap *t = *state;
	struct ew_section *init, *exit_text;
	struct dw *d;

	trap_begin(t, ET_REL, EM_X86_64);
	d = t->d;
	init = ew_text(t->f, ".init.text", 0, 0x80);
	exit_text = ew_text(t->f, ".exit.text", 0, 0x80);
	for (UNIT(d, compile)) {
		dw_name(d, "mod.c");
		dw_string(d, DW_AT_comp_dir, "/src");
		dw_address(d, DW_AT_low_pc, NULL, 0);
		RANGES(d, {t->text, 0, 0x40}, {init, 0, 0x40}, {exit_text, 0, 0x40},
			{t->cold, 0, 0x10});
		for (LINES(d)) {
			dw_primary(d, "/src", "mod.c");
			dw_file(d, "mod.c", 0);
			dw_row(d, t->text, 0, 1, 1);
			dw_end_sequence(d, t->text, 0x40);
			dw_row(d, t->cold, 0, 1, 2);
			dw_end_sequence(d, t->cold, 0x10);
			dw_row(d, init, 0, 1, 3);
			dw_end_sequence(d, init, 0x40);
			dw_row(d, exit_text, 0, 1, 4);
			dw_end_sequence(d, exit_text, 0x40);
		}
		for (DIE(d, subprogram)) {
			dw_name(d, "f");
			RANGES(d, {t->text, 0, 0x40}, {t->cold, 0, 0x10});
		}
		trap_function(d, "mod_init", init, 0, 0x40);
		trap_function(d, "mod_exit", exit_text, 0, 0x40);
	}
	trap_look(t);
	for (uint64_t at = 0; at < 0x40; at += 0x3f) {
		lookup_expect(&t->l, ".text", at, "f mod.c:1");
		lookup_expect(&t->l, ".init.text", at, "mod_init mod.c:3");
		lookup_expect(&t->l, ".exit.text", at, "mod_exit mod.c:4");
	}
	lookup_expect(&t->l, ".text.unlikely", 0xf, "f mod.c:2");
	lookup_expect(&t->l, ".text.unlikely", 0x10, "");
	lookup_expect(&t->l, ".init.text", 0x40, "");
}

/* Without .text, and with none but hollow code, as in a debug file of its own. */
static void test_module_without_text(void **state)
{
	struct trap *t = *state;
	struct ew_section *init;
	struct dw *d;

	for (int hollow = 0; hollow < 2; hollow++) {
		ew_free(t->f);
		dw_free(t->d);
		t->f = ew_new(64, false, ET_REL, EM_X86_64);
		init = ew_text(t->f, ".init.text", 0, 0x80);
		d = t->d = dw_new(t->f, &t->style);
		trap_unit(d, "mod.c", "mod_init", init, 0x10, 0x40, 3);
		if (hollow)
			ew_hollow(init);
		trap_look(t);
		lookup_expect(&t->l, ".init.text", 0x10, "mod_init mod.c:3");
		lookup_expect(&t->l, ".init.text", 0x40, "");
		lookup_close(&t->l);
		t->open = false;
		trap_begin(t, ET_REL, EM_X86_64);
	}
}

/* A linked file that keeps its relocations (ld -q, as x86 kernels are) has been relocated. */
static void test_relocations_of_a_linked_file(void **state)
{
	struct trap *t = *state;
	struct dw *d = t->d;
	uint32_t id = ew_function(t->text, "f", 0, 0x40);

	trap_unit(d, "a.c", "f", t->text, 0, 0x40, 1);
	for (size_t at = 0; at + 8 <= d->info->len; at += 8)
		ew_reloc(d->info, at, R_X86_64_64, id, 0x1000);
	ew_reloc(ew_debug(t->f, ".debug_line"), 0, R_X86_64_32, id, 0x1000);
	trap_look(t);
	lookup_expect(&t->l, ".text", 0, "f a.c:1");
}

/* RELA's addends are in the table; what stands in the section is nothing. */
static void test_garbage_below_rela(void **state)
{
	struct trap *t = *state;
	struct ew_section *info;
	struct dw *d;

	trap_begin(t, ET_REL, EM_X86_64);
	d = t->d;
	trap_unit(d, "a.c", "f", t->text, 0x20, 0x40, 1);
	info = d->info;
	for (size_t i = 0; i < info->nrelocs; i++)
		ew_patch(info, info->relocs[i].offset, 4, 0xdeadbeef);
	trap_look(t);
	lookup_expect(&t->l, ".text", 0x20, "f a.c:1");
	lookup_expect(&t->l, ".text", 0x1f, "");
}

/* ---- supplementary files ---- */

static void write_supplement(struct dw *sup)
{
	for (UNIT(sup, partial)) {
		dw_label(sup, "partial");
		for (DIE(sup, structure_type)) {
			dw_name(sup, "page");
		}
		for (DIE(sup, subprogram)) {
			dw_label(sup, "inl");
			dw_string_as(sup, DW_AT_name, DW_FORM_strp, "inl");
			dw_number(sup, DW_AT_inline, DW_FORM_data1, DW_INL_inlined);
		}
		for (DIE(sup, subprogram)) {
			dw_label(sup, "deep");
			dw_origin(sup, "named");
		}
		for (DIE(sup, subprogram)) {
			dw_label(sup, "named");
			dw_name(sup, "deep");
		}
	}
}

static void open_with_supplement(struct trap *t, struct object *alt)
{
	size_t len;
	uint8_t *data;

	dw_finish(t->d);
	dw_free(t->d);
	t->d = NULL;
	data = ew_finish(t->f, &len);
	lookup_open_bytes(&t->l, data, len, alt);
	free(data);
	t->open = true;
}

static void write_main(struct trap *t, struct dw *sup)
{
	struct dw *d = t->d;
	bool v5 = d->style.version >= 5;
	uint32_t ref = v5 ? DW_FORM_ref_sup4 : DW_FORM_GNU_ref_alt;
	uint32_t strp = v5 ? DW_FORM_strp_sup : DW_FORM_GNU_strp_alt;

	for (UNIT(d, compile)) {
		trap_root(d, "a.c", t->text, 0, 0x80, 1);
		for (DIE(d, imported_unit))
			dw_ref_sup(d, DW_AT_import, ref, sup, "partial");
		for (DIE(d, subprogram)) {
			dw_string_sup(d, DW_AT_name, strp, sup, "from_the_supplement");
			dw_code(d, t->text, 0, 0x40);
			for (DIE(d, inlined_subroutine)) {
				dw_ref_sup(d, DW_AT_abstract_origin, ref, sup, "inl");
				dw_code(d, t->text, 0x10, 0x20);
				dw_call(d, 1, 7);
			}
			for (DIE(d, inlined_subroutine)) {
				dw_ref_sup(d, DW_AT_abstract_origin,
					v5 ? DW_FORM_ref_sup8 : DW_FORM_GNU_ref_alt, sup, "deep");
				dw_code(d, t->text, 0x20, 0x30);
				dw_call(d, 1, 8);
			}
		}
		trap_function(d, "plain", t->text, 0x40, 0x80);
	}
}

static void test_supplementary_file(void **state)
{
	struct trap *t = *state;
	struct ew *f = ew_new(64, false, ET_EXEC, EM_X86_64);
	struct dw *sup = dw_new(f, &(struct dw_style){.version = t->style.version});

	ew_build_id(f, "\1\2\3\4", 4);
	write_supplement(sup);
	ew_altlink(t->f, "common.dwz", "\1\2\3\4", 4);
	write_main(t, sup);
	open_with_supplement(t, lookup_alt(f, sup));
	assert_string_equal(t->l.obj->altlink, "common.dwz");
	assert_string_equal(t->l.obj->altlink_build_id, "01020304");
	lookup_expect(&t->l, ".text", 0x00, "from_the_supplement a.c:1");
	lookup_expect(&t->l, ".text", 0x10, "inl a.c:1 < from_the_supplement a.c:7");
	lookup_expect(&t->l, ".text", 0x20, "deep a.c:1 < from_the_supplement a.c:8");
	lookup_expect(&t->l, ".text", 0x40, "plain a.c:1");
}

/* It isn't there: what it holds is nameless, the rest as before. */
static void test_missing_supplement(void **state)
{
	struct trap *t = *state;
	struct ew *f = ew_new(64, false, ET_EXEC, EM_X86_64);
	struct dw *sup = dw_new(f, &(struct dw_style){.version = t->style.version});

	write_supplement(sup);
	write_main(t, sup);
	dw_free(sup);
	ew_free(f);
	open_with_supplement(t, NULL);
	lookup_expect(&t->l, ".text", 0x00, "? a.c:1");
	lookup_expect(&t->l, ".text", 0x10, "? a.c:1 < ? a.c:7");
	lookup_expect(&t->l, ".text", 0x40, "plain a.c:1");
}

/* ---- no DWARF ---- */

static void test_without_dwarf(void **state)
{
	struct trap *t = *state;
	struct lookup l;

	ew_function(t->text, "f", 0, 0x40);
	dw_free(t->d);
	t->d = NULL;
	ew_free(t->f);
	t->f = ew_new(64, false, ET_EXEC, EM_X86_64);
	t->text = ew_text(t->f, ".text", 0xffffffff81000000, 0x40);
	ew_function(t->text, "f", 0, 0x40);
	lookup_open(&l, t->f, NULL);
	t->f = NULL;
	assert_null(l.dwarf);
	assert_string_equal(lookup_symbol(&l, lookup_at(&l, ".text", 0x10)), "f");
	lookup_close(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TRAP(test_unit_without_ranges),
		TRAP(test_incomplete_aranges),
		TRAP(test_odd_aranges),
		TRAP(test_damaged_aranges),
		TRAP(test_partial_units),
		TRAP(test_type_and_skeleton_units),
		TRAP(test_mixed_units),
		TRAP(test_end_of_address_space),
		TRAP(test_sections_of_a_module),
		TRAP(test_module_without_text),
		TRAP(test_relocations_of_a_linked_file),
		TRAP(test_garbage_below_rela),
		TRAP(test_supplementary_file),
		TRAP(test_missing_supplement),
		TRAP_IN(test_without_dwarf, 0, "an ELF file"),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
