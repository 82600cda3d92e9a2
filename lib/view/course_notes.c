/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What must be said of a timeline, however it is drawn. */
#include "course.h"

/* Few events are told for a longer time, so that there is more to see than none and one. */
static const struct unit {
	uint64_t ns;
	const char *suffix;
} UNITS[] = {
	{UINT64_C(1000000000), "/s"},
	{UINT64_C(60000000000), "/min"},
	{UINT64_C(3600000000000), "/h"},
};

static const struct unit *unit_of(const struct sm_timeline_view *view)
{
	const struct sm_timeline *t = view->timeline;
	unsigned __int128 sum = view->profile->totals[view->by];
	size_t u = 0;

	while (u + 1 < SM_ARRAY_SIZE(UNITS) && sum * UNITS[u].ns / 10 < t->to - t->from)
		u++;
	return &UNITS[u];
}

uint64_t course_scaled(const struct sm_timeline_view *view, uint64_t value, uint64_t ns)
{
	unsigned __int128 scaled;

	if (!sm_timeline_is_rate(view->by) || !view->profile->trace->clock_is_time || !ns)
		return value;
	scaled = ((unsigned __int128)value * unit_of(view)->ns + ns / 2) / ns;
	return scaled > UINT64_MAX ? UINT64_MAX : (uint64_t)scaled;
}

uint64_t course_length(const struct sm_timeline *t)
{
	uint64_t window = t->to > t->from ? t->to - t->from : 1;

	return t->interval < window ? t->interval : window;
}

/* The rows' moment is that of the profile that the table has. */
static bool ranked_at_peak(const struct sm_timeline_view *view)
{
	if (!view->table)
		return !sm_timeline_is_rate(view->by);
	return view->table->opts.by == SM_M_PEAK_BYTES || view->table->profile != view->profile;
}

const char *course_when(const struct sm_timeline_view *view)
{
	if (ranked_at_peak(view))
		return "at the peak";
	return sm_timeline_is_rate(view->table ? view->table->opts.by : view->by) ? "in all"
										  : "at the end";
}

uint64_t course_whole(const struct sm_timeline_view *view)
{
	if (ranked_at_peak(view))
		return sm_timeline_peak(view->timeline, view->by).value;
	return view->profile->totals[view->table ? view->table->opts.by : view->by];
}

const char *course_suffix(const struct sm_timeline_view *view)
{
	if (!sm_timeline_is_rate(view->by))
		return "";
	return view->profile->trace->clock_is_time ? unit_of(view)->suffix : "";
}

void course_seconds(const struct sm_timeline_view *view, uint64_t ns, struct sm_buf *buf)
{
	bool fine = view->timeline->interval < 1000;

	sm_buf_addf(buf, "%llu.%0*llu", (unsigned long long)(ns / 1000000000), fine ? 9 : 6,
		(unsigned long long)(ns % 1000000000 / (fine ? 1 : 1000)));
}

void course_origin_text(const struct sm_timeline_view *view, struct sm_buf *buf)
{
	const struct sm_trace *trace = view->profile->trace;

	if (trace->clock_is_time) {
		sm_buf_adds(buf, "seconds since ");
		course_seconds(view, view->timeline->from, buf);
	} else {
		sm_buf_addf(buf, "ticks since %llu", (unsigned long long)view->timeline->from);
	}
	if (*trace->clock) {
		sm_buf_adds(buf, " of the trace clock ");
		sm_buf_add_visible(buf, trace->clock, strlen(trace->clock));
	}
}

void sm_timeline_time_text(const struct sm_timeline_view *view, uint64_t ts, struct sm_buf *buf)
{
	uint64_t since = ts > view->timeline->from ? ts - view->timeline->from : 0;

	if (!view->profile->trace->clock_is_time) {
		sm_buf_addf(buf, "+%llu (%llu)", (unsigned long long)since, (unsigned long long)ts);
		return;
	}
	sm_buf_addc(buf, '+');
	course_seconds(view, since, buf);
	sm_buf_adds(buf, " s (");
	course_seconds(view, ts, buf);
	sm_buf_addc(buf, ')');
}

