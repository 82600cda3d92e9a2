/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The text of one stack, for a file. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "stack_saver.h"

void narrow_json(const struct narrow *narrow, struct sm_json *j)
{
	sm_json_array(j, "narrow");
	for (; narrow; narrow = narrow->parent) {
		struct sm_buf text = {0};

		narrow_text(narrow, &text);
		if (text.failed)
			j->out->errnum = ENOMEM;
		else
			sm_json_strn(j, NULL, text.data, text.len);
		sm_buf_release(&text);
	}
	sm_json_array_end(j);
}

static void format_key(const struct sm_table *t, const struct sm_table_row *row, char key[32])
{
	snprintf(key, 32, "0x%016" PRIx64, sm_stack_key(t->syms, row->ips, row->depth));
}

void stack_json(const struct sm_table *t, struct sm_json *j)
{
	const struct sm_table_row *row = &t->rows[0];
	bool frames = !row->label && row->depth;
	char key[32];

	if (frames)
		format_key(t, row, key);
	sm_json_str(j, "label", row->label);
	sm_json_str(j, "stack_key", frames ? key : NULL);
	sm_json_array(j, "stack_ids");
	for (size_t i = 0; i < row->nstack_ids; i++)
		sm_json_u64(j, NULL, row->stack_ids[i]);
	sm_json_array_end(j);
	for (unsigned m = 0; m < SM_M_NR; m++)
		if (t->known & 1u << m)
			sm_json_u64(j, sm_metric_name((enum sm_metric)m), row->m[m]);
	sm_frames_json(j, "frames", t->syms, row->ips, frames ? row->depth : 0);
}

static void write_metric(const struct sm_table *t, const struct sm_table_row *row, enum sm_metric m,
	struct sm_out *out)
{
	struct sm_buf text = {0};

	if (sm_profile_is_bytes(t->profile, m))
		sm_human_bytes(row->m[m], &text);
	else
		sm_human_count(row->m[m], &text);
	if (text.failed) {
		out->errnum = ENOMEM;
	} else {
		sm_out_f(out, "%-12s%12s", sm_metric_name(m), text.data);
		if (m < SM_M_ADDITIVE && t->totals[m])
			sm_out_f(out, " %7.2f%%", (double)row->m[m] * 100 / (double)t->totals[m]);
		sm_out_char(out, '\n');
	}
	sm_buf_release(&text);
}

void stack_write(const struct stack_pick *pick, struct sm_out *out)
{
	const struct sm_table *t = pick->table;
	const struct sm_style style = {0};
	const struct sm_table_row *row;
	char key[32];

	for (const struct sm_table_format *f = sm_table_formats; f->name; f++)
		if (!strcmp(f->name, "text"))
			f->write(t, &style, out);
	if (!t->nrows)
		return;
	row = &t->rows[0];
	sm_out_char(out, '\n');
	for (unsigned m = 0; m < SM_M_NR; m++)
		if (t->known & 1u << m)
			write_metric(t, row, (enum sm_metric)m, out);
	if (!row->label && row->depth) {
		format_key(t, row, key);
		sm_out_f(out, "stack_key   %s\n", key);
	}
	if (row->nstack_ids)
		sm_out_str(out, "stack_ids  ");
	for (size_t i = 0; i < row->nstack_ids; i++) {
		sm_out_char(out, ' ');
		sm_out_u64(out, row->stack_ids[i]);
	}
	if (row->nstack_ids)
		sm_out_char(out, '\n');
}

struct sm_error *stack_save(struct reading *r, const struct narrow *narrow, enum sm_metric by,
	uint32_t stack, struct sm_out *out)
{
	struct stack_pick pick = {0};
	struct job job = {0};
	struct sm_error *err = stack_pick(r, &job, narrow, SM_ATTR_NONE, by, stack, &pick);

	if (!err)
		stack_write(&pick, out);
	stack_pick_release(&pick);
	return err;
}

static struct sm_error *write_saved(
	struct saver *saver, enum save_format format, struct sm_out *out)
{
	const struct stack_saver *s = (const struct stack_saver *)saver;

	(void)format;
	return stack_save(s->reading, s->narrow, s->by, s->stack, out);
}

static void release(struct saver *saver)
{
	struct stack_saver *s = (struct stack_saver *)saver;

	reading_put(s->reading);
	narrow_put(s->narrow);
	free(s);
}

struct saver *stack_saver_by(
	struct sm_error *(*write)(struct saver *s, enum save_format format, struct sm_out *out),
	struct reading *reading, const struct narrow *narrow, enum sm_metric by, uint32_t stack)
{
	struct stack_saver *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->saver = (struct saver){.write = write, .release = release};
	s->reading = reading_get(reading);
	s->narrow = narrow_get(narrow);
	s->by = by;
	s->stack = stack;
	return &s->saver;
}

struct saver *stack_saver_new(
	struct reading *reading, const struct narrow *narrow, enum sm_metric by, uint32_t stack)
{
	return stack_saver_by(write_saved, reading, narrow, by, stack);
}

struct saver *stack_saver_of(struct reading *reading, const struct narrow *narrow,
	const struct sm_table *table, const struct sm_table_row *row, const char **why)
{
	uint32_t stack;

	*why = "the row is no stack";
	if (!stack_of_row(table, row, &stack))
		return NULL;
	*why = "memory is short";
	return stack_saver_new(reading, narrow, table->opts.by, stack);
}
