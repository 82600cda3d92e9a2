/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An image: a kernel's or a module's files, and what they say about image addresses: symbols and
 * lines. Everything is read when it is first asked for, and lines are remembered. One thread at a
 * time.
 */
#ifndef SMTOOL_SYMBOL_IMAGE_H
#define SMTOOL_SYMBOL_IMAGE_H

#include "search.h"

struct image_opts {
	const char *cache; /* directory of the indexes, borrowed; NULL = there is none */
	unsigned threads;  /* at least 1 */
	const struct sm_log *log;
};

struct image;

/* Takes what is in `set`, also when it fails. */
struct sm_error *sm_image_new(
	struct object_set *set, const struct image_opts *opts, struct image **image) SM_MUST_CHECK;
void sm_image_free(struct image *image);

/* The object with the instructions, NULL = not at hand. */
struct object *sm_image_code(const struct image *image);
/* The one with the symbols: always there. */
struct object *sm_image_object(const struct image *image);

/* The symbol that holds an address, by the kernel's own rules. */
bool sm_image_symbol(struct image *image, uint64_t addr, struct sm_symbol *sym);
/* The address of a global symbol. Reads the symbol table's end only: quick where the names of all
 * aren't needed. */
bool sm_image_address(struct image *image, const char *name, uint64_t *addr);
/* All symbols, at image addresses; empty where there are none. */
const struct kallsyms *sm_image_symbols(struct image *image);

/* Reads the lines of n addresses, in any order, at once. */
struct sm_error *sm_image_prepare(
	struct image *image, const uint64_t *addrs, size_t n) SM_MUST_CHECK;
/* As sm_symbols_lines(), of an image address. */
size_t sm_image_lines(struct image *image, uint64_t addr, const struct sm_line **lines);
/* Whether there is debug information, and whether it comes from the index. */
bool sm_image_has_lines(struct image *image);
bool sm_image_from_index(const struct image *image);

/* Whether lines were read from the file itself, and an index would have been worth it. */
bool sm_image_lacks_index(const struct image *image);
/* Builds and writes the index below opts->cache, unless a sound one is there. */
struct sm_error *sm_image_build_index(
	struct image *image, const struct sm_progress *progress) SM_MUST_CHECK;

#endif
