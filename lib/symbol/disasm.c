/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Instructions around an address, by capstone. */
#include "disasm.h"
#include "operand.h"

#include <capstone/capstone.h>
#include <stdlib.h>

/* Of x86. */
#define INSN_MAX 15

/* An instruction, from the start of the section, or bytes that are none. */
struct boundary {
	uint64_t offset;
	uint8_t len;
	bool bad;
};

struct disasm {
	struct object *obj;
	csh handle;
	cs_insn *insn;
	bool x86;
	/* The section that was last looked at, its bytes up to the end of the function. */
	const struct object_section *section;
	const uint8_t *data;
	size_t len;
	struct operands operands; /* of `operands_of`, NULL = none were read */
	const struct object_section *operands_of;
	struct boundary *bounds; /* before the address, in order */
	size_t nbounds, cap;
	struct sm_buf text, symbol;
};

struct sm_error *sm_disasm_open(struct object *obj, struct disasm **out)
{
	bool x86 = obj->machine == EM_X86_64;
	struct disasm *d;
	cs_err err;

	*out = NULL;
	if (!sm_call_site_machine(obj))
		return sm_error_new(SM_E_UNSUPPORTED, obj->path, "machine code of another kind",
			"ELF machine %u; x86-64 and arm64 are disassembled", obj->machine);
	d = calloc(1, sizeof(*d));
	if (!d)
		return sm_error_nomem();
	d->obj = obj;
	d->x86 = x86;
	/* Big-endian arm64 has little-endian instructions. */
	err = cs_open(x86 ? CS_ARCH_X86 : CS_ARCH_ARM64, x86 ? CS_MODE_64 : CS_MODE_LITTLE_ENDIAN,
		&d->handle);
	if (err != CS_ERR_OK) {
		free(d);
		if (err == CS_ERR_MEM)
			return sm_error_nomem();
		return sm_error_new(SM_E_UNSUPPORTED, obj->path, "cannot disassemble",
			"capstone: %s", cs_strerror(err));
	}
	/* A library without it has Intel's. */
	if (x86)
		cs_option(d->handle, CS_OPT_SYNTAX, CS_OPT_SYNTAX_ATT);
	cs_option(d->handle, CS_OPT_DETAIL, CS_OPT_ON);
	d->insn = cs_malloc(d->handle);
	if (!d->insn) {
		sm_disasm_close(d);
		return sm_error_nomem();
	}
	*out = d;
	return NULL;
}

void sm_disasm_close(struct disasm *d)
{
	if (!d)
		return;
	if (d->insn)
		cs_free(d->insn, 1);
	cs_close(&d->handle);
	sm_operands_release(&d->operands);
	free(d->bounds);
	sm_buf_release(&d->text);
	sm_buf_release(&d->symbol);
	free(d);
}

static uint32_t little32(const uint8_t *p)
{
	return sm_load32(p, sm_host_big_endian());
}

/* Decodes into d->insn, as if it were at `addr`. Returns the length, 0 where it is none. */
static unsigned decode(struct disasm *d, uint64_t offset, uint64_t end, uint64_t addr)
{
	const uint8_t *code = d->data + offset;
	size_t left = (size_t)(end - offset);

	if (!d->x86 && (left < 4 || (d->section->addr + offset) % 4))
		return 0;
	return cs_disasm_iter(d->handle, &code, &left, &addr, d->insn) ? d->insn->size : 0;
}

/* How many bytes to pass over where `decode` found nothing. Kernels have what capstone 4 hasn't
 * heard of (serialize, wrpkru, pvalidate, lkgs...): with 0F 00, 0F 01 or 0F AE and registers, of
 * which the length is known. Else the next instruction is looked for from the next byte on. */
