/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Frames as JSON, their keys, and the texts that are kept for them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

#include "lib/view/fragments.h"
#include "capture.h"

#define KALLSYMS                            \
	"ffffffff81000000 T _stext\n"       \
	"ffffffff81002000 t do_work\n"      \
	"ffffffff81003000 t last\n"         \
	"ffffffff81004000 T _etext\n"       \
	"ffffffffc0001000 t open\t[some]\n" \
	"ffffffffc0002000 t prog\t[bpf]\n"

/* The same kernel, elsewhere. */
#define MOVED                               \
	"ffffffff91000000 T _stext\n"       \
	"ffffffff91002000 t do_work\n"      \
	"ffffffff91003000 t last\n"         \
	"ffffffff91004000 T _etext\n"       \
	"ffffffffc0101000 t open\t[some]\n" \
	"ffffffffc0102000 t prog\t[bpf]\n"

static struct sm_symbols *open_symbols(const struct scratch *s, const char *kallsyms)
{
	/* Without files the source isn't needed any more. */
	static const struct sm_symbols_opts opts = {.no_debug = true};
	struct sm_symbols *syms;
	struct sm_source *src;

	scratch_write(s, "proc/kallsyms", kallsyms, strlen(kallsyms));
	src = scratch_open(s, "");
	assert_null(sm_symbols_open(src, &opts, &syms));
	sm_source_free(src);
	return syms;
}

static void expect_json(const struct sm_symbols *syms, uint64_t ip, const char *want)
{
	struct sm_buf buf = {0};
	struct sm_json json;
	struct sm_out out;

	assert_null(sm_out_init_buf(&out, &buf));
	sm_json_init(&json, &out, false);
	sm_frame_json(&json, syms, ip);
	assert_null(sm_out_finish(&out));
	assert_string_equal(buf.data, want);
	sm_buf_release(&buf);
}

static void test_json(void **state)
{
	struct sm_symbols *syms = open_symbols(*state, KALLSYMS);

	expect_json(syms, UINT64_C(0xffffffff81002020),
		"{\"ip\":\"0xffffffff81002020\",\"symbol\":\"do_work\",\"offset\":32,"
		"\"size\":4096,\"module\":null,\"lines\":[]}");
	expect_json(syms, UINT64_C(0xffffffffc0001004),
		"{\"ip\":\"0xffffffffc0001004\",\"symbol\":\"open\",\"offset\":4,"
		"\"size\":4096,\"module\":\"some\",\"lines\":[]}");
	expect_json(syms, SM_TRAMPOLINE,
		"{\"ip\":\"0x7fffffff\",\"symbol\":null,\"offset\":null,"
		"\"size\":null,\"module\":null,\"lines\":[]}");
	expect_json(syms, 0x1234,
		"{\"ip\":\"0x1234\",\"symbol\":null,\"offset\":null,"
		"\"size\":null,\"module\":null,\"lines\":[]}");
	expect_json(NULL, UINT64_C(0xffffffff81002020),
		"{\"ip\":\"0xffffffff81002020\",\"symbol\":null,\"offset\":null,"
		"\"size\":null,\"module\":null,\"lines\":[]}");
	sm_symbols_free(syms);
}

static void test_key(void **state)
{
	const uint64_t here[] = {UINT64_C(0xffffffff81002020), UINT64_C(0xffffffffc0001010)};
	const uint64_t there[] = {UINT64_C(0xffffffff91002020), UINT64_C(0xffffffffc0101010)};
	const uint64_t odd[] = {UINT64_C(0xffffffff81002020), SM_TRAMPOLINE, 0x1234};
	struct sm_symbols *syms = open_symbols(*state, KALLSYMS);
	struct sm_symbols *moved = open_symbols(*state, MOVED);

	assert_true(sm_stack_key(syms, here, 2) == sm_stack_key(moved, there, 2));
	assert_true(sm_stack_key(syms, here, 2) != sm_stack_key(syms, here, 1));
	assert_true(sm_stack_key(syms, here, 2) != sm_stack_key(moved, here, 2));
	assert_true(sm_stack_key(syms, here, 0) == SM_FNV_INIT);
	/* FNV-1a of "do_work\0" 20 00.. "\0" "?\0" ff ff ff 7f 00.. "?\0" 34 12 00.. */
	assert_true(sm_stack_key(syms, odd, 3) == UINT64_C(0x77315685730f1672));
	sm_symbols_free(syms);
	sm_symbols_free(moved);
}

