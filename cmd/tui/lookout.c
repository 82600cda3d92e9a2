/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>

#include "lookout.h"

int lookout_compile(regex_t *expression, const char *text)
{
	return regcomp(expression, text, REG_EXTENDED | REG_NOSUB | REG_ICASE);
}

size_t lookout_find(size_t n, size_t from, bool forward, bool from_here,
	bool (*matches)(void *ctx, size_t row), void *ctx)
{
	for (size_t i = from_here ? 0 : 1; i < n + !from_here; i++) {
		size_t row = (forward ? from + i : from + 2 * n - i) % n;

		if (matches(ctx, row))
			return row;
	}
	return SIZE_MAX;
}

/* What was found of an address: most are met again and again. */
struct lookout_memo {
	const struct sm_symbols *syms;
	uint64_t ip;
	bool known, matches;
};
#define MEMOS 65536

bool lookout_open(struct lookout *l, const char *expression)
{
	*l = (struct lookout){.memos = calloc(MEMOS, sizeof(*l->memos))};
	if (l->memos && lookout_compile(&l->expression, expression) == 0)
		return true;
	free(l->memos);
	return false;
}

static bool frame_matches(struct lookout *l, const struct sm_symbols *syms, uint64_t ip)
{
	struct lookout_memo *m = &l->memos[sm_hash(&ip, sizeof(ip), 0) % MEMOS];
	struct sm_symbol sym;

	if (m->known && m->ip == ip && m->syms == syms)
		return m->matches;
	sm_buf_reset(&l->text);
	if (syms && sm_symbols_find_caller(syms, ip, &sym)) {
		sm_buf_adds(&l->text, sym.name);
		if (sym.module)
			sm_buf_addf(&l->text, " [%s]", sym.module);
	} else {
		sm_buf_addf(&l->text, "0x%llx", (unsigned long long)ip);
	}
	*m = (struct lookout_memo){.syms = syms, .ip = ip, .known = true};
	m->matches = !l->text.failed && l->text.len &&
		     !regexec(&l->expression, l->text.data, 0, NULL, 0);
	return m->matches;
}

bool lookout_matches(struct lookout *l, const struct sm_symbols *syms, const char *label,
	const uint64_t *ips, uint32_t depth)
{
	if (label)
		return !regexec(&l->expression, label, 0, NULL, 0);
	for (uint32_t i = 0; i < depth; i++)
		if (frame_matches(l, syms, ips[i]))
			return true;
	return false;
}

void lookout_close(struct lookout *l)
{
	regfree(&l->expression);
	sm_buf_release(&l->text);
	free(l->memos);
}