static unsigned skip(const struct disasm *d, uint64_t offset, uint64_t end)
{
	const uint8_t *p = d->data + offset;
	uint64_t left = end - offset;
	unsigned n = 0;

	if (!d->x86)
		return left < 4 ? (unsigned)left : 4;
	if (n < left && (p[n] == 0x66 || p[n] == 0xf2 || p[n] == 0xf3))
		n++;
	if (n < left && (p[n] & 0xf0) == 0x40)
		n++;
	if (left - n >= 3 && p[n] == 0x0f &&
		(p[n + 1] == 0x00 || p[n + 1] == 0x01 || p[n + 1] == 0xae) && p[n + 2] >= 0xc0)
		return n + 3;
	return 1;
}

static bool is_call(const struct disasm *d)
{
	if (d->x86)
		return d->insn->id == X86_INS_CALL || d->insn->id == X86_INS_LCALL;
	return sm_arm64_is_call(little32(d->insn->bytes));
}

static int64_t signed_field(uint32_t insn, unsigned low, unsigned bits)
{
	return (int64_t)((uint64_t)insn << (64 - low - bits)) >> (64 - bits);
}

/* How far from the instruction's start a direct branch of arm64 goes. */
static bool arm64_branch(uint32_t insn, int64_t *distance)
{
	if ((insn & 0x7c000000) == 0x14000000) /* B, BL */
		*distance = signed_field(insn, 0, 26) * 4;
	else if ((insn & 0xff000000) == 0x54000000 || /* B.cond, BC.cond */
		 (insn & 0x7e000000) == 0x34000000)   /* CBZ, CBNZ */
		*distance = signed_field(insn, 5, 19) * 4;
	else if ((insn & 0x7e000000) == 0x36000000) /* TBZ, TBNZ */
		*distance = signed_field(insn, 5, 14) * 4;
	else
		return false;
	return true;
}

/* Of a direct branch: from its start. */
static bool find_branch(const struct disasm *d, int64_t *distance)
{
	const cs_x86 *x86;

	if (!d->x86)
		return arm64_branch(little32(d->insn->bytes), distance);
	x86 = &d->insn->detail->x86;
	if (x86->op_count != 1 || x86->operands[0].type != X86_OP_IMM ||
		(d->insn->id != X86_INS_CALL && !cs_insn_group(d->handle, d->insn, CS_GRP_JUMP) &&
			!cs_insn_group(d->handle, d->insn, CS_GRP_BRANCH_RELATIVE)))
		return false;
	*distance = (int64_t)((uint64_t)x86->operands[0].imm - d->insn->address);
	return true;
}

/* ---- where instructions begin ---- */

static struct sm_error *push(struct disasm *d, uint64_t offset, unsigned len, bool bad)
{
	if (!sm_grow(&d->bounds, &d->cap, d->nbounds + 1, sizeof(*d->bounds)))
		return sm_error_nomem();
	d->bounds[d->nbounds++] = (struct boundary){offset, (uint8_t)len, bad};
	return NULL;
}

/* Does the call at `from`, which is longer in the file, end at `to` once the kernel runs? The kinds
 * that call_site.h tells of. */
static bool is_shortened(const struct disasm *d, uint64_t from, uint64_t to)
{
	const uint8_t *p = d->data + from;
	bool shape =
		to - from == 5 ? p[0] == 0xff : to - from <= 3 && (p[0] == 0xe8 || p[0] == 0x2e);

	return d->x86 && shape && is_call(d) &&
	       sm_call_site(d->obj, d->section->addr + to) == CALL_FOUND;
}

/* From `from` on up to `to`; *at is where that ended: before `to` where the next one reaches
 * beyond, unless it becomes shorter. */
static struct sm_error *walk(
	struct disasm *d, uint64_t from, uint64_t to, uint64_t end, uint64_t *at)
{
	struct sm_error *err = NULL;

	while (from < to && !err) {
		unsigned len = decode(d, from, end, d->section->addr + from);
		unsigned step = len ? len : skip(d, from, end);

		if (step > to - from && (!len || !is_shortened(d, from, to)))
			break;
		err = push(d, from, step, !len);
		from += step;
	}
	*at = from;
	return err;
}

