/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ends of calls, in small files made here. The forms of FF /2 are compared with capstone's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <capstone/capstone.h>

#include "elf_open.h"
#include "lib/symbol/call_site.h"

#define TEXT UINT64_C(0xffffffff81000000)
#define DATA UINT64_C(0xffffffff82000000)

static void put(struct ew_section *s, size_t at, const char *bytes, size_t len)
{
	assert_true(at + len <= s->len);
	memcpy(s->data + at, bytes, len);
}
#define PUT(s, at, bytes) put(s, at, bytes, sizeof(bytes) - 1)

static void test_direct(void **state)
{
	struct ew *f = ew_new(64, false, ET_EXEC, EM_X86_64);
	struct ew_section *text = ew_text(f, ".text", TEXT, 0x100);
	struct object *obj;

	(void)state;
	ew_section(f, ".data", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, DATA);
	ew_zeros(ew_find(f, ".data"), 0x100);
	ew_text(f, ".init.text", TEXT + 0x1000000 + 0x1000, 0x10);
	ew_call(text, 0x10, TEXT);
	ew_call(text, 0x20, TEXT + 0xff);
	ew_call(text, 0x30, TEXT + 0x100); /* past the end */
	ew_call(text, 0x40, DATA);
	ew_call(text, 0x50, TEXT + 0x1001000);
	PUT(text, 0x60, "\xe9\x00\x00\x00\x00");     /* jmp */
	PUT(text, 0x70, "\x0f\x1f\x44\x00\x00");     /* a static call that is off */
	PUT(text, 0x80, "\x2e\xe8\x00\x00\x00\x00"); /* with a prefix */
	ew_call(text, 0xfb, TEXT);                   /* the last instruction */
	obj = elf_finish(f);
	assert_int_equal(sm_call_site(obj, TEXT + 0x15), CALL_FOUND);
	assert_int_equal(sm_call_site(obj, TEXT + 0x25), CALL_FOUND);
	assert_int_equal(sm_call_site(obj, TEXT + 0x35), CALL_NONE);
	assert_int_equal(sm_call_site(obj, TEXT + 0x45), CALL_NONE);
	assert_int_equal(sm_call_site(obj, TEXT + 0x55), CALL_FOUND);
	assert_int_equal(sm_call_site(obj, TEXT + 0x65), CALL_NONE);
	assert_int_equal(sm_call_site(obj, TEXT + 0x75), CALL_NONE);
	assert_int_equal(sm_call_site(obj, TEXT + 0x86), CALL_FOUND);
	assert_int_equal(sm_call_site(obj, TEXT + 0x100), CALL_FOUND);
	for (uint64_t at = 0x10; at < 0x15; at++)
		assert_int_equal(sm_call_site(obj, TEXT + at), CALL_NONE);
	assert_int_equal(sm_call_site(obj, TEXT), CALL_NONE);
	assert_int_equal(sm_call_site(obj, DATA + 5), CALL_NONE);
	/* Nothing there */
	assert_int_equal(sm_call_site(obj, TEXT + 0x101), CALL_UNKNOWN);
	assert_int_equal(sm_call_site(obj, TEXT - 1), CALL_UNKNOWN);
	assert_int_equal(sm_call_site(obj, 0), CALL_UNKNOWN);
	assert_int_equal(sm_call_site(obj, 1), CALL_UNKNOWN);
	assert_int_equal(sm_call_site(obj, UINT64_MAX), CALL_UNKNOWN);
	sm_object_free(obj);
}

/* ---- each FF with each ModRM and SIB, against capstone ---- */

#define SLOT 16
#define SLOTS 65536

static const struct {
	const char *bytes;
	unsigned len;
} prefixes[] = {{"", 0}, {"\x41", 1}, {"\x4f", 1}, {"\x2e", 1}, {"\x3e", 1}, {"\x67", 1},
	{"\x3e\x41", 2}, {"\x65\x43", 2}};

