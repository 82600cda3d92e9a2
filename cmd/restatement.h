/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options that were given, as they would be typed for another command. */
#ifndef SMTOOL_RESTATEMENT_H
#define SMTOOL_RESTATEMENT_H

#include "option.h"

/* Appends a blank and the word, quoted where a shell needs it. */
void restate_word(struct sm_buf *buf, const char *word);
/* Appends those of the table that were given, but `but`. Choices are left out: what wasn't given
 * looks the same. */
void restate_options(struct sm_buf *buf, const struct option_table *table, const char *but);

#endif
