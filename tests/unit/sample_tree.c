/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sample_tree.h"

static void write_slub(struct dw *d, const struct ew_section *text, const struct ew_section *cold)
{
	for (UNIT(d, compile)) {
		dw_name(d, "mm/slub.c");
		dw_string(d, DW_AT_comp_dir, "/src/linux");
		/* Offsets count from here; the compilers' own is 0 where there are ranges. */
		if (d->style.ranges == DW_RANGES_UNIT)
			dw_address(d, DW_AT_low_pc, text, 0);
		else
			dw_address(d, DW_AT_low_pc, NULL, 0);
		RANGES(d, {text, 0, 0x80}, {cold, 0, 0x10});
		for (LINES(d)) {
			dw_primary(d, "/src/linux", "mm/slub.c");
			dw_dir(d, "include/linux");
			dw_file(d, "mm/slub.c", 0);
			dw_file(d, "slab.h", 1);
			dw_row(d, text, 0x00, 1, 10);
			dw_row(d, text, 0x10, 2, 100);
			dw_row(d, text, 0x18, 2, 200);
			dw_row(d, text, 0x20, 2, 101);
			dw_row(d, text, 0x28, 1, 12);
			dw_row(d, text, 0x40, 1, 3000);
			dw_end_sequence(d, text, 0x50);
			dw_row(d, text, 0x60, 1, 400);
			dw_end_sequence(d, text, 0x80);
			dw_row(d, cold, 0x00, 1, 13);
			dw_row(d, cold, 0x08, 2, 102);
			dw_end_sequence(d, cold, 0x10);
		}
		for (DIE(d, subprogram)) {
			dw_name(d, "alloc");
			RANGES(d, {text, 0, 0x40}, {cold, 0, 0x10});
			for (DIE(d, formal_parameter))
				dw_name(d, "flags");
			for (DIE(d, lexical_block)) {
				dw_code(d, text, 0, 0x40);
				for (DIE(d, inlined_subroutine)) {
					dw_origin(d, "helper");
					RANGES(d, {text, 0x10, 0x28}, {cold, 0x8, 0x10});
					dw_call(d, 1, 11);
					for (DIE(d, lexical_block)) {
						for (DIE(d, inlined_subroutine)) {
							dw_ref_as(d, DW_AT_abstract_origin,
								DW_FORM_ref_addr, "deep");
							dw_code(d, text, 0x18, 0x20);
							dw_call(d, 2, 100);
						}
					}
				}
			}
		}
		for (DIE(d, subprogram)) {
			dw_name(d, "free_one");
			dw_code(d, text, 0x40, 0x60);
		}
		for (DIE(d, subprogram)) {
			dw_label(d, "helper");
			dw_name(d, "helper");
			dw_number(d, DW_AT_inline, DW_FORM_data1, DW_INL_declared_inlined);
		}
	}
}

static void write_other(struct dw *d, const struct ew_section *text)
{
	for (UNIT(d, compile)) {
		dw_name(d, "mm/other.c");
		dw_string(d, DW_AT_comp_dir, "/src/linux");
		dw_code(d, text, 0x80, 0xa0);
		for (LINES(d)) {
			dw_primary(d, "/src/linux", "mm/other.c");
			dw_file(d, "mm/other.c", 0);
			dw_row(d, text, 0x80, 1, 7);
			dw_end_sequence(d, text, 0xa0);
		}
		for (DIE(d, subprogram)) {
			dw_label(d, "deep");
			dw_name(d, "deep");
			dw_number(d, DW_AT_inline, DW_FORM_data1, DW_INL_inlined);
			for (DIE(d, formal_parameter))
				dw_name(d, "size");
		}
		for (DIE(d, subprogram)) {
			dw_name(d, "other");
			dw_code(d, text, 0x80, 0xa0);
		}
	}
}

void sample_tree_write(struct dw *d, const struct ew_section *text, const struct ew_section *cold)
{
	write_slub(d, text, cold);
	write_other(d, text);
}
