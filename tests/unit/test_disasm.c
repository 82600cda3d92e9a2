/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Instructions around a place, of code made here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "elf_open.h"
#include "lib/symbol/disasm.h"
#include "scratch.h"

#define TEXT UINT64_C(0xffffffff81000000)
#define ARM64_TEXT UINT64_C(0xffff800008010000)
#define ALL 1000

static struct object *x86_code(const char *bytes, size_t len)
{
	struct ew *f = ew_new(64, false, ET_EXEC, EM_X86_64);
	struct ew_section *text = ew_text(f, ".text", TEXT, len);

	text->align = 1;
	memcpy(text->data, bytes, len);
	return elf_finish(f);
}
#define X86_CODE(bytes) x86_code(bytes, sizeof(bytes) - 1)

/* A line each: offset from `base`, length, text or "-", "call", "> target", "= symbol". */
struct listing {
	uint64_t base, next;
	struct sm_buf text;
};

static void list(void *ctx, const struct disasm_insn *insn)
{
	struct listing *l = ctx;

	/* In order, without gaps */
	if (l->text.len)
		assert_int_equal(insn->addr, l->next);
	l->next = insn->addr + insn->len;
	assert_true(insn->len > 0);
	sm_buf_addf(&l->text, "%llx %u %s", (unsigned long long)(insn->addr - l->base), insn->len,
		insn->text ? insn->text : "-");
	if (insn->call)
		sm_buf_adds(&l->text, " call");
	if (insn->has_target)
		sm_buf_addf(&l->text, " > %llx", (unsigned long long)(insn->target - l->base));
	if (insn->symbol)
		sm_buf_addf(&l->text, " = %s", insn->symbol);
	sm_buf_addc(&l->text, '\n');
}

static void assert_listing(struct object *obj, const struct disasm_place *place, const char *want)
{
	struct listing l = {.base = sm_object_section(obj, ".text")->addr};
	struct disasm *d;

	sm_buf_adds(&l.text, "");
	assert_null(sm_disasm_open(obj, &d));
	assert_null(sm_disasm_around(d, place, list, &l));
	assert_string_equal(l.text.data, want);
	sm_disasm_close(d);
	sm_buf_release(&l.text);
}

static void assert_around(struct object *obj, uint64_t start, uint64_t end, uint64_t at,
	unsigned before, unsigned after, const char *want)
{
	uint64_t base = sm_object_section(obj, ".text")->addr;
	struct disasm_place place = {.start = base + start,
		.end = base + end,
		.addr = base + at,
		.before = before,
		.after = after};

	assert_listing(obj, &place, want);
}

/* push %rbp; mov %rsp,%rbp; call +0; je; call *%rax; ret; a call that is the last */
#define FUNCTION                                                       \
	"\x55\x48\x89\xe5\xe8\xf7\xff\xff\xff\x74\x02\xff\xd0\xc3\xe8" \
	"\xed\xff\xff\xff"

static void test_x86(void **state)
{
	struct object *obj = X86_CODE(FUNCTION);

	(void)state;
	assert_around(obj, 0, 19, 9, ALL, ALL,
		"0 1 pushq %rbp\n"
		"1 3 movq %rsp, %rbp\n"
		"4 5 callq 0xffffffff81000000 call > 0\n"
		"9 2 je 0xffffffff8100000d > d\n"
		"b 2 callq *%rax call\n"
		"d 1 retq\n"
		"e 5 callq 0xffffffff81000000 call > 0\n");
	assert_around(obj, 0, 19, 9, 1, 1,
		"4 5 callq 0xffffffff81000000 call > 0\n"
		"9 2 je 0xffffffff8100000d > d\n");
	assert_around(obj, 0, 19, 9, 0, 0, "");
	assert_around(obj, 0, 19, 0, 5, 1, "0 1 pushq %rbp\n");
	/* The end of the function, and what was said to be beyond the section's */
	assert_around(obj, 0, 19, 19, 1, 5, "e 5 callq 0xffffffff81000000 call > 0\n");
	assert_around(obj, 0, 1000, 14, 0, 5, "e 5 callq 0xffffffff81000000 call > 0\n");
	assert_around(obj, 0, 12, 11, 0, 5, "b 1 -\n");
	sm_object_free(obj);
}

