/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * record: bytes to records: the stack map, ring-buffer pages, event formats, and the join of stacks
 * to the events that they belong to. Formats: stack_map_bin(5), smtool-capture(5).
 */
#ifndef SMTOOL_RECORD_H
#define SMTOOL_RECORD_H

#include <smtool/base.h>
#include <smtool/imported.h>
#include <smtool/source.h>

/* What the kernel writes for a frame inside an ftrace trampoline. Never symbolized. */
#define SM_TRAMPOLINE UINT64_C(0x7fffffff)

/* ---- the stack map ---- */

#define SM_MAP_MAGIC UINT32_C(0x46534D42)
#define SM_MAP_MAX_DEPTH 64
#define SM_MAP_MAX_IDS (UINT32_C(1) << 19)

struct sm_map_record {
	uint32_t id;
	uint32_t ref_count;
	uint32_t depth; /* 1..64 */
	uint32_t reserved;
	const uint64_t *ips; /* innermost first, in host order; owned by the map */
};

struct sm_map {
	struct sm_map_record *records; /* in the file's order */
	size_t n;
	uint32_t claimed; /* the header's nr_stacks */
	uint32_t version;
	uint32_t reserved; /* the header's */
	bool big_endian;
	struct sm_error *damage; /* lenient: why reading ended early (owned), else NULL */
	struct sm_blob blob;
	uint64_t *swapped; /* the ips' owner where they could not be used in place */
};

/*
 * Parses a stack_map_bin. Takes over `blob`, also on error. Strict: each framing fault has its own
 * text, with the byte offset. Lenient: every whole record before the first fault is kept and
 * map->damage says what it was; a fault in the header itself is an error still.
 */
struct sm_error *sm_map_parse(
	struct sm_blob *blob, bool lenient, struct sm_map **map) SM_MUST_CHECK;
/* Reads `tracing`/stack_map_bin of `src`; on ESTALE starts again, a few times. */
struct sm_error *sm_map_load(const struct sm_source *src, const char *member, bool lenient,
	struct sm_map **map) SM_MUST_CHECK;
void sm_map_free(struct sm_map *map);

/* stack_map_stat */
struct sm_map_stat {
	bool present;
	uint64_t entries, capacity, slots, successes, drops;
};
void sm_map_stat_parse(const char *text, size_t len, struct sm_map_stat *stat);

/* ---- interned stacks ---- */

#define SM_STACK_NONE UINT32_MAX             /* the event has no stack */
#define SM_STACK_UNRESOLVED (UINT32_MAX - 1) /* its id isn't in the map */
#define SM_STACK_MAX (UINT32_MAX - 16)
#define SM_SKIP_UNKNOWN UINT16_MAX

/* Each distinct list of addresses once, as a dense index. Any thread may look up and add. */
struct sm_stacks;

struct sm_stack {
	const uint64_t *ips; /* innermost first */
	uint32_t depth;
	uint16_t skip; /* frames above the event's call site, SM_SKIP_UNKNOWN */
};

/* `expected`: how many stacks to make room for, 0 = unknown. */
struct sm_error *sm_stacks_new(uint32_t expected, struct sm_stacks **stacks) SM_MUST_CHECK;
void sm_stacks_free(struct sm_stacks *stacks);
/* `ips` need not be aligned; they are copied when the stack is new unless `borrow` (then they are
 * aligned and outlive the table). SM_STACK_NONE for depth 0, and when memory is short:
 * sm_stacks_failed(). */
uint32_t sm_stacks_add(struct sm_stacks *stacks, const void *ips, uint32_t depth, bool borrow);
struct sm_stack sm_stacks_get(const struct sm_stacks *stacks, uint32_t index);
uint32_t sm_stacks_count(const struct sm_stacks *stacks);
bool sm_stacks_failed(const struct sm_stacks *stacks);
/* An order of lists of addresses, frame by frame; the shorter one first where that is all. */
int sm_ips_compare(const uint64_t *a, uint32_t na, const uint64_t *b, uint32_t nb);
/* Remembers where `call_site` is in the stack: what is above it is tracing and the allocator's own
 * wrapper. False when it isn't there. */
