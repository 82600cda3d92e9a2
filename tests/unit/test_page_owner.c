/* SPDX-License-Identifier: GPL-2.0-or-later */
/* page_owner and its sums: lines of any length, blocks as events in the order of time, sums of
 * stacks. */
#include "scratch.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include <smtool/profile.h>

#include "lib/record/text.h"

struct opened {
	struct sm_source *src;
	struct sm_trace *trace;
};

static struct sm_error *try_open(const struct scratch *s, const char *text, size_t len,
	const struct sm_trace_opts *opts, struct opened *o)
{
	static const struct sm_trace_opts none = {0};

	scratch_write(s, "text", text, len);
	o->src = scratch_open(s, "text");
	assert_int_equal(sm_source_kind(o->src), SM_SOURCE_TEXT);
	return sm_trace_open(o->src, opts ? opts : &none, &o->trace);
}

static void open_text(const struct scratch *s, const char *text, struct opened *o)
{
	assert_null(try_open(s, text, strlen(text), NULL, o));
}

static void close_text(struct opened *o)
{
	sm_trace_free(o->trace);
	sm_source_free(o->src);
}

/* ---- lines ---- */

/* Lines as they are read, each after its number and offset. */
static void lines_of_any_length(void **state)
{
	const struct scratch *s = *state;
	/* Around the reader's chunk and the stream's buffer. */
	static const size_t LENGTHS[] = {
		0, 1, 4095, 4096, 4097, 65534, 65535, 65536, 65537, 262143, 262144, 262145};
	struct sm_buf text = {0};
	struct text_reader r;
	struct sm_trace *trace;
	struct opened o;
	const char *line;
	uint64_t offset;
	size_t len, n;

	sm_buf_adds(&text, "allocinfo - version: 1.0\n        4096        1 a.c:1 func:f\n");
	offset = text.len;
	for (unsigned round = 0; round < 3; round++)
		for (size_t i = 0; i < SM_ARRAY_SIZE(LENGTHS); i++) {
			for (size_t k = 0; k < LENGTHS[i]; k++)
				sm_buf_addc(&text, (char)('a' + (k + i) % 26));
			sm_buf_addc(&text, '\n');
		}
	sm_buf_adds(&text, "end");
	assert_null(try_open(s, text.data, text.len, NULL, &o));
	trace = o.trace;
	assert_int_equal(trace->text.blocks, 1);
	assert_true(trace->health.truncated);
	assert_int_equal(trace->damage->code, SM_E_TRUNCATED);
	assert_null(text_open(&r, trace, SM_MEMBER_ALLOCINFO));
	assert_true(text_next(&r, &line, &len) && text_next(&r, &line, &len));
	for (n = 0; text_next(&r, &line, &len) && !r.broken; n++) {
		size_t i = n % SM_ARRAY_SIZE(LENGTHS);
		size_t want = LENGTHS[i] < TEXT_LINE_MAX ? LENGTHS[i] : TEXT_LINE_MAX;

		assert_int_equal(r.line, n + 3);
		assert_int_equal(r.offset, offset);
		assert_int_equal(len, want);
		for (size_t k = 0; k < len; k++)
			assert_int_equal(line[k], 'a' + (k + i) % 26);
		offset += LENGTHS[i] + 1;
	}
	assert_int_equal(n, 3 * SM_ARRAY_SIZE(LENGTHS));
	assert_true(r.broken);
	assert_int_equal(len, 3);
	assert_false(text_next(&r, &line, &len));
	assert_false(text_next(&r, &line, &len));
	text_close(&r);
	sm_buf_release(&text);
	close_text(&o);
}

/* ---- frames ---- */