static uint64_t shifted(void *ctx, uint64_t addr)
{
	return addr + *(uint64_t *)ctx;
}

static void test_run_time(void **state)
{
	struct object *obj = X86_CODE(FUNCTION);
	uint64_t slide = 0x1c000000;
	struct disasm_place place = {.start = TEXT,
		.end = TEXT + 19,
		.addr = TEXT + 9,
		.before = 1,
		.after = 1,
		.run_time = shifted,
		.ctx = &slide};

	(void)state;
	assert_listing(obj, &place,
		"4 5 callq 0xffffffff9d000000 call > 0\n"
		"9 2 je 0xffffffff9d00000d > d\n");
	sm_object_free(obj);
}

/* What capstone doesn't know. */
static void test_bad(void **state)
{
	/* nop; serialize; nop; lkgs %edi; nop; none, twice; ret */
	struct object *obj =
		X86_CODE("\x90\x0f\x01\xe8\x90\xf2\x0f\x00\xf7\x90\x06\x06\xc3\xf2\x0f");

	(void)state;
	assert_around(obj, 1, 13, 13, 4, 0, "9 1 nop\na 1 -\nb 1 -\nc 1 retq\n");
	assert_around(obj, 9, 13, 9, 0, ALL, "9 1 nop\na 1 -\nb 1 -\nc 1 retq\n");
	/* An instruction that the end cuts */
	assert_around(obj, 12, 15, 13, 1, ALL, "c 1 retq\nd 1 -\ne 1 -\n");
	sm_object_free(obj);
	/* Of a known length: a newer capstone names it. */
	for (unsigned i = 0; i < 2; i++) {
		struct listing l = {.base = TEXT};
		struct disasm_place place = {.start = TEXT,
			.end = TEXT + 10,
			.addr = TEXT + (i ? 10 : 0),
			.before = ALL,
			.after = ALL};
		struct disasm *d;

		obj = X86_CODE("\x90\x0f\x01\xe8\x90\xf2\x0f\x00\xf7\x90");
		assert_null(sm_disasm_open(obj, &d));
		assert_null(sm_disasm_around(d, &place, list, &l));
		assert_non_null(strstr(l.text.data, "1 3 "));
		assert_non_null(strstr(l.text.data, "4 1 nop"));
		assert_non_null(strstr(l.text.data, "9 1 nop"));
		sm_disasm_close(d);
		sm_object_free(obj);
		sm_buf_release(&l.text);
	}
}

/* Decoding from the start doesn't meet the address. */
static void test_resync(void **state)
{
	/* Data that looks like a mov with an immediate, in which there is a call */
	struct object *obj = X86_CODE("\x90\x48\xb8\x01\xe8\xf7\xff\xff\xff\x90\xc3\x00");

	(void)state;
	assert_around(obj, 0, 11, 9, ALL, 2,
		"0 1 nop\n"
		"1 1 -\n2 1 -\n3 1 -\n"
		"4 5 callq 0xffffffff81000000 call > 0\n"
		"9 1 nop\na 1 retq\n");
	/* Into the middle of what decodes: sound from there on */
	assert_around(obj, 0, 11, 3, ALL, 1, "0 1 nop\n1 1 -\n2 1 -\n3 2 addl %ebp, %eax\n");
	sm_object_free(obj);
	/* Two instructions at the end; and a call that begins before what was misread */
	obj = X86_CODE("\x90\x48\xb8\x01\x00\x55\x89\xe5\x01\x02\x03");
	assert_around(obj, 0, 11, 8, 2, 0, "5 1 pushq %rbp\n6 2 movl %esp, %ebp\n");
	sm_object_free(obj);
	obj = X86_CODE("\xe8\xfb\xff\xff\xff\xe8\xf6\xff\xff\xff\x90\x90\x90\x90\x90\x90");
	assert_around(obj, 2, 16, 10, ALL, 1,
		"2 1 -\n3 1 -\n4 1 -\n"
		"5 5 callq 0xffffffff81000000 call > 0\na 1 nop\n");
	sm_object_free(obj);
	obj = X86_CODE("\xb8\x01\x02\xe8\xf8\xff\xff\xff\x90\x01\x01\x01\x01\xc3");
	assert_around(obj, 0, 14, 8, ALL, 1,
		"0 1 -\n1 1 -\n2 1 -\n3 5 callq 0xffffffff81000000 call > 0\n8 1 nop\n");
	assert_around(obj, 2, 14, 8, ALL, 0, "2 1 -\n3 5 callq 0xffffffff81000000 call > 0\n");
	sm_object_free(obj);
}