/* A boot of one kernel: where it and its module lie, by the third and the sixth digit. */
#define BOOT(KERNEL, MODULE, KERNEL_ID, MODULE_ID)                   \
	"kernel le 64 page 4096 format 7.2\nbuildid " KERNEL_ID "\n" \
	"kallsyms 0xffffffff" KERNEL "1000000 _stext\n"              \
	"kallsyms 0xffffffff" KERNEL "1002000 do_work\n"             \
	"kallsyms 0xffffffff" KERNEL "1003000 do_work_alias\n"       \
	"kallsyms 0xffffffff" KERNEL "1004000 _etext\n"              \
	"kallsyms 0xffffffffc0" MODULE "1000 open some\n"            \
	"module some 0xffffffffc0" MODULE "1000 0x4000 buildid=" MODULE_ID "\n"

#define FRAMES(KERNEL, MODULE)                                                                  \
	{                                                                                       \
		UINT64_C(0xffffffffc0##MODULE##1010), UINT64_C(0xffffffff##KERNEL##1002020),    \
			UINT64_C(0xffffffff##KERNEL##1003000), SM_TRAMPOLINE, UINT64_C(0x1234), \
	}

static uint64_t key_of_boot(struct scratch *s, const char *script, const uint64_t *ips)
{
	struct sm_symbols *syms;
	struct sm_source *src;
	struct sm_symbol sym;
	uint64_t key;

	capture_play(s, "boot", script);
	src = scratch_open(s, "boot");
	expect_none(sm_symbols_open(src, NULL, &syms));
	assert_true(sm_symbols_find(syms, ips[0], &sym));
	assert_string_equal(sym.module, "some");
	assert_non_null(sm_symbols_build_id(syms, "some"));
	assert_non_null(sm_symbols_build_id(syms, NULL));
	key = sm_stack_key(syms, ips, 5);
	sm_symbols_free(syms);
	sm_source_free(src);
	return key;
}

/* The same code is the same key, wherever it was loaded; other code isn't. */
static void test_key_of_boots(void **state)
{
	static const uint64_t here[] = FRAMES(8, 40), there[] = FRAMES(9, 73);
	uint64_t key = key_of_boot(*state, BOOT("8", "40", "aabb", "1122"), here);

	assert_true(key == key_of_boot(*state, BOOT("9", "73", "aabb", "1122"), there));
	assert_true(key != key_of_boot(*state, BOOT("9", "73", "aabc", "1122"), there));
	assert_true(key != key_of_boot(*state, BOOT("9", "73", "aabb", "1123"), there));
	/* FNV-1a of each frame's "open\0" 10 00.. "1122\0" and so on: other programs compute it
	 * too. */
	assert_true(key == UINT64_C(0x2558e7ea038269cc));
}

static void expect_function(const struct sm_symbols *syms, uint64_t ip, const char *want)
{
	struct sm_buf buf = {0};

	frame_function(syms, ip, &buf);
	assert_string_equal(buf.data, want);
	sm_buf_release(&buf);
}

static void test_function(void **state)
{
	struct sm_symbols *syms = open_symbols(*state, KALLSYMS);

	expect_function(syms, UINT64_C(0xffffffffc0001010), "open");
	expect_function(syms, SM_TRAMPOLINE, "[FTRACE TRAMPOLINE]");
	expect_function(syms, 0x1234, "0x1234");
	expect_function(NULL, SM_TRAMPOLINE, "[FTRACE TRAMPOLINE]");
	expect_function(NULL, 0x1234, "0x1234");
	sm_symbols_free(syms);
}

static void render_plain(
	const struct sm_symbols *syms, uint64_t ip, struct sm_buf *buf, uint32_t part[3])
{
	(void)syms;
	sm_buf_addf(buf, "%llu;", (unsigned long long)ip);
	part[0] = (uint32_t)buf->len;
}

/* More addresses than are kept: each is still its own, and memory stays bounded. */
static void test_many_fragments(void **state)
{
	struct fragments *f = fragments_new(NULL, render_plain);
	uint64_t ips[64];

	(void)state;
	assert_non_null(f);
	for (uint64_t stack = 0; stack < 20000; stack++) {
		const struct fragment *list;

		for (size_t i = 0; i < 64; i++)
			ips[i] = stack * 32 + i;
		list = fragments_of(f, ips, 64);
		assert_non_null(list);
		for (size_t i = 0; i < 64; i += 21) {
			char want[32];
			int len = snprintf(want, sizeof(want), "%llu;", (unsigned long long)ips[i]);

			assert_int_equal(list[i].len, len);
			assert_int_equal(list[i].part[0], len);
			assert_memory_equal(list[i].text, want, (size_t)len);
		}
	}
	assert_true(f->used < 300000);
	assert_true(f->nslots <= 1 << 20);
	fragments_free(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_json, scratch_setup, scratch_teardown),
		cmocka_unit_test_setup_teardown(test_key, scratch_setup, scratch_teardown),
		cmocka_unit_test_setup_teardown(test_key_of_boots, scratch_setup, scratch_teardown),
		cmocka_unit_test_setup_teardown(test_function, scratch_setup, scratch_teardown),
		cmocka_unit_test(test_many_fragments),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