static void frames(void **state)
{
	static const struct {
		const char *line, *symbol, *module, *build_id;
		uint64_t address, offset, size;
	} LINES[] = {
		{" f+0x1/0x2", "f", NULL, NULL, 0, 1, 2},
		{"\tf.isra.0+0x10", "f.isra.0", NULL, NULL, 0, 16, 0},
		{" f+0x1/0x2 [m]", "f", "m", NULL, 0, 1, 2},
		{" f+0x1/0x2 [m 00ff]", "f", "m", "00ff", 0, 1, 2},
		{" f+0x1/0x2 \r", "f", NULL, NULL, 0, 1, 2},
		{" ? f+0x1/0x2", "f", NULL, NULL, 0, 1, 2},
		{" [<ffffffff81000000>] f+0x1/0x2", "f", NULL, NULL, 0, 1, 2},
		{" [<ffffffff81000000>] 0xffffffff81000000", NULL, NULL, NULL,
			UINT64_C(0xffffffff81000000), 0, 0},
		{" 0xFFff", NULL, NULL, NULL, 0xffff, 0, 0},
		{" f+g+0x1/0x2", "f+g", NULL, NULL, 0, 1, 2},
		{" f+0xffffffffffffffff/0x2", "f", NULL, NULL, 0, UINT64_MAX, 2},
	};
	static const char *const NONE[] = {"f+0x1/0x2", " f", " f+0x", " f+1/2", " f+0x1/",
		" f+0x1/2", " f+0x1/0x2 m", " f+0x1/0x2 [m", " f+0x1/0x2 []", " f+0x1/0x2 [m] x",
		" +0x1/0x2", " 0x", " 0x1 x", " f+0x10000000000000000/0x1", " 0x10000000000000000",
		" ", " [<", " [<1>]", " f +0x1/0x2"};
	struct text_frames f = {0};
	struct sm_frames *table;
	uint64_t ip, again;

	(void)state;
	assert_null(sm_frames_new(&table));
	for (size_t i = 0; i < SM_ARRAY_SIZE(LINES); i++) {
		const struct sm_frame *frame;

		assert_true(text_frame(&f, table, LINES[i].line, strlen(LINES[i].line), &ip));
		assert_true(text_frame(&f, table, LINES[i].line, strlen(LINES[i].line), &again));
		assert_int_equal(ip, again);
		frame = sm_frames_get(table, ip);
		assert_non_null(frame);
		if (LINES[i].symbol)
			assert_string_equal(frame->symbol, LINES[i].symbol);
		else
			assert_null(frame->symbol);
		if (LINES[i].module)
			assert_string_equal(frame->module, LINES[i].module);
		else
			assert_null(frame->module);
		if (LINES[i].build_id)
			assert_string_equal(frame->build_id, LINES[i].build_id);
		else
			assert_null(frame->build_id);
		assert_int_equal(frame->address, LINES[i].address);
		assert_int_equal(frame->offset, LINES[i].offset);
		assert_int_equal(frame->size, LINES[i].size);
	}
	for (size_t i = 0; i < SM_ARRAY_SIZE(NONE); i++) {
		assert_true(text_frame(&f, table, NONE[i], strlen(NONE[i]), &ip));
		assert_int_equal(ip, 0);
	}
	assert_true(text_frame(&f, table, " f\0+0x1/0x2", 11, &ip));
	assert_int_equal(ip, 0);
	text_frames_release(&f);
	sm_frames_free(table);
}

/* ---- blocks as events ---- */

static struct sm_error *add_event(void *ctx, const struct sm_batch *batch)
{
	struct opened *o = ((void **)ctx)[0];
	struct sm_buf *out = ((void **)ctx)[1];

	for (size_t i = 0; i < batch->n; i++) {
		const struct sm_event *ev = &batch->events[i];
		const char *comm = sm_event_comm(o->trace, ev);
		uint32_t depth = 0;

		if (ev->stack <= SM_STACK_MAX)
			depth = sm_stacks_get(o->trace->stacks, ev->stack).depth;
		assert_int_equal(ev->kind, SM_EV_PAGE_ALLOC);
		assert_int_equal(ev->cpu, SM_CPU_UNKNOWN);
		assert_int_equal(ev->bytes_alloc, 4096u << ev->order);
		sm_buf_addf(out, "%llu %llx %d %s %u %u", (unsigned long long)ev->ts,
			(unsigned long long)ev->ptr, ev->pid, comm ? comm : "-", ev->order, depth);
		if (batch->raw)
			sm_event_format_fields(o->trace, &o->trace->types[0], batch->raw + ev->raw,
				ev->raw_len, out);
		sm_buf_addc(out, '\n');
	}
	return NULL;
}

static void events_are(struct opened *o, bool raw, const char *want)
{
	struct sm_run_opts run = {.threads = 2, .raw = raw};
	struct sm_buf got = {0};
	void *ctx[] = {o, &got};

	/* As often as anybody asks. */
	for (int i = 0; i < 2; i++) {
		sm_buf_reset(&got);
		assert_null(sm_trace_run(o->trace, &run, add_event, ctx));
		assert_string_equal(got.data ? got.data : "", want);
	}
	sm_buf_release(&got);
}

