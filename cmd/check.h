/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SMTOOL_CHECK_H
#define SMTOOL_CHECK_H

#include <smtool/record.h>
#include <smtool/symbol.h>

#include "cli.h"
#include "report.h"

struct check {
	struct cli *cli;
	struct report report;
	struct sm_source *src;
	struct sm_trace *trace;
	struct sm_symbols *syms; /* NULL = none */
	uint64_t ids;            /* events that carry one */
};

/* Makes `err` a finding where it is one; returns it otherwise. */
struct sm_error *check_take(struct check *c, struct sm_error *err) SM_MUST_CHECK;

/* check_symbols.c: opens the symbols, and looks whether they are the captured kernel's. */
struct sm_error *check_symbols(struct check *c) SM_MUST_CHECK;

/* check_text.c: page_owner and its like. */
void check_text(struct check *c);

/* check_pages.c: loss, joins, ids and counts, once the pages have been read. */
void check_pages(struct check *c);

#endif
