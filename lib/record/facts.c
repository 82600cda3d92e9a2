/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The small files around the pages: smtool.json, trace_clock, saved_cmdlines, stats and their like.
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#include "internal.h"

#define SMALL_FILE (1u << 20)

/* Reads `name` where it is there and readable; an unreadable one is as good as missing here. */
static bool read_small(
	const struct sm_trace *trace, const char *name, uint64_t max, struct sm_blob *blob)
{
	struct sm_error *err;

	memset(blob, 0, sizeof(*blob));
	if (!sm_source_has(trace->src, name))
		return false;
	err = sm_source_read(trace->src, name, max, blob);
	if (!err)
		return true;
	sm_log(trace->priv->log, SM_WARN, "'%s' can't be read: left out", name);
	sm_error_free(err);
	return false;
}

bool sm_tracing_read(
	const struct sm_trace *trace, const char *name, uint64_t max, struct sm_blob *blob)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/%s", trace->tracing, name);
	if (read_small(trace, path, max, blob))
		return true;
	if (!trace->instance)
		return false;
	snprintf(path, sizeof(path), "%s/%s", SM_TRACING, name);
	return read_small(trace, path, max, blob);
}

static char *copy_json_string(const json_t *root, const char *key)
{
	const char *s = json_string_value(json_object_get(root, key));

	return s ? strdup(s) : NULL;
}

static enum sm_map_generation generation_of(const char *s)
{
	if (s && strcmp(s, "intact") == 0)
		return SM_GEN_INTACT;
	if (s && strcmp(s, "reset during capture") == 0)
		return SM_GEN_RESET;
	return SM_GEN_UNKNOWN;
}

/* How time stamps become ns: {"multiplier": M, "shift": S, "offset_ns": O}. */
static void load_scale(struct sm_trace *trace, const json_t *time)
{
	const json_t *multiplier = json_object_get(time, "multiplier");
	const json_t *shift = json_object_get(time, "shift");
	const json_t *offset = json_object_get(time, "offset_ns");
	struct clock_scale *scale = &trace->priv->scale;

	if (json_is_integer(multiplier) && json_is_integer(shift) &&
		json_integer_value(multiplier) > 0 &&
		json_integer_value(multiplier) <= UINT32_MAX && json_integer_value(shift) >= 0 &&
		json_integer_value(shift) < 64) {
		scale->multiplier = (uint32_t)json_integer_value(multiplier);
		scale->shift = (uint8_t)json_integer_value(shift);
	}
	if (json_is_integer(offset))
		scale->offset = json_integer_value(offset);
}

static void load_json(struct sm_trace *trace, struct stated_facts *stated)
{
	struct sm_blob blob;
	json_error_t jerr;
	json_t *root, *v;

	if (!read_small(trace, "smtool.json", SMALL_FILE, &blob))
		return;
	root = json_loadb((const char *)blob.data, blob.size, 0, &jerr);
	sm_blob_release(&blob);
	if (!json_is_object(root)) {
		sm_log(trace->priv->log, SM_WARN,
			"'smtool.json' is not a JSON object: what it says is left out");
		json_decref(root);
		return;
	}
	trace->kernel_release = copy_json_string(root, "kernel_release");
	trace->machine = copy_json_string(root, "machine");
	trace->boot_id = copy_json_string(root, "boot_id");
	trace->created = copy_json_string(root, "created");
	stated->byte_order = copy_json_string(root, "byte_order");
	v = json_object_get(root, "page_size");
	if (json_is_integer(v) && json_integer_value(v) > 0)
		stated->page_size = (uint64_t)json_integer_value(v);
	load_scale(trace, json_object_get(root, "time"));
	trace->generation =
		generation_of(json_string_value(json_object_get(root, "map_generation")));
	json_decref(root);
}

/* The `index`-th word of a file's first line, NULL when there is none. */
static char *word_of(const struct sm_blob *blob, unsigned index)
{
	const char *p = (const char *)blob->data, *end = p + blob->size;

	for (;; index--) {
		const char *start;

		while (p < end && *p == ' ')
			p++;
		start = p;
		while (p < end && *p != ' ' && *p != '\n')
			p++;
		if (index == 0)
			return p > start ? strndup(start, (size_t)(p - start)) : NULL;
		if (p >= end || *p == '\n')
			return NULL;
	}
}