void sm_timeline_peak_text(const struct sm_timeline_view *view, struct sm_buf *buf)
{
	struct sm_timeline_peak peak = sm_timeline_peak(view->timeline, view->by);
	uint64_t length;

	if (!peak.value) {
		sm_buf_adds(buf, "nothing was counted");
		return;
	}
	length = course_length(view->timeline);
	peak.value = course_scaled(view, peak.value, length);
	sm_buf_adds(buf, "peak ");
	if (sm_profile_is_bytes(view->profile, view->by))
		sm_human_bytes(peak.value, buf);
	else
		sm_human_count(peak.value, buf);
	sm_buf_adds(buf, course_suffix(view));
	if (sm_timeline_is_rate(view->by)) {
		sm_buf_adds(buf, " in the ");
		if (view->profile->trace->clock_is_time)
			sm_human_ns(length, buf);
		else
			sm_buf_addf(buf, "%llu ticks", (unsigned long long)length);
		sm_buf_adds(buf, " up to ");
	} else {
		sm_buf_adds(buf, " at ");
	}
	sm_timeline_time_text(view, peak.ts, buf);
}

static void add_loss(const struct sm_timeline *t, struct sm_buf *buf)
{
	uint64_t lost = 0, unknown = 0;

	for (size_t i = 0; i < t->n; i++) {
		lost += t->points[i].lost;
		unknown += t->points[i].lost_unknown;
	}
	if (lost || !unknown) {
		if (lost)
			sm_human_count(lost, buf);
		sm_buf_adds(buf, !lost       ? "a part could not be read"
				 : lost == 1 ? " event lost"
					     : " events lost");
		if (unknown)
			sm_buf_adds(buf, " and ");
	}
	if (unknown) {
		sm_human_count(unknown, buf);
		sm_buf_adds(buf, unknown == 1 ? " gap of unknown size" : " gaps of unknown size");
	}
}

void sm_timeline_loss_text(const struct sm_timeline_view *view, struct sm_buf *buf)
{
	const struct sm_timeline *t = view->timeline;

	if (!t->uncertain)
		return;
	sm_buf_adds(buf, "from ");
	sm_timeline_time_text(view, t->uncertain_from, buf);
	sm_buf_adds(buf, " on: ");
	add_loss(t, buf);
	sm_buf_adds(buf, sm_timeline_is_rate(view->by)
				 ? ": the figures are lower bounds"
				 : "; frees among them look like leaks, allocations are missing");
}

void course_baseline_text(const struct sm_timeline_view *view, struct sm_buf *buf)
{
	const struct sm_profile *p = view->profile;

	if (p->trace->text.kind) {
		sm_buf_addf(buf, "of what lived when %s was read: what was freed before is missing",
			p->trace->text.kind);
		return;
	}
	if (sm_timeline_is_rate(view->by))
		return;
	sm_buf_adds(buf, "0 = what was live before the window, which nobody knows");
	if (!p->health.unmatched_frees)
		return;
	sm_buf_adds(buf, "; ");
	sm_human_count(p->health.unmatched_frees, buf);
	sm_buf_adds(buf, p->health.unmatched_frees == 1 ? " free was of such memory"
							: " frees were of such memory");
}

void course_others_text(const struct sm_timeline_view *view, struct sm_buf *buf)
{
	const struct sm_timeline *t = view->timeline;
	uint64_t whole, others;

	if (!t->nseries || !t->n || sm_timeline_is_rate(view->by) || !ranked_at_peak(view))
		return;
	whole = sm_timeline_value(&t->points[t->n - 1], view->by);
	others = series_value(t, t->nseries - 1, t->n - 1);
	if (others > whole / 2)
		sm_buf_adds(buf, "most of what is live at the end is in [others]: --rank end "
				 "shows it");
}

void course_health_text(const struct sm_timeline_view *view, struct sm_buf *buf)
{
	if (sm_timeline_is_rate(view->by))
		sm_health_text(view->profile, buf);
	else
		sm_honesty_text(view->profile, view->by, buf);
}
