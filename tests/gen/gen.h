/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gen: what the files of mkcapture share. A script is compiled into statements once; playing them
 * writes pages as they fill, so memory does not depend on how often a block repeats.
 *
 * A fault in the script ends the program: gen_die() names the line.
 */
#ifndef GEN_H
#define GEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define TRACING "sys/kernel/tracing"
#define TRAMPOLINE UINT64_C(0x7fffffff)
#define MAX_PAYLOAD 65536u
#define MAX_FIELDS 24u

enum kernel_format { K5_15, K6_1, K6_12, K6_18, K7_2 };

/* The kernel that the capture pretends to come from. */
struct kernel {
	bool big_endian;
	unsigned long_size; /* 4 or 8 */
	uint32_t page_size;
	enum kernel_format format;
	const char *format_name;
	bool extra_common; /* 8 more bytes of common fields after common_pid */
	bool rt_common;    /* the two bytes that PREEMPT_RT kernels add */
	bool align8;       /* records at multiples of 8, never a small type_len */
	bool old_stack;    /* kernel_stack without a size field, ended by all ones */
	bool stack_id;     /* has the stack_id record type */
	unsigned gfp_shift;
};

struct text {
	char *s;
	size_t len;
};

struct field {
	char *decl;      /* type as in the format file: "const void *" */
	char *name;      /* with the dimension: "comm[16]" */
	size_t name_len; /* without */
	uint32_t offset, size;
	bool is_signed, dynamic, chars;
};

struct event_kind {
	char *system, *name;
	uint16_t id;
	struct field fields[MAX_FIELDS];
	unsigned nfields;
	uint32_t end;  /* offset behind the last field: dynamic data starts here */
	uint32_t size; /* of the struct, padded to its alignment */
	char *print_fmt;
};

struct chunk;

/* ---- expressions: unsigned 64-bit arithmetic that wraps ---- */

struct expr {
	char op; /* '#' number, '$' variable, 'n' negate, '~', or a binary operator ('l' <<, 'r' >>)
		  */
	unsigned var;
	uint64_t value;
	struct expr *a, *b;
};

/* ---- statements ---- */

enum op {
	OP_LET,
	OP_REPEAT,
	OP_AT,
	OP_STEP,
	OP_ABS,
	OP_CPU,
	OP_INSTANCE,
	OP_PAGE,
	OP_ZEROPAGE,
	OP_CUTPAGE,
	OP_COMMIT,
	OP_EVENT,
	OP_STACK,
	OP_USERSTACK,
	OP_STACKID,
	OP_PADDING,
	OP_DISCARD,
	OP_RAWBYTES,
	OP_RAWWORDS,
	OP_MAPSTACK,
};

struct assignment {
	unsigned field;
	enum { SET_NUMBER, SET_TEXT, SET_TEXT_NO_NUL, SET_LOC } how;
	struct expr *e;
	struct text text;
};

struct frame {
	struct expr *ip, *count; /* count NULL = 1 */
};

struct stmt {
	enum op op;
	unsigned line;
	unsigned var;     /* OP_LET; OP_INSTANCE: its index */
	bool flag, flag2; /* OP_AT: relative; OP_PAGE: lost, plain */
	struct expr *e, *e2, *e3;
	struct expr *pid, *flags, *preempt, *size, *id; /* NULL = default */
	const struct event_kind *kind;
	struct assignment *sets;
	size_t nsets;
	struct frame *frames;
	size_t nframes;
	struct text bytes;
	struct block {
		struct stmt *items;
		size_t n, cap;
	} body;
};

/* ---- outputs: one a trace_pipe_raw ---- */

struct out {
	unsigned instance, cpu;
	uint32_t page_size, data_offset;
	FILE *file;
	uint8_t *page;
	uint32_t tail; /* bytes of data so far */
	bool open;     /* a page has been started */
	bool based;    /* its time base is known */
	bool ended;    /* cut: nothing may follow */
	uint64_t base, last;
	bool lost, lost_known, plain_flags;
	uint64_t lost_events;
	bool commit_set;
	uint64_t commit;
	bool force_abs;
	/* of the last event, for the stack that follows */
	uint32_t pid;
	uint8_t flags, preempt;
	uint64_t records;
};

struct instance {
	char *name; /* "" = the top level */
	uint32_t page_size;
};

struct symbol {
	uint64_t addr;
	struct text name;
	char *module; /* NULL = the kernel */
	char type;
};

struct module {
	char *name;
	uint64_t addr, size;
	struct text buildid;
};

struct comm {
	uint64_t pid;
	struct text name;
};

struct extra_file {
	char *path;
	struct text data;
};

struct cpu_stats {
	unsigned cpu, instance;
	uint64_t v[8];
};

struct map_opts {
	bool present, has_magic, has_version, has_nr, has_cut, has_stat;
	uint32_t magic, version, nr, reserved;
	int64_t cut;
	struct text extra;
	uint64_t stat[5];
};

