/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SM_VIEW_FRAGMENTS_H
#define SM_VIEW_FRAGMENTS_H

#include <smtool/view.h>

/*
 * What is written for an address, kept by address: stacks repeat their frames, and a name costs far
 * more to find than to copy. Memory is bounded: when too much has gathered, all is forgotten.
 */
struct fragment {
	const char *text;
	uint32_t len;
	uint32_t part[3]; /* where the renderer's parts end */
};

/* Appends what stands for `ip`, and may note ends of parts (buf->len) in `part`, from 0 on. */
typedef void (*fragment_render)(
	const struct sm_symbols *syms, uint64_t ip, struct sm_buf *buf, uint32_t part[3]);

struct fragments {
	const struct sm_symbols *syms;
	fragment_render render;
	struct sm_arena arena;
	struct fragment_slot {
		uint64_t ip;
		struct fragment fragment; /* text NULL = free */
	} * slots;
	size_t nslots, used;
	struct fragment *list;
	size_t list_cap;
	struct sm_buf scratch;
};

struct fragments *fragments_new(const struct sm_symbols *syms, fragment_render render);
void fragments_free(struct fragments *f);
/* One fragment per address, in the addresses' order, good until the next call; NULL when memory is
 * short. */
const struct fragment *fragments_of(struct fragments *f, const uint64_t *ips, uint32_t depth);

/* ---- frame.c: here, too, NULL symbols mean that there are no names ---- */

/* Appends the kernel's %pS text. */
void frame_text(const struct sm_symbols *syms, uint64_t ip, struct sm_buf *buf);

/* Appends the name of the function that made the call, without an offset; the address, or the
 * marker's text, where there is none. Control characters are visible. */
void frame_function(const struct sm_symbols *syms, uint64_t ip, struct sm_buf *buf);

#endif
