/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Metrics against a model that goes through random events one by one and adds everything up anew:
 * totals, the live set, the peak and each row's share of it.
 */
#include "capture.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define STACKS 8
#define MAX_OPS 4000
#define PAGE 4096
#define START 1000000

enum kind { ALLOC, FREE, PAGE_ALLOC, PAGE_FREE };

struct op {
	enum kind kind;
	uint64_t ts, ptr, req, bytes;
	unsigned cpu, stack, order;
	int pid;
};

struct object {
	uint64_t ptr, bytes, ts;
	unsigned row;
	bool counted, page;
};

struct sums {
	uint64_t m[SM_M_NR];
};

struct model {
	struct op ops[MAX_OPS];
	size_t n;
	struct object live[MAX_OPS];
	size_t nlive;
	struct sums rows[STACKS];
	uint64_t peak, peak_ts, unmatched, failed, reused;
};

static uint64_t site(unsigned stack)
{
	return UINT64_C(0xffffffff81002000) + stack * 16;
}

/* ---- the model ---- */

static bool matches(const struct sm_profile_opts *o, const struct op *op, uint64_t from)
{
	bool page = op->kind == PAGE_ALLOC;

	if (page != (o->family == SM_FAMILY_PAGE) || op->ts < from)
		return false;
	if (o->npids && op->pid != o->pids[0])
		return false;
	if (o->ncpus && op->cpu != o->cpus[0])
		return false;
	if (o->norders && (!page || op->order != o->orders[0]))
		return false;
	return op->bytes >= o->min_size && (!o->max_size || op->bytes <= o->max_size);
}

static uint64_t live_bytes(const struct model *m, unsigned row)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < m->nlive; i++)
		if (m->live[i].counted && (row == STACKS || m->live[i].row == row))
			sum += m->live[i].bytes;
	return sum;
}

static struct object *find(struct model *m, bool page, uint64_t ptr)
{
	for (size_t i = 0; i < m->nlive; i++)
		if (m->live[i].page == page && m->live[i].ptr == ptr)
			return &m->live[i];
	return NULL;
}

static void forget(struct model *m, struct object *o, bool freed)
{
	if (freed && o->counted)
		m->rows[o->row].m[SM_M_FREES]++;
	*o = m->live[--m->nlive];
}

static void model_alloc(struct model *m, const struct op *op, bool counted, bool followed)
{
	struct sums *row = &m->rows[op->stack];
	struct object *old;

	if (op->kind == ALLOC ? op->ptr == 0 : op->ptr == UINT64_MAX) {
		m->failed++;
		return;
	}
	if (counted) {
		row->m[SM_M_COUNT]++;
		row->m[SM_M_BYTES] += op->bytes;
		row->m[SM_M_BYTES_REQ] += op->req;
	}
	if (!followed || (op->kind == ALLOC && op->ptr <= 16))
		return;
	old = find(m, op->kind == PAGE_ALLOC, op->ptr);
	if (old) {
		m->reused++;
		forget(m, old, false);
	}
	m->live[m->nlive++] = (struct object){.ptr = op->ptr,
		.bytes = op->bytes,
		.ts = op->ts,
		.row = op->stack,
		.counted = counted,
		.page = op->kind == PAGE_ALLOC};
}

/* Frees a page; what is left of its block are two objects at most. False when nothing held it. */
static bool free_pages(struct model *m, uint64_t pfn, uint64_t n)
{
	struct object *o = find(m, true, pfn), rest;
	uint64_t end = pfn + n, o_end;
	bool any = false;

	if (o && o->bytes == n * PAGE) {
		forget(m, o, true);
		return true;
	}
	for (size_t i = 0; !o && i < m->nlive; i++)
		if (m->live[i].page && m->live[i].ptr <= pfn &&
			pfn < m->live[i].ptr + m->live[i].bytes / PAGE)
			o = &m->live[i];
	if (o && (o->ptr != pfn || o->bytes > n * PAGE)) {
		rest = *o;
		o_end = o->ptr + o->bytes / PAGE;
		rest.ptr = end;
		rest.bytes = o_end > end ? (o_end - end) * PAGE : 0;
		o->bytes = (pfn - o->ptr) * PAGE;
		if (rest.bytes && o->bytes)
			m->live[m->nlive++] = rest;
		else if (rest.bytes)
			*o = rest;
		return true;
	}
	for (uint64_t i = 0; i < n; i++) {
		o = find(m, true, pfn + i);
		if (o) {
			forget(m, o, true);
			any = true;
		}
	}
	return any;
}

