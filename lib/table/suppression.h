/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SM_TABLE_SUPPRESSION_H
#define SM_TABLE_SUPPRESSION_H

#include <smtool/diff.h>

/* The first one that matches, SIZE_MAX where none does. All that match are set in `used`. */
size_t sm_suppressions_match(const struct sm_suppressions *s, const char *text, bool *used);

#endif