static void in_order_of_time(void **state)
{
	struct opened o;

	open_text(*state,
		"Page allocated via order 1, mask 0x3(A|B), pid 7, tgid 6 (x y), ts 30 ns, free_ts "
		"9 ns\n"
		"PFN 0x20 type Movable\n f+0x1/0x2\n g+0x1/0x2\n\n"
		"Page allocated via order 0, mask 0x1(A), pid 7, tgid 6 (z), ts 10 ns\n"
		"PFN 0x22 type Movable\n f+0x1/0x2\n\n"
		"Page allocated via order 0, mask 0x5, pid 8, tgid 8 (w), ts 10 ns\n"
		"PFN 0x21 type Movable\n\n",
		&o);
	events_are(&o, false, "10 21 8 w 0 0\n10 22 7 z 0 1\n30 20 7 x y 1 2\n");
	events_are(&o, true,
		"10 21 8 w 0 0 pfn=0x21 order=0 gfp_flags=A|0x4 tgid=8\n"
		"10 22 7 z 0 1 pfn=0x22 order=0 gfp_flags=A tgid=6\n"
		"30 20 7 x y 1 2 pfn=0x20 order=1 gfp_flags=A|B tgid=6\n");
	assert_int_equal(o.trace->health.events, 3);
	assert_int_equal(o.trace->health.no_stack, 1);
	assert_true(o.trace->health.has_window);
	assert_int_equal(o.trace->health.first_ts, 10);
	assert_int_equal(o.trace->health.last_ts, 30);
	assert_int_equal(o.trace->text.pages, 4);
	assert_int_equal(o.trace->text.bytes, 4 * 4096);
	assert_null(o.trace->damage);
	close_text(&o);
}

static struct sm_error *stop(void *ctx, const struct sm_batch *batch)
{
	*(size_t *)ctx += batch->n;
	return sm_error_new(SM_E_STOPPED, NULL, "enough", NULL);
}

static struct sm_error *refuse(void *ctx, const struct sm_batch *batch)
{
	(void)ctx;
	(void)batch;
	return sm_error_new(SM_E_IO, NULL, "no", NULL);
}

static void the_sink_ends_it(void **state)
{
	struct sm_run_opts run = {0};
	struct sm_buf text = {0};
	struct sm_error *err;
	struct opened o;
	size_t n = 0;

	for (unsigned i = 0; i < 3000; i++)
		sm_buf_addf(&text,
			"Page allocated via order 0, mask 0x1, pid 1, ts %u ns\n"
			"PFN 0x%x type M\n f%u+0x1/0x2\n\n",
			3000 - i, i, i % 7);
	open_text(*state, text.data, &o);
	assert_int_equal(sm_stacks_count(o.trace->stacks), 7);
	assert_null(sm_trace_run(o.trace, &run, stop, &n));
	assert_true(n > 0 && n < 3000);
	err = sm_trace_run(o.trace, &run, refuse, NULL);
	assert_int_equal(err->code, SM_E_IO);
	sm_error_free(err);
	assert_null(sm_trace_run(o.trace, &run, NULL, NULL));
	sm_buf_release(&text);
	close_text(&o);
}

/* A profile of it, by what rows are told apart by. */
static struct sm_profile *profile_of(struct opened *o, const struct sm_profile_opts *opts)
{
	struct sm_profile *p;

	assert_null(sm_profile_build(o->trace, opts, &p));
	return p;
}

