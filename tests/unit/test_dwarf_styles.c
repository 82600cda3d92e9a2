/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One tree, written in all the ways that DWARF has for it: what is found doesn't depend on these.
 */
#include "sample_tree.h"

#include <setjmp.h>
#include <stdio.h>

#include <cmocka.h>

/* Where and how. */
struct target {
	unsigned bits;
	bool big_endian;
	uint16_t type, machine;
	enum ew_compression compression;
};

static const struct target linked = {64, false, ET_EXEC, EM_X86_64, EW_PLAIN};
static const struct target module = {64, false, ET_REL, EM_X86_64, EW_PLAIN};

static void check_tree(const struct lookup *l)
{
	const char *text = ".text", *cold = ".text.unlikely";
	static const char helper[] = "helper include/linux/slab.h:100 < alloc mm/slub.c:11";
	static const char deep[] = "deep include/linux/slab.h:200 < "
				   "helper include/linux/slab.h:100 < alloc mm/slub.c:11";

	assert_int_equal(l->bad, 0);
	lookup_expect_range(l, text, 0x00, 0x10, "alloc mm/slub.c:10");
	lookup_expect_range(l, text, 0x10, 0x18, helper);
	lookup_expect_range(l, text, 0x18, 0x20, deep);
	lookup_expect_range(
		l, text, 0x20, 0x28, "helper include/linux/slab.h:101 < alloc mm/slub.c:11");
	lookup_expect_range(l, text, 0x28, 0x40, "alloc mm/slub.c:12");
	lookup_expect_range(l, text, 0x40, 0x50, "free_one mm/slub.c:3000");
	lookup_expect_range(l, text, 0x50, 0x60, "free_one ?:0");
	lookup_expect_range(l, text, 0x60, 0x80, "? mm/slub.c:400");
	lookup_expect_range(l, text, 0x80, 0xa0, "other mm/other.c:7");
	lookup_expect_range(l, text, 0xa0, 0xc0, "");
	lookup_expect_range(l, cold, 0x00, 0x08, "alloc mm/slub.c:13");
	lookup_expect_range(
		l, cold, 0x08, 0x10, "helper include/linux/slab.h:102 < alloc mm/slub.c:11");
	lookup_expect_range(l, cold, 0x10, 0x20, "");
}

static void check_style(const struct target *t, const struct dw_style *style)
{
	bool relocatable = t->type == ET_REL;
	uint64_t base = t->bits == 64 ? 0xffffffff81000000 : 0xc0008000;
	struct ew *f = ew_new(t->bits, t->big_endian, t->type, t->machine);
	struct ew_section *text = ew_text(f, ".text", relocatable ? 0 : base, 0xc0);
	struct ew_section *cold =
		ew_text(f, ".text.unlikely", relocatable ? 0 : base + 0x10000, 0x20);
	struct dw *d = dw_new(f, style);
	struct lookup l;

	sample_tree_write(d, text, cold);
	ew_compress(f, ".debug_", t->compression);
	lookup_open(&l, f, d);
	check_tree(&l);
	lookup_close(&l);
}

/* In DWARF 2 to 5, of both widths, with and without .debug_aranges, linked and relocatable. */
static void check_versions(const struct target *t)
{
	for (unsigned version = 2; version <= 5; version++)
		for (unsigned i = 0; i < 4; i++) {
			struct dw_style style = {
				.version = version, .dwarf64 = i & 1, .aranges = i & 2};

			if (style.dwarf64 && (version < 3 || t->bits == 32))
				continue;
			check_style(t, &style);
		}
}

static void test_versions(void **state)
{
	(void)state;
	check_versions(&linked);
	check_versions(&module);
}

static void test_big_endian(void **state)
{
	(void)state;
	check_versions(&(struct target){64, true, ET_EXEC, EM_S390, EW_PLAIN});
	check_versions(&(struct target){64, true, ET_REL, EM_S390, EW_PLAIN});
	check_versions(&(struct target){64, true, ET_EXEC, EM_AARCH64, EW_PLAIN});
	check_versions(&(struct target){64, true, ET_REL, EM_AARCH64, EW_PLAIN});
}

static void test_32_bits(void **state)
{
	(void)state;
	check_versions(&(struct target){32, false, ET_EXEC, EM_386, EW_PLAIN});
	check_versions(&(struct target){32, false, ET_REL, EM_386, EW_PLAIN}); /* SHT_REL */
	check_versions(&(struct target){32, false, ET_REL, EM_ARM, EW_PLAIN});
	check_versions(&(struct target){32, true, ET_EXEC, EM_PPC, EW_PLAIN});
	check_versions(&(struct target){32, true, ET_REL, EM_ARM, EW_PLAIN});
}

static void test_other_machines(void **state)
{
	(void)state;
	check_versions(&(struct target){64, false, ET_DYN, EM_AARCH64, EW_PLAIN});
	check_versions(&(struct target){64, false, ET_REL, EM_AARCH64, EW_PLAIN});
	check_versions(&(struct target){64, false, ET_EXEC, EM_RISCV, EW_PLAIN});
	check_versions(&(struct target){64, true, ET_REL, EM_PPC64, EW_PLAIN});
}

static void check_all_targets(const struct dw_style *style)
{
	check_style(&linked, style);
	check_style(&module, style);
	check_style(&(struct target){64, true, ET_REL, EM_S390, EW_PLAIN}, style);
	check_style(&(struct target){32, true, ET_EXEC, EM_PPC, EW_PLAIN}, style);
}