/* Do sound instructions from `from` on end at `to`? */
static bool meets(struct disasm *d, uint64_t from, uint64_t to, uint64_t end)
{
	while (from < to) {
		unsigned len = decode(d, from, end, d->section->addr + from);

		if (!len)
			return false;
		from += len;
	}
	return from == to;
}

/* Where the last instructions before `to` begin, which were misread from `at` on. */
static uint64_t find_tail(struct disasm *d, uint64_t from, uint64_t at, uint64_t to, uint64_t end)
{
	uint64_t low = to - from > INSN_MAX ? to - INSN_MAX : from;

	if (sm_call_site(d->obj, d->section->addr + to) == CALL_FOUND) {
		for (; low < to; low++) {
			if (decode(d, low, end, d->section->addr + low) == to - low && is_call(d))
				return low;
		}
	}
	while (++at < to) {
		if (meets(d, at, to, end))
			return at;
	}
	return to;
}

/* Fills d->bounds with what comes before `to`; *next is where what comes after begins. */
static struct sm_error *find_bounds(
	struct disasm *d, uint64_t from, uint64_t to, uint64_t end, uint64_t *next)
{
	uint64_t at, tail;
	struct sm_error *err;

	d->nbounds = 0;
	*next = to;
	if (to - from > DISASM_REACH)
		from = to - DISASM_REACH;
	err = walk(d, from, to, end, &at);
	if (err || at >= to) {
		*next = at;
		return err;
	}
	if (!d->x86)
		return push(d, at, (unsigned)(to - at), true);
	tail = find_tail(d, from, at, to, end);
	/* Back to where the tail begins or is covered */
	while (at > tail)
		at = d->bounds[--d->nbounds].offset;
	for (; at < tail && !err; at++)
		err = push(d, at, 1, true);
	return err ? err : walk(d, tail, to, end, next);
}

/* ---- what they say ---- */

static struct sm_error *read_operands(struct disasm *d)
{
	struct sm_error *err;

	if (d->operands_of == d->section)
		return NULL;
	d->operands_of = NULL;
	err = sm_operands_read(&d->operands, d->obj, d->section);
	if (!err)
		d->operands_of = d->section;
	return err;
}

/* In a relocatable object a branch's field is zero where its relocation says all, which might be
 * missing. */
static bool is_open_branch(const struct disasm *d, int64_t distance)
{
	if (d->obj->type != ET_REL)
		return false;
	return d->x86 ? d->insn->size >= 5 && !little32(d->insn->bytes + d->insn->size - 4)
		      : distance == 0;
}

static void describe(struct disasm *d, const struct disasm_place *place, uint64_t offset,
	struct disasm_insn *insn)
{
	const struct operand *operand;
	int64_t distance = 0;
	bool branch = find_branch(d, &distance);

	insn->call = is_call(d);
	operand = sm_operands_find(&d->operands, offset, insn->len);
	if (operand) {
		bool inside = sm_operand_resolve(
			d->obj, operand, offset + insn->len, &d->symbol, &insn->target);

		insn->symbol = d->symbol.data;
		insn->has_target = branch && inside;
	} else if (branch && is_open_branch(d, distance)) {
		insn->symbol = "?";
	} else if (branch) {
		insn->has_target = true;
		insn->target = insn->addr + (uint64_t)distance;
	}
	if (!insn->has_target)
		insn->target = 0;
	sm_buf_reset(&d->text);
	sm_buf_adds(&d->text, d->insn->mnemonic);
	if (branch && d->x86 && insn->has_target) {
		uint64_t target =
			place->run_time ? place->run_time(place->ctx, insn->target) : insn->target;

		sm_buf_addf(&d->text, " 0x%llx", (unsigned long long)target);
	} else if (branch && insn->symbol && d->x86) {
		sm_buf_addf(&d->text, " %s", insn->symbol);
	} else if (*d->insn->op_str) {
		sm_buf_addf(&d->text, " %s", d->insn->op_str);
	}
	insn->text = d->text.data;
}

