/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Damage. A unit that makes no sense among good ones costs that unit; anything else may cost
 * anything but the program.
 */
#include "lookup.h"

#include "capture.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

/* Where the parts of the second of three units are. */
struct second {
	struct dw *d;
	uint64_t unit, root, function; /* in .debug_info */
	size_t abbrev;                 /* where its table starts */
};

static void unknown_version(const struct second *s)
{
	ew_patch(s->d->info, s->unit + 4, 2, 9);
}

static void unknown_abbreviation(const struct second *s)
{
	ew_patch(s->d->info, s->root, 1, 0x7e);
}

static void unknown_abbreviation_below(const struct second *s)
{
	ew_patch(s->d->info, s->function, 1, 0x7e);
}

static void no_root(const struct second *s)
{
	ew_patch(s->d->info, s->root, 1, 0);
}

static void abbreviations_beyond_the_section(const struct second *s)
{
	ew_patch(s->d->info, s->unit + (s->d->style.version < 5 ? 6 : 8), 4, 0x7fffffff);
}

static void unknown_form(const struct second *s)
{
	/* code 1, tag, children, then DW_AT_name and its form */
	ew_patch(ew_debug(s->d->elf, ".debug_abbrev"), s->abbrev + 4, 1, 0x7d);
}

static void abbreviations_are_nonsense(const struct second *s)
{
	for (size_t i = 0; i < 16; i++)
		ew_patch(ew_debug(s->d->elf, ".debug_abbrev"), s->abbrev + i, 1, 0xff);
}

static void address_of_3_bytes(const struct second *s)
{
	ew_patch(s->d->info, s->unit + (s->d->style.version < 5 ? 10 : 7), 1, 3);
}

static void text_beyond_the_unit(const struct second *s)
{
	/* No NUL before the next unit. */
	for (size_t at = s->function + 1; s->d->info->data[at]; at++)
		ew_patch(s->d->info, at, 1, 'x');
}

static const struct damage {
	const char *name;
	void (*apply)(const struct second *s);
	bool function_remains; /* of the second unit: what is sound is taken */
} damages[] = {
	{"a version that nobody knows", unknown_version, false},
	{"an abbreviation that isn't there", unknown_abbreviation, false},
	{"one that isn't there, below the root", unknown_abbreviation_below, false},
	{"no root", no_root, false},
	{"abbreviations beyond the section", abbreviations_beyond_the_section, false},
	{"a form that nobody knows", unknown_form, false},
	{"abbreviations that are nonsense", abbreviations_are_nonsense, false},
	{"addresses of 3 bytes", address_of_3_bytes, false},
	{"another name", text_beyond_the_unit, true},
};

static void write_three(struct trap *t, struct second *s)
{
	struct dw *d = t->d;

	s->d = d;
	trap_unit(d, "a.c", "good_before", t->text, 0, 0x40, 1);
	s->unit = d->info->len;
	s->abbrev = ew_debug(t->f, ".debug_abbrev")->len;
	for (UNIT(d, compile)) {
		dw_label(d, "root");
		trap_root(d, "b.c", t->text, 0x40, 0x80, 2);
		for (DIE(d, subprogram)) {
			dw_label(d, "function");
			dw_name(d, "bad");
			dw_code(d, t->text, 0x40, 0x80);
		}
	}
	s->root = dw_offset(d, "root");
	s->function = dw_offset(d, "function");
	trap_unit(d, "c.c", "good_after", t->text, 0x80, 0xc0, 3);
}

