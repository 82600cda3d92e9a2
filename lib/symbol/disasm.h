/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Machine code of an object as text, by capstone 4 or 5. It is what the file has: where the running
 * kernel patches itself (alternatives, static calls, paravirt, ftrace), memory differs.
 */
#ifndef SMTOOL_SYMBOL_DISASM_H
#define SMTOOL_SYMBOL_DISASM_H

#include "call_site.h"

struct disasm;

/* Only a lack of memory and a machine that can't be decoded (SM_E_UNSUPPORTED) are errors. The
 * object must outlive it. One thread at a time. */
struct sm_error *sm_disasm_open(struct object *obj, struct disasm **d) SM_MUST_CHECK;
void sm_disasm_close(struct disasm *d);

/* The function, and the place in it, as image addresses. */
struct disasm_place {
	uint64_t start, end; /* half-open; `end` is cut to that of the section */
	uint64_t addr;       /* of an instruction, or `end` */
	/* At most so many instructions that end at or before `addr`, and so many from it on. Where
	 * a call became shorter at run time (call_site.h), `addr` lies within what the file has:
	 * that is the last one before. */
	unsigned before, after;
	/* Of the addresses that the text has: NULL = image addresses. A relocatable object's
	 * sections have a base each, so this is asked for each address. */
	uint64_t (*run_time)(void *ctx, uint64_t addr);
	void *ctx;
};

struct disasm_insn {
	uint64_t addr; /* image address */
	const uint8_t *bytes;
	unsigned len;
	/* Mnemonic and operands: AT&T's on x86-64, as the kernel's own tools have them. NULL =
	 * bytes that are no instruction, or none that capstone knows: mostly one each on x86-64,
	 * four on arm64. */
	const char *text;
	bool call;       /* a call, direct or not */
	bool has_target; /* a direct call or jump, and where it goes is known: */
	uint64_t target; /* image address */
	/* In a relocatable object, what the relocation of an operand names: "name", "name+0x10",
	 * or "?" where it has no name; NULL = there is none. The text has zeros there, but for a
	 * direct call or jump, where it has this or, once it `has_target`, the address. */
	const char *symbol;
};

/*
 * Calls emit() for instructions around a place, in the order of addresses; what it gets lives for
 * the call only. x86-64's instructions are decoded from the function's start (at most DISASM_REACH
 * before `addr`); where that doesn't meet `addr`, the last bytes before it are decoded so that they
 * do, with the call that ends there if there is one. SM_E_MISSING where no code is at hand, or
 * `addr` isn't in [start, end].
 */
struct sm_error *sm_disasm_around(struct disasm *d, const struct disasm_place *place,
	void (*emit)(void *ctx, const struct disasm_insn *insn), void *ctx) SM_MUST_CHECK;

#define DISASM_REACH (UINT64_C(256) << 10)

/* As sm_call_site(), but what passes there must be a call in the instructions from the function's
 * `start` on: none passes by chance. Costs some 100 times as much. */
enum call_site sm_disasm_call_site(struct disasm *d, uint64_t start, uint64_t addr);

#endif
