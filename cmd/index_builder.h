/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An index of names that is built when a command is done, for those that follow. */
#ifndef SMTOOL_INDEX_BUILDER_H
#define SMTOOL_INDEX_BUILDER_H

#include <smtool/symbol.h>

#include "cli.h"

/* Remembers the vmlinux whose index was missed; before the symbols are freed. */
void index_builder_note(struct cli *cli, const struct sm_symbols *syms);
/*
 * Starts a process of lowest priority that builds the index and ends, if one was missed and nobody
 * is building it. Nobody waits for it, nor does it hold the caller's files open. To be called last.
 */
void index_builder_start(const struct cli *cli);

#endif
