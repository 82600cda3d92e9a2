/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Event formats: a real kernel's text, odd ones, broken ones; fields of payloads as text. */
#include "capture.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "lib/record/internal.h"

#define COMMON                                                                         \
	"format:\n"                                                                    \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"         \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"         \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"                     \
	"\n"

static struct sm_error *parse(struct sm_arena *arena, const char *system, const char *text,
	size_t len, struct sm_event_type *type)
{
	/* Nothing behind the text. */
	char *copy = malloc(len ? len : 1);
	struct sm_error *err;

	memcpy(copy, text, len);
	err = sm_event_type_parse(arena, "format", system, copy, len, 8, type);
	free(copy);
	return err;
}

static void field_is(const struct sm_event_type *type, const char *name, const char *decl,
	unsigned offset, unsigned size, bool is_signed)
{
	const struct sm_field *f = sm_event_type_field(type, name);

	if (!f)
		fail_msg("no field '%s'", name);
	assert_string_equal(f->type, decl);
	assert_int_equal(f->offset, offset);
	assert_int_equal(f->size, size);
	assert_int_equal(f->is_signed, is_signed);
}

static uint64_t gfp_of(const struct sm_event_type *type, const char *name)
{
	for (uint32_t i = 0; i < type->ngfp; i++)
		if (strcmp(type->gfp[i].name, name) == 0)
			return type->gfp[i].value;
	fail_msg("no GFP name '%s'", name);
	return 0;
}

/* The text of a 6.18 kernel, byte for byte, as the generator writes it. */
static void test_real(void **state)
{
	struct scratch *s = *state;
	struct sm_arena arena = {0};
	struct sm_event_type type;
	char *text;
	size_t len;

	capture_play_file(s, "capture", "le64.txt");
	text = (char *)scratch_load(
		s, "capture/" SM_TRACING "/events/kmem/kmem_cache_alloc/format", &len);
	assert_null(parse(&arena, "kmem", text, len, &type));
	assert_string_equal(type.name, "kmem_cache_alloc");
	assert_string_equal(type.system, "kmem");
	assert_int_equal(type.kind, SM_EV_SLAB_ALLOC);
	assert_int_equal(type.ncommon, 4);
	assert_int_equal(type.nfields, 12);
	field_is(&type, "common_type", "unsigned short", 0, 2, false);
	field_is(&type, "common_pid", "int", 4, 4, true);
	field_is(&type, "call_site", "unsigned long", 8, 8, false);
	field_is(&type, "ptr", "const void *", 16, 8, false);
	field_is(&type, "name", "__data_loc char[]", 24, 4, false);
	assert_true(sm_event_type_field(&type, "name")->is_dynamic);
	assert_false(sm_event_type_field(&type, "ptr")->is_dynamic);
	field_is(&type, "bytes_req", "size_t", 32, 8, false);
	field_is(&type, "node", "int", 56, 4, true);
	field_is(&type, "accounted", "bool", 60, 1, false);
	assert_non_null(strstr(type.print_fmt, "bytes_alloc=%zu"));
	assert_int_equal(gfp_of(&type, "GFP_KERNEL"), 0xcc0);
	assert_int_equal(gfp_of(&type, "GFP_ATOMIC"), 0x820);
	assert_int_equal(gfp_of(&type, "__GFP_ZERO"), 0x100);
	assert_true(type.ngfp > 30);
	/* Cut anywhere: an error or a shorter type, never more than is there. */
	for (size_t n = 0; n < len; n += n < 1500 ? 1 : 37)
		sm_error_free(parse(&arena, "kmem", text, n, &type));
	free(text);
	sm_arena_release(&arena);
}

/* Each kernel's own layout and constants. */
static void test_kernels(void **state)
{
	static const struct {
		const char *script;
		unsigned name_size, ngfp;
	} kernels[] = {{"format-5.15.txt", 0, 30}, {"format-6.1.txt", 0, 30},
		{"format-6.12.txt", 0, 30}, {"le64.txt", 4, 30}, {"le32.txt", 4, 30}};
	struct scratch *s = *state;

	for (size_t i = 0; i < SM_ARRAY_SIZE(kernels); i++) {
		const struct sm_field *name;
		struct sm_arena arena = {0};
		struct sm_event_type type;
		char *text;
		size_t len;

		scratch_run(s, "rm -rf capture");
		capture_play_file(s, "capture", kernels[i].script);
		text = (char *)scratch_load(
			s, "capture/" SM_TRACING "/events/kmem/kmem_cache_alloc/format", &len);
		assert_null(parse(&arena, "kmem", text, len, &type));
		name = sm_event_type_field(&type, "name");
		assert_int_equal(name ? name->size : 0, kernels[i].name_size);
		assert_true(type.ngfp >= kernels[i].ngfp);
		assert_int_equal(gfp_of(&type, "GFP_KERNEL"), 0xcc0);
		free(text);
		sm_arena_release(&arena);
	}
}

