/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "preparation.h"

/* Distinct addresses that tell a slide: more don't make it surer. */
#define ENOUGH_FOR_SLIDE 1000

void preparation_init(struct preparation *p, const struct sm_symbols *syms, bool lines)
{
	struct sm_symbols_facts facts = {0};

	*p = (struct preparation){.syms = syms};
	if (syms)
		sm_symbols_facts(syms, &facts);
	if (!facts.vmlinux)
		return;
	if (lines)
		p->limit = SIZE_MAX;
	else if (facts.slide_from == SM_SLIDE_UNKNOWN)
		p->limit = ENOUGH_FOR_SLIDE;
}

bool preparation_add(struct preparation *p, const uint64_t *ips, uint32_t depth)
{
	if (p->failed || p->addresses.n >= p->limit)
		return false;
	if (!sm_addresses_add(&p->addresses, ips, depth))
		p->failed = true;
	return !p->failed;
}

struct sm_error *preparation_finish(struct preparation *p)
{
	struct sm_error *err = NULL;

	if (p->failed)
		err = sm_error_nomem();
	else if (p->addresses.n)
		err = sm_symbols_prepare(
			p->syms, p->addresses.items, p->addresses.n, SM_ADDRESS_RETURN);
	sm_addresses_release(&p->addresses);
	if (!err || err->code == SM_E_NOMEM)
		return err;
	sm_error_free(err);
	return NULL;
}
