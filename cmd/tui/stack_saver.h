/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stack_saver: one stack as text and JSON. The worker's, but for stack_saver_new(). */
#ifndef SMTOOL_TUI_STACK_SAVER_H
#define SMTOOL_TUI_STACK_SAVER_H

#include "stack_pick.h"
#include "view.h"

/* As `smtool top` writes it, then all that is known of it in figures. */
void stack_write(const struct stack_pick *pick, struct sm_out *out);
/* The same, of what is yet to be found. */
struct sm_error *stack_save(struct reading *r, const struct narrow *narrow, enum sm_metric by,
	uint32_t stack, struct sm_out *out) SM_MUST_CHECK;
/* Members of an object: "narrow", an array of "GROUP=LABEL", the widest part last; those of a row
 * of `top`, but its rank, of a table that has one. */
void narrow_json(const struct narrow *narrow, struct sm_json *j);
void stack_json(const struct sm_table *table, struct sm_json *j);

/* Of a table's row; NULL with a reason in *why (a literal). */
struct saver *stack_saver_of(struct reading *reading, const struct narrow *narrow,
	const struct sm_table *table, const struct sm_table_row *row, const char **why);
/* Which stack of what. */
struct stack_saver {
	struct saver saver;
	struct reading *reading;
	const struct narrow *narrow;
	enum sm_metric by;
	uint32_t stack;
};
/* One that write() writes; it gets a struct stack_saver. NULL when memory is short. */
struct saver *stack_saver_by(
	struct sm_error *(*write)(struct saver *s, enum save_format format, struct sm_out *out),
	struct reading *reading, const struct narrow *narrow, enum sm_metric by, uint32_t stack);
/* For a file; NULL when memory is short. */
struct saver *stack_saver_new(
	struct reading *reading, const struct narrow *narrow, enum sm_metric by, uint32_t stack);

#endif
