/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What struct sm_symbols holds. */
#ifndef SMTOOL_SYMBOL_SYMBOLS_H
#define SMTOOL_SYMBOL_SYMBOLS_H

#include "address_space.h"
#include "name_index.h"

struct sm_symbols {
	struct kallsyms kallsyms;
	struct modules modules;
	char *build_id;
	char *release;
	char *trouble;
	struct name_index *names; /* NULL until somebody asks */
	bool no_inlines;
	const struct sm_frames *frames; /* borrowed; NULL = no address is tagged */
	uint64_t *named;                /* per frame: sm_symbols_real(), 0 = nobody asked yet */
	struct address_space *space;    /* NULL = no files are looked for. Reads on demand, which a
					   caller with a const pointer doesn't see. */
};

/* What the options say of where to look, and of images. Strings are borrowed. */
struct search sm_symbols_search(const struct sm_symbols_opts *opts);
struct image_opts sm_symbols_image_opts(const struct sm_symbols_opts *opts);
/* An address without its pointer authentication code (arm64). */
uint64_t sm_symbols_strip(const struct sm_symbols *syms, uint64_t ip);
/* Where a run-time address (without PAC) lies, by kallsyms and the modules' ranges. False where
 * that is in no image at hand. */
bool sm_symbols_locate(const struct sm_symbols *syms, uint64_t ip, struct location *where);

/* ---- named.c: tagged addresses ---- */

bool sm_named_find(const struct sm_symbols *syms, uint64_t ip, struct sm_symbol *sym);
bool sm_named_find_caller(const struct sm_symbols *syms, uint64_t ip, struct sm_symbol *sym);
size_t sm_named_lines(const struct sm_symbols *syms, uint64_t ip, const struct sm_line **lines);

#endif