static void model_free(struct model *m, const struct op *op)
{
	struct object *o;

	if (op->kind == PAGE_FREE) {
		if (!free_pages(m, op->ptr, UINT64_C(1) << op->order))
			m->unmatched++;
		return;
	}
	if (op->ptr <= 16)
		return;
	o = find(m, false, op->ptr);
	if (o)
		forget(m, o, true);
	else
		m->unmatched++;
}

static void model_run(struct model *m, const struct sm_profile_opts *o, uint64_t from, uint64_t to)
{
	bool pages = o->family == SM_FAMILY_PAGE;

	m->nlive = 0;
	m->peak = m->peak_ts = m->unmatched = m->failed = m->reused = 0;
	memset(m->rows, 0, sizeof(m->rows));
	for (size_t i = 0; i < m->n; i++) {
		const struct op *op = &m->ops[i];
		uint64_t live;

		if (op->ts > to)
			break;
		if (op->kind == ALLOC || op->kind == PAGE_ALLOC)
			model_alloc(m, op, matches(o, op, from), pages == (op->kind == PAGE_ALLOC));
		else if (pages == (op->kind == PAGE_FREE))
			model_free(m, op);
		live = live_bytes(m, STACKS);
		if (live > m->peak) {
			m->peak = live;
			m->peak_ts = op->ts;
			for (unsigned r = 0; r < STACKS; r++)
				m->rows[r].m[SM_M_PEAK_BYTES] = live_bytes(m, r);
		}
	}
	for (size_t i = 0; i < m->nlive; i++) {
		const struct object *obj = &m->live[i];

		if (!obj->counted || (o->older && to - obj->ts < o->older))
			continue;
		m->rows[obj->row].m[SM_M_LIVE_BYTES] += obj->bytes;
		m->rows[obj->row].m[SM_M_LIVE_COUNT]++;
	}
	for (unsigned r = 0; r < STACKS; r++)
		m->rows[r].m[SM_M_WASTE] = m->rows[r].m[SM_M_BYTES] - m->rows[r].m[SM_M_BYTES_REQ];
}

/* ---- random events ---- */

static void add_op(struct model *m, struct op op)
{
	op.ts = START + m->n * 1000;
	m->ops[m->n++] = op;
}

static void make_slab(struct model *m, uint64_t *random)
{
	uint64_t dice = random_below(random, 100);
	struct op op = {.kind = dice < 52 ? ALLOC : FREE,
		.cpu = (unsigned)random_below(random, 3),
		.stack = (unsigned)random_below(random, STACKS),
		.pid = 100 + (int)random_below(random, 3)};

	op.ptr = UINT64_C(0xffff888000000000) + random_below(random, 60) * 64;
	op.req = 1 + random_below(random, 3000);
	op.bytes = op.req + random_below(random, 100);
	/* Failed allocations, kfree(NULL) and kfree(ZERO_SIZE_PTR). */
	if (random_below(random, 40) == 0)
		op.ptr = op.kind == FREE && random_below(random, 2) ? 16 : 0;
	add_op(m, op);
}

