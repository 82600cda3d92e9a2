/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "info.h"

static void json_events(struct sm_json *j, const struct info *info)
{
	struct sm_buf name = {0}, key = {0};
	struct sm_out out;

	sm_json_object(j, "events");
	for (size_t t = 0; t <= info->trace->ntypes; t++) {
		struct sm_error *err;

		if (!info->counts[t])
			continue;
		info_event_name(info->trace, t, &name);
		sm_buf_reset(&key);
		err = sm_out_init_buf(&out, &key);
		if (!err) {
			sm_out_json(&out, name.data ? name.data : "", name.len);
			err = sm_out_finish(&out);
		}
		if (!err && key.len >= 2 && !key.failed) {
			/* The writer puts the quotes. */
			key.data[key.len - 1] = '\0';
			sm_json_u64(j, key.data + 1, info->counts[t]);
		}
		sm_error_free(err);
	}
	sm_json_object_end(j);
	sm_buf_release(&name);
	sm_buf_release(&key);
}

static void json_u64_or_null(struct sm_json *j, const char *key, bool known, uint64_t v)
{
	if (known)
		sm_json_u64(j, key, v);
	else
		sm_json_null(j, key);
}

static void json_cpus(struct sm_json *j, const struct info *info)
{
	const struct sm_trace *trace = info->trace;
	bool read = info->pages_read;

	sm_json_array(j, "per_cpu");
	for (size_t i = 0; i < trace->ncpus; i++) {
		const struct sm_trace_cpu *cpu = &trace->cpus[i];
		const struct sm_cpu_stats *s = &cpu->stats;

		sm_json_object(j, NULL);
		sm_json_u64(j, "cpu", cpu->cpu);
		json_u64_or_null(j, "pages", read, cpu->pages);
		json_u64_or_null(j, "records", read, cpu->records);
		json_u64_or_null(j, "bytes", read, cpu->bytes);
		json_u64_or_null(j, "corrupt_pages", read, cpu->corrupt_pages);
		json_u64_or_null(j, "lost_events", read, cpu->lost_events);
		json_u64_or_null(j, "lost_unknown", read, cpu->lost_unknown);
		if (s->present) {
			sm_json_object(j, "stats");
			sm_json_u64(j, "entries", s->entries);
			sm_json_u64(j, "overrun", s->overrun);
			sm_json_u64(j, "commit_overrun", s->commit_overrun);
			sm_json_u64(j, "bytes", s->bytes);
			sm_json_u64(j, "dropped_events", s->dropped);
			sm_json_u64(j, "read_events", s->read);
			sm_json_object_end(j);
		} else {
			sm_json_null(j, "stats");
		}
		sm_json_object_end(j);
	}
	sm_json_array_end(j);
}

static void json_loss(struct sm_json *j, const struct info *info)
{
	const struct sm_health *h = &info->trace->health;

	sm_json_object(j, "loss");
	sm_json_u64(j, "lost_events", h->lost_events);
	sm_json_u64(j, "lost_unknown", h->lost_unknown);
	sm_json_u64(j, "dropped_events", h->dropped);
	sm_json_u64(j, "overrun", info->overrun);
	sm_json_u64(j, "map_drops", info->trace->map_stat.drops);
	sm_json_u64(j, "corrupt_pages", h->corrupt_pages);
	sm_json_u64(j, "corrupt_bytes", h->corrupt_bytes);
	sm_json_bool(j, "truncated", h->truncated);
	sm_json_object_end(j);
}

