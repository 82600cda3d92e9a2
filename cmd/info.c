/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is in a capture. The keys of the JSON form are in smtool-info(1), and stay as they are. */
#include <stdio.h>
#include <stdlib.h>

#include "info.h"

struct info_opts {
	const char *instance;
};

static const struct option_def OPTIONS[] = {
	OPT_STRING(0, "instance", info_opts, instance, "NAME", "",
		"which tracing instance of the capture"),
};

static struct sm_error *count(void *ctx, const struct sm_batch *batch)
{
	struct info *info = ctx;

	for (size_t i = 0; i < batch->n; i++) {
		const struct sm_event *ev = &batch->events[i];

		info->counts[ev->type < info->trace->ntypes ? ev->type : info->trace->ntypes]++;
		info->with_stack += ev->stack <= SM_STACK_MAX;
		info->with_id += ev->stack_id >= 0;
	}
	return NULL;
}

/* Reads everything once. */
static struct sm_error *gather(struct info *info)
{
	struct sm_trace *trace = info->in.trace;
	struct sm_run_opts run = {.threads = (unsigned)info->cli->input.threads};
	struct sm_error *err = NULL;

	info->trace = trace;
	info->counts = calloc(trace->ntypes + 1, sizeof(*info->counts));
	if (!info->counts)
		return sm_error_nomem();
	if (info->in.syms)
		info->build_id = sm_symbols_build_id(info->in.syms, NULL);
	info->distinct = sm_stacks_count(trace->stacks);
	for (size_t i = 0; trace->map && i < trace->map->n; i++)
		info->ref_count += trace->map->records[i].ref_count;
	info->pages_read =
		sm_trace_has_pages(trace) && sm_source_kind(info->in.src) != SM_SOURCE_LIVE;
	if (info->pages_read || trace->text.kind)
		err = sm_trace_run(trace, &run, count, info);
	info->page_stacks = sm_stacks_count(trace->stacks) - info->distinct;
	if (!err && info->in.syms) {
		err = belonging_count(&info->belonging, trace, info->in.syms);
		sm_symbols_facts(info->in.syms, &info->facts);
	}
	for (size_t i = 0; i < trace->ncpus; i++) {
		info->records += trace->cpus[i].records;
		info->pages += trace->cpus[i].pages;
		info->bytes += trace->cpus[i].bytes;
		info->overrun += trace->cpus[i].stats.overrun;
	}
	return err;
}

uint64_t info_page_bytes(const struct info *info)
{
	return info->pages * info->trace->layout.page_size;
}

const char *info_byte_order(const struct sm_trace *trace)
{
	bool big = trace->layout.swap != sm_host_big_endian();

	if (!sm_trace_has_pages(trace) && trace->map)
		big = trace->map->big_endian;
	return big ? "big" : "little";
}

double info_dedup_ratio(const struct info *info)
{
	return info->trace->map && info->trace->map->n
		       ? (double)info->ref_count / (double)info->trace->map->n
		       : 0;
}

static bool name_is_shared(const struct sm_trace *trace, size_t type)
{
	for (size_t i = 0; i < trace->ntypes; i++) {
		if (i != type && !strcmp(trace->types[i].name, trace->types[type].name))
			return true;
	}
	return false;
}

void info_event_name(const struct sm_trace *trace, size_t type, struct sm_buf *buf)
{
	sm_buf_reset(buf);
	if (type == trace->ntypes) {
		sm_buf_adds(buf, "[no format]");
		return;
	}
	if (name_is_shared(trace, type))
		sm_buf_addf(buf, "%s:", trace->types[type].system);
	sm_buf_adds(buf, trace->types[type].name);
}

/* ---- text ---- */

void info_label(struct sm_out *out, const char *name)
{
	sm_out_f(out, "%-16s", name);
}

void info_text_line(struct sm_out *out, const char *name, const char *value)
{
	if (!value || !*value)
		return;
	info_label(out, name);
	sm_out_visible(out, value, strlen(value));
	sm_out_char(out, '\n');
}

static void put_count(struct sm_out *out, uint64_t n, const char *what)
{
	struct sm_buf b = {0};

	sm_human_count(n, &b);
	sm_out_str(out, b.data ? b.data : "?");
	sm_out_str(out, what);
	sm_buf_release(&b);
}