static void profiles(void **state)
{
	static const char *const GFP[] = {"B"}, *const BOTH[] = {"B|A"};
	struct sm_profile_opts opts = {.attr = SM_ATTR_COMM};
	struct sm_profile *p;
	struct sm_buf label = {0};
	struct opened o;

	open_text(*state,
		"Page allocated via order 1, mask 0x3(A|B), pid 7, tgid 6 (one), ts 30000 ns\n"
		"PFN 0x20 type Movable\n f+0x1/0x2\n\n"
		"Page allocated via order 0, mask 0x2(B), pid 7, tgid 6 (two), ts 10000 ns\n"
		"PFN 0x22 type Movable\n f+0x1/0x2\n\n",
		&o);
	/* The pid is the same, the program isn't. */
	p = profile_of(&o, &opts);
	assert_int_equal(p->nrows, 2);
	for (size_t i = 0; i < 2; i++)
		sm_profile_label(p, p->rows[i].attr, &label);
	assert_string_equal(label.data, "twoone");
	assert_int_equal(p->totals[SM_M_LIVE_BYTES], 3 * 4096);
	assert_int_equal(p->known, 1u << SM_M_COUNT | 1u << SM_M_BYTES | 1u << SM_M_LIVE_BYTES |
					   1u << SM_M_LIVE_COUNT);
	sm_profile_free(p);
	opts = (struct sm_profile_opts){.older = 20000};
	p = profile_of(&o, &opts);
	assert_int_equal(p->totals[SM_M_LIVE_BYTES], 4096);
	sm_profile_free(p);
	opts = (struct sm_profile_opts){.gfps = {GFP, 1}};
	p = profile_of(&o, &opts);
	assert_int_equal(p->totals[SM_M_COUNT], 2);
	sm_profile_free(p);
	opts.gfps.items = BOTH;
	p = profile_of(&o, &opts);
	assert_int_equal(p->totals[SM_M_COUNT], 1);
	sm_profile_free(p);
	/* What it can't tell is no value, rather than a wrong one. */
	opts = (struct sm_profile_opts){
		.attrs = 1u << SM_ATTR_CPU | 1u << SM_ATTR_ORDER, .by_stack = true};
	p = profile_of(&o, &opts);
	assert_null(sm_profile_value(p, p->rows[0].attr, SM_ATTR_CPU));
	assert_non_null(sm_profile_value(p, p->rows[0].attr, SM_ATTR_ORDER));
	sm_profile_free(p);
	sm_buf_release(&label);
	close_text(&o);
}

static void page_sizes(void **state)
{
	static const char TEXT[] = " f+0x1/0x2\nnr_base_pages: 3\n\n";
	struct sm_trace_opts opts = {.page_size = 65536};
	struct opened o;

	open_text(*state, TEXT, &o);
	assert_true(o.trace->text.page_size_assumed);
	assert_int_equal(o.trace->imported->rows[0].m[SM_M_LIVE_BYTES], 3 * 4096);
	close_text(&o);
	assert_null(try_open(*state, TEXT, strlen(TEXT), &opts, &o));
	assert_false(o.trace->text.page_size_assumed);
	assert_int_equal(o.trace->imported->rows[0].m[SM_M_LIVE_BYTES], 3 * 65536);
	close_text(&o);
}

/* ---- sums ---- */

static void sums_of_a_stack(void **state)
{
	const struct sm_imported *in;
	struct opened o;

	open_text(*state,
		" f+0x1/0x2\n g+0x1/0x2\nnr_base_pages: 3\n\n"
		" g+0x1/0x2\nnr_base_pages: 5\n\n"
		" f+0x1/0x2\n g+0x1/0x2\nhandle: 9\nnr_base_pages: 4\n\n"
		"nr_base_pages: 1\n\n",
		&o);
	in = o.trace->imported;
	assert_string_equal(in->kind, "page_owner_stacks");
	assert_int_equal(in->known, 1u << SM_M_LIVE_BYTES);
	assert_int_equal(in->nrows, 3);
	assert_int_equal(in->rows[0].m[SM_M_LIVE_BYTES], 7 * 4096);
	assert_int_equal(in->rows[1].m[SM_M_LIVE_BYTES], 5 * 4096);
	assert_int_equal(in->rows[2].stack, SM_STACK_NONE);
	assert_int_equal(o.trace->text.blocks, 4);
	assert_false(sm_trace_has_events(o.trace));
	assert_null(o.trace->damage);
	close_text(&o);
}

static void of_another_tool(void **state)
{
	struct opened o;

	/* Without pages the order tells them. */
	open_text(*state,
		"3 times:\nPage allocated via order 2, mask 0x1\n f+0x1/0x2\n\n"
		"2 times, 9 pages, allocated by SLAB :\nPage allocated via order x, ts  ns\n"
		" g+0x1/0x2\n\n",
		&o);
	assert_string_equal(o.trace->text.kind, "page_owner_sort");
	assert_int_equal(o.trace->imported->rows[0].m[SM_M_LIVE_BYTES], 12 * 4096);
	assert_int_equal(o.trace->imported->rows[0].m[SM_M_LIVE_COUNT], 3);
	assert_int_equal(o.trace->imported->rows[1].m[SM_M_LIVE_BYTES], 9 * 4096);
	close_text(&o);
}