bool sm_stacks_note_call_site(struct sm_stacks *stacks, uint32_t index, uint64_t call_site);

/* ---- formats ---- */

struct sm_field {
	const char *name, *type; /* type as written: "const void *", "__data_loc char[]" */
	uint16_t offset;
	uint32_t size;
	bool is_signed, is_dynamic /* __data_loc */, is_relative /* __rel_loc */, is_array;
};

/* {value, name} pairs of a __print_flags() */
struct sm_flag_name {
	uint64_t value;
	const char *name;
};

enum sm_event_kind {
	SM_EV_OTHER,
	SM_EV_SLAB_ALLOC,
	SM_EV_SLAB_FREE,
	SM_EV_PAGE_ALLOC,
	SM_EV_PAGE_FREE,
	SM_EV_PAGE_FREE_BATCHED, /* repeats SM_EV_PAGE_FREE */
	SM_EV_KERNEL_STACK,
	SM_EV_STACK_ID,
	SM_EV_USER_STACK,
};

struct sm_event_type {
	const char *system, *name;
	uint16_t id;
	enum sm_event_kind kind;
	const struct sm_field *fields; /* common fields first */
	uint32_t nfields, ncommon;
	const char *print_fmt;
	const struct sm_flag_name *gfp; /* of gfp_flags, in the kernel's order (greedy) */
	uint32_t ngfp;
	/* Each of `gfp` is a whole mask with all its names, as text tells them: what its bits are
	 * called singly nobody knows. They are in an order for sm_gfp_whole_find(). */
	bool gfp_whole;
};

/* Parses the text of a `format` file. Strings live in `arena`. SM_E_FORMAT when it isn't one.
 * `long_size`: of the kernel, for constants in print fmt. */
struct sm_error *sm_event_type_parse(struct sm_arena *arena, const char *path, const char *system,
	const char *text, size_t len, unsigned long_size, struct sm_event_type *type) SM_MUST_CHECK;
const struct sm_field *sm_event_type_field(const struct sm_event_type *type, const char *name);
/* "kmalloc" or "kmem:kmalloc", where both parts may be patterns (fnmatch). */
bool sm_event_type_matches(const struct sm_event_type *type, const char *pattern);
/* Appends GFP_KERNEL|__GFP_ZERO ("none" for 0; bits without a name as hex), as the kernel's text.
 */
void sm_gfp_format(const struct sm_flag_name *names, uint32_t n, uint64_t gfp, struct sm_buf *buf);

/* Index of a mask in type->gfp, of a type with gfp_whole; UINT32_MAX when it isn't there. */
uint32_t sm_gfp_whole_find(const struct sm_event_type *type, uint64_t mask);

/* ---- a trace: the pages of all CPUs, and what is needed to read them ---- */

struct sm_layout {
	uint32_t page_size;   /* sub-buffer, data offset included */
	uint32_t data_offset; /* of the records */
	uint16_t time_offset, commit_offset;
	uint8_t long_size; /* 4 or 8 */
	bool swap;         /* other byte order than this machine's */
};

struct sm_cpu_stats {
	bool present;
	uint64_t entries, overrun, commit_overrun, bytes, dropped, read;
};

struct sm_trace_cpu {
	unsigned cpu; /* numbers can have gaps */
	char *member;
	struct sm_cpu_stats stats;
	/* filled while the trace is run */
	uint64_t pages, records, bytes, corrupt_pages, lost_events, lost_unknown;
	uint64_t first_ts, last_ts;
};

enum sm_map_generation { SM_GEN_UNKNOWN, SM_GEN_INTACT, SM_GEN_RESET };
const char *sm_map_generation_name(enum sm_map_generation g); /* as in JSON */

