/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <smtool/symbol.h>

/* Distinct addresses that tell a slide: more don't make it surer. */
#define ENOUGH_FOR_SLIDE 1000

void sm_preparation_init(struct sm_preparation *p, const struct sm_symbols *syms, bool lines)
{
	struct sm_symbols_facts facts = {0};

	*p = (struct sm_preparation){.syms = syms};
	if (syms)
		sm_symbols_facts(syms, &facts);
	if (!facts.vmlinux)
		return;
	if (lines)
		p->limit = SIZE_MAX;
	else if (facts.slide_from == SM_SLIDE_UNKNOWN)
		p->limit = ENOUGH_FOR_SLIDE;
}

bool sm_preparation_add(struct sm_preparation *p, const uint64_t *ips, uint32_t depth)
{
	if (p->failed || p->addresses.n >= p->limit)
		return false;
	for (uint32_t i = 0; i < depth && !p->failed; i++) {
		uint64_t ip = sm_symbols_real(p->syms, ips[i]);

		p->failed = !sm_addresses_add(&p->addresses, &ip, 1);
	}
	return !p->failed;
}

struct sm_error *sm_preparation_finish(struct sm_preparation *p)
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
