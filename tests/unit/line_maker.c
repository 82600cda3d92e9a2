/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "line_maker.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

void line_maker_init(struct line_maker *m, unsigned version)
{
	*m = (struct line_maker){
		.version = version,
		.offset_size = 4,
		.addr_size = 8,
		.min_insn = 1,
		.max_ops = 1,
		.line_base = -5,
		.line_range = 14,
		.opcode_base = 13,
	};
}

void line_maker_release(struct line_maker *m)
{
	sm_buf_release(&m->b);
}

static void put(struct line_maker *m, uint8_t *at, uint64_t v, unsigned size)
{
	bool big = m->swap != sm_host_big_endian();

	for (unsigned i = 0; i < size; i++)
		at[big ? size - 1 - i : i] = (uint8_t)(v >> 8 * i);
}

void line_u(struct line_maker *m, uint64_t v, unsigned size)
{
	uint8_t bytes[8];

	put(m, bytes, v, size);
	sm_buf_add(&m->b, bytes, size);
}

void line_u8(struct line_maker *m, unsigned v)
{
	line_u(m, v, 1);
}

void line_uleb(struct line_maker *m, uint64_t v)
{
	do {
		line_u8(m, (v & 0x7f) | (v > 0x7f ? 0x80u : 0u));
		v >>= 7;
	} while (v);
}

void line_sleb(struct line_maker *m, int64_t v)
{
	bool more;

	do {
		uint8_t byte = v & 0x7f;

		v >>= 7;
		more = !((v == 0 && !(byte & 0x40)) || (v == -1 && (byte & 0x40)));
		line_u8(m, byte | (more ? 0x80u : 0u));
	} while (more);
}

void line_str(struct line_maker *m, const char *s)
{
	sm_buf_add(&m->b, s, strlen(s) + 1);
}

void line_header(struct line_maker *m)
{
	static const uint8_t standard[] = {0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1};

	if (m->offset_size == 8)
		line_u(m, UINT32_MAX, 4);
	line_u(m, 0, m->offset_size);
	m->length_at = m->b.len;
	line_u(m, m->version, 2);
	if (m->version >= 5) {
		line_u8(m, m->addr_size);
		line_u8(m, 0);
	}
	line_u(m, 0, m->offset_size);
	m->header_at = m->b.len;
	line_u8(m, m->min_insn);
	if (m->version >= 4)
		line_u8(m, m->max_ops);
	line_u8(m, 1);
	line_u8(m, (uint8_t)m->line_base);
	line_u8(m, m->line_range);
	line_u8(m, m->opcode_base);
	for (unsigned i = 0; i + 1 < m->opcode_base; i++)
		line_u8(m, m->operands ? m->operands[i] : i < sizeof(standard) ? standard[i] : 1);
}

void line_tables(struct line_maker *m)
{
	if (m->version < 5) {
		line_str(m, "inc");
		line_str(m, "");
		line_str(m, "a.c");
		line_uleb(m, 0); /* directory, time, size */
		line_uleb(m, 0);
		line_uleb(m, 0);
		line_str(m, "b.h");
		line_uleb(m, 1);
		line_uleb(m, 300);
		line_uleb(m, 0);
		line_u8(m, 0);
		return;
	}
	line_u8(m, 1);
	line_uleb(m, 1); /* path, string */
	line_uleb(m, 8);
	line_uleb(m, 2);
	line_str(m, "/src");
	line_str(m, "inc");
	line_u8(m, 2);
	line_uleb(m, 1);
	line_uleb(m, 8);
	line_uleb(m, 2); /* directory, udata */
	line_uleb(m, 0xf);
	line_uleb(m, 3);
	line_str(m, "a.c");
	line_uleb(m, 0);
	line_str(m, "a.c");
	line_uleb(m, 0);
	line_str(m, "b.h");
	line_uleb(m, 1);
}

void line_program(struct line_maker *m)
{
	uint64_t len = m->b.len - m->header_at + (uint64_t)m->header_lie;

	put(m, (uint8_t *)m->b.data + m->header_at - m->offset_size, len, m->offset_size);
}

