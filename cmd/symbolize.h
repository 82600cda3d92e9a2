/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SMTOOL_SYMBOLIZE_H
#define SMTOOL_SYMBOLIZE_H

#include <smtool/view.h>

#include "input.h"

struct symbolize_opts {
	const char *input;
	bool returns, filter, disasm, build_index;
	uint64_t before, after;
};

struct symbolize {
	struct cli *cli;
	struct symbolize_opts o;
	struct sm_source *src;
	struct sm_symbols *syms; /* NULL = there are no names */
	struct sm_out out;
	struct sm_json json;
	uint64_t asked, unknown;
};

/* addresses.c: the operands, or where there are none, standard input. */
struct sm_error *symbolize_addresses(struct symbolize *s, int argc, char **argv) SM_MUST_CHECK;

#endif
