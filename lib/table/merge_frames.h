/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Frames of many machines, each once: by function, offset in it, module and build id, or by address
 * where it has no name. What else is known of it (size, lines) is taken from whoever knows most.
 */
#ifndef SM_TABLE_MERGE_FRAMES_H
#define SM_TABLE_MERGE_FRAMES_H

#include <smtool/symbol.h>

struct merge_frames {
	struct sm_frames *ids;    /* what tells frames apart, and nothing else */
	struct sm_frame *details; /* by index in `ids` */
	size_t n, cap;
	struct sm_strings strings;
	struct sm_arena arena; /* lines */
};

struct sm_error *merge_frames_init(struct merge_frames *f) SM_MUST_CHECK;
void merge_frames_release(struct merge_frames *f);
/* An order by what the frames are, whoever came first. */
int merge_frames_compare(const struct merge_frames *f, uint64_t a, uint64_t b);
/* Adds a frame with all that is known of it; 0 when memory is short. */
uint64_t merge_frames_name(const struct merge_frames *f, uint64_t id, struct sm_frames *named);

/* From one machine's addresses to merged frames; each distinct one is looked up once. */
struct frame_map {
	struct merge_frames *frames;
	const struct sm_symbols *syms;
	struct frame_slot {
		uint64_t ip, id; /* id 0 = free */
	} * slots;
	size_t n, nslots;
	uint64_t *ips;
	size_t cap;
};

void frame_map_init(
	struct frame_map *map, struct merge_frames *frames, const struct sm_symbols *syms);
void frame_map_release(struct frame_map *map);
/* The stack's merged frames, valid until the next call; NULL when memory is short. *unresolved
 * becomes true where one has no name. */
const uint64_t *frame_map_stack(
	struct frame_map *map, const uint64_t *ips, uint32_t depth, bool *unresolved);

#endif
