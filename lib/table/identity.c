/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>

#include "identity.h"
#include "internal.h"

#define FIRST_SLOTS 1024
#define NO_IDENTITY SM_NO_STRING

/* A part of a name that a compiler put there: "isra", or digits. */
static bool is_appended(const char *part, size_t len, bool first)
{
	static const char *const WORDS[] = {
		"isra", "constprop", "part", "cold", "llvm", "lto_priv", "localalias"};
	bool digits = len > 0;

	for (size_t i = 0; i < SM_ARRAY_SIZE(WORDS); i++)
		if (strlen(WORDS[i]) == len && !memcmp(WORDS[i], part, len))
			return true;
	for (size_t i = 0; i < len; i++)
		digits &= part[i] >= '0' && part[i] <= '9';
	return digits && !first;
}

size_t sm_plain_name(const char *name, size_t len)
{
	const char *end = name + len;

	for (const char *dot = name; (dot = memchr(dot, '.', (size_t)(end - dot))); dot++) {
		const char *part = dot + 1;
		bool all = dot > name, first = true;

		/* Everything from here on must be of that kind. */
		while (all) {
			const char *next = memchr(part, '.', (size_t)(end - part));
			size_t n = (size_t)((next ? next : end) - part);

			all = is_appended(part, n, first);
			first = false;
			if (!next)
				break;
			part = next + 1;
		}
		if (all)
			return (size_t)(dot - name);
	}
	return len;
}

static void add_le64(struct sm_buf *b, uint64_t v)
{
	if (sm_host_big_endian())
		v = __builtin_bswap64(v);
	sm_buf_add(b, &v, sizeof(v));
}

/* With the NUL. */
static void add_string(struct sm_buf *b, const char *s)
{
	sm_buf_add(b, s, strlen(s) + 1);
}

/* What sm_stack_key() hashes; false without a symbol. */
static bool describe_exactly(struct identities *all, const struct sm_symbols *syms, uint64_t ip)
{
	struct frame_parts parts;

	sm_frame_parts(syms, ip, &parts);
	add_string(&all->text, parts.name);
	add_le64(&all->text, parts.number);
	if (parts.owner)
		add_string(&all->text, parts.owner);
	return parts.owner != NULL;
}

/* Without offset and build. */
static bool describe(struct identities *all, const struct sm_symbols *syms, uint64_t ip)
{
	struct sm_symbol sym;

	sm_buf_reset(&all->text);
	if (all->match == SM_MATCH_EXACT)
		return describe_exactly(all, syms, ip);
	if (!syms || !sm_symbols_find_caller(syms, ip, &sym)) {
		add_string(&all->text, "?");
		add_le64(&all->text, sm_symbols_shown_address(syms, ip));
		return false;
	}
	sm_buf_add(&all->text, sym.name, sm_plain_name(sym.name, strlen(sym.name)));
	sm_buf_addc(&all->text, '\0');
	add_string(&all->text, sym.module ? sym.module : "");
	return true;
}

/* As --ignore sees the frame. */
static size_t match(struct identities *all, const struct sm_symbols *syms, uint64_t ip)
{
	struct sm_symbol sym;

	if (!all->suppressions)
		return SIZE_MAX;
	sm_buf_reset(&all->name);
	if (ip == SM_TRAMPOLINE) {
		sm_buf_adds(&all->name, "[FTRACE TRAMPOLINE]");
	} else if (syms && sm_symbols_find_caller(syms, ip, &sym)) {
		sm_buf_adds(&all->name, sym.name);
		if (sym.module)
			sm_buf_addf(&all->name, " [%s]", sym.module);
	} else {
		sm_buf_addf(&all->name, "0x%llx",
			(unsigned long long)sm_symbols_shown_address(syms, ip));
	}
	if (all->name.failed)
		return SIZE_MAX;
	return sm_suppressions_match(all->suppressions, all->name.data, all->used);
}

static uint32_t number_of(struct identities *all, struct address_numbers *numbers, uint64_t ip)
{
	bool named = describe(all, numbers->syms, ip);
	size_t known = all->texts.n;
	struct identity *item;
	uint32_t number;

	if (all->text.failed)
		return NO_IDENTITY;
	number = sm_strings_add(&all->texts, all->text.data, all->text.len);
	if (number == SM_NO_STRING ||
		!sm_grow(&all->items, &all->cap, (size_t)number + 1, sizeof(*all->items)))
		return NO_IDENTITY;
	numbers->unresolved += !named && ip != SM_TRAMPOLINE;
	item = &all->items[number];
	if (number < known)
		return number;
	item->hash = sm_fnv(SM_FNV_INIT, all->text.data, all->text.len);
	item->suppression = match(all, numbers->syms, ip);
	return all->name.failed ? NO_IDENTITY : number;
}

static inline size_t home_of(uint64_t ip, size_t nslots)
{
	return (size_t)((ip * UINT64_C(0x9e3779b97f4a7c15)) >> 20) & (nslots - 1);
}

static bool grow(struct address_numbers *numbers)
{
	size_t nslots = numbers->nslots ? numbers->nslots * 2 : FIRST_SLOTS;
	struct address_slot *slots = calloc(nslots, sizeof(*slots));

	if (!slots)
		return false;
	sm_huge_hint(slots, nslots * sizeof(*slots));
	for (size_t i = 0; i < numbers->nslots; i++) {
		size_t at = home_of(numbers->slots[i].ip, nslots);

		if (!numbers->slots[i].number_plus_1)
			continue;
		while (slots[at].number_plus_1)
			at = (at + 1) & (nslots - 1);
		slots[at] = numbers->slots[i];
	}
	free(numbers->slots);
	numbers->slots = slots;
	numbers->nslots = nslots;
	return true;
}

/* NO_IDENTITY when memory is short. */
static uint32_t identity_of(struct identities *all, struct address_numbers *numbers, uint64_t ip)
{
	uint32_t number;
	size_t i;

	for (i = home_of(ip, numbers->nslots); numbers->slots[i].number_plus_1;
		i = (i + 1) & (numbers->nslots - 1))
		if (numbers->slots[i].ip == ip)
			return numbers->slots[i].number_plus_1 - 1;
	number = number_of(all, numbers, ip);
	if (number == NO_IDENTITY)
		return NO_IDENTITY;
	numbers->slots[i] = (struct address_slot){.ip = ip, .number_plus_1 = number + 1};
	numbers->n++;
	return number;
}

bool sm_identities_of(struct identities *all, struct address_numbers *numbers, const uint64_t *ips,
	uint32_t depth, uint32_t *found)
{
	while ((numbers->n + depth) * 2 >= numbers->nslots)
		if (!grow(numbers))
			return false;
	/* Each is a miss of its own in a large table: they may as well be under way together. */
	for (uint32_t i = 0; i < depth; i++)
		__builtin_prefetch(&numbers->slots[home_of(ips[i], numbers->nslots)]);
	for (uint32_t i = 0; i < depth; i++) {
		found[i] = identity_of(all, numbers, ips[i]);
		if (found[i] == NO_IDENTITY)
			return false;
	}
	return true;
}

void sm_identities_release(struct identities *all)
{
	sm_strings_release(&all->texts);
	free(all->items);
	sm_buf_release(&all->text);
	sm_buf_release(&all->name);
}