static struct sm_error *emit_one(struct disasm *d, const struct disasm_place *place,
	const struct boundary *b, uint64_t end, unsigned *len,
	void (*emit)(void *ctx, const struct disasm_insn *insn), void *ctx)
{
	uint64_t addr = d->section->addr + b->offset;
	uint64_t shown = place->run_time ? place->run_time(place->ctx, addr) : addr;
	struct disasm_insn insn = {.addr = addr, .bytes = d->data + b->offset};

	if (!b->bad)
		insn.len = decode(d, b->offset, end, shown);
	if (insn.len) {
		describe(d, place, b->offset, &insn);
		if (d->text.failed || d->symbol.failed)
			return sm_error_nomem();
	} else {
		insn.len = b->bad ? b->len : skip(d, b->offset, end);
	}
	*len = insn.len;
	emit(ctx, &insn);
	return NULL;
}

/* Takes the section that has [start, addr]; false where there is no code at hand. */
static struct sm_error *find_code(struct disasm *d, uint64_t start, uint64_t addr, bool *found)
{
	const struct object_section *s = sm_object_section_at(d->obj, start);
	struct sm_error *err;

	*found = false;
	if (!s || !(s->flags & SHF_EXECINSTR))
		return NULL;
	d->section = s;
	err = sm_object_data(d->obj, s, &d->data, &d->len);
	*found = !err && d->data && start - s->addr < d->len && addr >= start &&
		 addr - s->addr <= d->len;
	return err;
}

struct sm_error *sm_disasm_around(struct disasm *d, const struct disasm_place *place,
	void (*emit)(void *ctx, const struct disasm_insn *insn), void *ctx)
{
	uint64_t at, end;
	unsigned len = 0;
	size_t first;
	bool found;
	struct sm_error *err = find_code(d, place->start, place->addr, &found);

	if (err)
		return err;
	if (!found || place->addr > place->end)
		return sm_error_new(SM_E_MISSING, d->obj->path, "no code at hand",
			"at 0x%llx, of a function from 0x%llx to 0x%llx",
			(unsigned long long)place->addr, (unsigned long long)place->start,
			(unsigned long long)place->end);
	end = place->end - d->section->addr;
	if (end > d->len)
		end = d->len;
	at = place->addr - d->section->addr;
	err = read_operands(d);
	if (!err)
		err = find_bounds(d, place->start - d->section->addr, at, end, &at);
	first = d->nbounds > place->before ? d->nbounds - place->before : 0;
	for (size_t i = first; i < d->nbounds && !err; i++)
		err = emit_one(d, place, &d->bounds[i], d->bounds[i].offset + d->bounds[i].len,
			&len, emit, ctx);
	for (unsigned i = 0; i < place->after && at < end && !err; i++) {
		struct boundary next = {.offset = at};

		err = emit_one(d, place, &next, end, &len, emit, ctx);
		at += len;
	}
	return err;
}

enum call_site sm_disasm_call_site(struct disasm *d, uint64_t start, uint64_t addr)
{
	enum call_site site = sm_call_site(d->obj, addr);
	uint64_t at, to;
	struct sm_error *err;
	bool found;

	/* All arm64 instructions are four bytes. */
	if (site != CALL_FOUND || !d->x86)
		return site;
	err = find_code(d, start, addr, &found);
	if (err || !found || addr - start > DISASM_REACH) {
		sm_error_free(err);
		return site;
	}
	at = start - d->section->addr;
	to = addr - d->section->addr;
	while (at < to) {
		unsigned len = decode(d, at, d->len, d->section->addr + at);

		if (len == to - at)
			return is_call(d) ? CALL_FOUND : CALL_NONE;
		if (len > to - at)
			return is_shortened(d, at, to) ? CALL_FOUND : CALL_NONE;
		at += len ? len : skip(d, at, d->len);
	}
	return CALL_NONE;
}
