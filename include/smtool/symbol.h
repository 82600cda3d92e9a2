/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symbol: addresses to names. Here: kallsyms, the modules' ranges and build ids of a capture.
 */
#ifndef SMTOOL_SYMBOL_H
#define SMTOOL_SYMBOL_H

#include <smtool/base.h>
#include <smtool/imported.h>
#include <smtool/source.h>

struct sm_symbols_opts {
	const char *kallsyms; /* a file that replaces the capture's; NULL = the capture's */
	const char *vmlinux;  /* NULL = look for it */
	const char *modules;  /* a directory with .ko files; NULL = the usual places */
	const char *const *debug_dirs; /* looked into first */
	size_t ndebug_dirs;
	const char *kaslr; /* "auto" or NULL, "none", an offset (run time - link time), or "infer":
			      as if there were no kallsyms */
	const char *cache; /* directory of the indexes; NULL = none is read or written */
	bool debuginfod;   /* DEBUGINFOD_URLS is set */
	bool no_debug;     /* kallsyms only: nothing is looked for */
	const char *root;  /* of the system in whose usual places files are looked for, without a
			      slash at its end; NULL = this one */
	bool no_inlines;   /* of lines, the physical function's is told alone */
	bool force;        /* build ids that differ are taken */
	bool none;         /* addresses only */
	const struct sm_frames *frames; /* of input that has names already: what tagged addresses
					   mean; NULL = none. Borrowed. */
	unsigned threads;               /* for what is worth it; 0 = 1 */
	const struct sm_log *log;
};

struct sm_symbols;

/* One address. What is unknown is NULL or 0. Strings live as long as the symbols, NUL-terminated,
 * and are untrusted text. */
struct sm_symbol {
	const char *name;
	const char *module; /* NULL = the kernel itself (or unknown, where name is NULL too) */
	uint64_t start, offset, size; /* offset of the address from start; may equal size for a call
					 that is a function's last instruction */
};

/*
 * Loads what `src` (may be NULL; borrowed, as are the strings of `opts`) has: proc/kallsyms,
 * proc/modules, sys/kernel/notes, sys/module/NAME/notes and sections, and looks for the vmlinux.
 * Modules' files are looked for when an address needs them. A missing or restricted (all-zero)
 * kallsyms isn't an error, nor is a vmlinux that can't be found: sm_symbols_trouble() says so in a
 * line for the report, once, and addresses stay hex. A fault in a file that the caller named is an
 * error, SM_E_REFUSED where it belongs to another kernel.
 */
struct sm_error *sm_symbols_open(const struct sm_source *src, const struct sm_symbols_opts *opts,
	struct sm_symbols **syms) SM_MUST_CHECK;
void sm_symbols_free(struct sm_symbols *syms);
/* NULL, or why there are no names (borrowed). */
const char *sm_symbols_trouble(const struct sm_symbols *syms);
size_t sm_symbols_count(const struct sm_symbols *syms);

/* As the kernel's %pS: the symbol that holds the address itself. False when there is none. Never
 * symbolizes SM_TRAMPOLINE. */
bool sm_symbols_find(const struct sm_symbols *syms, uint64_t ip, struct sm_symbol *sym);
/* Of a return address: the function that made the call (that of ip - 1), with ip's own offset. */
bool sm_symbols_find_caller(const struct sm_symbols *syms, uint64_t ip, struct sm_symbol *sym);
/* Runtime address of a kernel (not module) symbol such as _stext; 0 = unknown. */
uint64_t sm_symbols_address(const struct sm_symbols *syms, const char *name);
/* Appends the kernel's %pS text: name+0xoff/0xsize [module], 0x... where unknown, "[FTRACE
 * TRAMPOLINE]" for the marker. Control characters visible. As in the kernel, a BPF program gets no
 * " [bpf]", and the pages of ftrace and kprobes ("__builtin__ftrace" as sm_symbols_find()'s module)
 * stay 0x...; without a known size, "/0xsize" is left out. */
void sm_symbols_format(const struct sm_symbols *syms, uint64_t ip, struct sm_buf *buf);