static void compare_indirect(csh handle, cs_insn *insn, const char *prefix, unsigned prefix_len)
{
	struct ew *f = ew_new(64, false, ET_EXEC, EM_X86_64);
	struct ew_section *text = ew_text(f, ".text", TEXT, SLOT * SLOTS);
	unsigned calls = 0, others = 0;
	struct object *obj;

	for (unsigned i = 0; i < SLOTS; i++) {
		uint8_t *p = text->data + i * SLOT;

		/* Displacements of 01, which make no other call of what is before them */
		memcpy(p, prefix, prefix_len);
		p[prefix_len] = 0xff;
		p[prefix_len + 1] = (uint8_t)(i >> 8);
		p[prefix_len + 2] = (uint8_t)i;
		memset(p + prefix_len + 3, 0x01, 4);
	}
	obj = elf_finish(f);
	for (unsigned i = 0; i < SLOTS; i++) {
		uint64_t addr = TEXT + i * SLOT, at = addr;
		size_t left;
		const uint8_t *p = sm_object_code(obj, addr, &left), *code = p;
		bool call, found;

		left = SLOT;
		if (!cs_disasm_iter(handle, &code, &left, &at, insn))
			continue;
		call = insn->id == X86_INS_CALL;
		found = sm_call_site(obj, addr + insn->size) == CALL_FOUND;
		if (call != found)
			fail_msg("%02x %02x %02x with %u bytes of prefixes, length %u: %s %s: %d",
				p[prefix_len], p[prefix_len + 1], p[prefix_len + 2], prefix_len,
				insn->size, insn->mnemonic, insn->op_str, found);
		calls += call;
		others += !call;
	}
	/* A reg field of eight is 2, and some of the others are instructions. */
	assert_int_equal(calls, SLOTS / 8);
	assert_true(others > SLOTS / 4);
	sm_object_free(obj);
}

static void test_indirect(void **state)
{
	cs_insn *insn;
	csh handle;

	(void)state;
	assert_int_equal(cs_open(CS_ARCH_X86, CS_MODE_64, &handle), CS_ERR_OK);
	insn = cs_malloc(handle);
	assert_non_null(insn);
	for (size_t i = 0; i < SM_ARRAY_SIZE(prefixes); i++)
		compare_indirect(handle, insn, prefixes[i].bytes, prefixes[i].len);
	cs_free(insn, 1);
	cs_close(&handle);
}

/* ---- what becomes shorter ---- */

static void test_paravirt(void **state)
{
	struct ew *f = ew_new(64, false, ET_EXEC, EM_X86_64);
	struct ew_section *text = ew_text(f, ".text", TEXT, 0x40);
	struct object *obj;

	(void)state;
	ew_section(f, ".data", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, DATA);
	ew_zeros(ew_find(f, ".data"), 0x100);
	PUT(text, 0x00, "\xff\x15");
	ew_patch(text, 0x02, 4, DATA + 0x10 - (TEXT + 6));
	PUT(text, 0x10, "\xff\x15");
	ew_patch(text, 0x12, 4, 0x1000); /* to nowhere */
	PUT(text, 0x20, "\xff\x15");
	ew_patch(text, 0x22, 4, (uint64_t)-0x20); /* to code */
	PUT(text, 0x3b, "\xff\x15\x00\x00\x00");  /* cut short by the end */
	obj = elf_finish(f);
	assert_int_equal(sm_call_site(obj, TEXT + 6), CALL_FOUND);
	assert_int_equal(sm_call_site(obj, TEXT + 5), CALL_FOUND);
	assert_int_equal(sm_call_site(obj, TEXT + 4), CALL_NONE);
	assert_int_equal(sm_call_site(obj, TEXT + 0x15), CALL_NONE);
	assert_int_equal(sm_call_site(obj, TEXT + 0x25), CALL_NONE);
	assert_int_equal(sm_call_site(obj, TEXT + 0x40), CALL_NONE);
	sm_object_free(obj);
}

/* Thunks at 0x100; sites of calls by a short and a long register, of one with a prefix, of a jump,
 * and a call that isn't listed. */
static struct ew_section *put_thunk_calls(struct ew *f, uint64_t addr)
{
	struct ew_section *text = ew_text(f, ".text", addr, 0x300);