/* Blocks that don't overlap unless their start is the same, and frees of any part of them. */
static void make_page(struct model *m, uint64_t *random)
{
	struct op op = {.kind = random_below(random, 100) < 35 ? PAGE_ALLOC : PAGE_FREE,
		.cpu = (unsigned)random_below(random, 3),
		.stack = (unsigned)random_below(random, STACKS),
		.pid = 100 + (int)random_below(random, 3)};
	uint64_t slot = random_below(random, 12);
	/* Slot n has a block of an order of its own. */
	unsigned order = (unsigned)(slot % 4);
	uint64_t pfn = 0x1000 + slot * 8;

	if (op.kind == PAGE_ALLOC) {
		/* Only where nothing is left, or all of it: pieces would overlap. */
		for (size_t i = 0; i < m->nlive; i++)
			if (m->live[i].ptr >= pfn && m->live[i].ptr < pfn + 8 &&
				(m->live[i].ptr != pfn || m->live[i].bytes != (uint64_t)PAGE
										      << order))
				return;
		op.order = order;
	} else {
		op.order = (unsigned)random_below(random, 4);
		pfn += random_below(random, 8);
		pfn &= ~((UINT64_C(1) << op.order) - 1);
	}
	op.ptr = pfn;
	if (op.kind == PAGE_ALLOC && random_below(random, 40) == 0)
		op.ptr = UINT64_MAX;
	op.bytes = op.req = (uint64_t)PAGE << op.order;
	add_op(m, op);
	/* So that the next one knows what is live. */
	if (op.kind == PAGE_ALLOC)
		model_alloc(m, &m->ops[m->n - 1], true, true);
	else
		model_free(m, &m->ops[m->n - 1]);
}

static void write_script(const struct model *m, struct sm_buf *b)
{
	static const char *const names[] = {"kmalloc", "kfree", "mm_page_alloc", "mm_page_free"};

	sm_buf_reset(b);
	sm_buf_adds(b, "kernel le 64 page 4096 format 6.18\ninclude symbols64.inc\n");
	for (size_t i = 0; i < m->n; i++) {
		const struct op *op = &m->ops[i];

		sm_buf_addf(b, "cpu %u\nat %llu\n%s pid=%d ", op->cpu, (unsigned long long)op->ts,
			names[op->kind], op->pid);
		if (op->kind <= FREE)
			sm_buf_addf(b, "ptr=0x%llx site=0x%llx req=%llu alloc=%llu\n",
				(unsigned long long)op->ptr, (unsigned long long)site(op->stack),
				(unsigned long long)op->req, (unsigned long long)op->bytes);
		else
			sm_buf_addf(
				b, "pfn=0x%llx order=%u\n", (unsigned long long)op->ptr, op->order);
		sm_buf_addf(b, "stack kmem_trace+8 0x%llx entry+16\n",
			(unsigned long long)site(op->stack));
	}
}

static struct model *make(void **state, struct capture *c, bool pages, uint64_t seed, size_t n)
{
	struct model *m = calloc(1, sizeof(*m));
	struct sm_buf script = {0};
	uint64_t random = seed;

	while (m->n < n)
		(pages ? make_page : make_slab)(m, &random);
	write_script(m, &script);
	capture_make(c, *state, script.data);
	sm_buf_release(&script);
	return m;
}

/* ---- comparing ---- */

/* Of some rows, against the model's objects. */
static void compare_ages(const struct model *m, const struct capture *c, const struct sm_profile *p,
	const struct sm_profile_opts *o, uint64_t to, unsigned mask)
{
	struct sm_age ages[SM_AGES], want[SM_AGES] = {0};
	uint8_t *rows = malloc(p->nrows + 1);
	uint64_t oldest, want_oldest = 0, bytes = 0, count = 0;

	for (size_t i = 0; i < p->nrows; i++) {
		struct sm_stack stack = sm_stacks_get(c->trace->stacks, p->rows[i].stack);

		rows[i] = mask >> (stack.ips[1] - site(0)) / 16 & 1;
		bytes += rows[i] ? p->rows[i].m[SM_M_LIVE_BYTES] : 0;
		count += rows[i] ? p->rows[i].m[SM_M_LIVE_COUNT] : 0;
	}
	for (size_t i = 0; i < m->nlive; i++) {
		const struct object *obj = &m->live[i];
		uint64_t age = to - obj->ts;
		unsigned k = 0;

		if (!obj->counted || age < o->older || !(mask >> obj->row & 1))
			continue;
		while (k < SM_AGES - 1 && age >= sm_age_bounds[k])
			k++;
		want[k].bytes += obj->bytes;
		want[k].count++;
		want_oldest = age > want_oldest ? age : want_oldest;
	}
	assert_true(sm_profile_ages(p, mask == UINT32_MAX ? NULL : rows, ages, &oldest));
	assert_memory_equal(ages, want, sizeof(ages));
	assert_int_equal(oldest, want_oldest);
	for (size_t k = 0; k < SM_AGES; k++) {
		bytes -= ages[k].bytes;
		count -= ages[k].count;
	}
	assert_int_equal(bytes, 0);
	assert_int_equal(count, 0);
	free(rows);
}

