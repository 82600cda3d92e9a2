/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SMTOOL_SUGGESTION_H
#define SMTOOL_SUGGESTION_H

#include <smtool/base.h>

/* The nearest of the names seen so far. */
struct suggestion {
	const char *typed;
	size_t len; /* of `typed` */
	const char *best;
	unsigned distance; /* of `best` */
};

void suggestion_init(struct suggestion *s, const char *typed, size_t len);
void suggestion_consider(struct suggestion *s, const char *name);
/* NULL when nothing is near enough to be what was meant. */
const char *suggestion_get(const struct suggestion *s);

#endif
