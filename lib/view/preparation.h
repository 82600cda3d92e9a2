/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Telling the symbols, before anything is shown, which addresses will be, so that their files are
 * read once.
 */
#ifndef SM_VIEW_PREPARATION_H
#define SM_VIEW_PREPARATION_H

#include <smtool/view.h>

struct preparation {
	const struct sm_symbols *syms;
	struct sm_addresses addresses;
	size_t limit; /* addresses that are enough; 0 = none is needed */
	bool failed;
};

/* `syms` may be NULL. `lines` false: only names will be asked for, which needs addresses just where
 * the slide isn't known yet, and a few of them. */
void preparation_init(struct preparation *p, const struct sm_symbols *syms, bool lines);
/* False when no more are needed. */
bool preparation_add(struct preparation *p, const uint64_t *ips, uint32_t depth);
/* SM_E_NOMEM is the only error: whatever else there is costs lines, and was logged. */
struct sm_error *preparation_finish(struct preparation *p) SM_MUST_CHECK;

#endif
