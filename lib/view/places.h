/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Places in the source, as people see them. */
#ifndef SM_VIEW_PLACES_H
#define SM_VIEW_PLACES_H

#include "fragments.h"

/* Appends the name of a frame: frame_text(), or another of its kind. */
typedef void (*frame_namer)(const struct sm_symbols *syms, uint64_t ip, struct sm_buf *buf);

/* FILE:LINE, with "?" for a line that isn't known; nothing where the file isn't. */
void place_add(const struct sm_line *line, struct sm_buf *buf);
/* NAME FILE:LINE, NAME (inlined) FILE:LINE */
void place_add_function(const struct sm_line *line, bool inlined, struct sm_buf *buf);

/*
 * Appends what is shown of a frame of a stack, innermost first: for each inlined function `indent`,
 * NAME (inlined) FILE:LINE and a line end; then the name of the function that has the code, and its
 * place, without a line end. Returns where that name begins. Without debug information, and where
 * inlined functions aren't wanted, the name is all: so it is what the kernel prints.
 */
size_t places_add_frame(const struct sm_symbols *syms, uint64_t ip, const char *indent,
	frame_namer name, struct sm_buf *buf);

/* The source lines of a frame of a stack that are shown to people: none with --no-inlines. */
size_t places_of(const struct sm_symbols *syms, uint64_t ip, const struct sm_line **lines);

#endif