static void compare(
	struct model *m, struct capture *c, struct sm_profile_opts o, uint64_t from, uint64_t to)
{
	uint64_t totals[SM_M_NR] = {0};
	bool seen[STACKS] = {0};
	struct sm_profile *p;

	o.keep_live = true;
	p = capture_profile(c, &o);
	model_run(m, &o, from, to);
	for (size_t i = 0; i < p->nrows; i++) {
		struct sm_stack stack = sm_stacks_get(c->trace->stacks, p->rows[i].stack);
		unsigned r = (unsigned)((stack.ips[1] - site(0)) / 16);

		assert_true(r < STACKS && !seen[r]);
		seen[r] = true;
		for (unsigned k = 0; k < SM_M_NR; k++) {
			if (p->rows[i].m[k] != m->rows[r].m[k])
				fail_msg("row %u: %s is %llu, not %llu", r,
					sm_metric_name((enum sm_metric)k),
					(unsigned long long)p->rows[i].m[k],
					(unsigned long long)m->rows[r].m[k]);
		}
	}
	for (unsigned r = 0; r < STACKS; r++) {
		for (unsigned k = 0; k < SM_M_NR; k++) {
			totals[k] += m->rows[r].m[k];
			assert_true(seen[r] || m->rows[r].m[k] == 0);
		}
	}
	for (unsigned k = 0; k < SM_M_NR; k++)
		assert_int_equal(p->totals[k], totals[k]);
	assert_int_equal(p->totals[SM_M_PEAK_BYTES], m->peak);
	assert_int_equal(p->peak_ts, m->peak_ts);
	assert_int_equal(p->health.unmatched_frees, m->unmatched);
	assert_int_equal(p->health.failed_allocs, m->failed);
	assert_int_equal(p->health.reused, m->reused);
	compare_ages(m, c, p, &o, to < p->to ? to : p->to, UINT32_MAX);
	compare_ages(m, c, p, &o, to < p->to ? to : p->to, 0x5a);
	compare_ages(m, c, p, &o, to < p->to ? to : p->to, 0);
	sm_profile_free(p);
}

static void check_options(struct model *m, struct capture *c, enum sm_family family)
{
	const uint64_t last = m->ops[m->n - 1].ts, step = (last - START) / 10;
	const struct sm_moment early = {.kind = SM_MOMENT_NS, .ns = START + 2 * step};
	const struct sm_moment late = {.kind = SM_MOMENT_NS, .ns = START + 7 * step + 1};
	static const int64_t pid = 101, cpu = 2, order = 2;
	const struct sm_profile_opts all = {.family = family};
	struct sm_profile_opts o = all;
	uint64_t peak_ts;

	for (unsigned threads = 1; threads < 4; threads++) {
		o.threads = threads;
		compare(m, c, o, 0, last);
	}
	peak_ts = m->peak_ts;
	o = all;
	o.pids = &pid;
	o.npids = 1;
	compare(m, c, o, 0, last);
	o.cpus = &cpu;
	o.ncpus = 1;
	compare(m, c, o, 0, last);
	o = all;
	o.orders = &order;
	o.norders = 1;
	compare(m, c, o, 0, last);
	o = all;
	o.min_size = 1000;
	compare(m, c, o, 0, last);
	o.max_size = 2000;
	compare(m, c, o, 0, last);
	o = all;
	o.from = early;
	compare(m, c, o, early.ns, last);
	o.to = late;
	compare(m, c, o, early.ns, late.ns);
	o.older = 3 * step;
	compare(m, c, o, early.ns, late.ns);
	o = all;
	o.older = step;
	compare(m, c, o, 0, last);
	o = all;
	o.from = (struct sm_moment){.kind = SM_MOMENT_FROM_START, .ns = 3 * step};
	o.to = (struct sm_moment){.kind = SM_MOMENT_PERCENT, .percent = 100};
	compare(m, c, o, m->ops[0].ts + 3 * step, last);
	o = all;
	o.to = (struct sm_moment){.kind = SM_MOMENT_PEAK};
	compare(m, c, o, 0, peak_ts);
}

