/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A stack's page written to a file.
 *
 * JSON, an object: by (the key), narrow (an array of "GROUP=LABEL", the widest part last; [] = of
 * all), totals and health as in top's, row (null where nothing of the stack is counted, else the
 * keys of a row of top, without rank), shares and ages. shares is null without events, else an
 * object: by (the key that they are of), value (what the stack has of it), and comm, cache, gfp,
 * size, event, order: each an array of {label, value}, largest first, or null where it isn't known.
 * ages is null where it isn't known, else an object: oldest_ns (null where nothing is live) and
 * buckets, an array of {from_ns, to_ns (null: the last one has no bound), bytes, count}.
 */
#include <errno.h>
#include <stdlib.h>

#include "page_job.h"
#include "stack_saver.h"

/* ---- text ---- */

static void write_value(
	const struct page *p, enum sm_metric m, uint64_t value, uint64_t whole, struct sm_out *out)
{
	struct sm_buf text = {0};

	if (sm_profile_is_bytes(p->reading->profile, m))
		sm_human_bytes(value, &text);
	else
		sm_human_count(value, &text);
	if (text.failed)
		out->errnum = ENOMEM;
	else
		sm_out_f(out, "%12s %7.2f%%  ", text.data,
			whole ? (double)value * 100 / (double)whole : 0.0);
	sm_buf_release(&text);
}

static void write_share(const struct page *p, size_t i, struct sm_out *out)
{
	const struct sm_table *t = p->shares[i];

	sm_out_f(out, "\nby %s", group_word(SM_GROUP_ATTR, page_attrs[i]));
	if (!t) {
		sm_out_f(out, ": %s\n", page_no_share(p, page_attrs[i]));
		return;
	}
	sm_out_f(out, " (%s)\n", sm_metric_name(p->shares_by));
	for (size_t k = 0; k < t->nrows && !sm_out_failed(out); k++) {
		const char *label = t->rows[k].label;

		write_value(p, p->shares_by, t->rows[k].m[p->shares_by], p->part, out);
		sm_out_visible(out, label, strlen(label));
		sm_out_char(out, '\n');
	}
}

static void write_time(
	void (*format)(uint64_t ns, struct sm_buf *text), uint64_t ns, struct sm_out *out)
{
	struct sm_buf text = {0};

	format(ns, &text);
	if (text.failed)
		out->errnum = ENOMEM;
	else
		sm_out_str(out, text.data);
	sm_buf_release(&text);
}

static void write_ages(const struct page *p, struct sm_out *out)
{
	uint64_t whole = 0;

	sm_out_str(out, "\nage of what is live");
	if (!p->has_ages) {
		sm_out_f(out, ": %s\n", page_no_ages(p));
		return;
	}
	for (size_t k = 0; k < SM_AGES; k++)
		whole += p->ages[k].bytes;
	if (p->oldest_ns) {
		sm_out_str(out, " (the oldest ");
		write_time(sm_human_ns, p->oldest_ns, out);
		sm_out_char(out, ')');
	}
	sm_out_char(out, '\n');
	for (size_t k = 0; k < SM_AGES; k++) {
		write_value(p, SM_M_LIVE_BYTES, p->ages[k].bytes, whole, out);
		sm_out_f(out, "%10llu object%s ", (unsigned long long)p->ages[k].count,
			p->ages[k].count == 1 ? "" : "s");
		sm_out_str(out, k < SM_AGES - 1 ? "younger than " : "of ");
		write_time(page_bound, sm_age_bounds[k < SM_AGES - 1 ? k : k - 1], out);
		sm_out_str(out, k < SM_AGES - 1 ? "\n" : " or more\n");
	}
}

static void write_text(const struct page *p, struct sm_out *out)
{
	stack_write(&p->pick, out);
	for (size_t i = 0; i < PAGE_ATTRS; i++)
		write_share(p, i, out);
	write_ages(p, out);
}

