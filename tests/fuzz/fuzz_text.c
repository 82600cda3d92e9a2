/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Text of the kernel's: page_owner, its sums, allocinfo. What was opened is run and counted; sums
 * of rows are what the totals say, and events come in the order of time.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <smtool/profile.h>
#include <smtool/table.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct seen {
	const struct sm_trace *trace;
	uint64_t n, bytes, last;
};

static struct sm_error *look(void *ctx, const struct sm_batch *batch)
{
	struct seen *seen = ctx;
	struct sm_buf text = {0};

	for (size_t i = 0; i < batch->n; i++) {
		const struct sm_event *ev = &batch->events[i];
		const char *comm = sm_event_comm(seen->trace, ev);

		if (ev->ts < seen->last || ev->type >= seen->trace->ntypes)
			abort();
		if (ev->stack <= SM_STACK_MAX && ev->stack >= sm_stacks_count(seen->trace->stacks))
			abort();
		seen->last = ev->ts;
		seen->bytes += ev->bytes_alloc;
		seen->n++;
		sm_buf_reset(&text);
		sm_buf_adds(&text, comm ? comm : "");
		sm_event_format_fields(seen->trace, &seen->trace->types[ev->type],
			batch->raw + ev->raw, ev->raw_len, &text);
	}
	sm_buf_release(&text);
	return NULL;
}

static void names(const struct sm_trace *trace)
{
	struct sm_symbols_opts opts = {.none = true, .frames = trace->frames};
	uint32_t n = sm_stacks_count(trace->stacks);
	struct sm_symbols *syms;
	struct sm_buf text = {0};

	if (sm_symbols_open(NULL, &opts, &syms))
		abort();
	for (uint32_t i = 0; i < n; i++) {
		struct sm_stack stack = sm_stacks_get(trace->stacks, i);

		sm_stack_key(syms, stack.ips, stack.depth);
		for (uint32_t k = 0; k < stack.depth; k++) {
			if (!sm_frames_get(trace->frames, stack.ips[k]))
				abort();
			sm_symbols_format(syms, stack.ips[k], &text);
		}
		sm_buf_reset(&text);
	}
	sm_buf_release(&text);
	sm_symbols_free(syms);
}

static void profile(struct sm_trace *trace)
{
	static const char *const GFP[] = {"GFP_KERNEL"};
	uint64_t live = 0;

	for (unsigned attr = SM_ATTR_NONE; attr < SM_ATTR_NR; attr++) {
		struct sm_profile_opts opts = {.attr = (enum sm_attr)attr, .threads = 1};
		struct sm_profile *p;
		struct sm_error *err;

		if (attr == SM_ATTR_ORDER)
			opts.gfps = (struct sm_patterns){GFP, 1};
		err = sm_profile_build(trace, &opts, &p);
		if (err) {
			/* What it doesn't tell. */
			if (err->code != SM_E_USAGE || attr == SM_ATTR_NONE)
				abort();
			sm_error_free(err);
			continue;
		}
		live = 0;
		for (size_t i = 0; i < p->nrows; i++)
			live += p->rows[i].m[SM_M_LIVE_BYTES];
		if (live != p->totals[SM_M_LIVE_BYTES] || live > INT64_MAX)
			abort();
		sm_profile_free(p);
	}
}

static void use(struct sm_trace *trace)
{
	struct sm_run_opts run = {.raw = true};
	struct seen seen = {.trace = trace};

	if (sm_trace_has_events(trace) == (trace->imported != NULL) || !trace->text.kind)
		abort();
	if (sm_trace_run(trace, &run, look, &seen) || seen.n != trace->health.events)
		abort();
	if (!trace->imported && seen.bytes != trace->text.bytes)
		abort();
	names(trace);
	profile(trace);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("input", MFD_CLOEXEC);
	struct sm_trace_opts opts = {0};
	struct sm_trace *trace;
	struct sm_source *src = NULL;
	struct sm_error *err;
	char path[64];

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	err = sm_source_open(path, NULL, &src);
	if (!err && sm_source_kind(src) == SM_SOURCE_TEXT) {
		err = sm_trace_open(src, &opts, &trace);
		if (!err) {
			use(trace);
			sm_trace_free(trace);
		}
	}
	if (err && err->code == SM_E_NOMEM)
		abort();
	sm_error_free(err);
	sm_source_free(src);
	close(fd);
	return 0;
}
