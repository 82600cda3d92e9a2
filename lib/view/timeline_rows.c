/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A timeline for programs: JSON, JSON Lines, CSV. */
#include "course.h"

const struct sm_timeline_format sm_timeline_formats[] = {
	{"text", sm_timeline_text},
	{"json", sm_timeline_json},
	{"csv", sm_timeline_csv},
	{"jsonl", sm_timeline_jsonl},
	{"svg", sm_timeline_svg},
	{NULL, NULL},
};

static const struct sm_timeline_level *level_of(
	const struct sm_timeline_view *view, const struct sm_timeline_point *p)
{
	return view->by == SM_M_LIVE_COUNT ? &p->count : &p->bytes;
}

/* The members of a point. */
static void write_point(
	struct sm_json *j, const struct sm_timeline_view *view, const struct sm_timeline_point *p)
{
	const struct sm_timeline_level *level = level_of(view, p);

	sm_json_u64(j, "ts_ns", p->ts);
	sm_json_u64(j, "value", sm_timeline_value(p, view->by));
	if (!sm_timeline_is_rate(view->by)) {
		sm_json_u64(j, "min", level->min);
		sm_json_u64(j, "max", level->max);
		sm_json_u64(j, "alloc", level->added);
		sm_json_u64(j, "freed", level->dropped);
	}
	sm_json_u64(j, "events", p->events);
	sm_json_u64(j, "lost", p->lost);
	sm_json_u64(j, "lost_unknown", p->lost_unknown);
	sm_json_bool(j, "gap", p->gap);
}

static void write_key(struct sm_json *j, const struct series_names *names, size_t series)
{
	sm_json_str(j, "stack_key", names->keys[series][0] ? names->keys[series] : NULL);
}

static void write_series(struct sm_json *j, const struct sm_timeline_view *view,
	const struct series_names *names, size_t series)
{
	const struct sm_timeline *t = view->timeline;
	const struct sm_table_row *row = NULL;

	if (series + 1 < names->n)
		row = &view->table->rows[series];
	sm_json_object(j, NULL);
	sm_json_str(j, "label", names->items[series]);
	write_key(j, names, series);
	sm_frames_json(j, "frames", view->table->syms, row ? row->ips : NULL,
		row && !row->label ? row->depth : 0);
	sm_json_array(j, "values");
	for (size_t i = 0; i < t->n && !sm_out_failed(j->out); i++)
		sm_json_u64(j, NULL, series_value(t, series, i));
	sm_json_array_end(j);
	sm_json_object_end(j);
}

static void write_head(struct sm_json *j, const struct sm_timeline_view *view)
{
	const struct sm_timeline *t = view->timeline;
	struct sm_timeline_peak peak = sm_timeline_peak(t, view->by);

	sm_json_str(j, "by", sm_metric_name(view->by));
	sm_json_u64(j, "interval_ns", t->interval);
	if (t->n) {
		sm_json_array(j, "window_ns");
		sm_json_u64(j, NULL, t->from);
		sm_json_u64(j, NULL, t->to);
		sm_json_array_end(j);
	} else {
		sm_json_null(j, "window_ns");
	}
	if (peak.value) {
		sm_json_object(j, "peak");
		sm_json_u64(j, "ts_ns", peak.ts);
		sm_json_u64(j, "value", peak.value);
		sm_json_object_end(j);
	} else {
		sm_json_null(j, "peak");
	}
	if (t->uncertain)
		sm_json_u64(j, "uncertain_from_ns", t->uncertain_from);
	else
		sm_json_null(j, "uncertain_from_ns");
}

void sm_timeline_json(const struct sm_timeline_view *view, const struct sm_timeline_style *style,
	struct sm_out *out)
{
	const struct sm_timeline *t = view->timeline;
	struct series_names names;
	struct sm_json j;

	(void)style;
	series_names_make(&names, view, out);
	sm_json_init(&j, out, true);
	sm_json_object(&j, NULL);
	write_head(&j, view);
	sm_json_array(&j, "points");
	for (size_t i = 0; i < t->n && !sm_out_failed(out); i++) {
		sm_json_object(&j, NULL);
		write_point(&j, view, &t->points[i]);
		sm_json_object_end(&j);
	}
	sm_json_array_end(&j);
	sm_json_array(&j, "series");
	for (size_t s = 0; s < names.n && !sm_out_failed(out); s++)
		write_series(&j, view, &names, s);
	sm_json_array_end(&j);
	sm_health_json(&j, "health", &view->profile->health);
	sm_json_object_end(&j);
	sm_out_char(out, '\n');
	series_names_release(&names);
}

void sm_timeline_jsonl(const struct sm_timeline_view *view, const struct sm_timeline_style *style,
	struct sm_out *out)
{
	const struct sm_timeline *t = view->timeline;
	struct series_names names;

	(void)style;
	series_names_make(&names, view, out);
	for (size_t i = 0; i < t->n && !sm_out_failed(out); i++) {
		struct sm_json j;

		sm_json_init(&j, out, false);
		sm_json_object(&j, NULL);
		write_point(&j, view, &t->points[i]);
		sm_json_array(&j, "series");
		for (size_t s = 0; s < names.n; s++) {
			sm_json_object(&j, NULL);
			sm_json_str(&j, "label", names.items[s]);
			write_key(&j, &names, s);
			sm_json_u64(&j, "value", series_value(t, s, i));
			sm_json_object_end(&j);
		}
		sm_json_array_end(&j);
		sm_json_object_end(&j);
		sm_out_char(out, '\n');
	}
	series_names_release(&names);
}

static void add_u64(struct sm_out *out, uint64_t v)
{
	sm_out_char(out, ',');
	sm_out_u64(out, v);
}

void sm_timeline_csv(const struct sm_timeline_view *view, const struct sm_timeline_style *style,
	struct sm_out *out)
{
	const struct sm_timeline *t = view->timeline;
	bool rate = sm_timeline_is_rate(view->by);
	struct series_names names;

	(void)style;
	series_names_make(&names, view, out);
	sm_out_str(out, rate ? "ts_ns,value" : "ts_ns,value,min,max,alloc,freed");
	sm_out_str(out, ",events,lost,lost_unknown,gap");
	for (size_t s = 0; s < names.n; s++) {
		sm_out_char(out, ',');
		sm_out_csv(out, names.items[s], strlen(names.items[s]));
	}
	sm_out_char(out, '\n');
	for (size_t i = 0; i < t->n && !sm_out_failed(out); i++) {
		const struct sm_timeline_point *p = &t->points[i];
		const struct sm_timeline_level *level = level_of(view, p);

		sm_out_u64(out, p->ts);
		add_u64(out, sm_timeline_value(p, view->by));
		if (!rate) {
			add_u64(out, level->min);
			add_u64(out, level->max);
			add_u64(out, level->added);
			add_u64(out, level->dropped);
		}
		add_u64(out, p->events);
		add_u64(out, p->lost);
		add_u64(out, p->lost_unknown);
		add_u64(out, p->gap);
		for (size_t s = 0; s < names.n; s++)
			add_u64(out, series_value(t, s, i));
		sm_out_char(out, '\n');
	}
	series_names_release(&names);
}
