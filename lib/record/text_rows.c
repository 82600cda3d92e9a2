/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sums of stacks, while they are read from text. */
#include <stdlib.h>

#include "text.h"

struct sm_error *text_rows_begin(struct sm_trace *trace, const char *kind)
{
	trace->imported = calloc(1, sizeof(*trace->imported));
	if (!trace->imported)
		return sm_error_nomem();
	trace->imported->kind = kind;
	return NULL;
}

/* The row of a stack, made when it is new; NULL when memory is short. */
static struct sm_imported_row *find_row(
	struct text_rows *rows, struct sm_imported *in, uint32_t stack)
{
	/* SM_STACK_NONE wraps around to 0. */
	size_t at = (uint32_t)(stack + 1);

	if (at >= rows->nstacks) {
		size_t old = rows->nstacks;

		if (!sm_grow(&rows->of_stack, &rows->nstacks, at + 1, sizeof(*rows->of_stack)))
			return NULL;
		memset(rows->of_stack + old, 0, (rows->nstacks - old) * sizeof(*rows->of_stack));
	}
	if (!rows->of_stack[at]) {
		if (in->nrows == UINT32_MAX - 1 ||
			!sm_grow(&in->rows, &rows->cap, in->nrows + 1, sizeof(*in->rows)))
			return NULL;
		in->rows[in->nrows] = (struct sm_imported_row){.stack = stack};
		rows->of_stack[at] = (uint32_t)++in->nrows;
	}
	return &in->rows[rows->of_stack[at] - 1];
}

struct sm_error *text_rows_add(struct text_rows *rows, struct sm_trace *trace, uint32_t stack,
	uint64_t bytes, uint64_t count, bool *fits)
{
	struct sm_imported_row *row;

	*fits = bytes <= INT64_MAX - rows->sums[SM_M_LIVE_BYTES] &&
		count <= INT64_MAX - rows->sums[SM_M_LIVE_COUNT];
	if (!*fits)
		return NULL;
	row = find_row(rows, trace->imported, stack);
	if (!row)
		return sm_error_nomem();
	row->m[SM_M_LIVE_BYTES] += bytes;
	row->m[SM_M_LIVE_COUNT] += count;
	rows->sums[SM_M_LIVE_BYTES] += bytes;
	rows->sums[SM_M_LIVE_COUNT] += count;
	return NULL;
}

void text_rows_release(struct text_rows *rows)
{
	free(rows->of_stack);
	*rows = (struct text_rows){0};
}