static void test_strings(void **state)
{
	static const uint32_t forms[] = {DW_FORM_string, DW_FORM_strp, DW_FORM_line_strp,
		DW_FORM_strx, DW_FORM_strx1, DW_FORM_strx2, DW_FORM_strx3, DW_FORM_strx4};

	(void)state;
	for (size_t i = 0; i < SM_ARRAY_SIZE(forms); i++)
		for (unsigned k = 0; k < 4; k++)
			check_all_targets(&(struct dw_style){.version = 5,
				.string_form = forms[i],
				.bases_first = k & 1,
				.dwarf64 = k & 2});
	check_all_targets(&(struct dw_style){.version = 2, .string_form = DW_FORM_strp});
}

static void test_addresses(void **state)
{
	static const uint32_t forms[] = {DW_FORM_addr, DW_FORM_addrx, DW_FORM_addrx1,
		DW_FORM_addrx2, DW_FORM_addrx3, DW_FORM_addrx4};
	static const uint32_t high[] = {DW_FORM_addr, DW_FORM_data1, DW_FORM_data2, DW_FORM_data4,
		DW_FORM_data8, DW_FORM_udata, DW_FORM_sdata};

	(void)state;
	for (size_t i = 0; i < SM_ARRAY_SIZE(forms); i++)
		for (size_t k = 0; k < SM_ARRAY_SIZE(high); k++)
			check_all_targets(&(struct dw_style){.version = 5,
				.address_form = forms[i],
				.high_pc_form = high[k],
				.bases_first = k & 1});
	for (size_t k = 0; k < SM_ARRAY_SIZE(high); k++)
		check_all_targets(&(struct dw_style){.version = 4, .high_pc_form = high[k]});
}

static void test_range_lists(void **state)
{
	static const uint32_t forms[] = {0, DW_FORM_rnglistx};

	(void)state;
	for (enum dw_range_style r = 0; r <= DW_RANGES_INDEX_BASE; r++)
		for (unsigned i = 0; i < 8; i++) {
			struct dw_style style = {.version = 5,
				.ranges = r,
				.ranges_form = forms[i & 1],
				.dwarf64 = i & 2,
				.bases_first = i & 4};

			/* From one section to another is a distance for linked files alone. */
			if (r == DW_RANGES_UNIT)
				check_style(&linked, &style);
			else
				check_all_targets(&style);
			style.address_form = DW_FORM_addrx;
			if (r != DW_RANGES_UNIT)
				check_all_targets(&style);
		}
	for (unsigned version = 3; version < 5; version++) {
		check_all_targets(&(struct dw_style){.version = version, .ranges = DW_RANGES_BASE});
		check_style(
			&linked, &(struct dw_style){.version = version, .ranges = DW_RANGES_UNIT});
	}
}

static void test_references(void **state)
{
	static const uint32_t forms[] = {
		DW_FORM_ref2, DW_FORM_ref4, DW_FORM_ref8, DW_FORM_ref_udata, DW_FORM_ref_addr};

	(void)state;
	for (unsigned version = 2; version <= 5; version++)
		for (size_t i = 0; i < SM_ARRAY_SIZE(forms); i++)
			for (unsigned k = 0; k < 8; k++)
				check_all_targets(&(struct dw_style){.version = version,
					.ref_form = forms[i],
					.siblings = k & 1,
					.shared_abbrevs = k & 2,
					.wide_codes = k & 4});
}

static void test_line_opcodes(void **state)
{
	static const uint8_t bases[] = {10, 13, 16};

	(void)state;
	for (unsigned version = 2; version <= 5; version++)
		for (enum dw_row_style rows = 0; rows <= DW_ROWS_ADDRESS; rows++)
			for (unsigned i = 0; i < 3; i++)
				check_all_targets(&(struct dw_style){.version = version,
					.rows = rows,
					.opcode_base = bases[i],
					.min_insn = i == 1 ? 4 : 1,
					.line_base = i == 2 ? -1 : -3,
					.line_range = i == 0 ? 4 : 12});
}

static void test_path_forms(void **state)
{
	static const uint32_t forms[] = {DW_FORM_line_strp, DW_FORM_string, DW_FORM_strp};

	(void)state;
	for (size_t i = 0; i < SM_ARRAY_SIZE(forms); i++)
		for (unsigned k = 0; k < 4; k++)
			check_all_targets(&(struct dw_style){.version = 5,
				.path_form = forms[i],
				.path_extras = k & 1,
				.dwarf64 = k & 2});
	check_all_targets(&(struct dw_style){
		.version = 5, .path_form = DW_FORM_strx, .string_form = DW_FORM_strx});
}

static void test_compressed(void **state)
{
	(void)state;
	for (enum ew_compression how = EW_ZLIB; how <= EW_ZDEBUG; how++) {
		struct target l = linked, m = module;

		l.compression = m.compression = how;
		for (unsigned version = 4; version <= 5; version++) {
			struct dw_style style = {
				.version = version, .aranges = true, .string_form = DW_FORM_strp};

			check_style(&l, &style);
			check_style(&m, &style);
			check_style(&(struct target){64, true, ET_REL, EM_S390, how}, &style);
			check_style(&(struct target){32, true, ET_EXEC, EM_PPC, how}, &style);
			check_style(&(struct target){32, false, ET_REL, EM_386, how}, &style);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_versions),
		cmocka_unit_test(test_big_endian),
		cmocka_unit_test(test_32_bits),
		cmocka_unit_test(test_other_machines),
		cmocka_unit_test(test_strings),
		cmocka_unit_test(test_addresses),
		cmocka_unit_test(test_range_lists),
		cmocka_unit_test(test_references),
		cmocka_unit_test(test_line_opcodes),
		cmocka_unit_test(test_path_forms),
		cmocka_unit_test(test_compressed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
