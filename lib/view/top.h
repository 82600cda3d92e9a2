/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The ways to write a table. */
#ifndef SM_VIEW_TOP_H
#define SM_VIEW_TOP_H

#include "fragments.h"

void sm_top_text(const struct sm_table *table, const struct sm_style *style, struct sm_out *out);
void sm_top_json(const struct sm_table *table, const struct sm_style *style, struct sm_out *out);
void sm_top_jsonl(const struct sm_table *table, const struct sm_style *style, struct sm_out *out);
void sm_top_csv(const struct sm_table *table, const struct sm_style *style, struct sm_out *out);

/* Appends name+0xoff/0xsize [module] of a call in a stack: the calling function's name. */
void sm_call_text(const struct sm_symbols *syms, uint64_t ip, struct sm_buf *buf);
/* A frame's lines for people: the inlined functions', the call's own with its place in the source,
 * each with a line end. */
void sm_call_render(
	const struct sm_symbols *syms, uint64_t ip, struct sm_buf *buf, uint32_t part[3]);
/* A stack's frames as one field, innermost first, their lines as in the text. */
void sm_csv_frames(const struct sm_symbols *syms, const uint64_t *ips, uint32_t depth,
	struct sm_buf *scratch, struct sm_out *out);
/* Tells the symbols which addresses the table shows. A lack of memory is the output's error. */
void sm_table_prepare(const struct sm_table *table, struct sm_out *out);

#endif
