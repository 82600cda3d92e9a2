/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls in machine code: whether an address is a return address, at which slide the most of a
 * capture's addresses are, and what that says about the file.
 */
#ifndef SMTOOL_SYMBOL_CALL_SITE_H
#define SMTOOL_SYMBOL_CALL_SITE_H

#include "object.h"

enum call_site {
	CALL_UNKNOWN, /* no code at hand, or a machine that we can't decode */
	CALL_NONE,    /* no call ends there */
	CALL_FOUND,
};

/*
 * Can a call have returned to this image address? By the bytes before it. x86-64: E8 whose target
 * lies in an executable section of the object (in a relocatable one also where the target is left
 * to a relocation), and FF /2 in all its forms. Two kinds of calls become shorter while the kernel
 * boots, with nops after them, so that the address lies within what the file has: those through a
 * pointer of paravirt (FF 15 becomes E8, a byte less), and those to a retpoline thunk, where the
 * processor needs none (E8 becomes FF /2 with a register: 2 or 3 bytes; .retpoline_sites lists
 * them). What is a nop or a jump in the file is CALL_NONE: static calls and alternatives that are
 * patched to a call, and what ftrace patches. arm64: BL, BLR and their authenticating forms.
 *
 * Of addresses at the start of an instruction that follow no call, some pass by chance; of those
 * anywhere more do. sm_disasm_call_site() decodes instead.
 */
enum call_site sm_call_site(struct object *obj, uint64_t addr);
/* The same for the byte at `offset` of an executable section, whose `data` are at hand (and one
 * past its end); the machine is one that we decode. */
bool sm_call_ends(struct object *obj, const struct object_section *section, const uint8_t *data,
	size_t len, size_t offset);
bool sm_call_site_machine(const struct object *obj);
/* An arm64 instruction that sets the link register. */
bool sm_arm64_is_call(uint32_t insn);

struct call_score {
	size_t addresses; /* distinct ones that could lie in the object */
	size_t follow;    /* of these, how many follow a call */
	size_t second;    /* how many at the next best slide */
	uint64_t slide;
};

/*
 * The slide (run time - image address) of a linked kernel at which most of the n run-time addresses
 * follow a call. Steps of 2 MiB on x86-64, 64 KiB on arm64. Addresses that fit nowhere near a
 * kernel are left out: on x86-64 all outside of the GiB that a kernel can be in (modules are), on
 * arm64 those that lie beyond the code at the best slide; PAC bits are to be removed before.
 *
 * *found says whether it is to be believed. There are 3 addresses at least, and more than a quarter
 * follow a call; by chance that many would in less than one of a thousand captures, given how dense
 * calls are in this code and how many slides were tried; and those at the next best either could by
 * chance, or are at most half as many. On arm64, where there are many slides, those at a multiple
 * of 2 MiB are weighed against each other where all together leave it open. `score` is filled in
 * any case; all zeros where there is nothing to score.
 */
struct sm_error *sm_slide_infer(struct object *obj, const uint64_t *ips, size_t n,
	struct call_score *score, bool *found) SM_MUST_CHECK;

#define CALL_VERDICT_LEAST 3

#endif
