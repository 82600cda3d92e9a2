/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The honesty line: how far the figures above it can be trusted. */
#include <smtool/view.h>

static void add_count(struct sm_buf *buf, uint64_t n, const char *one, const char *many)
{
	sm_buf_adds(buf, "; ");
	sm_human_count(n, buf);
	sm_buf_addf(buf, " %s", n == 1 ? one : many);
}

static void add_if(struct sm_buf *buf, uint64_t n, const char *one, const char *many)
{
	if (n)
		add_count(buf, n, one, many);
}

static void add_ts(struct sm_buf *buf, uint64_t ns)
{
	sm_buf_addf(buf, "%llu.%06llu", (unsigned long long)(ns / 1000000000),
		(unsigned long long)(ns % 1000000000 / 1000));
}

static void add_window(const struct sm_profile *p, struct sm_buf *buf)
{
	const struct sm_health *h = &p->health;

	if (!h->has_window) {
		sm_buf_adds(buf, "window: no events");
		return;
	}
	sm_buf_adds(buf, "window ");
	if (!p->trace->clock_is_time) {
		sm_buf_addf(buf, "%llu-%llu (ticks of clock %s)", (unsigned long long)p->from,
			(unsigned long long)p->to, p->trace->clock);
		return;
	}
	sm_human_ns(p->to > p->from ? p->to - p->from : 0, buf);
	sm_buf_adds(buf, " (");
	add_ts(buf, p->from);
	sm_buf_addc(buf, '-');
	add_ts(buf, p->to);
	sm_buf_addc(buf, ')');
}

static void add_loss(const struct sm_health *h, struct sm_buf *buf)
{
	add_count(buf, h->lost_events, "event lost", "events lost");
	if (h->lost_unknown)
		sm_buf_addf(buf, " and %llu gap%s of unknown size",
			(unsigned long long)h->lost_unknown, h->lost_unknown == 1 ? "" : "s");
	add_if(buf, h->dropped, "dropped by a full buffer", "dropped by a full buffer");
}

/* What a kernel told in words. */
static void add_text(const struct sm_profile *p, struct sm_buf *buf)
{
	const struct sm_text *text = &p->trace->text;

	if (p->health.has_window) {
		add_window(p, buf);
		sm_buf_adds(buf, "; ");
	}
	sm_buf_addf(buf, "what lived when %s was read", text->kind);
	add_if(buf, p->health.no_stack, "page without a stack", "pages without a stack");
	add_if(buf, text->inaccurate, "place whose figures the kernel calls inaccurate",
		"places whose figures the kernel calls inaccurate");
	add_if(buf, p->health.reused, "page that is there twice", "pages that are there twice");
	add_if(buf, p->health.bad_records, "block that makes no sense",
		"blocks that make no sense");
	add_if(buf, p->health.unknown_lines, "line that isn't understood",
		"lines that aren't understood");
	if (text->pages && text->page_size_assumed)
		sm_buf_adds(buf, "; pages of 4 KiB assumed");
}