/* What was lost, left unresolved, or could not be read. Every report says it. */
struct sm_health {
	uint64_t events;       /* data records other than stacks */
	uint64_t lost_events;  /* known to be lost */
	uint64_t lost_unknown; /* gaps whose size nobody knows */
	uint64_t dropped;      /* "dropped events" of the stats (no-overwrite mode) */
	uint64_t unresolved_ids, invalid_ids, no_stack, orphan_stacks;
	uint64_t stray_call_sites; /* joined stacks that don't hold their event's call site */
	uint64_t unmatched_frees, failed_allocs; /* counted by the profile */
	uint64_t reused; /* addresses allocated again without a free in between (profile) */
	uint64_t corrupt_pages, corrupt_bytes, time_back, unknown_types;
	uint64_t bad_records;   /* whose framing is sound and whose contents make no sense */
	uint64_t unknown_lines; /* of text, that aren't understood: counted, and no fault */
	bool truncated;         /* the input ended inside a page, or an archive was cut short */
	bool has_window;
	uint64_t first_ts, last_ts; /* ns, of events */
	enum sm_map_generation generation;
	uint64_t map_drops; /* stacks that the kernel could not put into the map */
};
/* Adds up the counters; windows and generations stay as they are. */
void sm_health_add(struct sm_health *to, const struct sm_health *from);

/* Of input that is text in which a kernel tells who holds its memory: page_owner and its like. */
struct sm_text {
	/* "page_owner", "page_owner_stacks", "page_owner_sort", "allocinfo"; NULL = other input */
	const char *kind;
	uint64_t blocks;        /* that were counted; allocinfo: lines */
	uint64_t bad_blocks;    /* that make no sense, and were not */
	uint64_t empty;         /* allocinfo: places that hold nothing */
	uint64_t inaccurate;    /* allocinfo: places whose figures the kernel calls inaccurate */
	uint64_t pages, bytes;  /* of all blocks */
	uint64_t unknown_lines; /* that aren't understood */
	uint64_t unknown_line, unknown_offset; /* of the first of them */
	bool page_size_assumed;                /* nothing tells it */
	/* Of a page_owner; older kernels tell less. */
	bool has_time, has_task, has_process, has_comm;
};

struct sm_trace_opts {
	const char *instance; /* NULL = choose */
	bool lenient;         /* for the stack map */
	bool map_only;        /* don't look for pages */
	bool no_map;          /* don't read the stack map: its ids stay unresolved */
	uint32_t page_size;   /* of the kernel, whatever the input says; 0 = as it says */
	const struct sm_log *log;
	const struct sm_progress *progress;
	/* Asked now and then while text is read, which is done at once: true ends sm_trace_open()
	 * with an SM_E_STOPPED. NULL = never. */
	bool (*stopped)(void *ctx);
	void *stopped_ctx;
};

/* Read-only to users. */
struct sm_trace {
	const struct sm_source *src; /* borrowed; outlives the trace */
	char *tracing;               /* "sys/kernel/tracing" or ".../instances/NAME" */
	char *instance;              /* NULL = the top level */
	struct sm_layout layout;
	uint32_t kernel_page_size; /* of mm_page_alloc's pages; not always the sub-buffer's */
	struct sm_trace_cpu *cpus;
	size_t ncpus;
	struct sm_event_type *types; /* sorted by id */
	size_t ntypes;
	struct sm_map *map; /* NULL = none */
	struct sm_map_stat map_stat;
	uint32_t *map_stacks; /* index in `stacks`, per map record */
	uint32_t *id_stack;   /* SM_MAP_MAX_IDS entries: stack index or SM_STACK_UNRESOLVED */
	struct sm_stacks *stacks;
	char *clock;        /* "local", "global", ...; "" = unknown */
	bool clock_is_time; /* time stamps count ns */
	bool clock_orders;  /* they order events across CPUs */
	/* from smtool.json or the files; NULL = unknown */
	char *kernel_release, *machine, *boot_id, *created;
	enum sm_map_generation generation;
	uint64_t *unresolved;    /* bitmap of the ids that were met and aren't in the map */
	struct sm_health health; /* of the last run; the profile adds its own counters to a copy */
	/* Of input that has names instead of addresses, else NULL; owned. Its events, if it has
	 * any, come from sm_trace_run(); its rows, if it has those instead, are in `imported`. */
	struct sm_frames *frames;
	struct sm_imported *imported;
	struct sm_text text;
	struct sm_error *damage; /* first thing that made this a partial reading, or NULL */
	struct sm_trace_private *priv;
};

