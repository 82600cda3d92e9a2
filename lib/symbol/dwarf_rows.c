/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Line number programs: from opcodes to rows. */
#include "dwarf_line.h"

#include <stdlib.h>

enum {
	LNS_COPY = 1,
	LNS_ADVANCE_PC,
	LNS_ADVANCE_LINE,
	LNS_SET_FILE,
	LNS_SET_COLUMN,
	LNS_NEGATE_STMT,
	LNS_SET_BASIC_BLOCK,
	LNS_CONST_ADD_PC,
	LNS_FIXED_ADVANCE_PC,
	LNS_SET_PROLOGUE_END,
	LNS_SET_EPILOGUE_BEGIN,
	LNS_SET_ISA
};
enum { LNE_END_SEQUENCE = 1, LNE_SET_ADDRESS, LNE_DEFINE_FILE, LNE_SET_DISCRIMINATOR };

/* The rows up to an end_sequence. */
struct line_sequence {
	uint64_t start, end;
	size_t first, n; /* rows; where none is left out the last is the gap at `end` */
	size_t number;   /* in the program */
};

struct line_run {
	struct line_table *t;
	struct dwarf_rows *rows;
	const uint64_t *wanted; /* NULL = no row is left out */
	size_t nwanted, iwanted;
	bool vliw; /* several instructions at an address */
	bool nomem;
	/* The registers. */
	uint64_t addr;
	uint32_t file, line, op_index;
	/* Of this sequence. */
	struct dwarf_row row; /* the last one, which a next one at its address replaces */
	bool any;             /* there is one */
	bool begun;           /* there was one since the registers were reset */
	bool discarded;       /* and where that was, there is no code */
	uint64_t next;        /* the first wanted address from `row` on */
	uint64_t start;       /* the first row's address */
	size_t first;         /* in `rows` */
	size_t nsequences;
	/* What special opcodes add. */
	struct {
		uint16_t operations;
		int32_t line;
	} special[UINT8_MAX + 1];
};

static void reset_registers(struct line_run *r)
{
	r->addr = 0;
	r->file = 1; /* also in DWARF 5, where it is the second */
	r->line = 1;
	r->op_index = 0;
	r->any = r->begun = r->discarded = false;
}

static void add_row(struct line_run *r, uint64_t addr, uint32_t file, uint32_t line)
{
	struct dwarf_rows *rows = r->rows;

	if (rows->n == rows->cap &&
		!sm_grow(&rows->rows, &rows->cap, rows->n + 1, sizeof(*rows->rows))) {
		r->nomem = true;
		return;
	}
	rows->rows[rows->n++] = (struct dwarf_row){addr, file, line};
}

/* Moves on to the first wanted address from `addr` on. */
static void seek_wanted(struct line_run *r, uint64_t addr)
{
	size_t low = r->iwanted, high = r->nwanted;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (r->wanted[middle] < addr)
			low = middle + 1;
		else
			high = middle;
	}
	r->iwanted = low;
	r->next = low < r->nwanted ? r->wanted[low] : UINT64_MAX;
}

/* The row that waited holds the addresses up to `end`; some of these are wanted. */
static void keep_row(struct line_run *r, uint64_t end)
{
	struct dwarf_rows *rows = r->rows;

	if (r->row.line > INT32_MAX)
		r->row.line = 0; /* below 0: nobody's */
	if (r->wanted && rows->n > r->first && rows->rows[rows->n - 1].addr == r->row.addr)
		rows->n--; /* the gap behind the one before */
	add_row(r, r->row.addr, r->row.file, r->row.line);
	if (r->wanted) {
		add_row(r, end, DWARF_NONE, 0);
		seek_wanted(r, end);
	}
}

/* Linkers put 0 or the largest addresses where the code was discarded; what follows may wrap. */
static bool is_discarded(const struct line_run *r, uint64_t addr)
{
	uint64_t max = r->t->unit.addr_size == 4 ? UINT32_MAX : UINT64_MAX;

	return addr == 0 || addr >= max - 1;
}

