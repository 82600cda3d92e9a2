/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "merge_frames.h"

#include <stdlib.h>

#include <smtool/record.h>

struct sm_error *merge_frames_init(struct merge_frames *f)
{
	memset(f, 0, sizeof(*f));
	return sm_frames_new(&f->ids);
}

void merge_frames_release(struct merge_frames *f)
{
	sm_frames_free(f->ids);
	free(f->details);
	sm_strings_release(&f->strings);
	sm_arena_release(&f->arena);
}

static int compare_texts(const char *a, const char *b)
{
	if (!a || !b)
		return (a != NULL) - (b != NULL);
	return strcmp(a, b);
}

int merge_frames_compare(const struct merge_frames *f, uint64_t a, uint64_t b)
{
	const struct sm_frame *x = sm_frames_get(f->ids, a), *y = sm_frames_get(f->ids, b);
	int c = compare_texts(x->symbol, y->symbol);

	if (!c)
		c = compare_texts(x->module, y->module);
	if (!c)
		c = compare_texts(x->build_id, y->build_id);
	if (!c && x->offset != y->offset)
		c = x->offset < y->offset ? -1 : 1;
	if (!c && x->address != y->address)
		c = x->address < y->address ? -1 : 1;
	/* Tags of one function. */
	for (size_t i = 0; !c && i < x->nlines && i < y->nlines; i++) {
		c = compare_texts(x->lines[i].file, y->lines[i].file);
		if (!c && x->lines[i].line != y->lines[i].line)
			c = x->lines[i].line < y->lines[i].line ? -1 : 1;
	}
	return c;
}

uint64_t merge_frames_name(const struct merge_frames *f, uint64_t id, struct sm_frames *named)
{
	return sm_frames_add(named, &f->details[id - SM_FRAME_TAG]);
}

static bool keep(struct merge_frames *f, const char **s)
{
	if (*s)
		*s = sm_strings_get(&f->strings, sm_strings_add(&f->strings, *s, strlen(*s)));
	return *s != NULL;
}

static bool keep_lines(
	struct merge_frames *f, struct sm_frame *detail, const struct sm_line *lines, size_t n)
{
	struct sm_line *copy = sm_arena_alloc(&f->arena, n * sizeof(*copy));

	if (!copy)
		return false;
	for (size_t i = 0; i < n; i++) {
		copy[i] = lines[i];
		if ((copy[i].function && !keep(f, &copy[i].function)) ||
			(copy[i].file && !keep(f, &copy[i].file)))
			return false;
	}
	detail->lines = copy;
	detail->nlines = n;
	return true;
}

/* Adds what this machine knows of a frame to what is known already. */
static bool add_detail(struct merge_frames *f, uint64_t id, const struct sm_frame *frame)
{
	size_t at = (size_t)(id - SM_FRAME_TAG);
	struct sm_frame *detail;

	if (at == f->n) {
		if (!sm_grow(&f->details, &f->cap, f->n + 1, sizeof(*f->details)))
			return false;
		/* Its texts belong to `ids`. */
		f->details[f->n++] = *sm_frames_get(f->ids, id);
	}
	detail = &f->details[at];
	if (!detail->size)
		detail->size = frame->size;
	if (!detail->caller && frame->caller) {
		detail->caller = frame->caller;
		detail->caller_offset = frame->caller_offset;
		detail->caller_size = frame->caller_size;
		if (!keep(f, &detail->caller))
			return false;
	}
	return detail->nlines || !frame->nlines ||
	       keep_lines(f, detail, frame->lines, frame->nlines);
}

static void describe(const struct sm_symbols *syms, uint64_t ip, struct sm_frame *frame)
{
	struct sm_symbol sym, caller;

	*frame = (struct sm_frame){0};
	if (!syms || !sm_symbols_find(syms, ip, &sym)) {
		frame->address = sm_symbols_shown_address(syms, ip);
		return;
	}
	frame->symbol = sym.name;
	frame->module = sym.module;
	frame->build_id = sm_symbols_build_id_at(syms, ip, &sym);
	frame->offset = sym.offset;
	frame->size = sym.size;
	if (sm_symbols_find_caller(syms, ip, &caller) && strcmp(caller.name, sym.name) != 0) {
		frame->caller = caller.name;
		frame->caller_offset = caller.offset;
		frame->caller_size = caller.size;
	}
	frame->nlines = sm_symbols_lines(syms, ip, SM_ADDRESS_RETURN, &frame->lines);
}

/* The merged frame of an address; 0 when memory is short. */
static uint64_t id_of(struct frame_map *map, uint64_t ip)
{
	struct sm_frame frame, id;
	const struct sm_line *tag;
	uint64_t found;

	describe(map->syms, ip, &frame);
	id = (struct sm_frame){
		.symbol = frame.symbol,
		.module = frame.module,
		.build_id = frame.build_id,
		.address = frame.address,
		.offset = frame.offset,
	};
	tag = sm_symbols_tag(map->syms, ip);
	if (tag) {
		id.lines = tag;
		id.nlines = 1;
	}
	found = sm_frames_add(map->frames->ids, &id);
	return found && add_detail(map->frames, found, &frame) ? found : 0;
}

void frame_map_init(
	struct frame_map *map, struct merge_frames *frames, const struct sm_symbols *syms)
{
	*map = (struct frame_map){.frames = frames, .syms = syms};
}

void frame_map_release(struct frame_map *map)
{
	free(map->slots);
	free(map->ips);
}

static size_t home_of(uint64_t ip, size_t nslots)
{
	return (size_t)((ip * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (nslots - 1);
}

static bool grow(struct frame_map *map)
{
	size_t nslots = map->nslots ? map->nslots * 2 : 1024;
	struct frame_slot *slots = calloc(nslots, sizeof(*slots));

	if (!slots)
		return false;
	for (size_t k = 0; k < map->nslots; k++) {
		size_t i = home_of(map->slots[k].ip, nslots);

		if (!map->slots[k].id)
			continue;
		while (slots[i].id)
			i = (i + 1) & (nslots - 1);
		slots[i] = map->slots[k];
	}
	free(map->slots);
	map->slots = slots;
	map->nslots = nslots;
	return true;
}

static uint64_t look_up(struct frame_map *map, uint64_t ip)
{
	size_t i;

	if (map->n * 2 >= map->nslots && !grow(map))
		return 0;
	for (i = home_of(ip, map->nslots); map->slots[i].id; i = (i + 1) & (map->nslots - 1))
		if (map->slots[i].ip == ip)
			return map->slots[i].id;
	map->slots[i].id = id_of(map, ip);
	map->slots[i].ip = ip;
	map->n += map->slots[i].id != 0;
	return map->slots[i].id;
}

const uint64_t *frame_map_stack(
	struct frame_map *map, const uint64_t *ips, uint32_t depth, bool *unresolved)
{
	if (!sm_grow(&map->ips, &map->cap, depth, sizeof(*map->ips)))
		return NULL;
	for (uint32_t i = 0; i < depth; i++) {
		map->ips[i] = look_up(map, ips[i]);
		if (!map->ips[i])
			return NULL;
		*unresolved |= ips[i] != SM_TRAMPOLINE &&
			       !sm_frames_get(map->frames->ids, map->ips[i])->symbol;
	}
	return map->ips;
}