/*
 * Finds pages, formats and the stack map in `src`. A capture may lack either pages or map;
 * SM_E_MISSING when it has neither. SM_E_USAGE when several instances could be meant.
 */
struct sm_error *sm_trace_open(const struct sm_source *src, const struct sm_trace_opts *opts,
	struct sm_trace **trace) SM_MUST_CHECK;
void sm_trace_free(struct sm_trace *trace);
static inline bool sm_trace_has_pages(const struct sm_trace *t)
{
	return t->ncpus > 0;
}
/* sm_trace_run() has something to hand out: pages, or what another tool says of objects. */
static inline bool sm_trace_has_events(const struct sm_trace *t)
{
	return t->ncpus > 0 || (t->frames && !t->imported);
}
/* Text of a pid's name: "<idle>" for 0, NULL when unknown. */
const char *sm_trace_comm(const struct sm_trace *trace, int32_t pid);
struct sm_event;
/* The name that an event's task had: as sm_trace_comm(), unless the event has its own. */
const char *sm_event_comm(const struct sm_trace *trace, const struct sm_event *ev);
/* Reads the tasks' names anew, which a running kernel learns and forgets: what was known of others
 * stays. sm_trace_open() has done it once. *changed: a pid has a name that it didn't have. */
struct sm_error *sm_trace_read_comms(struct sm_trace *trace, bool *changed) SM_MUST_CHECK;
/* Appends all that is known, as saved_cmdlines has it. */
void sm_trace_write_comms(const struct sm_trace *trace, struct sm_buf *buf);
/* NULL when unknown. */
const struct sm_event_type *sm_trace_type(const struct sm_trace *trace, uint16_t id);

#define SM_CPU_UNKNOWN UINT16_MAX

/* An event, decoded and joined to its stack. */
struct sm_event {
	uint64_t ts;  /* ns (or ticks of the trace clock) */
	uint64_t ptr; /* object's address; page: pfn */
	uint64_t call_site;
	uint64_t bytes_req, bytes_alloc; /* page: both page size << order */
	uint64_t gfp;
	uint32_t stack;   /* index, SM_STACK_NONE, SM_STACK_UNRESOLVED */
	int32_t stack_id; /* from the map, -1 = the stack itself was recorded */
	uint32_t cache;   /* id in the run's cache names, SM_NO_STRING */
	int32_t pid;
	uint32_t raw; /* offset in the batch's raw bytes */
	uint32_t raw_len;
	uint16_t type; /* index in trace->types */
	uint16_t cpu;  /* number, SM_CPU_UNKNOWN */
	uint8_t kind;  /* enum sm_event_kind */
	uint8_t order;
	uint8_t flags, preempt; /* common_flags, common_preempt_count */
	bool failed;            /* an allocation that failed: ptr 0, pfn -1 */
	uint32_t comm;          /* for sm_event_comm(); 0 = the pid's name */
};

struct sm_batch {
	const struct sm_event *events;
	size_t n;
	size_t ahead; /* so many behind those n are the CPU's next ones: only to be prefetched */
	const uint8_t *raw; /* payloads, when opts.raw */
};

struct sm_run_opts {
	unsigned threads; /* 0 = as many as there are CPUs here */
	bool raw;         /* keep each event's payload (dump --events) */
	/* CPUs to leave out entirely don't exist: losses and frees on them matter. */
};

