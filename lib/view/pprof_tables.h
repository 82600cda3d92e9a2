/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What samples of a profile.proto refer to: ids are dense from 1, in the order of the tables. */
#ifndef SM_VIEW_PPROF_TABLES_H
#define SM_VIEW_PPROF_TABLES_H

#include "export.h"

struct pprof_tables {
	struct sm_strings strings; /* visible text; 0 = "" */
	/* What tells entries apart, as bytes: ids less 1 */
	struct sm_strings mapping_keys, function_keys, location_keys;
	struct pprof_mapping {
		const struct sm_symbols *syms; /* that know where it is, NULL = nobody does */
		const char *module;            /* NULL = the kernel */
		uint32_t name, build_id;
		bool files, lines, inlined; /* at least one of its locations has them */
		bool incomplete;            /* at least one has no name */
	} * mappings;
	struct pprof_function {
		uint32_t name, file;
	} * functions;
	struct pprof_location {
		uint64_t address;
		size_t first; /* in `lines`, innermost first */
		uint32_t mapping, n;
	} * locations;
	struct pprof_line {
		uint32_t function, line;
	} * lines;
	size_t mappings_cap, functions_cap, locations_cap, nlines, lines_cap;
	/* Per side, by address */
	struct pprof_address {
		uint64_t ip;
		uint32_t location; /* 0 = free */
	} * slots[2];
	size_t nslots[2], nused[2];
	struct sm_buf text; /* scratch */
};

/* False when memory is short. The kernel becomes mapping 1, if it is one. */
bool pprof_tables_init(struct pprof_tables *t, const struct sm_symbols *syms) SM_MUST_CHECK;
/* Ids; 0 when memory is short. */
uint32_t pprof_location_of(
	struct pprof_tables *t, unsigned side, const struct sm_symbols *syms, uint64_t ip);
uint32_t pprof_location_of_label(struct pprof_tables *t, const char *label);
/* SM_NO_STRING when memory is short. */
uint32_t pprof_string(struct pprof_tables *t, const char *text);
/* Writes them as fields of the profile. */
void pprof_tables_write(const struct pprof_tables *t, struct gzip *g);
void pprof_tables_release(struct pprof_tables *t);

#endif
