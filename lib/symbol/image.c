/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The symbols of an image, and its lines as they are asked for one by one or all at once. */
#include "image.h"

#include <stdlib.h>

#include "chain_table.h"
#include "index.h"

/* All indexes together. One of a distribution's kernel has some 25 MB. */
#define CACHE_LIMIT (UINT64_C(1) << 30)
/* So many units are worth a thread of their own. */
#define UNITS_PER_THREAD 8
/* Inlined functions at one address: the deepest chain of a 6.1 kernel has 14. */
#define CHAIN_MAX 128
/* Instructions of 4 bytes that may come before a function's own; x86-64's are 16 bytes at most. */
#define ENTRY_NOPS 4
/* Of .debug_info: less is read in a few hundredths of a second. */
#define INDEX_WORTH (UINT64_C(32) << 20)

struct image {
	struct object_set set;
	struct image_opts opts;
	struct kallsyms symbols;
	struct index *index;
	struct dwarf *dwarf;
	struct chain_table chains;
	bool symbols_read, index_tried, dwarf_tried;
};

struct sm_error *sm_image_new(
	struct object_set *set, const struct image_opts *opts, struct image **image)
{
	*image = calloc(1, sizeof(**image));
	if (!*image) {
		sm_object_set_release(set);
		return sm_error_nomem();
	}
	(*image)->set = *set;
	(*image)->opts = *opts;
	*set = (struct object_set){0};
	return NULL;
}

void sm_image_free(struct image *image)
{
	if (!image)
		return;
	sm_chain_table_release(&image->chains);
	sm_index_close(image->index);
	sm_dwarf_free(image->dwarf);
	sm_kallsyms_release(&image->symbols);
	sm_object_set_release(&image->set);
	free(image);
}

struct object *sm_image_code(const struct image *image)
{
	return image->set.code;
}

struct object *sm_image_object(const struct image *image)
{
	return image->set.debug ? image->set.debug : image->set.code;
}

const struct kallsyms *sm_image_symbols(struct image *image)
{
	if (!image->symbols_read) {
		image->symbols_read = true;
		sm_log_error(image->opts.log, SM_WARN,
			sm_object_symbols(sm_image_object(image), &image->symbols),
			": its symbols are left out");
		/* A debug file made by objcopy has them; one that was stripped of them doesn't. */
		if (!image->symbols.n && image->set.code &&
			image->set.code != sm_image_object(image)) {
			sm_kallsyms_release(&image->symbols);
			sm_log_error(image->opts.log, SM_WARN,
				sm_object_symbols(image->set.code, &image->symbols),
				": its symbols are left out");
		}
	}
	return &image->symbols;
}

bool sm_image_symbol(struct image *image, uint64_t addr, struct sm_symbol *sym)
{
	const struct kallsyms *k = sm_image_symbols(image);

	/* A module's image addresses are in the order in which it is loaded. */
	return k->n && (sm_image_object(image)->type == ET_REL || sm_kallsyms_holds(k, addr)) &&
	       sm_kallsyms_find(k, addr, sym);
}

bool sm_image_address(struct image *image, const char *name, uint64_t *addr)
{
	struct object *obj = sm_image_object(image), *code = image->set.code;

	*addr = sm_object_address(obj, name);
	if (!*addr && code && code != obj)
		*addr = sm_object_address(code, name);
	return *addr != 0;
}

static void open_index(struct image *image)
{
	const char *id = sm_image_object(image)->build_id;

	if (image->index_tried)
		return;
	image->index_tried = true;
	if (image->opts.cache && id)
		sm_log_error(image->opts.log, SM_WARN,
			sm_index_open(image->opts.cache, id, image->opts.log, &image->index),
			": its index is left out");
}

static void open_dwarf(struct image *image)
{
	if (image->dwarf_tried)
		return;
	image->dwarf_tried = true;
	if (image->set.debug)
		sm_log_error(image->opts.log, SM_WARN,
			sm_dwarf_open(
				image->set.debug, image->set.alt, image->opts.log, &image->dwarf),
			": its debug information is left out");
}

bool sm_image_has_lines(struct image *image)
{
	open_index(image);
	return image->index ||
	       (image->set.debug && sm_object_section(image->set.debug, ".debug_info"));
}

bool sm_image_from_index(const struct image *image)
{
	return image->index != NULL;
}

