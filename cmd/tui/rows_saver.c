/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>

#include <smtool/export.h>

#include "rows_job.h"

struct rows_saver {
	struct saver saver;
	struct reading *reading;
	enum sm_group group;
	enum sm_attr attr;
	enum sm_metric by;
	const struct narrow *narrow;
};

static struct sm_error *write_table(const struct rows_saver *s, const struct sm_profile *profile,
	const struct sm_table_opts *opts, const char *format, struct sm_out *out)
{
	const struct sm_style style = {0};
	struct sm_table *table;
	struct sm_error *err = sm_table_build(profile, s->reading->side->in.syms, opts, &table);

	if (err)
		return err;
	for (const struct sm_table_format *f = sm_table_formats; f->name; f++)
		if (!strcmp(f->name, format))
			f->write(table, &style, out);
	sm_table_free(table);
	return NULL;
}

static struct sm_error *write_svg(const struct rows_saver *s, const struct sm_profile *profile,
	const uint8_t *rows, const struct sm_table_opts *opts, struct sm_out *out)
{
	struct sm_profile part;
	struct sm_error *err = profile_part(profile, rows, &part);
	const struct sm_export x = {
		.now = {&part, s->reading->side->in.syms},
		.opts = opts,
		.scale = 1,
	};

	for (const struct sm_export_format *f = sm_export_formats; !err && f->name; f++)
		if (!strcmp(f->name, "svg"))
			err = f->write(&x, out);
	if (part.rows != profile->rows)
		free(part.rows);
	return err;
}

static struct sm_error *write_rows(struct saver *saver, enum save_format format, struct sm_out *out)
{
	struct rows_saver *s = (struct rows_saver *)saver;
	struct sm_table_opts opts = s->reading->question->selection.table;
	const struct sm_profile *profile;
	struct sm_error *err;
	struct job job = {0};
	uint8_t *rows = NULL;

	err = reading_part(s->reading, &job, s->narrow, s->group, s->attr, &profile, &rows);
	opts.by = s->by;
	opts.group = s->group;
	opts.attr = s->attr;
	opts.rows = rows;
	if (!err && format == SAVE_SVG) {
		opts.rows = NULL;
		opts.group = SM_GROUP_STACK;
		err = write_svg(s, profile, rows, &opts, out);
	} else if (!err) {
		err = write_table(s, profile, &opts, format == SAVE_JSON ? "json" : "text", out);
	}
	free(rows);
	return err;
}

static void release(struct saver *saver)
{
	struct rows_saver *s = (struct rows_saver *)saver;

	reading_put(s->reading);
	narrow_put(s->narrow);
	free(s);
}

struct saver *rows_saver_new(struct reading *reading, enum sm_group group, enum sm_attr attr,
	enum sm_metric by, const struct narrow *narrow)
{
	struct rows_saver *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->saver = (struct saver){.write = write_rows, .release = release};
	s->reading = reading_get(reading);
	s->group = group;
	s->attr = attr;
	s->by = by;
	s->narrow = narrow_get(narrow);
	return &s->saver;
}
