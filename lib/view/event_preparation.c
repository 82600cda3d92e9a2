/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stacks come to light while events are read: the new ones of each batch are prepared at once. */
#include <stdlib.h>

#include "dump.h"

struct event_preparation {
	struct sm_addresses addresses;
	size_t done;   /* of them */
	uint8_t *seen; /* a bit for each stack of the trace */
	size_t nseen;
};

struct event_preparation *event_preparation_new(const struct sm_symbols *syms)
{
	struct sm_symbols_facts facts = {0};

	if (syms)
		sm_symbols_facts(syms, &facts);
	return facts.vmlinux ? calloc(1, sizeof(struct event_preparation)) : NULL;
}

void event_preparation_free(struct event_preparation *p)
{
	if (!p)
		return;
	sm_addresses_release(&p->addresses);
	free(p->seen);
	free(p);
}

void sm_event_announce(struct sm_event_writer *w, const struct sm_event *ev)
{
	struct event_preparation *p = w->preparation;
	struct sm_stack stack;
	size_t old;

	if (!p || ev->stack > SM_STACK_MAX)
		return;
	old = p->nseen;
	if (ev->stack / 8 >= old) {
		if (!sm_grow(&p->seen, &p->nseen, ev->stack / 8 + 1, 1)) {
			dump_no_memory(w->out);
			return;
		}
		memset(p->seen + old, 0, p->nseen - old);
	}
	if (p->seen[ev->stack / 8] & 1u << ev->stack % 8)
		return;
	p->seen[ev->stack / 8] |= (uint8_t)(1u << ev->stack % 8);
	stack = sm_stacks_get(w->trace->stacks, ev->stack);
	for (uint32_t i = 0; i < stack.depth; i++) {
		uint64_t ip = sm_symbols_real(w->syms, stack.ips[i]);

		if (!sm_addresses_add(&p->addresses, &ip, 1))
			dump_no_memory(w->out);
	}
}

void sm_event_prepare(struct sm_event_writer *w)
{
	struct event_preparation *p = w->preparation;
	struct sm_error *err;

	if (!p || p->done == p->addresses.n)
		return;
	err = sm_symbols_prepare(
		w->syms, p->addresses.items + p->done, p->addresses.n - p->done, SM_ADDRESS_RETURN);
	p->done = p->addresses.n;
	if (err && err->code == SM_E_NOMEM)
		dump_no_memory(w->out);
	sm_error_free(err);
}