/*
 * Decodes all CPUs and hands their events to `sink` in time order, in the calling thread, as runs
 * that are valid during the call; a sink of NULL leaves what trace->health says. The sink returns
 * an error to stop (SM_E_STOPPED to stop without complaint: the run then returns NULL). Memory
 * follows CPUs and distinct stacks, never events. Faults in pages are counted in trace->health,
 * never errors; trace->damage tells of a partial reading. May be run several times on sources that
 * can be read again.
 */
typedef struct sm_error *(*sm_sink)(void *ctx, const struct sm_batch *batch);
struct sm_error *sm_trace_run(struct sm_trace *trace, const struct sm_run_opts *opts, sm_sink sink,
	void *ctx) SM_MUST_CHECK;

/*
 * The same in steps, for what goes on: what a step doesn't hand out yet waits for the next one. One
 * thread at a time; while there is a stepper, nothing else may run the trace. Health, CPUs'
 * counters and the window in `trace` are those of the events handed out; findings, damage and gaps
 * come at the end, at the latest with sm_stepper_free().
 */
struct sm_stepper;
/* opts->threads is not looked at. */
struct sm_error *sm_stepper_new(struct sm_trace *trace, const struct sm_run_opts *opts,
	struct sm_stepper **stepper) SM_MUST_CHECK;
/*
 * Hands out what comes up to `until`, a time of events. Where streams go on, all that came up to
 * then must be there to be read: what comes later is handed out late, out of its order. And then an
 * event whose stack isn't there yet holds up all that follows it, for a tenth of a second or until
 * the next step. An error ends it: the next steps only repeat it.
 */
struct sm_error *sm_stepper_step(
	struct sm_stepper *stepper, uint64_t until, sm_sink sink, void *ctx) SM_MUST_CHECK;
/* The next event's time. False when there is none (now). */
bool sm_stepper_next(struct sm_stepper *stepper, uint64_t *ts);
/* Up to where events were handed out: what `until` was, unless something held it up. */
uint64_t sm_stepper_reached(const struct sm_stepper *stepper);
/* All was handed out, and nothing comes any more. */
bool sm_stepper_ended(const struct sm_stepper *stepper);
/* Makes sm_trace_gaps() tell those so far. */
struct sm_error *sm_stepper_find_gaps(struct sm_stepper *stepper) SM_MUST_CHECK;
void sm_stepper_free(struct sm_stepper *stepper);

/* Where a run met something wrong, for `check`: called from the running thread at its end. At most
 * 100. */
struct sm_finding {
	const char *what; /* literal */
	char *path;
	uint64_t offset;
	char *detail;
};
const struct sm_finding *sm_trace_findings(const struct sm_trace *trace, size_t *n);

/* A time in which a CPU's events are missing: after the last record before the loss, up to the page
 * that told of it. */
struct sm_gap {
	uint64_t from;         /* 0 = before the CPU's first page */
	uint64_t to;           /* SM_GAP_OPEN = there is nothing behind it */
	uint64_t lost;         /* events, as the kernel counted */
	uint64_t lost_unknown; /* losses that it did not count */
	uint64_t damaged;      /* parts of the input that could not be read */
	unsigned cpu;
};
#define SM_GAP_OPEN UINT64_MAX

/* The gaps of the last run, by time. A few thousand of a CPU at most: where there are more, each
 * stands for several and what lies between them. Their numbers add up to those of trace->health. */
const struct sm_gap *sm_trace_gaps(const struct sm_trace *trace, size_t *n);

/* Name of a cache that events carry. */
const char *sm_trace_cache(const struct sm_trace *trace, uint32_t cache);

/* Appends the payload's own fields as name=value, in the format's order. `payload` starts at the
 * common fields. Never reads past `len`. */
void sm_event_format_fields(const struct sm_trace *trace, const struct sm_event_type *type,
	const uint8_t *payload, size_t len, struct sm_buf *buf);
/* Appends the value of one field alone; "?" where the payload doesn't hold it. */
void sm_event_format_field(const struct sm_trace *trace, const struct sm_event_type *type,
	const struct sm_field *field, const uint8_t *payload, size_t len, struct sm_buf *buf);

#endif
