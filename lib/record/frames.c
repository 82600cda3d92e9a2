/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Frames by name, each distinct one once: their index is a tagged address. */
#include <stdlib.h>

#include <smtool/imported.h>

struct sm_frames {
	struct sm_arena arena;
	struct sm_strings strings;
	struct sm_frame *items;
	uint64_t *hashes;
	size_t n, cap, hashes_cap;
	uint32_t *slots; /* open addressing, index + 1 */
	size_t nslots;
};

struct sm_error *sm_frames_new(struct sm_frames **frames)
{
	*frames = calloc(1, sizeof(**frames));
	return *frames ? NULL : sm_error_nomem();
}

void sm_frames_free(struct sm_frames *f)
{
	if (!f)
		return;
	sm_arena_release(&f->arena);
	sm_strings_release(&f->strings);
	free(f->items);
	free(f->hashes);
	free(f->slots);
	free(f);
}

static bool intern(struct sm_frames *f, const char **s)
{
	if (*s)
		*s = sm_strings_get(&f->strings, sm_strings_add(&f->strings, *s, strlen(*s)));
	return *s != NULL;
}

/* Replaces what `frame` borrows by what the table owns; equal texts are then the same pointer. */
static bool own(struct sm_frames *f, struct sm_frame *frame, struct sm_line *lines)
{
	const char **texts[] = {&frame->symbol, &frame->module, &frame->build_id, &frame->caller};

	for (size_t i = 0; i < SM_ARRAY_SIZE(texts); i++)
		if (*texts[i] && !intern(f, texts[i]))
			return false;
	for (size_t i = 0; i < frame->nlines; i++) {
		lines[i] = frame->lines[i];
		if (lines[i].function && !intern(f, &lines[i].function))
			return false;
		if (lines[i].file && !intern(f, &lines[i].file))
			return false;
	}
	frame->lines = lines;
	return true;
}

static uint64_t mix(uint64_t h, uint64_t v)
{
	return (h ^ v) * UINT64_C(0x9e3779b97f4a7c15) ^ h >> 29;
}

/* Of what own() made: by its pointers. */
static uint64_t hash_of(const struct sm_frame *f)
{
	uint64_t h = 1;

	h = mix(h, (uintptr_t)f->symbol);
	h = mix(h, (uintptr_t)f->module);
	h = mix(h, (uintptr_t)f->build_id);
	h = mix(h, f->address);
	h = mix(h, f->offset);
	h = mix(h, f->size);
	h = mix(h, (uintptr_t)f->caller);
	for (size_t i = 0; i < f->nlines; i++) {
		h = mix(h, (uintptr_t)f->lines[i].function);
		h = mix(h, (uintptr_t)f->lines[i].file);
		h = mix(h, f->lines[i].line);
	}
	return h ^ h >> 32;
}

static bool same(const struct sm_frame *a, const struct sm_frame *b)
{
	if (a->symbol != b->symbol || a->module != b->module || a->build_id != b->build_id ||
		a->address != b->address || a->offset != b->offset || a->size != b->size ||
		a->caller != b->caller || a->caller_offset != b->caller_offset ||
		a->caller_size != b->caller_size || a->nlines != b->nlines)
		return false;
	for (size_t i = 0; i < a->nlines; i++)
		if (a->lines[i].function != b->lines[i].function ||
			a->lines[i].file != b->lines[i].file ||
			a->lines[i].line != b->lines[i].line)
			return false;
	return true;
}

static bool grow(struct sm_frames *f)
{
	size_t nslots = f->nslots ? f->nslots * 2 : 1024;
	uint32_t *slots = calloc(nslots, sizeof(*slots));

	if (!slots)
		return false;
	for (size_t k = 0; k < f->n; k++) {
		size_t i = f->hashes[k] & (nslots - 1);

		while (slots[i])
			i = (i + 1) & (nslots - 1);
		slots[i] = (uint32_t)k + 1;
	}
	free(f->slots);
	f->slots = slots;
	f->nslots = nslots;
	return true;
}

/* The table's own copy of lines; NULL when memory is short. */
static const struct sm_line *keep(struct sm_frames *f, const struct sm_line *lines, size_t n)
{
	struct sm_line *copy = sm_arena_alloc(&f->arena, n * sizeof(*copy));

	return copy ? memcpy(copy, lines, n * sizeof(*copy)) : NULL;
}

static uint64_t add(struct sm_frames *f, struct sm_frame *frame)
{
	uint64_t hash = hash_of(frame);
	size_t i;

	if (f->n * 2 >= f->nslots && !grow(f))
		return 0;
	for (i = hash & (f->nslots - 1); f->slots[i]; i = (i + 1) & (f->nslots - 1)) {
		uint32_t k = f->slots[i] - 1;

		if (f->hashes[k] == hash && same(&f->items[k], frame))
			return SM_FRAME_TAG | k;
	}
	if (f->n == UINT32_MAX - 1 || !sm_grow(&f->items, &f->cap, f->n + 1, sizeof(*f->items)) ||
		!sm_grow(&f->hashes, &f->hashes_cap, f->n + 1, sizeof(*f->hashes)))
		return 0;
	if (frame->nlines) {
		frame->lines = keep(f, frame->lines, frame->nlines);
		if (!frame->lines)
			return 0;
	}
	f->items[f->n] = *frame;
	f->hashes[f->n++] = hash;
	f->slots[i] = (uint32_t)f->n;
	return SM_FRAME_TAG | (f->n - 1);
}

uint64_t sm_frames_add(struct sm_frames *f, const struct sm_frame *frame)
{
	struct sm_line few[16], *lines = few;
	struct sm_frame mine = *frame;
	uint64_t ip = 0;

	if (mine.nlines > SM_ARRAY_SIZE(few))
		lines = malloc(mine.nlines * sizeof(*lines));
	if (lines && own(f, &mine, lines))
		ip = add(f, &mine);
	if (lines != few)
		free(lines);
	return ip;
}

const struct sm_frame *sm_frames_get(const struct sm_frames *f, uint64_t ip)
{
	uint64_t k = ip - SM_FRAME_TAG;

	return sm_is_named(ip) && k < f->n ? &f->items[k] : NULL;
}

size_t sm_frames_count(const struct sm_frames *f)
{
	return f->n;
}