static void test_odd(void **state)
{
	static const char text[] =
		"name: odd\n"
		"ID: 65535\n" COMMON
		"\tfield:unsigned long caller[8];\toffset:16;\tsize:64;\tsigned:0;\n"
		"\tfield:char comm[16];\toffset:80;\tsize:16;\tsigned:1;\n"
		"\tfield:__rel_loc char[] rel;\toffset:96;\tsize:4;\tsigned:0;\n"
		/* signed: is missing on old kernels */
		"\tfield:struct foo * bar;\toffset:100;\tsize:8;\n"
		"\tfield:u8 big;\toffset:65535;\tsize:4294967295;\tsigned:0;\n"
		"\n"
		"print fmt: \"two\nlines\", REC->bar";
	struct sm_arena arena = {0};
	struct sm_event_type type;

	(void)state;
	assert_null(parse(&arena, "test", text, sizeof(text) - 1, &type));
	assert_int_equal(type.id, 65535);
	assert_int_equal(type.kind, SM_EV_OTHER);
	field_is(&type, "caller", "unsigned long", 16, 64, false);
	assert_true(sm_event_type_field(&type, "caller")->is_array);
	field_is(&type, "comm", "char", 80, 16, true);
	field_is(&type, "rel", "__rel_loc char[]", 96, 4, false);
	assert_true(sm_event_type_field(&type, "rel")->is_relative);
	field_is(&type, "bar", "struct foo *", 100, 8, false);
	field_is(&type, "big", "u8", 65535, UINT32_MAX, false);
	assert_string_equal(type.print_fmt, "\"two\nlines\", REC->bar");
	assert_null(sm_event_type_field(&type, "nothing"));
	assert_int_equal(type.ngfp, 0);
	sm_arena_release(&arena);
}

/* The names alone don't make a kmem event. */
static void test_kinds(void **state)
{
	static const struct {
		const char *system, *name;
		enum sm_event_kind kind;
	} kinds[] = {
		{"kmem", "kmalloc", SM_EV_SLAB_ALLOC},
		{"kmem", "kmalloc_node", SM_EV_SLAB_ALLOC},
		{"kmem", "kfree", SM_EV_SLAB_FREE},
		{"kmem", "kmem_cache_free", SM_EV_SLAB_FREE},
		{"kmem", "mm_page_alloc", SM_EV_PAGE_ALLOC},
		{"kmem", "mm_page_free", SM_EV_PAGE_FREE},
		{"kmem", "mm_page_free_batched", SM_EV_PAGE_FREE_BATCHED},
		{"kmem", "mm_page_alloc_extfrag", SM_EV_OTHER},
		{"other", "kmalloc", SM_EV_OTHER},
		{"ftrace", "kernel_stack", SM_EV_KERNEL_STACK},
		{"ftrace", "stack_id", SM_EV_STACK_ID},
		{"ftrace", "user_stack", SM_EV_USER_STACK},
		{"kmem", "stack_id", SM_EV_OTHER},
	};
	struct sm_arena arena = {0};

	(void)state;
	for (size_t i = 0; i < SM_ARRAY_SIZE(kinds); i++) {
		struct sm_event_type type;
		char text[1024];

		snprintf(text, sizeof(text), "name: %s\nID: 7\n" COMMON, kinds[i].name);
		assert_null(parse(&arena, kinds[i].system, text, strlen(text), &type));
		assert_int_equal(type.kind, kinds[i].kind);
	}
	sm_arena_release(&arena);
}

