/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What each address of an image belongs to, flattened: functions, what was inlined, and lines, in
 * one sorted table. Made from DWARF, for a few addresses (a cold lookup) or for all (the index);
 * the index file holds the same tables, so there is one lookup.
 */
#ifndef SMTOOL_SYMBOL_CODE_MAP_H
#define SMTOOL_SYMBOL_CODE_MAP_H

#include "dwarf.h"

#define CODE_NO_SCOPE 0xffffffu
/* What is larger doesn't fit: a line is unknown then, a scope none, a file none. */
#define CODE_MAX_SCOPES 0xffffffu
#define CODE_MAX_LINE 0xfffffu
#define CODE_MAX_FILE 0xfffffu

/*
 * From `start` up to the next segment's. No scope, and file and line 0: nothing is known here.
 * Neighbours differ. 12 bytes, since most of a kernel's index, and of what a lookup touches, are
 * these.
 */
struct __attribute__((packed, aligned(4))) code_segment {
	uint32_t start;      /* relative to code_map.base */
	uint64_t scope : 24; /* the innermost; CODE_NO_SCOPE = none */
	uint64_t file : 20;  /* a quarter of its offset in strings; 0 = unknown */
	uint64_t line : 20;  /* 0 = unknown */
};

/* A function, or what was inlined; equal ones of one parent are one. */
struct __attribute__((packed, aligned(4))) code_scope {
	uint32_t name;        /* offset in strings; 0 = unknown */
	uint64_t parent : 24; /* before this one; CODE_NO_SCOPE = a function itself */
	uint64_t file : 20;   /* as above: where it was inlined into its parent */
	uint64_t line : 20;
};

#define CODE_MARK 256

/* Read-only; borrowed arrays. */
struct code_map {
	uint64_t base;
	const struct code_segment *segments;
	size_t nsegments;
	const struct code_scope *scopes;
	size_t nscopes;
	const char *strings; /* each NUL-terminated, the first is empty; the last byte is NUL.
				Those that are files begin at multiples of 4. */
	size_t strings_len;
	/* The start of each CODE_MARK-th segment from the first on, NULL = none: the search begins
	 * there, and so touches little of a file. To be believed. */
	const uint32_t *marks;
	/* Where the tables are in a file that may be damaged: how many bytes from `p` (in a table)
	 * on may be believed, 0 where that isn't `need` at least. Asked before each access; what
	 * can't be believed is as unknown. NULL = all may be. */
	size_t (*trust)(void *ctx, const void *p, size_t need);
	void *trust_ctx;
};

/*
 * Finds the lines of an image address: innermost first, the physical function last. Writes at most
 * `max`, returns how many there are of these: 0 = nothing is known. Nothing in the tables is
 * trusted but their lengths and the NUL at the end of `strings`: an index that doesn't exist is
 * none, and the chain ends where a parent isn't before its child. The strings live as long as the
 * map.
 */
size_t sm_code_map_find(
	const struct code_map *map, uint64_t addr, struct sm_line *lines, size_t max);

struct code_builder;

/*
 * Collects units, in any order, each once. `wanted` (sorted) as in dwarf.h: only what these
 * addresses need. In a unit that is damaged what is sound is taken; it is counted in *bad, its
 * first fault goes to `log` at SM_DEBUG, and it doesn't fail. Several builders may work at once,
 * each in its thread, and be merged. The map doesn't depend on who collected what.
 *
 * The code has to lie within 4 GiB: those 4 GiB that hold the most of the file's executable
 * sections. All kernels' code does; their data needn't (x86-64 has per-CPU sections at 0). What is
 * elsewhere is left out and counted.
 */
struct code_builder *sm_code_builder_new(struct dwarf *dwarf, const struct sm_log *log);
void sm_code_builder_free(struct code_builder *b);
struct sm_error *sm_code_builder_add(struct code_builder *b, uint32_t unit, const uint64_t *wanted,
	size_t nwanted, size_t *bad) SM_MUST_CHECK;
/* Takes what `from`, of the same reader, has collected; `from` is empty then. */
struct sm_error *sm_code_builder_merge(
	struct code_builder *b, struct code_builder *from) SM_MUST_CHECK;
/*
 * Sorts, joins, and lends its tables: *map is valid until the builder is freed. Nothing can be
 * added then.
 *
 * Where functions overlap, an address belongs to the one that starts nearest before it; of those
 * that start there, to the shorter; else to the unit with the lower number. Lines of no function
 * give way to any function. Inlined code counts where the code that it was inlined into is; of
 * overlapping siblings the one that starts later has it.
 */
struct sm_error *sm_code_builder_finish(struct code_builder *b, struct code_map *map) SM_MUST_CHECK;

/* A unit, and the addresses in it that are wanted, sorted. */
struct code_request {
	uint32_t unit;
	const uint64_t *wanted;
	size_t nwanted;
};

/* Reads n units, each named once, with `threads` threads (0 = 1); without requests all of the first
 * n units. The builder lends *map and is the caller's to free. What can't be read is left out, and
 * said at SM_WARN in one line. */
struct sm_error *sm_code_map_read(struct dwarf *dwarf, const struct code_request *requests,
	size_t n, unsigned threads, const struct sm_log *log, const struct sm_progress *progress,
	struct code_builder **builder, struct code_map *map) SM_MUST_CHECK;

#endif