static void too_large(void **state)
{
	struct sm_buf text = {0};
	struct opened o;

	for (unsigned i = 0; i < 1000; i++)
		sm_buf_addf(&text, " f%u+0x1/0x2\nnr_base_pages: 4398046511104\n\n", i);
	open_text(*state, text.data, &o);
	assert_true(o.trace->text.bad_blocks > 0);
	assert_int_equal(o.trace->text.blocks + o.trace->text.bad_blocks, 1000);
	assert_true(o.trace->text.bytes <= INT64_MAX);
	sm_buf_release(&text);
	close_text(&o);
}

/* ---- masks with their names ---- */

static void whole_masks(void **state)
{
	struct sm_buf text = {0}, got = {0};
	const struct sm_event_type *type;
	struct opened o;

	/* Each mask is in others, and all are told as they were. */
	for (unsigned mask = 1; mask < 64; mask++)
		sm_buf_addf(&text,
			"Page allocated via order 0, mask %#x(M%u|N%u), pid 1, ts 1 ns\n"
			"PFN 0x%x type M\n f+0x1/0x2\n\n",
			mask, mask, mask, mask);
	open_text(*state, text.data, &o);
	type = &o.trace->types[0];
	assert_int_equal(type->ngfp, 63);
	for (unsigned mask = 0; mask < 70; mask++) {
		char want[32];
		uint32_t at = sm_gfp_whole_find(type, mask);

		if (!mask || mask > 63) {
			assert_int_equal(at, UINT32_MAX);
			continue;
		}
		assert_int_equal(type->gfp[at].value, mask);
		snprintf(want, sizeof(want), "M%u|N%u", mask, mask);
		sm_buf_reset(&got);
		sm_gfp_format(type->gfp, type->ngfp, mask, &got);
		assert_string_equal(got.data, want);
	}
	sm_buf_release(&text);
	sm_buf_release(&got);
	close_text(&o);
}

/* ---- what is no such text ---- */

static void refused(void **state)
{
	static const struct {
		const char *text, *what;
	} TEXTS[] = {
		{"Page allocated via order x\n\n", "line 1"},
		{" f+0x1/0x2\n\n", "line 2"},
		{" f+0x1/0x2\nhandle: 1\n\n", "show_stacks has both"},
		{"handle: 1\nnr_base_pages: 1\n\n", "sums without their stacks"},
		{"1 times, 1 pages, PID 1\n", "sums without their stacks"},
		{"allocinfo - version: 9\nx\n", "line 2"},
	};

	for (size_t i = 0; i < SM_ARRAY_SIZE(TEXTS); i++) {
		struct opened o = {0};
		struct sm_error *err =
			try_open(*state, TEXTS[i].text, strlen(TEXTS[i].text), NULL, &o);

		assert_non_null(err);
		scratch_expect(err, SM_E_FORMAT, TEXTS[i].what);
		sm_source_free(o.src);
	}
}

static void no_other_text(void **state)
{
	static const char *const TEXTS[] = {"hello\n", "page allocated via order 0\n",
		"12 times\nno\n", "times, 3 pages\n", "12 13 a.c:1 fun:x\n", "x\n f+0x1/0x2\n",
		"allocinfo: version 1\n", "-\n"};

	for (size_t i = 0; i < SM_ARRAY_SIZE(TEXTS); i++) {
		scratch_write(*state, "text", TEXTS[i], strlen(TEXTS[i]));
		scratch_open_fails(*state, "text", SM_E_FORMAT, "text");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			lines_of_any_length, scratch_setup, scratch_teardown),
		cmocka_unit_test(frames),
		cmocka_unit_test_setup_teardown(in_order_of_time, scratch_setup, scratch_teardown),
		cmocka_unit_test_setup_teardown(the_sink_ends_it, scratch_setup, scratch_teardown),
		cmocka_unit_test_setup_teardown(profiles, scratch_setup, scratch_teardown),
		cmocka_unit_test_setup_teardown(page_sizes, scratch_setup, scratch_teardown),
		cmocka_unit_test_setup_teardown(sums_of_a_stack, scratch_setup, scratch_teardown),
		cmocka_unit_test_setup_teardown(of_another_tool, scratch_setup, scratch_teardown),
		cmocka_unit_test_setup_teardown(too_large, scratch_setup, scratch_teardown),
		cmocka_unit_test_setup_teardown(whole_masks, scratch_setup, scratch_teardown),
		cmocka_unit_test_setup_teardown(refused, scratch_setup, scratch_teardown),
		cmocka_unit_test_setup_teardown(no_other_text, scratch_setup, scratch_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