/* "1 page, ", "2 pages, " */
static void put_many(struct sm_out *out, uint64_t n, const char *one, const char *end)
{
	put_count(out, n, " ");
	sm_out_str(out, one);
	sm_out_str(out, n == 1 ? "" : "s");
	sm_out_str(out, end);
}

static void put_bytes(struct sm_out *out, uint64_t n, const char *what)
{
	struct sm_buf b = {0};

	sm_human_bytes(n, &b);
	sm_out_str(out, b.data ? b.data : "?");
	sm_out_str(out, what);
	sm_buf_release(&b);
}

static void text_window(const struct info *info, struct sm_out *out)
{
	const struct sm_health *h = &info->trace->health;
	struct sm_buf b = {0};

	if (!h->has_window)
		return;
	info_label(out, "window");
	if (info->trace->clock_is_time) {
		sm_human_ns(h->last_ts - h->first_ts, &b);
		sm_out_f(out, "%s, %llu.%09llu to %llu.%09llu\n", b.data ? b.data : "?",
			(unsigned long long)(h->first_ts / 1000000000),
			(unsigned long long)(h->first_ts % 1000000000),
			(unsigned long long)(h->last_ts / 1000000000),
			(unsigned long long)(h->last_ts % 1000000000));
	} else {
		sm_out_f(out, "%llu to %llu ticks\n", (unsigned long long)h->first_ts,
			(unsigned long long)h->last_ts);
	}
	sm_buf_release(&b);
}

static void text_cpus(const struct info *info, struct sm_out *out)
{
	const struct sm_trace *trace = info->trace;

	if (!info->pages_read) {
		if (trace->ncpus)
			info_text_line(
				out, "pages", "not read: that would take them from the kernel");
	} else {
		info_label(out, "pages");
		put_many(out, info->pages, "page", ", ");
		put_many(out, info->records, "record", ", ");
		put_bytes(out, info->bytes, "\n");
	}
	for (size_t i = 0; i < trace->ncpus; i++) {
		const struct sm_trace_cpu *cpu = &trace->cpus[i];
		const struct sm_cpu_stats *s = &cpu->stats;
		char name[24];

		if (!cpu->pages && !s->entries && !s->overrun && !s->dropped && !s->read)
			continue;
		snprintf(name, sizeof(name), "  cpu %u", cpu->cpu);
		info_label(out, name);
		if (info->pages_read) {
			put_many(out, cpu->pages, "page", ", ");
			put_many(out, cpu->records, "record", ", ");
			put_bytes(out, cpu->bytes, s->present ? "; kernel: " : "");
		}
		if (s->present) {
			put_count(out, s->entries, " entries, ");
			put_count(out, s->read, " read, ");
			put_count(out, s->overrun, " overrun, ");
			put_count(out, s->dropped, " dropped");
		}
		sm_out_char(out, '\n');
	}
}

static void text_events(const struct info *info, struct sm_out *out)
{
	const struct sm_health *h = &info->trace->health;
	struct sm_buf name = {0};

	if (!info->pages_read)
		return;
	info_label(out, "events");
	put_count(out, h->events, "\n");
	for (size_t t = 0; t <= info->trace->ntypes; t++) {
		if (!info->counts[t])
			continue;
		info_event_name(info->trace, t, &name);
		sm_out_str(out, "  ");
		sm_out_visible(out, name.data ? name.data : "", name.len);
		sm_out_pad(out, ' ', name.len < 30 ? 30 - name.len : 1);
		put_count(out, info->counts[t], "\n");
	}
	sm_buf_release(&name);
	info_label(out, "stacks");
	put_count(out, info->with_stack, " joined, ");
	put_count(out, info->with_id, " of them by id; ");
	put_many(out, h->no_stack, "event", " without; ");
	put_many(out, h->unresolved_ids, "unresolved id", ", ");
	put_many(out, h->invalid_ids, "invalid id", ", ");
	put_many(out, h->orphan_stacks, "orphan", "\n");
	info_label(out, "distinct stacks");
	put_count(out, info->page_stacks, info->trace->map ? " that the map doesn't have\n" : "\n");
}

static void text_loss(const struct info *info, struct sm_out *out)
{
	const struct sm_health *h = &info->trace->health;

	if (!sm_trace_has_pages(info->trace))
		return;
	info_label(out, "loss");
	put_many(out, h->lost_events, "event", " lost, ");
	put_many(out, h->lost_unknown, "gap", " of unknown size, ");
	put_count(out, info->overrun, " overwritten, ");
	put_count(out, h->dropped, " dropped; ");
	put_many(out, h->corrupt_pages, "corrupt page", "\n");
}

