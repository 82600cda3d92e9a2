/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>

#include <smtool/base.h>

/* The slot where the string is, or the empty one where it belongs. There are always empty slots. */
static size_t find_slot(const struct sm_strings *s, const char *data, size_t len)
{
	size_t mask = s->nslots - 1, i = sm_hash(data, len, 0) & mask;

	for (; s->slots[i]; i = (i + 1) & mask) {
		const struct sm_string *item = &s->items[s->slots[i] - 1];

		if (item->len == len && !memcmp(item->data, data, len))
			break;
	}
	return i;
}

static bool grow_slots(struct sm_strings *s)
{
	size_t n = s->nslots ? 2 * s->nslots : 64, mask = n - 1;
	uint32_t *slots;

	if (n < s->nslots)
		return false;
	slots = calloc(n, sizeof(*slots));
	if (!slots)
		return false;
	for (size_t id = 0; id < s->n; id++) {
		size_t i = sm_hash(s->items[id].data, s->items[id].len, 0) & mask;

		while (slots[i])
			i = (i + 1) & mask;
		slots[i] = (uint32_t)id + 1;
	}
	free(s->slots);
	s->slots = slots;
	s->nslots = n;
	return true;
}

uint32_t sm_strings_add(struct sm_strings *s, const char *data, size_t len)
{
	struct sm_string *item;
	const char *copy;
	size_t slot;

	if (len >= UINT32_MAX)
		return SM_NO_STRING;
	if (s->nslots) {
		slot = find_slot(s, data, len);
		if (s->slots[slot])
			return s->slots[slot] - 1;
	}
	if (s->n >= SM_NO_STRING - 1)
		return SM_NO_STRING;
	if (s->n >= s->nslots / 2 && !grow_slots(s))
		return SM_NO_STRING;
	if (!sm_grow(&s->items, &s->cap, s->n + 1, sizeof(*s->items)))
		return SM_NO_STRING;
	copy = sm_arena_strndup(&s->arena, data, len);
	if (!copy)
		return SM_NO_STRING;
	slot = find_slot(s, data, len);
	item = &s->items[s->n++];
	item->data = copy;
	item->len = (uint32_t)len;
	s->slots[slot] = (uint32_t)s->n;
	return (uint32_t)s->n - 1;
}

uint32_t sm_strings_find(const struct sm_strings *s, const char *data, size_t len)
{
	uint32_t id;

	if (!s->nslots)
		return SM_NO_STRING;
	id = s->slots[find_slot(s, data, len)];
	return id ? id - 1 : SM_NO_STRING;
}

void sm_strings_release(struct sm_strings *s)
{
	sm_arena_release(&s->arena);
	free(s->items);
	free(s->slots);
	*s = (struct sm_strings){0};
}