static void load_word(struct sm_trace *trace, const char *name, unsigned index, char **out)
{
	struct sm_blob blob;

	if (*out || !read_small(trace, name, SMALL_FILE, &blob))
		return;
	*out = word_of(&blob, index);
	sm_blob_release(&blob);
}

/* "local [global] counter": the one in brackets is in use. */
static void load_clock(struct sm_trace *trace)
{
	static const struct {
		const char *name;
		bool is_time, orders;
	} CLOCKS[] = {
		{"local", true, false},
		{"perf", true, false},
		{"global", true, true},
		{"mono", true, true},
		{"mono_raw", true, true},
		{"boot", true, true},
		{"tai", true, true},
		{"counter", false, true},
		{"uptime", false, true},
		{"x86-tsc", false, true},
	};
	struct sm_blob blob;

	if (sm_tracing_read(trace, "trace_clock", SMALL_FILE, &blob)) {
		const char *p = (const char *)blob.data;
		const char *open = memchr(p, '[', blob.size);
		const char *close = open ? memchr(open, ']', blob.size - (size_t)(open - p)) : NULL;

		if (close)
			trace->clock = strndup(open + 1, (size_t)(close - open) - 1);
		else
			trace->clock = word_of(&blob, 0);
		sm_blob_release(&blob);
	}
	trace->clock_is_time = true;
	for (size_t i = 0; trace->clock && i < SM_ARRAY_SIZE(CLOCKS); i++) {
		if (strcmp(trace->clock, CLOCKS[i].name) != 0)
			continue;
		trace->clock_is_time = CLOCKS[i].is_time;
		trace->clock_orders = CLOCKS[i].orders;
	}
	if (trace->priv->scale.multiplier)
		trace->clock_is_time = true;
}

struct sm_error *sm_facts_load(struct sm_trace *trace, struct stated_facts *stated)
{
	struct sm_blob blob;

	load_json(trace, stated);
	load_word(trace, "proc/version", 2, &trace->kernel_release);
	load_word(trace, "proc/sys/kernel/random/boot_id", 0, &trace->boot_id);
	load_clock(trace);
	if (!trace->clock)
		trace->clock = strdup("");
	if (read_small(trace, SM_TRACING "/stack_map_stat", SMALL_FILE, &blob)) {
		sm_map_stat_parse((const char *)blob.data, blob.size, &trace->map_stat);
		sm_blob_release(&blob);
	}
	return trace->clock ? NULL : sm_error_nomem();
}

static void parse_stat_line(const char *line, struct sm_cpu_stats *stats)
{
	const struct {
		const char *format;
		uint64_t *value;
	} lines[] = {
		{"entries: %llu", &stats->entries},
		{"overrun: %llu", &stats->overrun},
		{"commit overrun: %llu", &stats->commit_overrun},
		{"bytes: %llu", &stats->bytes},
		{"dropped events: %llu", &stats->dropped},
		{"read events: %llu", &stats->read},
	};

	for (size_t i = 0; i < SM_ARRAY_SIZE(lines); i++) {
		unsigned long long v;

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		if (sscanf(line, lines[i].format, &v) == 1) {
#pragma GCC diagnostic pop
			*lines[i].value = v;
			stats->present = true;
			return;
		}
	}
}

static void parse_stats(const struct sm_blob *blob, struct sm_cpu_stats *stats)
{
	const char *p = (const char *)blob->data, *end = p + blob->size;

	while (p < end) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));
		size_t n = (size_t)((nl ? nl : end) - p);
		char line[128];

		snprintf(line, sizeof(line), "%.*s", (int)(n < 127 ? n : 127), p);
		parse_stat_line(line, stats);
		p += n + 1;
	}
}

void sm_cpu_stats_load(struct sm_trace *trace)
{
	for (size_t i = 0; i < trace->ncpus; i++) {
		struct sm_trace_cpu *cpu = &trace->cpus[i];
		struct sm_blob blob;
		char path[512];

		snprintf(path, sizeof(path), "%s/per_cpu/cpu%u/stats", trace->tracing, cpu->cpu);
		if (!read_small(trace, path, SMALL_FILE, &blob))
			continue;
		parse_stats(&blob, &cpu->stats);
		sm_blob_release(&blob);
	}
}
