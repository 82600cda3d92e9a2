/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The instructions around a run-time address, with names and lines. */
#include "disasm.h"
#include "symbols.h"

#include <stdlib.h>

/* Where no symbol says where the function begins. */
#define CODE_REACH 256

struct listing {
	const struct sm_symbols *syms;
	struct location where;
	uint64_t ip;
	enum sm_address kind;
	void (*emit)(void *ctx, const struct sm_insn *insn);
	void *ctx;
	struct sm_buf target;
};

static uint64_t to_run_time(void *ctx, uint64_t addr)
{
	const struct listing *l = ctx;

	return sm_address_space_run_time(l->syms->space, &l->where, addr);
}

static void name_target(struct listing *l, const struct disasm_insn *insn)
{
	struct sm_symbol sym;

	sm_buf_reset(&l->target);
	if (insn->symbol)
		sm_buf_add_visible(&l->target, insn->symbol, strlen(insn->symbol));
	if (!insn->has_target || !sm_symbols_find(l->syms, to_run_time(l, insn->target), &sym))
		return;
	sm_buf_reset(&l->target);
	sm_buf_add_visible(&l->target, sym.name, strlen(sym.name));
	if (sym.offset)
		sm_buf_addf(&l->target, "+0x%llx", (unsigned long long)sym.offset);
}

static void pass_on(void *ctx, const struct disasm_insn *insn)
{
	struct listing *l = ctx;
	const struct sm_line *lines;
	struct sm_insn out = {
		.ip = insn->addr + l->where.slide,
		.bytes = insn->bytes,
		.len = insn->len,
		.text = insn->text,
		/* One that became shorter at run time ends within what the file has. */
		.call = insn->call && insn->addr < l->where.addr &&
			l->where.addr - insn->addr <= insn->len,
	};

	name_target(l, insn);
	if (l->target.len)
		out.target = l->target.data;
	if (sm_image_lines(l->where.image, insn->addr, &lines))
		out.line = lines[0];
	l->emit(l->ctx, &out);
}

/* Where the function around begins and ends, as image addresses. */
static void find_bounds(const struct listing *l, struct disasm_place *place)
{
	const struct object_section *section =
		sm_object_section_at(sm_image_object(l->where.image), l->where.addr);
	struct sm_symbol sym;
	bool found = l->kind == SM_ADDRESS_RETURN ? sm_symbols_find_caller(l->syms, l->ip, &sym)
						  : sm_symbols_find(l->syms, l->ip, &sym);

	place->addr = l->where.addr;
	if (found && sym.size && sym.start <= l->ip && l->ip - sym.start <= sym.size) {
		place->start = l->where.addr - (l->ip - sym.start);
		place->end = place->start + sym.size;
		return;
	}
	place->start = place->end = l->where.addr;
	if (!section)
		return;
	place->start -= l->where.addr - section->addr < CODE_REACH ? l->where.addr - section->addr
								   : CODE_REACH;
	place->end += CODE_REACH;
}

struct sm_error *sm_symbols_disasm(const struct sm_symbols *syms, uint64_t ip, enum sm_address kind,
	unsigned before, unsigned after, void (*emit)(void *ctx, const struct sm_insn *insn),
	void *ctx)
{
	/* A call that is the last instruction of a section returns to the next. */
	uint64_t back = kind == SM_ADDRESS_RETURN;
	struct listing l = {.syms = syms, .kind = kind, .emit = emit, .ctx = ctx};
	struct disasm_place place = {
		.before = before, .after = after, .run_time = to_run_time, .ctx = &l};
	struct disasm *disasm = NULL;
	struct sm_error *err;

	l.ip = sm_symbols_strip(syms, ip);
	if (!syms->space || !l.ip || !sm_symbols_locate(syms, l.ip - back, &l.where))
		return sm_error_new(SM_E_MISSING, NULL, "no code",
			"no file at hand has what is at 0x%llx; --vmlinux and --modules name files",
			(unsigned long long)ip);
	l.where.addr += back;
	if (!sm_image_code(l.where.image))
		return sm_error_new(SM_E_MISSING, sm_image_object(l.where.image)->path, "no code",
			"the file has debug symbols only");
	find_bounds(&l, &place);
	err = sm_disasm_open(sm_image_code(l.where.image), &disasm);
	if (!err)
		err = sm_disasm_around(disasm, &place, pass_on, &l);
	sm_disasm_close(disasm);
	sm_buf_release(&l.target);
	return err;
}