	ew_call(text, 0x00, addr + 0x100);
	ew_call(text, 0x10, addr + 0x160);
	text->data[0x20] = 0x2e;
	ew_call(text, 0x21, addr + 0x160);
	PUT(text, 0x30, "\xe9\xcb\x00\x00\x00");
	ew_call(text, 0x40, addr + 0x100);
	ew_call(text, 0x50, addr);
	return text;
}

static void assert_thunk_calls(struct object *obj, uint64_t addr)
{
	static const struct {
		unsigned at;
		bool found;
	} want[] = {{0x02, true}, {0x03, true}, {0x04, false}, {0x05, true}, {0x12, true},
		{0x13, true}, {0x22, false}, {0x23, true}, {0x24, false}, {0x26, true},
		{0x32, false}, {0x33, false}, {0x42, false}, {0x43, false}, {0x45, true},
		{0x52, false}, {0x53, false}, {0x55, true}};

	for (size_t i = 0; i < SM_ARRAY_SIZE(want); i++) {
		if ((sm_call_site(obj, addr + want[i].at) == CALL_FOUND) != want[i].found)
			fail_msg("at 0x%x", want[i].at);
	}
}

static void test_retpoline(void **state)
{
	static const unsigned sites[] = {0x30, 0x10, 0x00, 0x20};
	struct ew *f = ew_new(64, false, ET_EXEC, EM_X86_64);
	struct ew_section *table;
	struct object *obj;

	(void)state;
	put_thunk_calls(f, TEXT);
	table = ew_section(f, ".retpoline_sites", SHT_PROGBITS, SHF_ALLOC, DATA);
	for (unsigned i = 0; i < SM_ARRAY_SIZE(sites); i++)
		ew_u(table, 4, TEXT + sites[i] - (DATA + 4 * i));
	ew_u(table, 2, 0); /* a part of one */
	obj = elf_finish(f);
	assert_thunk_calls(obj, TEXT);
	sm_object_free(obj);
}

static void test_retpoline_relocated(void **state)
{
	static const unsigned sites[] = {0x00, 0x10, 0x20, 0x30};
	struct ew *f = ew_new(64, false, ET_REL, EM_X86_64);
	struct ew_section *text, *table;
	struct object *obj;

	(void)state;
	text = put_thunk_calls(f, 0);
	table = ew_section(f, ".retpoline_sites", SHT_PROGBITS, SHF_ALLOC, 0);
	ew_zeros(table, sizeof(sites));
	for (unsigned i = 0; i < SM_ARRAY_SIZE(sites); i++)
		ew_reloc(table, 4 * i, R_X86_64_PC32, ew_section_symbol(text), sites[i]);
	obj = elf_finish(f);
	assert_thunk_calls(obj, sm_object_section(obj, ".text")->addr);
	sm_object_free(obj);
}

static void test_relocatable(void **state)
{
	struct ew *f = ew_new(64, false, ET_REL, EM_X86_64);
	struct ew_section *text = ew_text(f, ".text", 0, 0x40);
	struct object *obj;
	uint64_t base;

	(void)state;
	ew_call_symbol(text, 0x00, ew_undefined(f, "kfree"));
	ew_call(text, 0x10, 0);
	PUT(text, 0x20, "\xe8\x00\x00\x00\x70"); /* beyond all code, and not by a relocation */
	PUT(text, 0x30, "\xff\x15\x00\x00\x00\x00");
	ew_reloc(text, 0x32, R_X86_64_PC32, ew_undefined(f, "pv_ops"), -4);
	obj = elf_finish(f);
	base = sm_object_section(obj, ".text")->addr;
	assert_int_equal(sm_call_site(obj, base + 0x05), CALL_FOUND);
	assert_int_equal(sm_call_site(obj, base + 0x15), CALL_FOUND);
	assert_int_equal(sm_call_site(obj, base + 0x25), CALL_NONE);
	assert_int_equal(sm_call_site(obj, base + 0x35), CALL_FOUND);
	assert_int_equal(sm_call_site(obj, base + 0x36), CALL_FOUND);
	sm_object_free(obj);
}

/* ---- arm64 ---- */

#define ARM64_TEXT UINT64_C(0xffff800008010000)