/* A call to a thunk of which the kernel makes a shorter one: what the file has is shown whole. */
static void test_shorter(void **state)
{
	struct ew *f = ew_new(64, false, ET_EXEC, EM_X86_64);
	struct ew_section *text = ew_text(f, ".text", TEXT, 0x100), *sites;
	struct disasm *d;
	struct object *obj;

	(void)state;
	ew_call(text, 4, TEXT + 0x80);
	sites = ew_section(f, ".retpoline_sites", SHT_PROGBITS, SHF_ALLOC, TEXT + 0x1000);
	ew_u(sites, 4, (uint64_t)(4 - 0x1000));
	obj = elf_finish(f);
	assert_around(obj, 0, 0x10, 6, 2, 1,
		"3 1 nop\n4 5 callq 0xffffffff81000080 call > 80\n9 1 nop\n");
	assert_around(obj, 0, 0x10, 9, 1, 1, "4 5 callq 0xffffffff81000080 call > 80\n9 1 nop\n");
	assert_null(sm_disasm_open(obj, &d));
	assert_int_equal(sm_disasm_call_site(d, TEXT, TEXT + 6), CALL_FOUND);
	assert_int_equal(sm_disasm_call_site(d, TEXT, TEXT + 9), CALL_FOUND);
	assert_int_equal(sm_disasm_call_site(d, TEXT, TEXT + 8), CALL_NONE);
	sm_disasm_close(d);
	sm_object_free(obj);
}

/* Bytes that look like a call, in an operand and in what isn't reached so. */
static void test_call_site(void **state)
{
	/* mov $..., of which the last five are E8 to the start; call; mov $0x...d0ff; ret */
	struct object *obj = X86_CODE("\x48\xb8\x01\x02\x03\xe8\xf6\xff\xff\xff"
				      "\xe8\xf1\xff\xff\xff\x66\xb8\xff\xd0\xc3");
	struct disasm *d;

	(void)state;
	assert_null(sm_disasm_open(obj, &d));
	assert_int_equal(sm_call_site(obj, TEXT + 10), CALL_FOUND);
	assert_int_equal(sm_disasm_call_site(d, TEXT, TEXT + 10), CALL_NONE);
	assert_int_equal(sm_disasm_call_site(d, TEXT, TEXT + 15), CALL_FOUND);
	assert_int_equal(sm_call_site(obj, TEXT + 19), CALL_FOUND);
	assert_int_equal(sm_disasm_call_site(d, TEXT, TEXT + 19), CALL_NONE);
	assert_int_equal(sm_disasm_call_site(d, TEXT, TEXT + 20), CALL_NONE);
	assert_int_equal(sm_disasm_call_site(d, TEXT, TEXT), CALL_NONE);
	assert_int_equal(sm_disasm_call_site(d, TEXT, TEXT + 100), CALL_UNKNOWN);
	/* No such start: by the bytes */
	assert_int_equal(sm_disasm_call_site(d, TEXT + 100, TEXT + 19), CALL_FOUND);
	assert_int_equal(sm_disasm_call_site(d, 0, TEXT + 19), CALL_FOUND);
	sm_disasm_close(d);
	sm_object_free(obj);
}

