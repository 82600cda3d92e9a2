/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>

#include "flame.h"

bool flame_init(struct flame *f, const struct export_stacks *s)
{
	size_t n = s->n;
	uint64_t *block = malloc(4 * (n + 1) * sizeof(*block));

	*f = (struct flame){.stacks = s};
	if (!block)
		return false;
	f->now = block;
	f->old = block + (n + 1);
	f->weight = block + 2 * (n + 1);
	f->boxes = block + 3 * (n + 1);
	f->now[0] = f->old[0] = f->weight[0] = f->boxes[0] = 0;
	for (size_t i = 0; i < n; i++) {
		const struct export_stack *e = &s->items[i];
		uint64_t now = e->m[s->x->opts->by];

		f->now[i + 1] = f->now[i] + now;
		f->old[i + 1] = f->old[i] + e->old;
		f->weight[i + 1] = f->weight[i] + (now > e->old ? now : e->old);
		f->boxes[i + 1] = f->boxes[i] + e->n - export_stacks_common(s, i);
		if (e->n > f->deepest)
			f->deepest = e->n;
	}
	return true;
}

void flame_release(struct flame *f)
{
	free(f->now);
}

static uint32_t frame_at(const struct flame *f, size_t i, uint32_t depth)
{
	return f->stacks->ids[f->stacks->items[i].first + depth];
}

/* The end of the stacks from `at` on that have the same frame at `depth`; they are sorted by it. */
static size_t end_of(const struct flame *f, size_t at, size_t end, uint32_t depth)
{
	uint32_t id = frame_at(f, at, depth);
	size_t step = 1, low = at;

	while (low + step < end && frame_at(f, low + step, depth) == id) {
		low += step;
		step *= 2;
	}
	if (low + step < end)
		end = low + step;
	/* The frame at `low` is the same, that at `end` another one. */
	while (low + 1 < end) {
		size_t mid = low + (end - low) / 2;

		if (frame_at(f, mid, depth) == id)
			low = mid;
		else
			end = mid;
	}
	return end;
}

/* Boxes of the stacks [at, end) from `depth` on. */
static uint64_t boxes_of(const struct flame *f, size_t at, size_t end, uint32_t depth)
{
	return f->boxes[end] - f->boxes[at + 1] + f->stacks->items[at].n - depth;
}

struct level {
	size_t at, end; /* stacks whose boxes here are still to come */
	double x;
};

bool flame_walk(struct flame *f, double x, double width, double least,
	void (*emit)(void *ctx, const struct flame_box *box), void *ctx)
{
	size_t n = f->stacks->n;
	double scale = f->weight[n] ? width / (double)f->weight[n] : 0;
	struct level *levels = malloc(((size_t)f->deepest + 1) * sizeof(*levels));
	uint32_t depth = 0;

	f->drawn_depth = 0;
	f->drawn = f->cut = 0;
	if (!levels)
		return false;
	levels[0] = (struct level){0, n, x};
	for (;;) {
		struct level *l = &levels[depth];
		struct flame_box box;
		size_t at;

		/* Those that end here come first. */
		while (l->at < l->end && f->stacks->items[l->at].n == depth) {
			l->x += (double)(f->weight[l->at + 1] - f->weight[l->at]) * scale;
			l->at++;
		}
		if (l->at == l->end) {
			if (!depth)
				break;
			depth--;
			continue;
		}
		at = l->at;
		l->at = end_of(f, at, l->end, depth);
		box = (struct flame_box){
			.depth = depth + 1,
			.frame = frame_at(f, at, depth),
			.x = l->x,
			.now = f->now[l->at] - f->now[at],
			.old = f->old[l->at] - f->old[at],
			.weight = f->weight[l->at] - f->weight[at],
		};
		box.width = (double)box.weight * scale;
		l->x += box.width;
		if (box.width < least) {
			f->cut += boxes_of(f, at, l->at, depth);
			continue;
		}
		f->drawn++;
		if (box.depth > f->drawn_depth)
			f->drawn_depth = box.depth;
		if (emit)
			emit(ctx, &box);
		levels[depth + 1] = (struct level){at, l->at, box.x};
		depth++;
	}
	free(levels);
	return true;
}