/* ---- JSON ---- */

static void write_shares_json(const struct page *p, struct sm_json *j)
{
	if (p->shares_by == SM_M_NR) {
		sm_json_null(j, "shares");
		return;
	}
	sm_json_object(j, "shares");
	sm_json_str(j, "by", sm_metric_name(p->shares_by));
	sm_json_u64(j, "value", p->part);
	for (size_t i = 0; i < PAGE_ATTRS; i++) {
		const struct sm_table *t = p->shares[i];
		const char *key = group_word(SM_GROUP_ATTR, page_attrs[i]);

		if (!t) {
			sm_json_null(j, key);
			continue;
		}
		sm_json_array(j, key);
		for (size_t k = 0; k < t->nrows && !sm_out_failed(j->out); k++) {
			sm_json_object(j, NULL);
			sm_json_str(j, "label", t->rows[k].label);
			sm_json_u64(j, "value", t->rows[k].m[p->shares_by]);
			sm_json_object_end(j);
		}
		sm_json_array_end(j);
	}
	sm_json_object_end(j);
}

static void write_ages_json(const struct page *p, struct sm_json *j)
{
	uint64_t count = 0;

	if (!p->has_ages) {
		sm_json_null(j, "ages");
		return;
	}
	for (size_t k = 0; k < SM_AGES; k++)
		count += p->ages[k].count;
	sm_json_object(j, "ages");
	if (count)
		sm_json_u64(j, "oldest_ns", p->oldest_ns);
	else
		sm_json_null(j, "oldest_ns");
	sm_json_array(j, "buckets");
	for (size_t k = 0; k < SM_AGES; k++) {
		sm_json_object(j, NULL);
		sm_json_u64(j, "from_ns", k ? sm_age_bounds[k - 1] : 0);
		if (k < SM_AGES - 1)
			sm_json_u64(j, "to_ns", sm_age_bounds[k]);
		else
			sm_json_null(j, "to_ns");
		sm_json_u64(j, "bytes", p->ages[k].bytes);
		sm_json_u64(j, "count", p->ages[k].count);
		sm_json_object_end(j);
	}
	sm_json_array_end(j);
	sm_json_object_end(j);
}

static void write_json(const struct page *p, const struct narrow *narrow, struct sm_out *out)
{
	const struct sm_table *t = p->pick.table;
	struct sm_json j;

	sm_json_init(&j, out, true);
	sm_json_object(&j, NULL);
	sm_json_str(&j, "by", sm_metric_name(t->opts.by));
	narrow_json(narrow, &j);
	sm_json_object(&j, "totals");
	for (unsigned m = 0; m < SM_M_NR; m++)
		if (t->known & 1u << m)
			sm_json_u64(&j, sm_metric_name((enum sm_metric)m), t->totals[m]);
	sm_json_object_end(&j);
	sm_health_json(&j, "health", &t->profile->health);
	if (t->nrows) {
		sm_json_object(&j, "row");
		stack_json(t, &j);
		sm_json_object_end(&j);
	} else {
		sm_json_null(&j, "row");
	}
	write_shares_json(p, &j);
	write_ages_json(p, &j);
	sm_json_object_end(&j);
	sm_out_char(out, '\n');
}

static struct sm_error *write_saved(
	struct saver *saver, enum save_format format, struct sm_out *out)
{
	const struct stack_saver *s = (const struct stack_saver *)saver;
	struct job job = {0};
	struct page *page;
	struct sm_error *err = page_make(s->reading, &job, s->narrow, s->by, s->stack, &page);

	if (err)
		return err;
	if (format == SAVE_JSON)
		write_json(page, s->narrow, out);
	else
		write_text(page, out);
	page_free(page);
	return NULL;
}

struct saver *page_saver_new(
	struct reading *reading, const struct narrow *narrow, enum sm_metric by, uint32_t stack)
{
	return stack_saver_by(write_saved, reading, narrow, by, stack);
}
