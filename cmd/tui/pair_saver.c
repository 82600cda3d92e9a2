/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>

#include <smtool/export.h>

#include "pair_view.h"

struct pair_saver {
	struct saver saver;
	struct pair_plan plan;
	bool all, utf8;
};

static struct sm_error *write_diff(
	const struct pair_saver *s, struct job *job, bool json, struct sm_out *out)
{
	const struct sm_diff_style style = {.unicode = s->utf8};
	struct pair_plan plan = s->plan;
	struct pair *pair;
	struct sm_error *err;

	/* As the command: data has all rows, marked, text those that are shown. */
	plan.diff.all |= s->all;
	plan.diff.keep_chance = json;
	err = pair_new(&plan, job, &pair);
	if (err)
		return err;
	for (const struct sm_diff_format *f = sm_diff_formats; f->name; f++)
		if (!strcmp(f->name, json ? "json" : "text"))
			f->write(pair->diff, &style, out);
	pair_free(pair);
	return NULL;
}

static struct sm_error *write_svg(const struct pair_saver *s, struct job *job, struct sm_out *out)
{
	struct sm_table_opts opts = s->plan.readings[1]->question->selection.table;
	struct sm_profile parts[2] = {0};
	struct sm_export x = {.opts = &opts, .scale = 1};
	struct sm_error *err = NULL;

	opts.by = s->plan.by;
	opts.group = SM_GROUP_STACK;
	for (size_t i = 0; !err && i < 2; i++)
		err = reading_copy_part(s->plan.readings[i], job, s->plan.narrow, &parts[i]);
	x.now = (struct sm_export_side){&parts[1], s->plan.readings[1]->side->in.syms};
	x.base = (struct sm_export_side){&parts[0], s->plan.readings[0]->side->in.syms};
	if (!err && s->plan.diff.normalize)
		x.scale = (double)sm_profile_window_ns(&parts[1]) /
			  (double)sm_profile_window_ns(&parts[0]);
	for (const struct sm_export_format *f = sm_export_formats; !err && f->name; f++)
		if (!strcmp(f->name, "svg"))
			err = f->write(&x, out);
	for (size_t i = 0; i < 2; i++)
		if (parts[i].rows != s->plan.readings[i]->profile->rows)
			free(parts[i].rows);
	return err;
}

static struct sm_error *write_pair(struct saver *saver, enum save_format format, struct sm_out *out)
{
	const struct pair_saver *s = (const struct pair_saver *)saver;
	struct job job = {0};

	return format == SAVE_SVG ? write_svg(s, &job, out)
				  : write_diff(s, &job, format == SAVE_JSON, out);
}

static void release(struct saver *saver)
{
	struct pair_saver *s = (struct pair_saver *)saver;

	pair_plan_release(&s->plan);
	free(s);
}

struct saver *pair_saver_new(const struct pair_plan *plan, bool all, bool utf8)
{
	struct pair_saver *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->saver = (struct saver){.write = write_pair, .release = release};
	pair_plan_copy(&s->plan, plan);
	s->all = all;
	s->utf8 = utf8;
	return &s->saver;
}