static void end_sequence(struct line_run *r, uint64_t end)
{
	struct line_table *t = r->t;
	struct dwarf_rows *rows = r->rows;

	if (!r->any)
		return;
	r->any = false;
	if (end < r->row.addr)
		end = r->row.addr; /* it went back: the row before is dropped */
	if (end > r->row.addr && (!r->wanted || r->next < end))
		keep_row(r, end);
	if (r->discarded || r->start >= end) {
		rows->n = r->first;
		return;
	}
	if (!r->wanted)
		add_row(r, end, DWARF_NONE, 0);
	if (!sm_grow(&t->sequences, &t->sequences_cap, r->nsequences + 1, sizeof(*t->sequences))) {
		r->nomem = true;
		return;
	}
	t->sequences[r->nsequences] =
		(struct line_sequence){r->start, end, r->first, rows->n - r->first, r->nsequences};
	r->nsequences++;
}

/* `addr` isn't that of the row before. */
static void next_row(struct line_run *r, uint64_t addr)
{
	/* Addresses don't go back in a sequence. Where they do, it is taken for the begin of
	 * another, and how far the row before goes is unknown. */
	if (r->any && addr < r->row.addr)
		end_sequence(r, r->row.addr);
	if (!r->any) {
		if (!r->begun)
			r->discarded = is_discarded(r, addr);
		r->any = r->begun = true;
		r->start = addr;
		r->first = r->rows->n;
		r->iwanted = 0;
		seek_wanted(r, addr);
	} else if (!r->wanted || r->next < addr) {
		keep_row(r, addr);
	}
	r->row.addr = addr;
}

static inline void emit(struct line_run *r)
{
	if (r->addr != r->row.addr || !r->any)
		next_row(r, r->addr);
	r->row.file = r->file;
	r->row.line = r->line;
}

static inline void advance(struct line_run *r, uint64_t operations)
{
	const struct line_table *t = r->t;

	if (!r->vliw) {
		r->addr += operations * t->min_insn;
		return;
	}
	operations += r->op_index;
	r->addr += operations / t->max_ops * t->min_insn;
	r->op_index = (uint32_t)(operations % t->max_ops);
}

static void prepare_special(struct line_run *r)
{
	unsigned operations = 0, line = 0;

	for (unsigned op = r->t->opcode_base; op <= UINT8_MAX; op++) {
		r->special[op].operations = (uint16_t)operations;
		r->special[op].line = r->t->line_base + (int32_t)line;
		if (++line == r->t->line_range) {
			line = 0;
			operations++;
		}
	}
}

/* What opcode 255 would add to the address. */
static unsigned const_add_pc(const struct line_table *t)
{
	return (UINT8_MAX - (unsigned)t->opcode_base) / t->line_range;
}

static struct sm_error *run_extended(struct line_run *r, struct dwarf_bytes *b)
{
	struct line_table *t = r->t;
	uint64_t len = dwarf_uleb(b);
	struct dwarf_bytes op = *b;
	bool last;

	if (b->bad || len > (uint64_t)(b->end - b->p)) {
		b->bad = true;
		return NULL;
	}
	b->p += len;
	op.end = b->p;
	if (!len)
		return NULL;
	switch (dwarf_u(&op, 1)) {
	case LNE_END_SEQUENCE:
		end_sequence(r, r->addr);
		reset_registers(r);
		return NULL;
	case LNE_SET_ADDRESS:
		r->addr = dwarf_u(&op, (unsigned)(len - 1 <= 8 ? len - 1 : 0));
		r->op_index = 0;
		b->bad = op.bad;
		return NULL;
	case LNE_DEFINE_FILE:
		if (t->unit.version < 5)
			return sm_line_entry_find(&t->files, &op, 3, &last);
		return NULL;
	default: /* a discriminator too */
		return NULL;
	}
}