static void test_faults(void **state)
{
#define FIELD(f) "name: x\nID: 1\nformat:\n\tfield:" f "\n"
	static const char *const texts[] = {
		"",
		"\n\n\n",
		"name: x\n",
		"name: x\nID: 5\n",
		"ID: 5\n" COMMON,
		"name: x\n" COMMON,
		"name: x\nID: 65536\n" COMMON,
		"name: x\nID: 99999999999999999999\n" COMMON,
		"name: x\nID: -1\n" COMMON,
		FIELD("int a"),
		FIELD("int a;"),
		FIELD("int a;\toffset:8;"),
		FIELD("int a;\tsize:8;"),
		FIELD("int a;\toffset:65536;\tsize:8;\tsigned:0;"),
		FIELD("int a;\toffset:0;\tsize:4294967296;\tsigned:0;"),
		FIELD("int a;\toffset:x;\tsize:4;\tsigned:0;"),
		FIELD(";\toffset:0;\tsize:4;\tsigned:0;"),
		FIELD("   ;\toffset:0;\tsize:4;\tsigned:0;"),
		FIELD("[8];\toffset:0;\tsize:4;\tsigned:0;"),
		FIELD("]]]];\toffset:0;\tsize:4;\tsigned:0;"),
	};
	struct sm_arena arena = {0};
	struct sm_event_type type;
	struct sm_buf many = {0};

	(void)state;
	for (size_t i = 0; i < SM_ARRAY_SIZE(texts); i++) {
		struct sm_error *err = parse(&arena, "x", texts[i], strlen(texts[i]), &type);

		if (!err)
			fail_msg("accepted: %s", texts[i]);
		scratch_expect(err, SM_E_FORMAT, "event format");
	}
	sm_buf_adds(&many, "name: x\nID: 1\n" COMMON);
	for (unsigned i = 0; i < 300; i++)
		sm_buf_addf(&many, "\tfield:int f%u;\toffset:8;\tsize:4;\tsigned:1;\n", i);
	scratch_expect(
		parse(&arena, "x", many.data, many.len, &type), SM_E_FORMAT, "too many fields");
	sm_buf_release(&many);
	sm_arena_release(&arena);
}

/* Payloads as text; whatever is claimed, nothing beyond them is read. */
static void test_payload(void **state)
{
	static const char text[] =
		"name: t\nID: 1\n" COMMON "\tfield:int a;\toffset:8;\tsize:4;\tsigned:1;\n"
		"\tfield:unsigned char b;\toffset:12;\tsize:1;\tsigned:0;\n"
		"\tfield:char c[3];\toffset:13;\tsize:3;\tsigned:0;\n"
		"\tfield:void * p;\toffset:16;\tsize:8;\tsigned:0;\n"
		"\tfield:__data_loc char[] s;\toffset:24;\tsize:4;\tsigned:0;\n"
		"\tfield:__rel_loc char[] r;\toffset:28;\tsize:4;\tsigned:0;\n"
		"\tfield:u8 raw[2];\toffset:32;\tsize:2;\tsigned:0;\n"
		"\nprint fmt: \"\"";
	uint8_t payload[48] = {1, 0, 0, 0, 0, 0, 0, 0, 0xfe, 0xff, 0xff, 0xff, 200, 'a', '\n', 'c',
		0x34, 0x12, 0, 0, 0, 0, 0, 0x80, 34, 0, 4, 0, 6, 0, 3, 0, 0xab, 0x01, 'x', 'y', 0,
		'!', 'z', '1', '2', 0};
	struct sm_trace trace = {.layout.swap = sm_host_big_endian()};
	struct sm_arena arena = {0};
	struct sm_event_type type;
	struct sm_buf b = {0};

	(void)state;
	assert_null(parse(&arena, "x", text, sizeof(text) - 1, &type));
	sm_event_format_fields(&trace, &type, payload, 42, &b);
	assert_string_equal(
		b.data, " a=-2 b=200 c=a\\x0ac p=0x8000000000001234 s=xy r=z12 raw={ab,1}");
	for (size_t len = 0; len <= 42; len++) {
		uint8_t *copy = malloc(len ? len : 1);

		memcpy(copy, payload, len);
		sm_buf_reset(&b);
		sm_event_format_fields(&trace, &type, copy, len, &b);
		free(copy);
	}
	/* Strings that claim to lie elsewhere. */
	for (unsigned i = 24; i < 32; i++) {
		uint8_t *copy = malloc(42);

		memcpy(copy, payload, 42);
		copy[i] = 0xff;
		sm_buf_reset(&b);
		sm_event_format_fields(&trace, &type, copy, 42, &b);
		if (i % 4 < 3)
			assert_non_null(strstr(b.data, "=?"));
		free(copy);
	}
	sm_buf_release(&b);
	sm_arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_real, scratch_setup, scratch_teardown),
		cmocka_unit_test_setup_teardown(test_kernels, scratch_setup, scratch_teardown),
		cmocka_unit_test(test_odd),
		cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_faults),
		cmocka_unit_test(test_payload),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