static void test_bad_unit_among_good(void **state)
{
	struct trap *t = *state;

	for (size_t i = 0; i < SM_ARRAY_SIZE(damages); i++) {
		struct second second;
		const char *bad;

		trap_begin(t, ET_EXEC, EM_X86_64);
		write_three(t, &second);
		damages[i].apply(&second);
		trap_look(t);
		print_message("%s\n", damages[i].name);
		lookup_expect(&t->l, ".text", 0x00, "good_before a.c:1");
		lookup_expect(&t->l, ".text", 0x3f, "good_before a.c:1");
		lookup_expect(&t->l, ".text", 0x80, "good_after c.c:3");
		lookup_expect(&t->l, ".text", 0xbf, "good_after c.c:3");
		bad = lookup_chain(&t->l, lookup_at(&t->l, ".text", 0x40));
		assert_int_equal(strncmp(bad, "xxx", 3) == 0, damages[i].function_remains);
		assert_null(strstr(bad, "bad"));
		assert_string_equal(
			bad, lookup_chain_alone(&t->l, lookup_at(&t->l, ".text", 0x40)));
		lookup_close(&t->l);
		t->open = false;
	}
	trap_begin(t, ET_EXEC, EM_X86_64);
}

/* A length that ends nowhere: those before are there; those behind may be found by aranges. */
static void test_bad_length(void **state)
{
	static const uint32_t lengths[] = {0x1000, 0x7fffffff, 0xfffffff0, 0xffffffff, 0, 1, 3};
	struct trap *t = *state;

	for (size_t i = 0; i < SM_ARRAY_SIZE(lengths); i++) {
		struct second second;

		trap_begin(t, ET_EXEC, EM_X86_64);
		write_three(t, &second);
		ew_patch(second.d->info, second.unit, 4, lengths[i]);
		trap_look(t);
		lookup_expect(&t->l, ".text", 0x00, "good_before a.c:1");
		if (t->style.aranges)
			lookup_expect(&t->l, ".text", 0x80, "good_after c.c:3");
		lookup_close(&t->l);
		t->open = false;
	}
	trap_begin(t, ET_EXEC, EM_X86_64);
}

/* Siblings that point back, to themselves, or away: never in a circle, never at another unit's
 * cost. */
static void test_bad_siblings(void **state)
{
	static const uint64_t siblings[] = {0, 1, 11, 12, 13, 20, 0x7fffffff, UINT32_MAX};
	struct trap *t = *state;

	for (size_t i = 0; i < SM_ARRAY_SIZE(siblings); i++) {
		struct dw *d;

		trap_begin(t, ET_EXEC, EM_X86_64);
		d = t->d;
		for (UNIT(d, compile)) {
			trap_root(d, "a.c", t->text, 0, 0x40, 1);
			for (DIE(d, subprogram)) {
				dw_number(d, DW_AT_sibling, DW_FORM_ref4, siblings[i]);
				dw_name(d, "f");
				dw_code(d, t->text, 0, 0x20);
				for (DIE(d, lexical_block)) {
					dw_number(d, DW_AT_sibling, DW_FORM_ref4, siblings[i]);
					for (DIE(d, variable))
						dw_name(d, "v");
				}
			}
			for (DIE(d, structure_type)) {
				dw_number(d, DW_AT_sibling, DW_FORM_ref_udata, siblings[i]);
				for (DIE(d, member))
					dw_name(d, "m");
			}
			trap_function(d, "g", t->text, 0x20, 0x40);
		}
		trap_unit(d, "b.c", "h", t->text, 0x40, 0x80, 2);
		trap_look(t);
		lookup_expect(&t->l, ".text", 0x00, "f a.c:1");
		lookup_expect(&t->l, ".text", 0x40, "h b.c:2");
		/* Pointing back is no reason to lose what follows. */
		lookup_expect(&t->l, ".text", 0x20, "g a.c:1");
		lookup_close(&t->l);
		t->open = false;
	}
	trap_begin(t, ET_EXEC, EM_X86_64);
}