/* An address as it is to be shown: that of a frame which has a name already is unknown, and 0. */
uint64_t sm_symbols_shown_address(const struct sm_symbols *syms, uint64_t ip);
/* The run-time address that a frame with a name has by the files at hand, where they have one
 * function of its name and size. All others come back as they are. */
uint64_t sm_symbols_real(const struct sm_symbols *syms, uint64_t ip);
/* Where a frame is known by its place in the source alone, as a tag of allocinfo: that place, and
 * it has no offset then. NULL for others. */
const struct sm_line *sm_symbols_tag(const struct sm_symbols *syms, uint64_t ip);
/* The build id of what holds an address whose symbol sm_symbols_find() found. */
const char *sm_symbols_build_id_at(
	const struct sm_symbols *syms, uint64_t ip, const struct sm_symbol *sym);
/* Hex string of the running kernel's build id (NULL module), or a module's; NULL = unknown. */
const char *sm_symbols_build_id(const struct sm_symbols *syms, const char *module);
/* Where the kernel's own text and data are at run time (NULL module), or a module's. */
bool sm_symbols_range(
	const struct sm_symbols *syms, const char *module, uint64_t *start, uint64_t *end);
/* Finds the NT_GNU_BUILD_ID of the notes in `data`; writes lower-case hex; false when there is
 * none. */
bool sm_build_id_parse(const void *data, size_t len, bool swap, struct sm_buf *hex);

/* The symbols called `name`: of the kernel itself where `module` is NULL, of that module, or of
 * whichever where it is "". Static functions share names. Writes at most `max` of them, with offset
 * 0 and in no special order, and returns how many there are. `found` may be NULL where max is 0. */
size_t sm_symbols_named(const struct sm_symbols *syms, const char *module, const char *name,
	struct sm_symbol *found, size_t max);

/* Distinct addresses, in the order in which they came. Zero-initialise to start. */
struct sm_addresses {
	uint64_t *items;
	size_t n, cap;
	uint32_t *slots; /* open addressing, index + 1 */
	size_t nslots;
};

/* Adds those that aren't there yet; the trampoline's marker and tagged ones are left out. False
 * when memory is short, or there are more than 2^31. */
bool sm_addresses_add(struct sm_addresses *a, const uint64_t *ips, size_t n) SM_MUST_CHECK;
void sm_addresses_release(struct sm_addresses *a);

/* ---- source lines ---- */

enum sm_address {
	SM_ADDRESS_RETURN, /* of a stack: the call before it is meant (not where the code at hand
			      shows that none is there) */
	SM_ADDRESS_EXACT,
};

/*
 * Tells what will be asked for: n run-time addresses in any order. Without kallsyms the slide is
 * inferred from the first of these calls that has enough of them. Lines of all are then read at
 * once, which is much faster than one by one. Not needed for correctness, but for the slide.
 */
struct sm_error *sm_symbols_prepare(const struct sm_symbols *syms, const uint64_t *ips, size_t n,
	enum sm_address kind) SM_MUST_CHECK;

/*
 * Distinct addresses gathered for sm_symbols_prepare(), no more than are of use. `syms` may be
 * NULL. `lines` false: only names will be asked for, which needs addresses just where the slide
 * isn't known yet, and a few of them.
 */
struct sm_preparation {
	const struct sm_symbols *syms;
	struct sm_addresses addresses;
	size_t limit; /* addresses that are enough; 0 = none is needed */
	bool failed;
};
void sm_preparation_init(struct sm_preparation *p, const struct sm_symbols *syms, bool lines);
/* False when no more are needed. */
bool sm_preparation_add(struct sm_preparation *p, const uint64_t *ips, uint32_t depth);
/* Prepares, and releases. SM_E_NOMEM is the only error: whatever else there is costs lines, and was
 * logged. */
struct sm_error *sm_preparation_finish(struct sm_preparation *p) SM_MUST_CHECK;

/*
 * The source lines of a run-time address: the innermost inlined function first, the physical
 * function last; each but the first is the line of the call. Returns how many there are and lends
 * them, valid until the symbols are freed; 0 without debug information. Reads files on demand.
 * One thread at a time.
 */