struct gen {
	struct chunk *chunks;
	char *arena;
	size_t arena_left;
	const char *script; /* for messages */
	unsigned line;
	bool kernel_seen;
	struct kernel k;
	uint32_t common_size;
	char *clock, *release, *boot_id;
	struct text json, buildid;
	bool restricted; /* kallsyms shows zeros */
	bool stats_auto;

	struct event_kind *kinds;
	size_t nkinds, kinds_cap;
	struct symbol *symbols;
	size_t nsymbols, symbols_cap;
	struct module *modules;
	size_t nmodules, modules_cap;
	struct comm *comms, *tgids;
	size_t ncomms, comms_cap, ntgids, tgids_cap;
	struct extra_file *files;
	size_t nfiles, files_cap;
	char **omits;
	size_t nomits, omits_cap;
	struct cpu_stats *stats;
	size_t nstats, stats_cap;
	struct instance *instances;
	size_t ninstances, instances_cap;
	struct map_opts map;

	char **vars;
	size_t nvars, vars_cap;
	uint64_t *values;
	struct block body, map_body;

	/* playing */
	const char *dir;
	struct out **outs;
	size_t nouts, outs_cap;
	struct out *out;
	unsigned cur_instance, cur_cpu;
	uint64_t now, step;
	bool step_due; /* an event has been written since the time was set */
	uint8_t *map_data;
	size_t map_len, map_cap;
	uint32_t map_records;
	uint8_t payload[MAX_PAYLOAD + 64];
};

/* chunk.c */
void gen_die(const struct gen *g, const char *fmt, ...)
	__attribute__((format(printf, 2, 3), noreturn));
/* Zeroed, from g's arena, which lives as long as g; with a NULL g from malloc. */
void *gen_alloc(struct gen *g, size_t size);
char *gen_strdup(struct gen *g, const char *s, size_t len);
void gen_free(struct gen *g);
void gen_grow(struct gen *g, void *array, size_t *cap, size_t need, size_t size);

/* expression.c. `s` may hold blanks. Names are symbols, GFP flags, `trampoline` and `ones`. */
struct expr *expr_parse(struct gen *g, const char *s);
uint64_t expr_eval(const struct gen *g, const struct expr *e);
unsigned expr_var(struct gen *g, const char *name, size_t len); /* made when new */

/* words.c: words may hold any byte; what begins with '#' ends the line. */
size_t words_split(struct gen *g, const char *s, struct text *words, size_t max);

/* script.c */
void script_read(struct gen *g, FILE *f);
/* setup.c: true when `words` (n of them) was a statement that describes the system. `rest` is the
 * raw text behind the first word. */
bool setup_statement(struct gen *g, struct text *words, size_t n, const char *rest);
uint64_t setup_number(struct gen *g, const char *s);
struct text setup_hex(struct gen *g, const char *s);

/* gfptable.c */
bool gfp_lookup(const struct kernel *k, const char *name, size_t len, uint64_t *value);
/* The part of print fmt that names the flags of `arg`. */
void gfp_print_fmt(const struct kernel *k, const char *arg, FILE *out);

/* eventkind.c */
void kinds_init(struct gen *g);
struct event_kind *kind_add(struct gen *g, const char *system, const char *name, uint16_t id);
/* `decl` is a C declaration: "const void * ptr", "char comm[16]", "__data_loc char[] name". */
void kind_field(struct gen *g, struct event_kind *kind, const char *decl);
void kind_finish(struct gen *g, struct event_kind *kind);
struct event_kind *kind_find(struct gen *g, const char *system, const char *name);
void kind_write(const struct gen *g, const struct event_kind *kind, FILE *out);
/* The index of a field, MAX_FIELDS when there is none. */
unsigned kind_field_index(const struct event_kind *kind, const char *name, size_t len);

/* pagewriter.c */
void put_number(const struct kernel *k, uint8_t *p, uint32_t size, uint64_t v);
struct out *out_get(struct gen *g, unsigned instance, unsigned cpu);
void out_page(struct gen *g, struct out *o);  /* begins a page, writing out the one before */
void out_flush(struct gen *g, struct out *o); /* writes the page, if there is one */
void out_cut(struct gen *g, struct out *o, uint64_t len);
void out_zero_page(struct gen *g, struct out *o);
void out_record(struct gen *g, struct out *o, const uint8_t *payload, uint32_t len);
void out_raw(struct gen *g, struct out *o, const void *data, size_t len);
void out_padding(struct gen *g, struct out *o, uint64_t len, bool discard);
void outs_close(struct gen *g);

/* player.c */
void play(struct gen *g, const struct block *b);

/* mapwriter.c */
void map_record(
	struct gen *g, uint32_t id, uint32_t ref, uint32_t nr, const uint64_t *ips, size_t nips);
void map_write(struct gen *g, FILE *out);
void map_stat_write(const struct gen *g, FILE *out);
int big_map(const char *n, const char *depth, const char *seed, const char *path);

/* member.c */
FILE *member_open(const struct gen *g, const char *path); /* NULL when the script omits it */
void members_write(struct gen *g);
/* mkdir -p of everything above `path`. */
bool make_parents(const char *path);

/* repeater.c */
int repeat_capture(const char *dir, const char *outdir, const char *mb);

#endif
