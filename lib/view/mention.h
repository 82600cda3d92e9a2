/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finding addresses in text that somebody else wrote: an oops, a dmesg, `trace`. */
#ifndef SM_VIEW_MENTION_H
#define SM_VIEW_MENTION_H

#include <smtool/view.h>

/*
 * Finds the next mention at or after *pos in a line (or a part of one) of `len` bytes, and moves
 * *pos behind it:
 *   name+0x1f, name+0x1f/0x40, either with " [module]" or " [module build-id]" behind it
 *   0xffffffff81234567, and the same without 0x as the line's first word, or between brackets,
 *   [<ffffffff81234567>], of which those behind it belong to it
 *   name, after "=> " and with nothing behind it
 */
bool mention_next(const char *line, size_t len, size_t *pos, struct sm_mention *m);

/* Whether what stands before a mention says that it is where the code was, and not where it was to
 * return: "RIP: ", "pc : " and their like. `from` is where the mention before it ends. */
bool mention_is_exact(const char *line, size_t from, size_t to);

#endif