/* What a module's operands name is in its relocations. */
static void test_relocatable(void **state)
{
	struct ew *f = ew_new(64, false, ET_REL, EM_X86_64);
	struct ew_section *text = ew_text(f, ".text", 0, 0x40), *other;
	uint64_t slide = 0x1000;
	struct disasm_place place;
	struct object *obj;

	(void)state;
	other = ew_text(f, ".text.unlikely", 0, 0x20);
	ew_call_symbol(text, 0x00, ew_undefined(f, "kfree"));
	ew_call_symbol(text, 0x05, ew_static_function(text, "near", 0x30, 8));
	ew_call_symbol(text, 0x0a, ew_static_function(other, "far", 0x10, 8));
	memcpy(text->data + 0x0f, "\xe9\x00\x00\x00\x00", 5);
	ew_reloc(text, 0x10, R_X86_64_PC32, ew_section_symbol(other), 0x14);
	memcpy(text->data + 0x14, "\x48\xc7\xc7\x00\x00\x00\x00", 7);
	ew_reloc(text, 0x17, R_X86_64_32S, ew_undefined(f, "table"), 0x20);
	memcpy(text->data + 0x1b, "\x48\x8b\x05\x00\x00\x00\x00", 7);
	ew_reloc(text, 0x1e, R_X86_64_PC32, ew_undefined(f, "variable"), -4);
	memcpy(text->data + 0x22, "\xe8\x00\x00\x00\x00\x74\xfe\xe9\xd2\xff\xff\xff", 12);
	obj = elf_finish(f);
	place = (struct disasm_place){.start = IMAGE_BASE,
		.end = IMAGE_BASE + 0x2e,
		.addr = IMAGE_BASE,
		.after = ALL,
		.run_time = shifted,
		.ctx = &slide};
	assert_listing(obj, &place,
		"0 5 callq kfree call = kfree\n"
		"5 5 callq 0x101030 call > 30 = near\n"
		"a 5 callq 0x101050 call > 50 = far\n"
		"f 5 jmp 0x101058 > 58 = .text.unlikely+0x18\n"
		"14 7 movq $0, %rdi = table+0x20\n"
		"1b 7 movq (%rip), %rax = variable\n"
		"22 5 callq ? call = ?\n" /* its relocation is missing */
		"27 2 je 0x101027 > 27\n"
		"29 5 jmp 0x101000 > 0\n");
	sm_object_free(obj);
}

static void put_insn(struct ew_section *s, size_t at, uint32_t insn)
{
	for (unsigned i = 0; i < 4; i++)
		s->data[at + i] = (uint8_t)(insn >> 8 * i);
}

static void check_arm64(bool big_endian)
{
	static const uint32_t code[] = {0xd503233f, 0x94000007, 0xd63f0020, 0x00000000, 0x54000041,
		0xb5ffffc0, 0x3707ffa0, 0x17fffff9, 0xd65f03c0};
	struct ew *f = ew_new(64, big_endian, ET_DYN, EM_AARCH64);
	struct ew_section *text = ew_text(f, ".text", ARM64_TEXT, 0x42);
	struct object *obj;

	for (size_t i = 0; i < SM_ARRAY_SIZE(code); i++)
		put_insn(text, 4 * i, code[i]);
	obj = elf_finish(f);
	assert_around(obj, 4, 0x24, 0xc, ALL, 6,
		"4 4 bl #0xffff800008010020 call > 20\n"
		"8 4 blr x1 call\n"
		"c 4 -\n"
		"10 4 b.ne #0xffff800008010018 > 18\n"
		"14 4 cbnz x0, #0xffff80000801000c > c\n"
		"18 4 tbnz w0, #0, #0xffff80000801000c > c\n"
		"1c 4 b #0xffff800008010000 > 0\n"
		"20 4 ret\n");
	/* Not where an instruction can be, and less than one at the end */
	assert_around(obj, 8, 0x24, 0xe, ALL, 1, "8 4 blr x1 call\nc 2 -\ne 4 -\n");
	assert_around(obj, 0x3c, 0x42, 0x40, ALL, 5, "3c 4 nop\n40 2 -\n");
	sm_object_free(obj);
}

static void test_arm64(void **state)
{
	(void)state;
	check_arm64(false);
	check_arm64(true);
}

