/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of room record share. */
#ifndef SM_RECORD_INTERNAL_H
#define SM_RECORD_INTERNAL_H

#include <pthread.h>

#include <smtool/record.h>

/* Where a field is in a payload; size 0 = the format doesn't have it. */
struct field_ref {
	uint16_t offset;
	uint8_t size;
	bool is_signed;
};

/* What to load from a record of one type, worked out once from its format. */
struct type_plan {
	uint16_t type; /* index in trace->types, UINT16_MAX = no format */
	uint8_t kind;
	uint32_t min_len; /* a shorter payload is corrupt */
	struct field_ref flags, preempt, pid;
	bool usual; /* the common fields are where most kernels have them */
	struct field_ref ptr, call_site, req, alloc, gfp, order;
	struct field_ref name; /* __data_loc of a cache's name */
	bool name_relative;
	struct field_ref size; /* kernel_stack: number of addresses */
	uint16_t callers;      /* kernel_stack: offset of the addresses */
	struct field_ref id;   /* stack_id */
};

struct owner_events;

/* The caches' names, from all decoding threads. */
struct cache_names {
	pthread_mutex_t lock;
	struct sm_strings strings;
};

struct findings {
	struct sm_finding *items;
	size_t n, cap;
	uint64_t more; /* found past the limit */
};

#define MAX_FINDINGS 100

/* From the clock's ticks to ns: time * multiplier >> shift, + offset. */
struct clock_scale {
	uint32_t multiplier; /* 0 = times are as they are */
	uint8_t shift;
	int64_t offset;
};

static inline uint64_t scale_time(const struct clock_scale *c, uint64_t time)
{
	if (c->multiplier)
		time = (uint64_t)(((unsigned __int128)time * c->multiplier) >> c->shift);
	return time + (uint64_t)c->offset;
}

/* Of one CPU while it is decoded, in its order; of all of them in the end. */
struct gap_list {
	struct sm_gap *items;
	size_t n, cap;
};

#define MAX_GAPS 4096 /* of a CPU */

/* ---- health.c: the counters of struct sm_health ---- */

struct health_counter {
	const char *name; /* as in JSON */
	size_t offset;
};
extern const struct health_counter sm_health_counters[];
extern const size_t sm_health_ncounters;

static inline uint64_t *sm_health_counter(struct sm_health *h, size_t i)
{
	return (uint64_t *)((char *)h + sm_health_counters[i].offset);
}

struct sm_trace_private {
	struct sm_arena arena;   /* formats */
	struct type_plan *plans; /* one per type, then the one for unknown types */
	uint16_t *plan_of_id;    /* 65536 entries: index in plans */
	struct cache_names caches;
	struct sm_strings comms;
	struct comm_slot {
		int32_t pid;
		uint32_t name; /* in comms; SM_NO_STRING = free slot */
	} * comm_slots;
	size_t ncomm_slots; /* power of two, 0 = none */
	size_t ncomms;
	struct clock_scale scale;
	struct findings findings;
	struct owner_events *owner; /* of a page_owner (text.h); NULL = none */
	struct gap_list gaps;
	const struct sm_log *log;
	const struct sm_progress *progress;
	bool (*stopped)(void *ctx); /* while the trace is opened */
	void *stopped_ctx;
};

/* ---- format.c, gfp.c ---- */

/* A line "field:TYPE NAME; offset:N; size:N; signed:N;" of a format or header_page. */
bool sm_field_parse(struct sm_arena *arena, const char *line, size_t len, struct sm_field *f);
/* Integer of 1, 2, 4 or 8 bytes, sign-extended where asked; 0 for other sizes. */
uint64_t sm_field_load(const uint8_t *p, unsigned size, bool is_signed, bool swap);
/* False when memory is short. */
bool sm_gfp_names_parse(struct sm_arena *arena, const char *print_fmt, unsigned long_size,
	const struct sm_flag_name **names, uint32_t *n);

void sm_gfp_whole_sort(struct sm_flag_name *names, uint32_t n);

/* ---- text_input.c: what a kernel tells in words ---- */

/* False: `trace->src` has no such text. `page_size`: 0 = unknown. Only a text that nothing can be
 * taken from, and a lack of memory, are errors. */
bool sm_text_load(struct sm_trace *trace, uint64_t page_size, struct sm_error **err);
void owner_events_free(struct owner_events *e);
/* As sm_trace_run(), of what sm_text_load() found. */
struct sm_error *owner_events_run(const struct sm_trace *trace, const struct sm_run_opts *opts,
	sm_sink sink, void *ctx) SM_MUST_CHECK;

/* ---- plan.c ---- */

/* Builds priv->plans and plan_of_id of trace->types. */
struct sm_error *sm_plans_build(struct sm_trace *trace) SM_MUST_CHECK;

/* ---- layout.c ---- */

/* `byte_order` ("little", "big" or NULL) and `page_size` (0 = unknown) are what smtool.json says.
 */