static void put_insn(struct ew_section *s, size_t at, uint32_t insn)
{
	for (unsigned i = 0; i < 4; i++)
		s->data[at + i] = (uint8_t)(insn >> 8 * i);
}

static void check_arm64(bool big_endian)
{
	static const struct {
		uint32_t insn;
		bool call;
	} want[] = {
		{0x94000000, true}, {0x97ffffff, true}, /* bl to itself and before */
		{0x94100000, false},                    /* bl beyond the code */
		{0x14000000, false},                    /* b */
		{0xd63f0000, true}, {0xd63f03c0, true}, /* blr x0, x30 */
		{0xd61f0000, false},                    /* br x0 */
		{0xd65f03c0, false},                    /* ret */
		{0xd63f083f, true}, {0xd63f0c3f, true}, /* blraaz, blrabz x1 */
		{0xd73f0822, true}, {0xd73f0c22, true}, /* blraa, blrab x1, x2 */
		{0xd71f0822, false},                    /* braa x1, x2 */
		{0xd65f0bff, false},                    /* retaa */
		{0xd503233f, false},                    /* paciasp */
		{0xd63f0400, false},                    /* nothing */
	};
	struct ew *f = ew_new(64, big_endian, ET_DYN, EM_AARCH64);
	struct ew_section *text = ew_text(f, ".text", ARM64_TEXT, 0x100);
	struct object *obj;

	for (size_t i = 0; i < SM_ARRAY_SIZE(want); i++)
		put_insn(text, 8 * i + 4, want[i].insn);
	obj = elf_finish(f);
	assert_int_equal(obj->swap, big_endian != sm_host_big_endian());
	assert_int_equal(sm_call_site(obj, ARM64_TEXT), CALL_NONE);
	for (size_t i = 0; i < SM_ARRAY_SIZE(want); i++) {
		uint64_t addr = ARM64_TEXT + 8 * i + 8;

		if ((sm_call_site(obj, addr) == CALL_FOUND) != want[i].call)
			fail_msg("%08x", want[i].insn);
		assert_int_equal(sm_call_site(obj, addr - 4), CALL_NONE);
		for (unsigned k = 1; k < 4; k++)
			assert_int_equal(sm_call_site(obj, addr + k), CALL_NONE);
	}
	sm_object_free(obj);
}

static void test_arm64(void **state)
{
	(void)state;
	check_arm64(false);
	check_arm64(true);
}

static void test_arm64_relocatable(void **state)
{
	struct ew *f = ew_new(64, false, ET_REL, EM_AARCH64);
	struct ew_section *text = ew_text(f, ".text", 0, 0x20);
	struct object *obj;
	uint64_t base;

	(void)state;
	ew_call_symbol(text, 0, ew_undefined(f, "kfree"));
	put_insn(text, 8, 0x94000004);
	put_insn(text, 16, 0x95000004);
	obj = elf_finish(f);
	base = sm_object_section(obj, ".text")->addr;
	assert_int_equal(sm_call_site(obj, base + 4), CALL_FOUND);
	assert_int_equal(sm_call_site(obj, base + 12), CALL_FOUND);
	assert_int_equal(sm_call_site(obj, base + 20), CALL_NONE);
	sm_object_free(obj);
}

/* ---- bounds ---- */

