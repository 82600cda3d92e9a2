/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SM_VIEW_DUMP_H
#define SM_VIEW_DUMP_H

#include "fragments.h"

/* What an address is in each form. In a list each is preceded by its separator, which the first
 * leaves out: the separator is always one byte. */

/* Parts: ,"0x1f" of ips, ,"name+0x1/0x2" of symbols, ,{frame} */
void dump_render_json(
	const struct sm_symbols *syms, uint64_t ip, struct sm_buf *buf, uint32_t part[3]);
/* Lines of inlined functions; part 0 ends there. Then the kernel's text, the place, a line end. */
void dump_render_line(
	const struct sm_symbols *syms, uint64_t ip, struct sm_buf *buf, uint32_t part[3]);
/* The same below an event. */
void dump_render_event_line(
	const struct sm_symbols *syms, uint64_t ip, struct sm_buf *buf, uint32_t part[3]);
/* Parts: ;0x1f of ips, ;name+0x1/0x2 of symbols, inside a quoted CSV field */
void dump_render_csv(
	const struct sm_symbols *syms, uint64_t ip, struct sm_buf *buf, uint32_t part[3]);
/* ;inner (inlined) f.h:1;name+0x1/0x2 f.c:2 as in the text, inside a quoted CSV field */
void dump_render_event_csv(
	const struct sm_symbols *syms, uint64_t ip, struct sm_buf *buf, uint32_t part[3]);
/* ;name;inlined;inlined */
void dump_render_folded(
	const struct sm_symbols *syms, uint64_t ip, struct sm_buf *buf, uint32_t part[3]);

/* Writes part `k` of each, the first one's separator left out. */
void dump_put_parts(struct sm_out *out, const struct fragment *list, uint32_t depth, unsigned k);

/* NULL where nothing need be prepared. */
struct event_preparation *event_preparation_new(const struct sm_symbols *syms);
void event_preparation_free(struct event_preparation *p);

/* Makes a lack of memory the output's error. */
void dump_no_memory(struct sm_out *out);
/* The same where `err`, which it takes, isn't NULL. */
void dump_take_error(struct sm_out *out, struct sm_error *err);

#endif
