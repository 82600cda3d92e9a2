/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The boxes of a flame graph: stacks that begin alike share them. */
#ifndef SM_VIEW_FLAME_H
#define SM_VIEW_FLAME_H

#include "export.h"

struct flame_box {
	uint32_t depth; /* from 1; 0 is the whole */
	uint32_t frame; /* of the stacks' frames */
	double x, width;
	uint64_t now, old, weight; /* sums of all stacks that go through it */
};

struct flame {
	const struct export_stacks *stacks;
	/* Sums over the stacks before each. */
	uint64_t *now, *old, *weight;
	uint64_t *boxes; /* they begin, less what they share with the one before */
	uint32_t deepest;
	/* Of the last walk. */
	uint32_t drawn_depth;
	uint64_t drawn, cut; /* boxes; those too narrow */
};

/* `stacks` is sorted by names, and borrowed. A stack is as wide as its value, or of a difference as
 * the larger of its two: so what vanished has its place. False when memory is short. */
bool flame_init(struct flame *f, const struct export_stacks *stacks) SM_MUST_CHECK;
/* Calls emit(), which may be NULL, for each box that is at least `least` wide, a box before those
 * above it; the whole is `width` wide. False when memory is short. */
bool flame_walk(struct flame *f, double x, double width, double least,
	void (*emit)(void *ctx, const struct flame_box *box), void *ctx) SM_MUST_CHECK;
void flame_release(struct flame *f);

#endif
