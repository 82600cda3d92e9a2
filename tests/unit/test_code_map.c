/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lookups in code maps, sound and damaged ones. How they are built: test_code_builder.c. */

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "lib/symbol/code_map.h"

#define TEXT UINT64_C(0xffffffff81000000)
#define MAX_LINES 64

/* ---- lookups ---- */

/* A chain as text, innermost first: "helper mm/slab.h:7 < do_work mm/slub.c:20", "?" for what is
 * unknown. In one of four static buffers. */
static const char *chain(const struct code_map *map, uint64_t addr)
{
	static struct sm_buf buffers[4];
	static unsigned next;
	struct sm_buf *text = &buffers[next++ % 4];
	struct sm_line lines[MAX_LINES];
	size_t n = sm_code_map_find(map, addr, lines, MAX_LINES);

	sm_buf_reset(text);
	sm_buf_adds(text, "");
	for (size_t i = 0; i < n; i++)
		sm_buf_addf(text, "%s%s %s:%u", i ? " < " : "",
			lines[i].function ? lines[i].function : "?",
			lines[i].file ? lines[i].file : "?", lines[i].line);
	return text->data;
}

/* At 0; 4: "a.c"; 8: "b.h"; 12, 14, 16: "f", "g", "h". */
static const char strings[] = "\0\0\0\0a.c\0b.h\0f\0g\0h";

static const struct code_scope scopes[] = {
	{12, CODE_NO_SCOPE, 0, 0},
	{14, 0, 1, 10},
	{16, 1, 2, 20},
	{0, CODE_NO_SCOPE, 0, 0},
};

static const struct code_segment segments[] = {
	{0x10, 0, 1, 5},
	{0x18, 2, 2, 30},
	{0x20, CODE_NO_SCOPE, 0, 0},
	{0x30, 1, 1, 0},
	{0x40, CODE_NO_SCOPE, 2, 7},
	{0x50, 3, 0, 0},
	{0xfffffff0, 0, 1, 6},
};

static struct code_map sound_map(void)
{
	return (struct code_map){
		.base = TEXT,
		.segments = segments,
		.nsegments = SM_ARRAY_SIZE(segments),
		.scopes = scopes,
		.nscopes = SM_ARRAY_SIZE(scopes),
		.strings = strings,
		.strings_len = sizeof(strings),
	};
}

static void test_find(void **state)
{
	struct code_map map = sound_map();
	struct sm_line lines[2];

	(void)state;
	assert_string_equal(chain(&map, TEXT + 0x0f), "");
	assert_string_equal(chain(&map, TEXT + 0x10), "f a.c:5");
	assert_string_equal(chain(&map, TEXT + 0x17), "f a.c:5");
	assert_string_equal(chain(&map, TEXT + 0x18), "h b.h:30 < g b.h:20 < f a.c:10");
	assert_string_equal(chain(&map, TEXT + 0x1f), "h b.h:30 < g b.h:20 < f a.c:10");
	assert_string_equal(chain(&map, TEXT + 0x20), "");
	assert_string_equal(chain(&map, TEXT + 0x30), "g a.c:0 < f a.c:10");
	assert_string_equal(chain(&map, TEXT + 0x40), "? b.h:7");
	assert_string_equal(chain(&map, TEXT + 0x50), "? ?:0");
	assert_string_equal(chain(&map, TEXT + 0xffffffff), "");
	map.base = 0xffff0000;
	assert_string_equal(chain(&map, map.base + 0xffffffff), "f a.c:6");
	assert_string_equal(chain(&map, map.base + 0x100000000), "");
	assert_string_equal(chain(&map, map.base - 1), "");
	assert_string_equal(chain(&map, 0), "");
	/* No more than there is room for. */
	lines[1].line = 99;
	assert_int_equal(sm_code_map_find(&map, map.base + 0x18, lines, 1), 1);
	assert_int_equal(lines[0].line, 30);
	assert_int_equal(lines[1].line, 99);
	assert_int_equal(sm_code_map_find(&map, map.base + 0x18, lines, 2), 2);
	assert_int_equal(lines[1].line, 20);
	assert_int_equal(sm_code_map_find(&map, map.base + 0x18, NULL, 0), 0);
	assert_int_equal(sm_code_map_find(&map, map.base + 0x40, NULL, 0), 0);
}

static void test_find_each(void **state)
{
	struct code_segment many[40];

	(void)state;
	for (uint32_t i = 0; i < SM_ARRAY_SIZE(many); i++)
		many[i] = (struct code_segment){2 * i + 1, CODE_NO_SCOPE, 1, (i + 1) & 0xff};
	for (size_t n = 0; n <= SM_ARRAY_SIZE(many); n++) {
		struct code_map map = sound_map();

		map.segments = many;
		map.nsegments = n;
		for (uint32_t at = 0; at < 2 * SM_ARRAY_SIZE(many) + 4; at++) {
			uint32_t i = at ? (at - 1) / 2 : 0;
			struct sm_line line = {0};
			size_t found = sm_code_map_find(&map, TEXT + at, &line, 1);

			assert_int_equal(found, n && at);
			if (found)
				assert_int_equal(line.line, i < n ? i + 1 : n);
		}
	}
}

/* Whatever an index says. */
static void test_find_in_damaged(void **state)
{
	static const char end[] = "";
	const struct code_segment one = {0, 2, CODE_MAX_FILE, CODE_MAX_LINE};
	const struct code_scope odd[] = {
		{UINT32_MAX, 1, 3, 1},     /* its parent comes after it */
		{12, 1, CODE_MAX_FILE, 2}, /* it is its own parent */
		{sizeof(strings), 0, 5, 3},
	};
	struct code_map map = sound_map();

	(void)state;
	map.segments = &one;
	map.nsegments = 1;
	map.scopes = odd;
	map.nscopes = SM_ARRAY_SIZE(odd);
	assert_string_equal(chain(&map, TEXT), "? ?:1048575 < ? ?:3");
	map.strings_len = 0;
	assert_string_equal(chain(&map, TEXT), "? ?:1048575 < ? ?:3");
	map.strings = end;
	map.strings_len = 1;
	assert_string_equal(chain(&map, TEXT), "? ?:1048575 < ? ?:3");
	map.nscopes = 2; /* the segment's isn't there */
	assert_string_equal(chain(&map, TEXT), "");
	map.nsegments = 0;
	assert_string_equal(chain(&map, TEXT), "");
	map = (struct code_map){.base = TEXT};
	assert_string_equal(chain(&map, TEXT), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_find),
		cmocka_unit_test(test_find_each),
		cmocka_unit_test(test_find_in_damaged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