void line_begin(struct line_maker *m)
{
	line_header(m);
	line_tables(m);
	line_program(m);
}

void line_special(struct line_maker *m, unsigned operations, int line)
{
	unsigned opcode =
		m->opcode_base + operations * m->line_range + (unsigned)(line - m->line_base);

	assert_in_range(opcode, m->opcode_base, 255);
	line_u8(m, opcode);
}

void line_extended(struct line_maker *m, unsigned opcode, uint64_t operands_len)
{
	line_u8(m, 0);
	line_uleb(m, operands_len + 1);
	line_u8(m, opcode);
}

void line_set_address(struct line_maker *m, uint64_t addr)
{
	line_extended(m, 2, m->addr_size);
	line_u(m, addr, m->addr_size);
}

void line_advance_pc(struct line_maker *m, uint64_t operations)
{
	line_u8(m, 2);
	line_uleb(m, operations);
}

void line_advance_line(struct line_maker *m, int64_t lines)
{
	line_u8(m, 3);
	line_sleb(m, lines);
}

void line_set_file(struct line_maker *m, uint64_t file)
{
	line_u8(m, 4);
	line_uleb(m, file);
}

void line_copy(struct line_maker *m)
{
	line_u8(m, 1);
}

void line_end_sequence(struct line_maker *m)
{
	line_extended(m, 1, 0);
}

void line_end(struct line_maker *m)
{
	uint64_t len = m->b.len - m->length_at + (uint64_t)m->length_lie;

	assert_false(m->b.failed);
	put(m, (uint8_t *)m->b.data + m->length_at - m->offset_size, len, m->offset_size);
}

void line_reader_init(struct line_reader *r, const struct line_maker *m)
{
	memset(r, 0, sizeof(*r));
	r->line = malloc(m->b.len);
	assert_non_null(r->line);
	memcpy(r->line, m->b.data, m->b.len);
	r->dwarf.main.swap = m->swap;
	r->dwarf.main.line = (struct dwarf_section){r->line, m->b.len};
	r->dwarf.units = &r->unit;
	r->dwarf.nunits = 1;
	r->dwarf.priv = &r->priv;
	r->priv.has_root = true;
	r->unit.file = &r->dwarf.main;
	r->unit.version = (uint16_t)m->version;
	r->unit.addr_size = (uint8_t)m->addr_size;
	r->unit.offset_size = 4;
	r->unit.loaded = r->unit.has_line = true;
	r->unit.comp_dir = "/src";
}

void line_reader_release(struct line_reader *r)
{
	free(r->line);
}

const char *line_rows(struct line_reader *r, const uint64_t *wanted, size_t n)
{
	static struct sm_buf text;
	struct dwarf_rows rows = {0};
	struct sm_error *err = sm_dwarf_rows(&r->dwarf, 0, wanted, n, &rows);

	sm_buf_reset(&text);
	sm_buf_adds(&text, "");
	for (size_t i = 0; i < rows.n; i++) {
		const struct dwarf_row *row = &rows.rows[i];

		if (i)
			assert_true(row->addr > row[-1].addr);
		sm_buf_addf(&text, i ? ", %llx " : "%llx ", (unsigned long long)row->addr);
		if (row->file == DWARF_NONE)
			sm_buf_adds(&text, "-");
		else
			sm_buf_addf(&text, "%u:%u", row->file, row->line);
	}
	if (err) {
		assert_int_equal(err->code, SM_E_FORMAT);
		sm_buf_addf(&text, "; %s", err->detail);
	}
	sm_error_free(err);
	sm_dwarf_rows_release(&rows);
	return text.data;
}

const char *line_file(struct line_reader *r, uint32_t file)
{
	static struct sm_buf text;

	sm_buf_reset(&text);
	if (!sm_dwarf_file(&r->dwarf, 0, file, &text)) {
		assert_int_equal(text.len, 0);
		sm_buf_adds(&text, "?");
	}
	return text.data;
}