static void text_map(const struct info *info, struct sm_out *out)
{
	const struct sm_map *map = info->trace->map;
	const struct sm_map_stat *s = &info->trace->map_stat;

	if (map) {
		info_label(out, "stack map");
		put_many(out, map->n, "stack", ", ");
		put_count(out, info->distinct, " distinct, ");
		put_many(out, map->n - info->distinct, "duplicate", "\n");
		info_label(out, "  references");
		put_count(out, info->ref_count, "");
		sm_out_f(out, ", %.1f a stack\n", info_dedup_ratio(info));
	}
	if (s->present) {
		info_label(out, "  occupancy");
		put_count(out, s->entries, " of ");
		put_count(out, s->capacity, "");
		if (s->capacity)
			sm_out_f(out, " (%.1f%%)", (double)s->entries * 100 / (double)s->capacity);
		sm_out_str(out, "; ");
		put_many(out, s->successes, "hit", ", ");
		put_many(out, s->drops, "drop", "\n");
	}
	if (map || s->present)
		info_text_line(
			out, "  generation", sm_map_generation_name(info->trace->generation));
}

static void text_sizes(const struct info *info, struct sm_out *out)
{
	const struct sm_trace *trace = info->trace;

	info_label(out, "sizes");
	if (sm_trace_has_pages(trace)) {
		put_bytes(out, trace->kernel_page_size, " pages, ");
		put_bytes(out, trace->layout.page_size, " sub-buffers, ");
		sm_out_f(out, "%u-bit, ", trace->layout.long_size * 8u);
	}
	sm_out_f(out, "%s-endian", info_byte_order(trace));
	if (info->pages_read) {
		sm_out_str(out, "; ");
		put_bytes(out, info_page_bytes(info), " of pages");
	}
	if (trace->map) {
		sm_out_str(out, "; ");
		put_bytes(out, trace->map->blob.size, " of stack map");
	}
	sm_out_char(out, '\n');
}

static void write_text(const struct info *info, struct sm_out *out)
{
	const struct sm_trace *trace = info->trace;

	info_text_line(out, "input", sm_source_path(info->in.src));
	info_text_line(out, "kernel", trace->kernel_release);
	info_text_line(out, "machine", trace->machine);
	info_text_line(out, "build id", info->build_id);
	info_write_symbols(info, out);
	info_text_line(out, "boot id", trace->boot_id);
	info_text_line(out, "created", trace->created);
	info_text_line(out, "instance", trace->instance);
	info_text_line(out, "clock", trace->clock);
	text_window(info, out);
	if (trace->text.kind) {
		info_write_text(info, out);
		return;
	}
	text_cpus(info, out);
	text_events(info, out);
	text_loss(info, out);
	text_map(info, out);
	text_sizes(info, out);
}

/* ---- the command ---- */

static int run(int argc, char **argv, struct cli *cli)
{
	struct info_opts o = {0};
	struct info info = {.cli = cli};
	struct sm_error *err;
	const char *path;
	struct sm_out out;
	int status;

	if (!cli_parse(cli, &o, &argc, argv, &status) ||
		!input_operand(cli, argc, argv, &path, &status))
		return status;
	err = input_open(&info.in, cli, path, o.instance, INPUT_ALL);
	if (!err)
		err = gather(&info);
	if (!err) {
		input_partial(&info.in, cli);
		err = cli_open_output(cli, &out);
	}
	if (!err) {
		if (cli->output.format)
			info_write_json(&info, &out);
		else
			write_text(&info, &out);
		err = cli_close_output(cli, &out, NULL);
	}
	status = cli_error(cli, err);
	free(info.counts);
	belonging_release(&info.belonging);
	input_close(&info.in, cli);
	return status;
}

const struct command command_info = {
	.name = "info",
	.summary = "what is in a capture: kernel, window, events, loss, map, sizes",
	.usage = "[OPTION]... [INPUT]",
	.formats = "text json",
	.options = OPTIONS,
	.n_options = SM_ARRAY_SIZE(OPTIONS),
	.operands = "file",
	.flags = COMMAND_LOG | COMMAND_INPUT | COMMAND_OUTPUT | COMMAND_SYMBOLS,
	.run = run,
};