static void json_map(struct sm_json *j, const struct info *info)
{
	const struct sm_map *map = info->trace->map;
	const struct sm_map_stat *s = &info->trace->map_stat;

	if (!map && !s->present) {
		sm_json_null(j, "map");
		return;
	}
	sm_json_object(j, "map");
	json_u64_or_null(j, "nr_stacks", map, map ? map->claimed : 0);
	json_u64_or_null(j, "stacks", map, map ? map->n : 0);
	json_u64_or_null(j, "distinct", map, info->distinct);
	json_u64_or_null(j, "duplicates", map, map ? map->n - info->distinct : 0);
	json_u64_or_null(j, "ref_count", map, info->ref_count);
	if (map && map->n)
		sm_json_double(j, "dedup_ratio", info_dedup_ratio(info));
	else
		sm_json_null(j, "dedup_ratio");
	json_u64_or_null(j, "entries", s->present, s->entries);
	json_u64_or_null(j, "capacity", s->present, s->capacity);
	json_u64_or_null(j, "table_size", s->present, s->slots);
	json_u64_or_null(j, "successes", s->present, s->successes);
	json_u64_or_null(j, "drops", s->present, s->drops);
	sm_json_str(j, "generation", sm_map_generation_name(info->trace->generation));
	sm_json_object_end(j);
}

static void json_stacks(struct sm_json *j, const struct info *info)
{
	const struct sm_health *h = &info->trace->health;

	sm_json_object(j, "stacks");
	sm_json_u64(j, "with_stack", info->with_stack);
	sm_json_u64(j, "from_map", info->with_id);
	sm_json_u64(j, "no_stack", h->no_stack);
	sm_json_u64(j, "unresolved_ids", h->unresolved_ids);
	sm_json_u64(j, "invalid_ids", h->invalid_ids);
	sm_json_u64(j, "orphan_stacks", h->orphan_stacks);
	sm_json_u64(j, "distinct_in_pages", info->page_stacks);
	sm_json_object_end(j);
}

static void json_sizes(struct sm_json *j, const struct info *info)
{
	const struct sm_trace *trace = info->trace;
	bool pages = sm_trace_has_pages(trace);

	sm_json_object(j, "sizes");
	json_u64_or_null(j, "page_size", pages, trace->kernel_page_size);
	json_u64_or_null(j, "sub_buffer_size", pages, trace->layout.page_size);
	json_u64_or_null(j, "long_size", pages, trace->layout.long_size);
	sm_json_str(j, "byte_order", info_byte_order(trace));
	json_u64_or_null(j, "pages", info->pages_read, info_page_bytes(info));
	json_u64_or_null(j, "records", info->pages_read, info->bytes);
	json_u64_or_null(j, "stack_map", trace->map, trace->map ? trace->map->blob.size : 0);
	sm_json_object_end(j);
}

void info_write_json(const struct info *info, struct sm_out *out)
{
	const struct sm_trace *trace = info->trace;
	const struct sm_health *h = &trace->health;
	struct sm_json j;

	sm_json_init(&j, out, true);
	sm_json_object(&j, NULL);
	sm_json_str(&j, "kernel_release", trace->kernel_release);
	sm_json_str(&j, "machine", trace->machine);
	sm_json_str(&j, "build_id", info->build_id);
	info_write_json_slide(&j, info);
	sm_json_str(&j, "boot_id", trace->boot_id);
	sm_json_str(&j, "created", trace->created);
	sm_json_str(&j, "instance", trace->instance);
	sm_json_str(&j, "clock", *trace->clock ? trace->clock : NULL);
	if (h->has_window) {
		sm_json_object(&j, "window");
		sm_json_u64(&j, "first_ns", h->first_ts);
		sm_json_u64(&j, "last_ns", h->last_ts);
		sm_json_u64(&j, "duration_ns", h->last_ts - h->first_ts);
		sm_json_object_end(&j);
	} else {
		sm_json_null(&j, "window");
	}
	json_cpus(&j, info);
	json_events(&j, info);
	json_stacks(&j, info);
	json_loss(&j, info);
	json_map(&j, info);
	json_sizes(&j, info);
	info_write_json_symbols(&j, info);
	info_write_json_text(&j, info);
	sm_json_object_end(&j);
	sm_out_char(out, '\n');
}
