/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is left of a stack: the machinery on top and hidden frames taken away. */
#include <stdlib.h>

#include "internal.h"

/* False when memory is short. */
static bool skip_machinery(struct sm_trim *t, const struct sm_stack *stack, struct sm_trimmed *f)
{
	uint32_t skip = 0;

	if (stack->skip != SM_SKIP_UNKNOWN) {
		skip = stack->skip;
	} else if (t->syms) {
		for (; skip + 1 < stack->depth; skip++) {
			const struct frame_info *info =
				sm_frame_cache_get(&t->cache, stack->ips[skip]);

			if (!info)
				return false;
			if (!(info->flags & FRAME_MACHINERY))
				break;
		}
	}
	f->ips += skip;
	f->depth -= skip;
	f->changed = skip > 0;
	return true;
}

static bool hide(struct sm_trim *t, struct sm_trimmed *f)
{
	uint64_t *kept = NULL;
	uint32_t n = 0;

	if (!t->cache.hide.n)
		return true;
	for (uint32_t i = 0; i < f->depth; i++) {
		const struct frame_info *info = sm_frame_cache_get(&t->cache, f->ips[i]);
		bool hidden;

		if (!info)
			return false;
		hidden = info->flags & FRAME_HIDE;
		if (hidden && !kept) {
			kept = sm_arena_alloc(&t->arena, f->depth * sizeof(*kept));
			if (!kept)
				return false;
			memcpy(kept, f->ips, i * sizeof(*kept));
		}
		if (kept && !hidden)
			kept[n] = f->ips[i];
		n += !hidden;
	}
	if (kept) {
		f->ips = kept;
		f->depth = n;
		f->changed = true;
	}
	return true;
}

static bool choose(struct sm_trim *t, struct sm_trimmed *f)
{
	uint32_t flags = 0;

	if (!t->cache.focus.n && !t->cache.ignore.n)
		return true;
	for (uint32_t i = 0; i < f->depth; i++) {
		const struct frame_info *info = sm_frame_cache_get(&t->cache, f->ips[i]);

		if (!info)
			return false;
		flags |= info->flags;
	}
	f->left_out = (t->cache.focus.n && !(flags & FRAME_FOCUS)) || (flags & FRAME_IGNORE);
	return true;
}

bool sm_trim_stack(struct sm_trim *t, uint32_t stack, struct sm_trimmed *f)
{
	*f = (struct sm_trimmed){0};
	if (stack < SM_STACK_MAX) {
		struct sm_stack s = sm_stacks_get(t->profile->trace->stacks, stack);

		f->ips = s.ips;
		f->depth = s.depth;
		if (!t->no_skip && !skip_machinery(t, &s, f))
			return false;
	}
	return choose(t, f) && hide(t, f);
}

const char *sm_stack_label(uint32_t stack)
{
	if (stack == SM_STACK_UNRESOLVED)
		return "[unresolved id]";
	return stack < SM_STACK_MAX ? "[all frames hidden]" : "[no stack]";
}

/* Where names need the slide, and that is inferred from the addresses: a part of them. */
static struct sm_error *prepare_names(const struct sm_trim *t)
{
	const struct sm_stacks *stacks = t->profile->trace->stacks;
	uint32_t n = sm_stacks_count(stacks);
	uint32_t step = n < 1000 ? 1 : n / 500;
	struct sm_preparation p;

	sm_preparation_init(&p, t->syms, false);
	for (uint32_t i = 0; i < n; i += step) {
		struct sm_stack stack = sm_stacks_get(stacks, i);

		if (!sm_preparation_add(&p, stack.ips, stack.depth))
			break;
	}
	return sm_preparation_finish(&p);
}

struct sm_error *sm_trim_init(struct sm_trim *t, const struct sm_profile *profile,
	const struct sm_symbols *syms, const struct sm_table_opts *opts)
{
	struct sm_error *err;

	t->profile = profile;
	t->syms = syms;
	t->no_skip = opts->no_skip;
	err = sm_frame_cache_init(&t->cache, syms, opts);
	return err ? err : prepare_names(t);
}

void sm_trim_release(struct sm_trim *t)
{
	sm_frame_cache_release(&t->cache);
	sm_arena_release(&t->arena);
}

struct sm_error *sm_trim_new(const struct sm_profile *profile, const struct sm_symbols *syms,
	const struct sm_table_opts *opts, struct sm_trim **trim)
{
	struct sm_error *err;

	*trim = calloc(1, sizeof(**trim));
	if (!*trim)
		return sm_error_nomem();
	err = sm_trim_init(*trim, profile, syms, opts);
	if (err) {
		sm_trim_free(*trim);
		*trim = NULL;
	}
	return err;
}

void sm_trim_free(struct sm_trim *trim)
{
	if (!trim)
		return;
	sm_trim_release(trim);
	free(trim);
}