/* Lists of ranges that lie nowhere, or don't end. */
static void test_bad_ranges(void **state)
{
	struct trap *t = *state;
	struct dw *d = t->d;
	struct ew_section *s;
	char first[32];

	for (UNIT(d, compile)) {
		trap_root(d, "a.c", t->text, 0, 0x80, 1);
		for (DIE(d, subprogram)) {
			dw_name(d, "nowhere");
			dw_number(d, DW_AT_ranges, DW_FORM_sec_offset, 0x7ffffff0);
		}
		trap_function(d, "f", t->text, 0, 0x40);
	}
	d->style.ranges = DW_RANGES_ADDRESSES;
	for (UNIT(d, compile)) {
		dw_name(d, "b.c");
		dw_code(d, t->text, 0x80, 0xc0);
		trap_function(d, "g", t->text, 0x80, 0xa0);
		for (DIE(d, subprogram)) {
			dw_name(d, "unended");
			RANGES(d, {t->text, 0xa0, 0xc0});
		}
	}
	s = ew_debug(t->f, d->style.version < 5 ? ".debug_ranges" : ".debug_rnglists");
	s->len -= d->style.version < 5 ? 16 : 1;
	trap_look(t);
	/* It may cost what follows in the unit. */
	snprintf(first, sizeof(first), "%s", lookup_chain(&t->l, lookup_at(&t->l, ".text", 0)));
	assert_true(!strcmp(first, "f a.c:1") || !strcmp(first, "? a.c:1"));
	lookup_expect(&t->l, ".text", 0x00, first);
	lookup_expect(&t->l, ".text", 0x80, "g ?:0");
}

/* ---- any damage ---- */

static void write_rich(struct trap *t)
{
	struct dw *d = t->d;
	bool v5 = d->style.version >= 5;

	if (v5) {
		d->style.string_form = DW_FORM_strx1;
		d->style.address_form = DW_FORM_addrx;
		d->style.ranges_form = DW_FORM_rnglistx;
		d->style.ranges = DW_RANGES_INDEX_LENGTH;
		d->style.path_extras = true;
	} else {
		d->style.string_form = DW_FORM_strp;
		d->style.siblings = true;
	}
	for (UNIT(d, compile)) {
		dw_name(d, "a.c");
		dw_string(d, DW_AT_comp_dir, "/src");
		dw_address(d, DW_AT_low_pc, NULL, 0);
		RANGES(d, {t->text, 0, 0x40}, {t->cold, 0, 0x10});
		for (LINES(d)) {
			dw_primary(d, "/src", "a.c");
			dw_dir(d, "include");
			dw_file(d, "a.c", 0);
			dw_file(d, "b.h", 1);
			dw_row(d, t->text, 0, 1, 1);
			dw_row(d, t->text, 0x10, 2, 200);
			dw_end_sequence(d, t->text, 0x40);
			dw_row(d, t->cold, 0, 1, 3);
			dw_end_sequence(d, t->cold, 0x10);
		}
		for (DIE(d, subprogram)) {
			dw_name(d, "f");
			RANGES(d, {t->text, 0, 0x40}, {t->cold, 0, 0x10});
			for (DIE(d, lexical_block)) {
				dw_code(d, t->text, 0, 0x20);
				for (DIE(d, inlined_subroutine)) {
					dw_origin(d, "inl");
					dw_code(d, t->text, 0x10, 0x20);
					dw_call(d, 1, 7);
				}
			}
		}
		for (DIE(d, subprogram)) {
			dw_label(d, "inl");
			dw_ref(d, DW_AT_specification, "named");
		}
		for (DIE(d, subprogram)) {
			dw_label(d, "named");
			dw_name(d, "inl");
		}
	}
	trap_unit(d, "b.c", "g", t->text, 0x40, 0x80, 2);
}

