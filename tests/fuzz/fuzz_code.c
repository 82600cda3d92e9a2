/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An ELF file whose code is looked at: is any place the end of a call, at which slide do a few
 * addresses follow calls, what does it look like around. The sum of instructions must cover what
 * was asked for.
 */
#include <stdlib.h>

#include "lib/symbol/disasm.h"

/* Places that are tried in each section */
#define PLACES 32

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct cover {
	uint64_t first, next;
	bool any;
};

static void cover(void *ctx, const struct disasm_insn *insn)
{
	struct cover *c = ctx;

	if (!insn->len || (c->any && insn->addr != c->next))
		abort();
	if (!c->any)
		c->first = insn->addr;
	c->any = true;
	c->next = insn->addr + insn->len;
	/* Reads all. */
	if ((insn->text && !strlen(insn->text)) || (insn->symbol && !strlen(insn->symbol)))
		abort();
	for (unsigned i = 0; i < insn->len; i++)
		c->first ^= (uint64_t)(insn->bytes[i] & 0) << i;
}

static void look(struct object *obj, struct disasm *d, const struct object_section *s,
	uint64_t start, uint64_t addr)
{
	struct disasm_place place = {
		.start = start, .end = s->addr + s->size, .addr = addr, .before = 8, .after = 8};
	struct cover c = {0};

	sm_error_free(sm_disasm_around(d, &place, cover, &c));
	if (c.any && (c.first < start || c.first > addr || c.next < addr))
		abort();
	/* Sections may overlap, and the byte before may be another's. */
	if (sm_disasm_call_site(d, start, addr) == CALL_UNKNOWN && c.any && addr > start &&
		sm_object_section_at(obj, addr - 1) == sm_object_section_at(obj, start))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint64_t ips[PLACES * 4];
	size_t n = 0, sections = 0;
	struct call_score score;
	struct object *obj;
	struct disasm *d;
	bool found;
	struct sm_error *err = sm_object_from_memory("fuzz", data, size, NULL, &obj);

	if (err) {
		sm_error_free(err);
		return 0;
	}
	err = sm_disasm_open(obj, &d);
	for (size_t i = 0; i < obj->nsections && !err && sections < 16; i++) {
		const struct object_section *s = &obj->sections[i];

		if (!(s->flags & SHF_EXECINSTR))
			continue;
		sections++;
		for (uint64_t at = 0; at < PLACES && at <= s->size; at++) {
			uint64_t addr = s->addr + (s->size < PLACES ? at : at * (s->size / PLACES));

			sm_call_site(obj, addr);
			look(obj, d, s, s->addr, addr);
			look(obj, d, s, addr - (at < 9 ? at : 9), addr);
			if (n < SM_ARRAY_SIZE(ips))
				ips[n++] = addr + (at & 3) * 0x200000;
		}
	}
	sm_error_free(err);
	err = sm_slide_infer(obj, ips, n, &score, &found);
	if (!err &&
		(score.follow > n || score.second > score.follow || (found && score.follow < 3)))
		abort();
	sm_error_free(err);
	sm_disasm_close(d);
	sm_object_free(obj);
	return 0;
}
