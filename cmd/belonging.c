/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "belonging.h"

#include <stdlib.h>

#include <smtool/view.h>

/* Distinct ones: a kernel has fewer call sites. */
#define MAX_ADDRESSES 1000000

struct owned {
	uint64_t ip;
	const char *module;
};

static int compare(const void *a, const void *b)
{
	const struct owned *x = a, *y = b;
	int order;

	if (!x->module || !y->module)
		order = (x->module != NULL) - (y->module != NULL);
	else
		order = x->module == y->module ? 0 : strcmp(x->module, y->module);
	if (order)
		return order;
	return x->ip < y->ip ? -1 : x->ip > y->ip;
}

static bool same_owner(const struct owned *a, const struct owned *b)
{
	return a->module == b->module || (a->module && b->module && !strcmp(a->module, b->module));
}

static struct sm_error *add_part(struct belonging *b, const struct sm_symbols *syms,
	const char *module, const uint64_t *ips, size_t n)
{
	struct belonging_part part = {.module = module};

	if (!sm_grow(&b->parts, &b->cap, b->n + 1, sizeof(*b->parts)))
		return sm_error_nomem();
	sm_symbols_verify(syms, module, ips, n, &part.sites);
	/* Where the slide is wrong, most don't lie in the file at all: no call is before these. */
	if (!module)
		part.sites.checked = n - part.sites.unchecked;
	b->parts[b->n++] = part;
	return NULL;
}

/* One part for each run of addresses with the same owner. */
static struct sm_error *add_parts(
	struct belonging *b, const struct sm_symbols *syms, const struct owned *owned, size_t n)
{
	uint64_t *ips = malloc((n + 1) * sizeof(*ips));
	struct sm_error *err = ips ? NULL : sm_error_nomem();

	for (size_t from = 0, to; from < n && !err; from = to) {
		for (to = from; to < n && same_owner(&owned[from], &owned[to]); to++)
			ips[to - from] = owned[to].ip;
		err = add_part(b, syms, owned[from].module, ips, to - from);
	}
	free(ips);
	return err;
}

static void find_paths(
	struct belonging *b, const struct sm_symbols *syms, const struct sm_symbols_facts *facts)
{
	const char *path, *name;

	for (size_t k = 0; k < b->n; k++)
		if (!b->parts[k].module)
			b->parts[k].path = facts->vmlinux;
	for (size_t i = 0; (name = sm_symbols_module(syms, i, &path)); i++)
		for (size_t k = 0; k < b->n; k++)
			if (b->parts[k].module && !strcmp(b->parts[k].module, name))
				b->parts[k].path = path;
}

struct sm_error *belonging_count(
	struct belonging *b, const struct sm_trace *trace, const struct sm_symbols *syms)
{
	uint32_t nstacks = sm_stacks_count(trace->stacks);
	struct sm_symbols_facts facts;
	struct owned *owned;
	struct sm_error *err;
	size_t n = 0;

	sm_symbols_facts(syms, &facts);
	if (!facts.vmlinux)
		return NULL;
	for (uint32_t i = 0; i < nstacks && b->addresses.n < MAX_ADDRESSES; i++) {
		struct sm_stack s = sm_stacks_get(trace->stacks, i);

		if (!sm_addresses_add(&b->addresses, s.ips, s.depth))
			return sm_error_nomem();
	}
	/* A few are enough for the slide, and of most nobody asks for the lines. */
	if (facts.slide_from == SM_SLIDE_UNKNOWN && b->addresses.n) {
		size_t few = b->addresses.n < 1000 ? b->addresses.n : 1000;

		err = sm_symbols_prepare(syms, b->addresses.items, few, SM_ADDRESS_RETURN);
		if (err)
			return err;
	}
	sm_symbols_facts(syms, &facts);
	if (facts.slide_from == SM_SLIDE_UNKNOWN)
		return NULL;
	owned = malloc((b->addresses.n + 1) * sizeof(*owned));
	if (!owned)
		return sm_error_nomem();
	for (size_t i = 0; i < b->addresses.n; i++) {
		uint64_t ip = b->addresses.items[i];
		struct sm_symbol sym;

		if (sm_symbols_find_caller(syms, ip, &sym))
			owned[n++] = (struct owned){ip, sym.module};
	}
	if (n)
		qsort(owned, n, sizeof(*owned), compare);
	err = add_parts(b, syms, owned, n);
	free(owned);
	find_paths(b, syms, &facts);
	return err;
}

void belonging_release(struct belonging *b)
{
	sm_addresses_release(&b->addresses);
	free(b->parts);
	*b = (struct belonging){0};
}

void belonging_add_share(const struct sm_call_sites *sites, struct sm_buf *buf)
{
	sm_human_count(sites->follow, buf);
	sm_buf_adds(buf, " of ");
	sm_human_count(sites->checked, buf);
}

void belonging_add_slide(uint64_t slide, struct sm_buf *buf)
{
	bool negative = (int64_t)slide < 0;

	sm_buf_addf(buf, "%s0x%llx", negative ? "-" : "",
		(unsigned long long)(negative ? 0 - slide : slide));
}
