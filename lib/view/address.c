/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An address on its own: its name, its places in the source, the instructions around it. */
#include <stdlib.h>

#include "places.h"

struct listing {
	const struct sm_address_style *style;
	uint64_t ip;
	bool marked; /* the one that is meant was met */
	struct sm_out *out;
	struct sm_json *json;
	struct sm_buf place, last; /* of the instruction, and of the one before it */
};

static void color(const struct sm_address_style *style, struct sm_out *out, const char *sgr)
{
	if (style->color)
		sm_out_f(out, "\033[%sm", sgr);
}

/* Which one the address is about: the call before it, where it is one to return to. */
static bool is_meant(struct listing *l, const struct sm_insn *insn)
{
	bool meant = insn->ip == l->ip;

	if (l->style->kind == SM_ADDRESS_RETURN)
		meant = insn->call || (meant && !l->marked);
	l->marked |= meant;
	return meant;
}

static void put_insn(void *ctx, const struct sm_insn *insn)
{
	struct listing *l = ctx;
	struct sm_buf swap;

	sm_buf_reset(&l->place);
	place_add(&insn->line, &l->place);
	if (l->place.len &&
		(l->place.len != l->last.len || memcmp(l->place.data, l->last.data, l->last.len))) {
		color(l->style, l->out, "36");
		sm_out_f(l->out, "    %s", l->place.data);
		color(l->style, l->out, "0");
		sm_out_char(l->out, '\n');
		swap = l->last;
		l->last = l->place;
		l->place = swap;
	}
	sm_out_f(l->out, is_meant(l, insn) ? " => %016llx  " : "    %016llx  ",
		(unsigned long long)insn->ip);
	for (unsigned i = 0; i < insn->len; i++)
		sm_out_f(l->out, "%02x ", insn->bytes[i]);
	/* Most are no longer than this. */
	sm_out_pad(l->out, ' ', insn->len < 8 ? (8 - insn->len) * 3 : 0);
	sm_out_char(l->out, ' ');
	if (insn->text)
		sm_out_visible(l->out, insn->text, strlen(insn->text));
	else
		sm_out_str(l->out, "(bad)");
	if (insn->target) {
		sm_out_str(l->out, " <");
		sm_out_visible(l->out, insn->target, strlen(insn->target));
		sm_out_char(l->out, '>');
	}
	sm_out_char(l->out, '\n');
}

static void put_listing(const struct sm_symbols *syms, uint64_t ip,
	const struct sm_address_style *style, struct sm_out *out)
{
	struct listing l = {.style = style, .ip = ip, .out = out};
	struct sm_error *err;

	err = sm_symbols_disasm(syms, ip, style->kind, style->before, style->after, put_insn, &l);
	if (err) {
		struct sm_buf why = {0};

		sm_error_format(err, &why);
		sm_out_f(out, "    (%s)\n", why.data ? why.data : "out of memory");
		sm_buf_release(&why);
		sm_error_free(err);
	}
	sm_buf_release(&l.place);
	sm_buf_release(&l.last);
}

void sm_address_text(const struct sm_symbols *syms, const struct sm_mention *mention,
	const uint64_t *ip, const struct sm_address_style *style, struct sm_out *out)
{
	const struct sm_line *lines;
	struct sm_symbol sym;
	struct sm_buf text = {0};
	size_t n;

	color(style, out, "1");
	if (!ip) {
		sm_out_visible(out, mention->text, mention->len);
		sm_out_str(out, " ??");
	} else if (*ip != SM_TRAMPOLINE && (!syms || !sm_symbols_find(syms, *ip, &sym))) {
		sm_out_f(out, "0x%llx ??", (unsigned long long)*ip);
	} else {
		frame_text(syms, *ip, &text);
		sm_out_f(out, "0x%llx %s", (unsigned long long)*ip, text.data ? text.data : "??");
		sm_buf_release(&text);
	}
	color(style, out, "0");
	sm_out_char(out, '\n');
	if (!ip || !syms)
		return;
	n = sm_symbols_lines(syms, *ip, style->kind, &lines);
	for (size_t i = 0; i < n; i++) {
		sm_buf_adds(&text, "  ");
		place_add_function(&lines[i], i + 1 < n, &text);
		sm_buf_addc(&text, '\n');
	}
	sm_out_bytes(out, text.data, text.len);
	sm_buf_release(&text);
	if (style->disasm)
		put_listing(syms, *ip, style, out);
}

static void add_insn(void *ctx, const struct sm_insn *insn)
{
	static const char DIGITS[] = "0123456789abcdef";
	struct listing *l = ctx;
	struct sm_json *j = l->json;
	char bytes[64];
	unsigned n = 0;

	for (; n < insn->len && n < sizeof(bytes) / 2; n++) {
		bytes[n * 2] = DIGITS[insn->bytes[n] >> 4];
		bytes[n * 2 + 1] = DIGITS[insn->bytes[n] & 15];
	}
	sm_json_object(j, NULL);
	sm_json_hex(j, "ip", insn->ip);
	sm_json_strn(j, "bytes", bytes, (size_t)n * 2);
	sm_json_str(j, "text", insn->text);
	sm_json_str(j, "target", insn->target);
	sm_line_json(j, "line", &insn->line);
	sm_json_bool(j, "meant", is_meant(l, insn));
	sm_json_object_end(j);
}

void sm_address_json(struct sm_json *j, const struct sm_symbols *syms, const uint64_t *ip,
	const struct sm_address_style *style)
{
	struct listing l = {.style = style, .json = j, .ip = ip ? *ip : 0};

	sm_json_object(j, NULL);
	if (ip) {
		sm_frame_json_members(j, syms, *ip, style->kind);
	} else {
		static const char *const NONE[] = {"ip", "symbol", "offset", "size", "module"};

		for (size_t i = 0; i < SM_ARRAY_SIZE(NONE); i++)
			sm_json_null(j, NONE[i]);
		sm_json_array(j, "lines");
		sm_json_array_end(j);
	}
	if (style->disasm) {
		sm_json_array(j, "disasm");
		/* Without code there are no instructions: that is the answer. */
		if (ip && syms)
			sm_error_free(sm_symbols_disasm(
				syms, *ip, style->kind, style->before, style->after, add_insn, &l));
		sm_json_array_end(j);
	}
	sm_json_object_end(j);
}