struct sm_error *sm_layout_load(
	struct sm_trace *trace, const char *byte_order, uint64_t page_size) SM_MUST_CHECK;

/* ---- facts.c: the small files around the pages ---- */

struct stated_facts {
	char *byte_order; /* owned; NULL = not said */
	uint64_t page_size;
};

/* smtool.json, proc/version, boot_id, trace_clock, saved_cmdlines, stats, stack_map_stat. What is
 * missing stays unknown; only a lack of memory is an error. */
struct sm_error *sm_facts_load(struct sm_trace *trace, struct stated_facts *stated) SM_MUST_CHECK;
/* A file of the tracing directory: the instance's own where it has one, else the top level's. */
bool sm_tracing_read(
	const struct sm_trace *trace, const char *name, uint64_t max, struct sm_blob *blob);
void sm_cpu_stats_load(struct sm_trace *trace);

/* ---- finding.c ---- */

/* Remembers a fault for `check`; silently counts it past the limit or when memory is short. */
void sm_findings_add(struct findings *f, const char *what, const char *path, uint64_t offset,
	const char *fmt, ...) SM_PRINTF(5, 6);
/* Moves what `from` has into `to`. */
void sm_findings_move(struct findings *to, struct findings *from);
void sm_findings_release(struct findings *f);

/* ---- gap.c ---- */

/* False when memory is short, as below. */
bool sm_gaps_add(struct gap_list *g, const struct sm_gap *gap);
/* Events are there again from `to` on, if they were missing. */
void sm_gaps_close(struct gap_list *g, uint64_t to);
/* Adds what `from` has to `to`. */
bool sm_gaps_copy(struct gap_list *to, const struct gap_list *from);
/* The same, and releases `from`. */
bool sm_gaps_move(struct gap_list *to, struct gap_list *from);
/* Once all are there: turns their times into those of events, and sorts them. */
void sm_gaps_finish(struct gap_list *g, const struct clock_scale *scale);
void sm_gaps_release(struct gap_list *g);

/* ---- page.c: one CPU's pages to events ---- */

struct event_batch {
	struct sm_event *events;
	size_t n, cap;
	struct sm_buf raw;
	struct sm_health health; /* of its CPU up to its end */
};

/* How many events may wait for their stacks, and how far back. */
#define MAX_WAITING 64
#define MAX_HELD 4096

/* 64 KiB, of which the few that come most often are in the first-level cache. */
#define KNOWN_STACK_BITS 11
#define KNOWN_CACHE_BITS 9

struct waiting {
	uint64_t key;    /* pid and context */
	uint32_t event;  /* index in the batch being filled */
	bool superseded; /* a newer event of the same key came without a stack in between */
};

struct decoder {
	struct sm_trace *trace;
	struct sm_trace_cpu *cpu;
	struct sm_stream *stream;
	bool raw, done;
	bool goes_on;     /* the stream's end isn't the last word: */
	bool dry;         /* there is nothing now */
	uint64_t give_up; /* events before this wait no longer at such an end */
	/* the page run taken from the stream */
	const uint8_t *run;
	size_t run_len;
	uint64_t run_offset;
	size_t take; /* bytes asked from the stream at a time */
	/* within the page */
	uint64_t page_offset, time, last_ts;
	uint64_t reached; /* the last record of the pages so far, 0 = none */
	struct event_batch *out;
	struct event_batch carry; /* events that still wait when a batch is handed over */
	struct waiting waiting[MAX_WAITING];
	unsigned nwaiting;
	struct known_cache {
		const char *name; /* the trace's; NULL = free */
		uint64_t head, tail;
		uint32_t size, id;
	} known_caches[1 << KNOWN_CACHE_BITS];
	struct known_stack {
		const uint64_t *ips; /* the table's */
		uint32_t depth;      /* 0 = free */
		uint32_t index;
		uint64_t call_site; /* was found in it last, 0 = none */
	} known_stacks[1 << KNOWN_STACK_BITS];
	uint64_t *scratch; /* ips in host order */
	size_t scratch_cap;
	struct sm_health health;
	struct findings findings;
	struct gap_list gaps;
	struct sm_error *error;  /* fatal: memory */
	struct sm_error *damage; /* the stream ended early */
	uint64_t *unresolved;    /* own bitmap, allocated at need */
};

/* Decodes records from data[*at] on. Returns why they can't be read further, with *at at that
 * place, or NULL at their sound end. (decode.c) */
const char *sm_decode_native(struct decoder *d, const uint8_t *data, size_t len, size_t *at);
const char *sm_decode_swapped(struct decoder *d, const uint8_t *data, size_t len, size_t *at);

struct sm_error *sm_decoder_open(struct decoder *d, struct sm_trace *trace,
	struct sm_trace_cpu *cpu, bool raw) SM_MUST_CHECK;
/* Fills `out` with at least `target` events, or what is left; fewer = the end. */
void sm_decoder_fill(struct decoder *d, struct event_batch *out, size_t target);
void sm_decoder_close(struct decoder *d);
void sm_event_batch_release(struct event_batch *b);

#endif