/* What lies before a section in the file isn't looked at. */
static void test_section_start(void **state)
{
	static const uint8_t call[] = {0xff, 0x15, 0xe8, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00};

	(void)state;
	for (size_t size = 0; size < 8; size++) {
		struct ew *f = ew_new(64, false, ET_EXEC, EM_X86_64);
		struct ew_section *before, *text;
		struct object *obj;

		before = ew_section(f, ".rodata", SHT_PROGBITS, SHF_ALLOC, TEXT - 16);
		before->align = 1;
		for (unsigned i = 0; i < 16; i++)
			ew_u(before, 1, i < 12 ? 0xe8 : call[i - 12]);
		text = ew_section(f, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, TEXT);
		text->align = 1;
		for (size_t i = 0; i < size; i++)
			ew_u(text, 1, 0);
		obj = elf_finish(f);
		for (uint64_t at = 0; at <= size; at++)
			assert_int_equal(sm_call_site(obj, TEXT + at), CALL_NONE);
		assert_int_equal(sm_call_site(obj, TEXT + size + 1), CALL_UNKNOWN);
		sm_object_free(obj);
	}
	/* Whole ones, and nothing around */
	for (size_t size = 2; size < 8; size++) {
		struct ew *f = ew_new(64, false, ET_EXEC, EM_X86_64);
		struct ew_section *text = ew_text(f, ".text", TEXT, size);
		struct object *obj;

		if (size >= 5)
			PUT(text, size - 5, "\xe8\xf0\xff\xff\xff"); /* before the code */
		if (size == 5)
			ew_call(text, 0, TEXT);
		if (size == 2)
			PUT(text, 0, "\xff\xd0");
		obj = elf_finish(f);
		assert_int_equal(sm_call_site(obj, TEXT + size),
			size == 5 || size == 2 ? CALL_FOUND : CALL_NONE);
		sm_object_free(obj);
	}
}

static void test_no_code(void **state)
{
	static const uint16_t machines[] = {EM_386, EM_S390, EM_NONE};
	struct ew *f = ew_new(64, false, ET_EXEC, EM_X86_64);
	struct ew_section *text = ew_text(f, ".text", TEXT, 0x40);
	struct object *obj;

	(void)state;
	ew_call(text, 0, TEXT);
	ew_hollow(text);
	obj = elf_finish(f);
	assert_int_equal(sm_call_site(obj, TEXT + 5), CALL_UNKNOWN);
	sm_object_free(obj);
	for (size_t i = 0; i < SM_ARRAY_SIZE(machines); i++) {
		f = ew_new(64, false, ET_EXEC, machines[i]);
		text = ew_text(f, ".text", TEXT, 0x40);
		PUT(text, 0, "\xe8\x00\x00\x00\x00");
		obj = elf_finish(f);
		assert_int_equal(sm_call_site(obj, TEXT + 5), CALL_UNKNOWN);
		sm_object_free(obj);
	}
}

/* ---- what a count says ---- */

static void assert_verdict(size_t follow, size_t checked, enum sm_belonging verdict)
{
	struct sm_call_sites sites = {.checked = checked, .follow = follow};

	assert_int_equal(sm_call_sites_judge(&sites), verdict);
}

static void test_verdict(void **state)
{
	(void)state;
	assert_verdict(18211, 18230, SM_BELONGS);
	assert_verdict(3, 4, SM_BELONGS);
	assert_verdict(74, 100, SM_BELONGS_DOUBTFUL);
	assert_verdict(25, 100, SM_BELONGS_DOUBTFUL);
	assert_verdict(24, 100, SM_BELONGS_NOT);
	assert_verdict(0, 1000000, SM_BELONGS_NOT);
	assert_verdict(1, 1, SM_BELONGS_UNKNOWN);
	assert_verdict(0, 0, SM_BELONGS_UNKNOWN);
	/* At the edges, of small and of huge counts */
	for (size_t n = CALL_VERDICT_LEAST; n < 64; n++) {
		for (size_t k = 0; k <= n; k++) {
			struct sm_call_sites s = {.checked = n, .follow = k};

			assert_int_equal(sm_call_sites_judge(&s), 4 * k >= 3 * n ? SM_BELONGS
								  : 4 * k < n
									  ? SM_BELONGS_NOT
									  : SM_BELONGS_DOUBTFUL);
		}
	}
	{
		struct sm_call_sites s = {.checked = SIZE_MAX, .follow = SIZE_MAX / 2};

		assert_int_equal(sm_call_sites_judge(&s), SM_BELONGS_DOUBTFUL);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_direct),
		cmocka_unit_test(test_indirect),
		cmocka_unit_test(test_paravirt),
		cmocka_unit_test(test_retpoline),
		cmocka_unit_test(test_retpoline_relocated),
		cmocka_unit_test(test_relocatable),
		cmocka_unit_test(test_arm64),
		cmocka_unit_test(test_arm64_relocatable),
		cmocka_unit_test(test_section_start),
		cmocka_unit_test(test_no_code),
		cmocka_unit_test(test_verdict),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