size_t sm_symbols_lines(const struct sm_symbols *syms, uint64_t ip, enum sm_address kind,
	const struct sm_line **lines);
/* As the options said. */
bool sm_symbols_no_inlines(const struct sm_symbols *syms);

enum sm_slide_from {
	SM_SLIDE_UNKNOWN,
	SM_SLIDE_KALLSYMS,
	SM_SLIDE_OPTION,
	SM_SLIDE_CALL_SITES, /* inferred */
};

/* How many distinct addresses follow a call instruction in the files at hand. */
struct sm_call_sites {
	size_t checked; /* whose code is at hand */
	size_t follow;
	size_t unchecked;
};

/* What the names come from. Borrowed strings. */
struct sm_symbols_facts {
	const char *vmlinux;  /* path; NULL = none */
	const char *build_id; /* of that file, hex; NULL = none */
	bool has_lines;       /* it has debug information */
	bool from_index;      /* which was read from the cache */
	enum sm_slide_from slide_from;
	uint64_t slide;                /* as int64_t: run time - link time */
	struct sm_call_sites inferred; /* with SM_SLIDE_CALL_SITES: at the slide; */
	size_t inferred_second;        /* at the next best */
};
void sm_symbols_facts(const struct sm_symbols *syms, struct sm_symbols_facts *facts);
/* The path of the vmlinux whose index was missed: lines were read from the file itself, an index is
 * worth its time, and there is a place to keep it. NULL = none. Reads nothing. */
const char *sm_symbols_unindexed(const struct sm_symbols *syms);

/*
 * What such counts say about the files. The right ones have near all (92 to 99 % on Linux 6.1 and
 * 7.2: the innermost frame of an exception follows no call), wrong ones or a wrong slide less than
 * a quarter (3 % of x86-64 code are ends of calls, 9 % of arm64's).
 */
enum sm_belonging {
	SM_BELONGS_UNKNOWN,  /* less than 3 were checked */
	SM_BELONGS,          /* three quarters or more follow a call */
	SM_BELONGS_DOUBTFUL, /* a part of the code differs, or the addresses are few */
	SM_BELONGS_NOT,      /* less than a quarter */
};
enum sm_belonging sm_call_sites_judge(const struct sm_call_sites *sites);

/* Counts the call sites among n distinct run-time addresses. With `module` NULL the kernel's own,
 * else that module's. */
void sm_symbols_verify(const struct sm_symbols *syms, const char *module, const uint64_t *ips,
	size_t n, struct sm_call_sites *sites);
/* The modules that addresses were looked up in so far, or NULL where i is beyond: name; *path is
 * the file, NULL where none was found. */
const char *sm_symbols_module(const struct sm_symbols *syms, size_t i, const char **path);

/*
 * Builds the index of a vmlinux below opts->cache, unless a sound one is there, and appends its
 * path to `where`. Other options that are used: debug_dirs, threads, root, log. SM_E_MISSING where
 * the file has no debug information or no build id.
 */
struct sm_error *sm_symbols_build_index(const char *vmlinux, const struct sm_symbols_opts *opts,
	const struct sm_progress *progress, struct sm_buf *where) SM_MUST_CHECK;

/* ---- machine code ---- */

struct sm_insn {
	uint64_t ip; /* run time */
	const uint8_t *bytes;
	unsigned len;
	const char *text;    /* mnemonic and operands; NULL = bytes that are no instruction */
	const char *target;  /* of a direct call or jump: name+0xoff; NULL = none */
	struct sm_line line; /* of the innermost function */
	bool call;           /* it ends where `ip` is: this is the call */
};

/*
 * Disassembles around `ip` within its function, which for a return address is that of the call: at
 * most `before` instructions that end at or before it and `after` from it on. Calls emit() for
 * each; what it gets lives for the call only. SM_E_MISSING where no code is at hand.
 */
struct sm_error *sm_symbols_disasm(const struct sm_symbols *syms, uint64_t ip, enum sm_address kind,
	unsigned before, unsigned after, void (*emit)(void *ctx, const struct sm_insn *insn),
	void *ctx) SM_MUST_CHECK;

#endif