static void assert_missing(struct object *obj, uint64_t start, uint64_t end, uint64_t addr)
{
	struct disasm_place place = {
		.start = start, .end = end, .addr = addr, .before = 3, .after = 3};
	struct listing l = {.base = TEXT};
	struct disasm *d;

	assert_null(sm_disasm_open(obj, &d));
	scratch_expect(sm_disasm_around(d, &place, list, &l), SM_E_MISSING, "no code at hand");
	assert_int_equal(l.text.len, 0);
	sm_disasm_close(d);
}

static void test_missing(void **state)
{
	struct object *obj = X86_CODE(FUNCTION);
	struct disasm *d;
	struct ew *f;

	(void)state;
	assert_missing(obj, TEXT, TEXT + 19, TEXT + 20);
	assert_missing(obj, TEXT + 4, TEXT + 19, TEXT);
	assert_missing(obj, TEXT, TEXT + 4, TEXT + 5);
	assert_missing(obj, TEXT + 4, TEXT, TEXT + 4);
	assert_missing(obj, TEXT + 19, TEXT + 20, TEXT + 19);
	assert_missing(obj, 0, UINT64_MAX, TEXT);
	assert_missing(obj, TEXT, UINT64_MAX, UINT64_MAX);
	sm_object_free(obj);
	f = ew_new(64, false, ET_EXEC, EM_X86_64);
	ew_hollow(ew_text(f, ".text", TEXT, 0x40));
	ew_section(f, ".data", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, TEXT + 0x1000);
	ew_zeros(ew_find(f, ".data"), 0x40);
	obj = elf_finish(f);
	assert_missing(obj, TEXT, TEXT + 0x10, TEXT + 4);
	assert_missing(obj, TEXT + 0x1000, TEXT + 0x1010, TEXT + 0x1004);
	sm_object_free(obj);
	f = ew_new(64, true, ET_EXEC, EM_S390);
	ew_text(f, ".text", TEXT, 0x40);
	obj = elf_finish(f);
	scratch_expect(sm_disasm_open(obj, &d), SM_E_UNSUPPORTED, "machine code of another kind");
	assert_null(d);
	sm_disasm_close(NULL);
	sm_object_free(obj);
}

/* Any bytes, anywhere in them: what is shown before meets the address, and nothing is lost. */
static void test_random(void **state)
{
	static const size_t sizes[] = {1, 2, 3, 5, 7, 15, 16, 40};
	uint64_t seed = 99;

	(void)state;
	for (unsigned round = 0; round < 400; round++) {
		size_t size = sizes[round % SM_ARRAY_SIZE(sizes)];
		bool arm64 = round & 8;
		struct ew *f = ew_new(64, false, ET_EXEC, arm64 ? EM_AARCH64 : EM_X86_64);
		struct ew_section *text = ew_text(f, ".text", TEXT, size);
		struct object *obj;
		struct disasm *d;

		for (size_t i = 0; i < size; i++) {
			seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
			text->data[i] = (uint8_t)(seed >> 56);
		}
		obj = elf_finish(f);
		assert_null(sm_disasm_open(obj, &d));
		for (size_t at = 0; at <= size - (size ? 1 : 0); at++) {
			struct listing l = {.base = TEXT};
			struct disasm_place place = {.start = TEXT,
				.end = TEXT + size,
				.addr = TEXT + at,
				.before = ALL};

			assert_null(sm_disasm_around(d, &place, list, &l));
			if (at)
				assert_true(l.next == TEXT + at ||
					    sm_call_site(obj, TEXT + at) == CALL_FOUND);
			place.after = ALL;
			sm_buf_reset(&l.text);
			assert_null(sm_disasm_around(d, &place, list, &l));
			assert_int_equal(l.next, TEXT + size);
			sm_disasm_call_site(d, TEXT, TEXT + at);
			sm_buf_release(&l.text);
		}
		sm_disasm_close(d);
		sm_object_free(obj);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_x86),
		cmocka_unit_test(test_run_time),
		cmocka_unit_test(test_bad),
		cmocka_unit_test(test_resync),
		cmocka_unit_test(test_shorter),
		cmocka_unit_test(test_call_site),
		cmocka_unit_test(test_relocatable),
		cmocka_unit_test(test_arm64),
		cmocka_unit_test(test_missing),
		cmocka_unit_test(test_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