bool sm_image_lacks_index(const struct image *image)
{
	const struct object *obj = sm_image_object(image);
	const struct object_section *info = sm_object_section(obj, ".debug_info");

	return image->dwarf && !image->index && image->opts.cache && obj->build_id && info &&
	       info->size >= INDEX_WORTH;
}

static size_t find_lines(struct image *image, const struct code_map *map, uint64_t addr,
	struct sm_line lines[CHAIN_MAX])
{
	size_t n = sm_code_map_find(map, addr, lines, CHAIN_MAX);
	struct sm_symbol sym;

	if (n > CHAIN_MAX)
		n = CHAIN_MAX;
	/* Assembly has lines, and its functions are only symbols. */
	if (n == 1 && !lines[0].function && sm_image_symbol(image, addr, &sym))
		lines[0].function = sym.name;
	return n;
}

/* Addresses of which nothing is known get a chain of nothing. */
static bool remember_nothing(struct image *image, uint64_t addr)
{
	return sm_chain_table_add(&image->chains, addr, NULL, 0);
}

struct placed_address {
	uint64_t addr;
	uint32_t unit;
};

static int compare_unit(const void *a, const void *b)
{
	const struct placed_address *x = a, *y = b;

	if (x->unit != y->unit)
		return x->unit < y->unit ? -1 : 1;
	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

/*
 * Nops before a function's first instruction, which ftrace patches, are in no unit's ranges, but
 * its line table has them: the unit is that of what follows within the symbol.
 */
static struct sm_error *adopt_unit(struct image *image, uint64_t addr, uint32_t *unit)
{
	uint32_t units[ENTRY_NOPS];
	uint64_t probes[ENTRY_NOPS];
	struct sm_error *err;
	struct sm_symbol sym;
	size_t n = 0;

	*unit = DWARF_NONE;
	if (!sm_image_symbol(image, addr, &sym))
		return NULL;
	for (size_t i = 1; i <= ENTRY_NOPS && addr + 4 * i < sym.start + sym.size; i++)
		probes[n++] = addr + 4 * i;
	if (!n)
		return NULL;
	err = sm_dwarf_find_units(image->dwarf, probes, n, units);
	for (size_t i = 0; i < n && !err && *unit == DWARF_NONE; i++)
		*unit = units[i];
	return err;
}

/* Brings the addresses into the order of their units, each of which may have some in several places
 * (.init.text, .cold). Those without a unit are told apart; *n = those that are left. */
static struct sm_error *order_by_unit(struct image *image, const uint64_t *addrs,
	const uint32_t *units, size_t *n, struct placed_address *placed)
{
	struct sm_error *err = NULL;
	size_t kept = 0;

	for (size_t i = 0; i < *n && !err; i++) {
		uint32_t unit = units[i];

		if (unit == DWARF_NONE)
			err = adopt_unit(image, addrs[i], &unit);
		if (!err && unit != DWARF_NONE)
			placed[kept++] = (struct placed_address){addrs[i], unit};
		else if (!err && !remember_nothing(image, addrs[i]))
			err = sm_error_nomem();
	}
	if (!err && kept)
		qsort(placed, kept, sizeof(*placed), compare_unit);
	*n = kept;
	return err;
}

static struct sm_error *remember_all(struct image *image, const uint64_t *addrs, size_t n,
	const struct code_request *requests, size_t nrequests)
{
	size_t threads = nrequests / UNITS_PER_THREAD;
	struct sm_line lines[CHAIN_MAX];
	struct code_builder *builder;
	struct code_map map;
	struct sm_error *err;

	if (threads > image->opts.threads)
		threads = image->opts.threads;
	err = sm_code_map_read(image->dwarf, requests, nrequests, (unsigned)threads,
		image->opts.log, NULL, &builder, &map);
	if (err)
		return err;
	for (size_t i = 0; i < n && !err; i++) {
		size_t found = find_lines(image, &map, addrs[i], lines);

		if (!sm_chain_table_add(&image->chains, addrs[i], lines, found))
			err = sm_error_nomem();
	}
	sm_code_builder_free(builder);
	return err;
}

static struct sm_error *read_batch(struct image *image, uint64_t *addrs, size_t n)
{
	uint32_t *units = malloc(n * sizeof(*units));
	struct placed_address *placed = malloc(n * sizeof(*placed));
	struct code_request *requests = malloc(n * sizeof(*requests));
	struct sm_error *err = units && placed && requests ? NULL : sm_error_nomem();
	size_t nrequests = 0;

	if (!err)
		err = sm_dwarf_find_units(image->dwarf, addrs, n, units);
	if (!err)
		err = order_by_unit(image, addrs, units, &n, placed);
	for (size_t i = 0; i < n && !err; i++) {
		if (!i || placed[i - 1].unit != placed[i].unit)
			requests[nrequests++] = (struct code_request){placed[i].unit, &addrs[i], 0};
		addrs[i] = placed[i].addr;
		requests[nrequests - 1].nwanted++;
	}
	if (!err && nrequests)
		err = remember_all(image, addrs, n, requests, nrequests);
	free(requests);
	free(placed);
	free(units);
	return err;
}

/* *done = those that the index has told. All, unless there is none or it proves damaged. */
static struct sm_error *read_index(
	struct image *image, const uint64_t *addrs, size_t n, size_t *done)
{
	struct sm_line lines[CHAIN_MAX];

	*done = 0;
	open_index(image);
	while (image->index && *done < n) {
		uint64_t addr = addrs[*done];
		size_t found = find_lines(image, sm_index_map(image->index), addr, lines);

		if (sm_index_damaged(image->index)) {
			sm_index_close(image->index);
			image->index = NULL;
			break;
		}
		if (!sm_chain_table_add(&image->chains, addr, lines, found))
			return sm_error_nomem();
		++*done;
	}
	return NULL;
}

static struct sm_error *read_debug(struct image *image, uint64_t *addrs, size_t n)
{
	open_dwarf(image);
	if (image->dwarf)
		return read_batch(image, addrs, n);
	for (size_t i = 0; i < n; i++) {
		if (!remember_nothing(image, addrs[i]))
			return sm_error_nomem();
	}
	return NULL;
}

static int compare_address(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

struct sm_error *sm_image_prepare(struct image *image, const uint64_t *addrs, size_t n)
{
	struct sm_error *err;
	size_t left = 0, done;
	uint64_t *todo;

	if (!n)
		return NULL;
	todo = malloc(n * sizeof(*todo));
	if (!todo)
		return sm_error_nomem();
	for (size_t i = 0; i < n; i++) {
		if (!sm_chain_table_find(&image->chains, addrs[i]))
			todo[left++] = addrs[i];
	}
	if (left)
		qsort(todo, left, sizeof(*todo), compare_address);
	n = left;
	left = 0;
	for (size_t i = 0; i < n; i++) {
		if (!left || todo[left - 1] != todo[i])
			todo[left++] = todo[i];
	}
	err = read_index(image, todo, left, &done);
	if (!err && done < left)
		err = read_debug(image, todo + done, left - done);
	free(todo);
	return err;
}

size_t sm_image_lines(struct image *image, uint64_t addr, const struct sm_line **lines)
{
	const struct chain *chain = sm_chain_table_find(&image->chains, addr);

	if (!chain) {
		sm_log_error(image->opts.log, SM_WARN, sm_image_prepare(image, &addr, 1),
			": lines are left out");
		chain = sm_chain_table_find(&image->chains, addr);
	}
	*lines = chain ? chain->lines : NULL;
	return chain ? chain->n : 0;
}

struct sm_error *sm_image_build_index(struct image *image, const struct sm_progress *progress)
{
	struct object *obj = sm_image_object(image);
	struct code_builder *builder;
	struct code_map map;
	struct sm_error *err;

	open_index(image);
	if (image->index)
		return NULL;
	if (!image->opts.cache)
		return sm_error_new(SM_E_USAGE, NULL, "there is no directory for the index",
			"set XDG_CACHE_HOME or HOME");
	if (!obj->build_id)
		return sm_error_new(
			SM_E_UNSUPPORTED, obj->path, "no build id", "an index is found by it");
	open_dwarf(image);
	if (!image->dwarf)
		return sm_error_new(SM_E_MISSING, obj->path, "no debug information to index", NULL);
	err = sm_code_map_read(image->dwarf, NULL, sm_dwarf_units(image->dwarf),
		image->opts.threads, image->opts.log, progress, &builder, &map);
	if (err)
		return err;
	err = sm_index_write(image->opts.cache, obj->build_id, &map, CACHE_LIMIT, image->opts.log);
	sm_code_builder_free(builder);
	return err;
}