void sm_health_text(const struct sm_profile *p, struct sm_buf *buf)
{
	const struct sm_health *h = &p->health;
	bool map = p->trace->map != NULL;

	if (p->trace->text.kind) {
		add_text(p, buf);
	} else if (sm_trace_has_events(p->trace)) {
		add_window(p, buf);
		add_loss(h, buf);
		add_count(buf, h->unresolved_ids, "unresolved id", "unresolved ids");
		add_count(buf, h->unmatched_frees, "free without its allocation",
			"frees without their allocation");
		add_if(buf, h->no_stack, "event without a stack", "events without a stack");
		add_if(buf, h->orphan_stacks, "stack without its event",
			"stacks without their event");
		add_if(buf, h->invalid_ids, "invalid id", "invalid ids");
		add_if(buf, h->stray_call_sites, "stack that lacks its event's call site",
			"stacks that lack their event's call site");
		add_if(buf, h->failed_allocs, "failed allocation", "failed allocations");
		add_if(buf, h->reused, "address allocated again without a free in between",
			"addresses allocated again without a free in between");
		add_if(buf, h->corrupt_pages, "corrupt page", "corrupt pages");
		add_if(buf, h->bad_records, "record that makes no sense",
			"records that make no sense");
		add_if(buf, h->unknown_types, "event without a format", "events without a format");
		add_if(buf, h->time_back, "step back in time", "steps back in time");
	} else if (p->trace->imported) {
		sm_buf_addf(buf, "sums of a %s", p->trace->imported->kind);
		add_loss(h, buf);
		add_count(buf, h->unresolved_ids, "unresolved id", "unresolved ids");
		add_if(buf, h->bad_records, "record that makes no sense",
			"records that make no sense");
	} else {
		sm_buf_adds(buf, "window: since the map's last reset");
	}
	if (map) {
		sm_buf_adds(buf, "; map ");
		sm_buf_adds(buf, sm_map_generation_name(h->generation));
		if (h->generation == SM_GEN_UNKNOWN)
			sm_buf_adds(buf, " generation");
	}
	if (p->trace->map_stat.present)
		add_count(buf, h->map_drops, "drop", "drops");
	else if (!p->trace->frames)
		sm_buf_adds(buf, map ? "; drops unknown" : "; no stack map, 0 drops");
	if (h->truncated)
		sm_buf_adds(buf, "; the input is cut short");
	/* What a full map dropped still has its event, but no count in the map. */
	if (h->lost_events || h->lost_unknown || h->dropped || h->corrupt_pages || h->truncated ||
		(h->map_drops && !sm_trace_has_pages(p->trace)))
		sm_buf_adds(buf, "; totals are lower bounds");
}

void sm_honesty_text(const struct sm_profile *p, enum sm_metric by, struct sm_buf *buf)
{
	sm_health_text(p, buf);
	if (p->trace->text.kind)
		return;
	if (by == SM_M_LIVE_BYTES || by == SM_M_LIVE_COUNT || by == SM_M_PEAK_BYTES)
		sm_buf_adds(buf,
			"; bulk and RCU-bulk frees raise no event: what they freed looks live");
}

void sm_health_json(struct sm_json *j, const char *key, const struct sm_health *h)
{
	sm_json_object(j, key);
	sm_json_u64(j, "events", h->events);
	sm_json_u64(j, "lost_events", h->lost_events);
	sm_json_u64(j, "lost_unknown", h->lost_unknown);
	sm_json_u64(j, "unresolved_ids", h->unresolved_ids);
	sm_json_u64(j, "invalid_ids", h->invalid_ids);
	sm_json_u64(j, "no_stack", h->no_stack);
	sm_json_u64(j, "orphan_stacks", h->orphan_stacks);
	sm_json_u64(j, "unmatched_frees", h->unmatched_frees);
	sm_json_u64(j, "failed_allocs", h->failed_allocs);
	sm_json_u64(j, "corrupt_pages", h->corrupt_pages);
	if (h->has_window) {
		sm_json_array(j, "window_ns");
		sm_json_u64(j, NULL, h->first_ts);
		sm_json_u64(j, NULL, h->last_ts);
		sm_json_array_end(j);
	} else {
		sm_json_null(j, "window_ns");
	}
	sm_json_str(j, "map_generation", sm_map_generation_name(h->generation));
	sm_json_u64(j, "dropped_events", h->dropped);
	sm_json_u64(j, "map_drops", h->map_drops);
	sm_json_u64(j, "stray_call_sites", h->stray_call_sites);
	sm_json_u64(j, "reused_addresses", h->reused);
	sm_json_u64(j, "unknown_types", h->unknown_types);
	sm_json_u64(j, "bad_records", h->bad_records);
	sm_json_u64(j, "unknown_lines", h->unknown_lines);
	sm_json_u64(j, "time_back", h->time_back);
	sm_json_bool(j, "truncated", h->truncated);
	sm_json_object_end(j);
}