static void run_standard(struct line_run *r, unsigned opcode, struct dwarf_bytes *b)
{
	uint64_t v;

	switch (opcode) {
	case LNS_COPY:
		emit(r);
		return;
	case LNS_ADVANCE_PC:
		advance(r, dwarf_uleb(b));
		return;
	case LNS_ADVANCE_LINE:
		r->line += (uint32_t)dwarf_sleb(b);
		return;
	case LNS_SET_FILE:
		v = dwarf_uleb(b);
		r->file = v < DWARF_NONE ? (uint32_t)v : DWARF_NONE - 1;
		return;
	case LNS_SET_COLUMN:
		(void)dwarf_uleb(b);
		return;
	case LNS_CONST_ADD_PC:
		advance(r, const_add_pc(r->t));
		return;
	case LNS_FIXED_ADVANCE_PC:
		r->addr += dwarf_u(b, 2);
		r->op_index = 0;
		return;
	default: /* what breakpoints need, an instruction set, and what isn't known */
		for (unsigned n = r->t->operands[opcode - 1]; n; n--)
			(void)dwarf_uleb(b);
		return;
	}
}

static struct sm_error *run_program(struct line_run *r)
{
	struct line_table *t = r->t;
	struct dwarf_bytes b = {t->program, t->end, t->unit.file->swap, false};
	struct sm_error *err = NULL;

	while (b.p < b.end) {
		unsigned opcode = *b.p++;

		if (opcode >= t->opcode_base) {
			advance(r, r->special[opcode].operations);
			r->line += (uint32_t)r->special[opcode].line;
			emit(r);
			continue;
		}
		if (opcode)
			run_standard(r, opcode, &b);
		else
			err = run_extended(r, &b);
		if (err || b.bad || r->nomem)
			break;
	}
	if (!err && r->nomem)
		err = sm_error_nomem();
	if (!err && (b.bad || r->any)) {
		if (r->any)
			r->rows->n = r->first;
		err = sm_line_table_bad(t, b.p, "it is cut short");
	}
	return err;
}

static int compare_sequences(const void *a, const void *b)
{
	const struct line_sequence *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->end != y->end)
		return x->end < y->end ? -1 : 1;
	return x->number < y->number ? -1 : 1;
}

/* There is room. A gap gives way to what begins there. */
static void add_sorted(struct dwarf_rows *sorted, const struct dwarf_row *row)
{
	if (sorted->n && sorted->rows[sorted->n - 1].addr == row->addr)
		sorted->n--;
	sorted->rows[sorted->n++] = *row;
}

/* Sequences come in any order. They don't overlap; where they do, the one that begins later ends
 * the other. */
static bool sort_sequences(struct line_run *r)
{
	struct line_sequence *seq = r->t->sequences;
	struct dwarf_rows *rows = r->rows, *sorted = &r->t->sorted, swap;
	size_t n = r->nsequences, i = 1;

	while (i < n && seq[i - 1].end < seq[i].start)
		i++;
	if (i >= n)
		return true;
	qsort(seq, n, sizeof(*seq), compare_sequences);
	sorted->n = 0;
	if (!sm_grow(&sorted->rows, &sorted->cap, rows->n + n, sizeof(*sorted->rows)))
		return false;
	for (i = 0; i < n; i++) {
		uint64_t limit = i + 1 < n ? seq[i + 1].start : UINT64_MAX;
		const struct dwarf_row *row = &rows->rows[seq[i].first];
		size_t k = 0;

		while (k < seq[i].n && row[k].addr < limit)
			add_sorted(sorted, &row[k++]);
		if (k < seq[i].n)
			add_sorted(sorted, &(struct dwarf_row){limit, DWARF_NONE, 0});
	}
	swap = *rows;
	*rows = *sorted;
	*sorted = swap;
	return true;
}

struct sm_error *sm_line_table_run(
	struct line_table *t, const uint64_t *wanted, size_t nwanted, struct dwarf_rows *rows)
{
	struct line_run r = {.t = t, .rows = rows, .wanted = wanted, .nwanted = nwanted};
	struct sm_error *err;

	rows->n = 0;
	if (!t->program)
		return NULL;
	t->files.n = t->nfiles;
	r.vliw = t->max_ops > 1;
	prepare_special(&r);
	reset_registers(&r);
	err = run_program(&r);
	if (!sort_sequences(&r) && !err)
		err = sm_error_nomem();
	return err;
}