static void test_slab(void **state)
{
	for (uint64_t seed = 1; seed <= 3; seed++) {
		struct capture c;
		struct model *m = make(state, &c, false, seed, 1500);

		check_options(m, &c, SM_FAMILY_SLAB);
		capture_close(&c);
		free(m);
	}
}

static void test_pages(void **state)
{
	for (uint64_t seed = 1; seed <= 3; seed++) {
		struct capture c;
		struct model *m = make(state, &c, true, seed, 1500);

		check_options(m, &c, SM_FAMILY_PAGE);
		/* Auto finds that there are no slab events. */
		check_options(m, &c, SM_FAMILY_PAGE);
		capture_close(&c);
		free(m);
	}
}

/* Bounds, the moment that ages are to, and who is told nothing. */
static void test_ages(void **state)
{
	struct sm_profile_opts opts = {.keep_live = true};
	struct sm_age ages[SM_AGES];
	struct sm_profile *p;
	struct capture c;
	uint64_t oldest;

	capture_make(&c, *state,
		"kernel le 64 page 4096 format 6.18\n"
		"at 1000000000\nkmalloc ptr=0x1000 site=1 req=1 alloc=8\nstack 0x1001\n"
		"at 1000000001\nkmalloc ptr=0x2000 site=1 req=1 alloc=16\nstack 0x1002\n"
		"at 1000000002\nkmalloc ptr=0x3000 site=1 req=1 alloc=32\nstack 0x1001\n"
		"at 4600000001\nkmalloc ptr=0x4000 site=1 req=1 alloc=64\nstack 0x1003\n"
		"at 4600900002\nkfree ptr=0x2000\n"
		"at 3601000000000\nkfree ptr=0x9000\n");
	p = capture_profile(&c, &opts);
	assert_true(sm_profile_ages(p, NULL, ages, &oldest));
	assert_int_equal(oldest, UINT64_C(3600000000000));
	assert_int_equal(ages[SM_AGES - 1].bytes, 8);
	assert_int_equal(ages[SM_AGES - 1].count, 1);
	/* Less than an hour by two ns. */
	assert_int_equal(ages[SM_AGES - 2].bytes, 32 + 64);
	assert_int_equal(ages[SM_AGES - 2].count, 2);
	sm_profile_free(p);
	opts.keep_live = false;
	p = capture_profile(&c, &opts);
	assert_false(sm_profile_ages(p, NULL, ages, &oldest));
	sm_profile_free(p);
	/* Only what was live at a moment. */
	opts.keep_live = true;
	opts.to = (struct sm_moment){.kind = SM_MOMENT_NS, .ns = 1000000001};
	p = capture_profile(&c, &opts);
	assert_true(sm_profile_ages(p, NULL, ages, &oldest));
	assert_int_equal(oldest, 1);
	assert_int_equal(ages[0].bytes, 24);
	assert_int_equal(ages[0].count, 2);
	sm_profile_free(p);
	capture_close(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_slab, scratch_setup, scratch_teardown),
		cmocka_unit_test_setup_teardown(test_pages, scratch_setup, scratch_teardown),
		cmocka_unit_test_setup_teardown(test_ages, scratch_setup, scratch_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