/* Looks everything up, whatever comes; false where the file isn't even opened. */
static bool look_at_anything(const uint8_t *data, size_t len)
{
	static const uint64_t at[] = {0, 0x18, 0x3f, 0x50, 0x10004};
	struct object *obj;
	struct dwarf *dwarf = NULL;
	struct sm_error *err = sm_object_from_memory("damaged", data, len, NULL, &obj);
	struct code_builder *b;
	struct code_map map;
	struct sm_line lines[8];
	size_t bad = 0;

	if (err) {
		sm_error_free(err);
		return false;
	}
	err = sm_dwarf_open(obj, NULL, NULL, &dwarf);
	if (!err && dwarf) {
		b = sm_code_builder_new(dwarf, NULL);
		assert_non_null(b);
		for (size_t i = 0; i < SM_ARRAY_SIZE(at); i++) {
			uint64_t addr = 0xffffffff81000000 + at[i];
			uint32_t unit;

			expect_none(sm_dwarf_find_units(dwarf, &addr, 1, &unit));
			if (unit != DWARF_NONE)
				assert_true(unit < sm_dwarf_units(dwarf));
		}
		for (uint32_t unit = 0; unit < sm_dwarf_units(dwarf); unit++)
			expect_none(sm_code_builder_add(b, unit, NULL, 0, &bad));
		expect_none(sm_code_builder_finish(b, &map));
		for (size_t i = 0; i < SM_ARRAY_SIZE(at); i++)
			sm_code_map_find(&map, 0xffffffff81000000 + at[i], lines, 8);
		sm_code_builder_free(b);
	}
	sm_dwarf_free(dwarf);
	sm_error_free(err);
	sm_object_free(obj);
	return true;
}

static uint8_t *rich_file(struct trap *t, size_t *len)
{
	uint8_t *data;

	write_rich(t);
	dw_finish(t->d);
	data = ew_finish(t->f, len);
	return data;
}

/* A copy of its own size, so that a sanitizer sees what is read behind its end. */
static void try(const uint8_t *data, size_t len)
{
	uint8_t *copy = malloc(len ? len : 1);

	assert_non_null(copy);
	memcpy(copy, data, len);
	look_at_anything(copy, len);
	free(copy);
}

/* Each byte of the debug sections in turn becomes another. */
static void test_each_byte(void **state)
{
	struct trap *t = *state;
	size_t len;
	uint8_t *data = rich_file(t, &len);

	assert_true(look_at_anything(data, len));
	for (size_t i = 1; i < t->f->nsections; i++) {
		const struct ew_section *s = t->f->sections[i];

		if (strncmp(s->name, ".debug_", 7) != 0)
			continue;
		for (size_t k = 0; k < s->file_size; k++) {
			uint8_t *p = &data[s->file_offset + k], was = *p;
			const uint8_t values[] = {
				0, 0xff, (uint8_t)(was ^ 1), (uint8_t)(was ^ 0x80), 0x7f};

			for (size_t v = 0; v < SM_ARRAY_SIZE(values); v++) {
				*p = values[v];
				try(data, len);
			}
			*p = was;
		}
	}
	free(data);
}

/* Each debug section ends at any of its bytes; so does the file. */
static void test_each_length(void **state)
{
	struct trap *t = *state;
	size_t len;
	uint8_t *data = rich_file(t, &len);

	for (size_t i = 1; i < t->f->nsections; i++) {
		const struct ew_section *s = t->f->sections[i];
		uint8_t *size = &data[s->header_offset + 32], was[8];

		if (strncmp(s->name, ".debug_", 7) != 0)
			continue;
		memcpy(was, size, 8);
		for (size_t k = 0; k < s->file_size; k++) {
			for (unsigned byte = 0; byte < 8; byte++)
				size[byte] = (uint8_t)(k >> 8 * byte);
			try(data, len);
		}
		memcpy(size, was, 8);
	}
	for (size_t k = 0; k < len; k += 7)
		try(data, k);
	free(data);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TRAP(test_bad_unit_among_good),
		TRAP(test_bad_length),
		TRAP(test_bad_siblings),
		TRAP(test_bad_ranges),
		TRAP_IN(test_each_byte, 2, "DWARF 4"),
		TRAP_IN(test_each_byte, 3, "DWARF 5"),
		TRAP_IN(test_each_length, 2, "DWARF 4"),
		TRAP_IN(test_each_length, 3, "DWARF 5"),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
