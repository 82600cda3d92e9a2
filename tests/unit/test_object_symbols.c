/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Symbol tables as the kernel would list them. With the arguments `compare VMLINUX KALLSYMS` it is
 * a tool instead: does the vmlinux's own list, moved to where _stext is, equal that /proc/kallsyms
 * in order? It prints the first differences, and exits with 1 when there are any.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "elf_open.h"

#define TEXT UINT64_C(0xffffffff81000000)
#define LOCAL ELF64_ST_INFO(STB_LOCAL, STT_NOTYPE)
#define GLOBAL ELF64_ST_INFO(STB_GLOBAL, STT_NOTYPE)
#define WEAK ELF64_ST_INFO(STB_WEAK, STT_FUNC)

/* "0:name 0:alias 10:other" with addresses from `base` in hexadecimal; "|" is the end of a region.
 */
static void assert_list(struct object *obj, uint64_t base, const char *want)
{
	struct sm_buf buf = {0};
	struct kallsyms k;

	assert_null(sm_object_symbols(obj, &k));
	for (size_t i = 0; i < k.n; i++) {
		if (i)
			sm_buf_addc(&buf, ' ');
		sm_buf_addf(&buf, "%llx:%s", (unsigned long long)(k.syms[i].addr - base),
			k.syms[i].name == NAME_CUT ? "|" : k.names + k.syms[i].name);
		assert_int_equal(k.syms[i].seq, i);
	}
	assert_string_equal(buf.data ? buf.data : "", want);
	sm_buf_release(&buf);
	sm_kallsyms_release(&k);
}

/* ---- the kernel ---- */

static void test_aliases(void **state)
{
	struct ew *f = ew_new(64, false, ET_EXEC, EM_X86_64);
	struct ew_section *text = ew_text(f, ".text", TEXT, 0x100);
	struct object *obj;

	(void)state;
	/* By address, then: not weak, not made by the linker script, few underscores, nm's order.
	 */
	ew_function(text, "__two", 0, 0x10);
	ew_function(text, "_one", 0, 0x10);
	ew_function(text, "zero_b", 0, 0);
	ew_static_function(text, "zero_a", 0, 0x10);
	ew_symbol(f, "a_weak", text, 0, 0x10, WEAK);
	ew_function(text, "__start_of_it", 0, 0x10);
	ew_function(text, "__text_end", 0, 0x10);
	ew_function(text, "start_is_none", 0, 0x10);
	ew_function(text, "__end_", 0, 0x10); /* too short for that */
	ew_function(text, "second", 0x20, 0x10);
	ew_function(text, "before_second", 0x18, 0x10);
	obj = elf_open(f);
	assert_list(obj, TEXT,
		"0:start_is_none 0:zero_a 0:zero_b 0:_one 0:__end_ 0:__two 0:__start_of_it "
		"0:__text_end 0:a_weak 18:before_second 20:second");
	sm_object_free(obj);
	ew_free(f);
}

static void test_left_out(void **state)
{
	struct ew *f = ew_new(64, false, ET_EXEC, EM_AARCH64);
	struct ew_section *text = ew_text(f, ".text", TEXT, 0x1000), *note;
	static const char *const names[] = {"$x", "$d.123", ".Ltmp1", ".L__unnamed_1", "L0",
		"__crc_printk", "__efistub_f", "__kvm_nvhe_$x", "__kvm_nvhe_.L1", "__pi_$x",
		"__kcfi_typeid_f", "__AArch64ADRPThunk_f", "__ARMv7ABSLongThunk_f", "f_from_arm",
		"f_from_thumb", "f_veneer", "f.long_branch.r2", "f.plt_branch.g", "_SDA_BASE_"};
	static const char *const listed[] = {"L0x", ".x", "__crcx", "__pi_f", "__Thunks_f",
		"veneer", "f.long_branch", "x$", "__kvm_nvhe_f", "__cfi_f", "__pfx_f"};
	char name[600];
	struct object *obj;
	struct kallsyms k;

	(void)state;
	note = ew_section(f, ".modinfo", SHT_PROGBITS, 0, 0);
	ew_zeros(note, 16);
	ew_symbol(f, "in_no_memory", note, 0, 1, GLOBAL);
	ew_symbol(f, "absolute", NULL, 0x1234, 0, GLOBAL);
	ew_symbol(f, "file.c", NULL, 0, 0, ELF64_ST_INFO(STB_LOCAL, STT_FILE));
	ew_undefined(f, "undefined");
	ew_section_symbol(text);
	/* Too long for the kernel, and just short enough */
	memset(name, 'n', sizeof(name));
	name[512] = '\0';
	ew_function(text, name, 0x400, 1);
	name[511] = '\0';
	ew_function(text, name, 0x400, 1);
	for (size_t i = 0; i < SM_ARRAY_SIZE(names); i++)
		ew_function(text, names[i], i, 1);
	for (size_t i = 0; i < SM_ARRAY_SIZE(listed); i++)
		ew_function(text, listed[i], 0x100 + i, 1);
	obj = elf_open(f);
	assert_null(sm_object_symbols(obj, &k));
	assert_int_equal(k.n, SM_ARRAY_SIZE(listed) + 1);
	for (size_t i = 0; i < SM_ARRAY_SIZE(listed); i++)
		assert_string_equal(k.names + k.syms[i].name, listed[i]);
	assert_int_equal(k.syms[k.n - 1].addr, TEXT + 0x400);
	sm_kallsyms_release(&k);
	sm_object_free(obj);
	ew_free(f);
}

/* A kernel whose list has `count` names: 0 = it doesn't say. */
static struct object *make_kernel(uint32_t count)
{
	struct ew *f = ew_new(64, true, ET_EXEC, EM_AARCH64);
	struct ew_section *text = ew_text(f, ".text", TEXT, 0x100);
	struct ew_section *rodata, *init;
	struct object *obj;

	rodata = ew_section(f, ".rodata", SHT_PROGBITS, SHF_ALLOC, TEXT + 0x1000);
	init = ew_text(f, ".init.text", TEXT + 0x2000, 0x100);
	ew_u(rodata, 4, count);
	ew_zeros(rodata, 0x20);
	if (count)
		ew_symbol(f, "kallsyms_num_syms", rodata, 0, 0, GLOBAL);
	ew_symbol(f, "kallsyms_lookup", text, 0x40, 8, GLOBAL);
	ew_symbol(f, "__pi_$x", text, 0x48, 0, LOCAL);
	ew_symbol(f, "__pi_.L1", text, 0x4c, 0, LOCAL);
	ew_symbol(f, "__kstrtab_f", rodata, 8, 0, GLOBAL);
	ew_symbol(f, "__kstrtabns_f", rodata, 9, 0, GLOBAL);
	ew_symbol(f, "data", rodata, 10, 0, GLOBAL);
	ew_symbol(f, "__start_x", rodata, 11, 0, GLOBAL);
	ew_symbol(f, "_stext", text, 0, 0, GLOBAL);
	ew_function(text, "f", 0x10, 8);
	ew_symbol(f, "_etext", text, 0x100, 0, GLOBAL);
	ew_symbol(f, "at_etext", text, 0x100, 0, LOCAL);
	ew_symbol(f, "_sinittext", init, 0, 0, GLOBAL);
	ew_symbol(f, "_einittext", init, 0x100, 0, GLOBAL);
	ew_symbol(f, "_end", init, 0x1000, 0, GLOBAL);
	obj = elf_open(f);
	ew_free(f);
	return obj;
}

#define CODE "0:_stext 10:f 40:kallsyms_lookup 100:_etext "
#define END "2000:_sinittext 2100:_einittext 3000:_end"

static void test_configurations(void **state)
{
	static const struct {
		uint32_t count;
		const char *list;
	} cases[] = {
		/* CONFIG_KALLSYMS_ALL of 6.4, 6.2, 6.0, then without it, of 6.10 and 6.4 */
		{11, "0:_stext 10:f 40:kallsyms_lookup 100:at_etext 100:_etext "
		     "1000:kallsyms_num_syms 100a:data 100b:__start_x " END},
		{10, "0:_stext 10:f 40:kallsyms_lookup 100:at_etext 100:_etext "
		     "100a:data 100b:__start_x " END},
		{14, "0:_stext 10:f 40:kallsyms_lookup 48:__pi_$x 4c:__pi_.L1 100:at_etext "
		     "100:_etext "
		     "1008:__kstrtab_f 1009:__kstrtabns_f 100a:data 100b:__start_x " END},
		{7, CODE "100b:__start_x 2000:_sinittext 2100:_einittext"},
		{6, CODE "2000:_sinittext 2100:_einittext"},
		/* Nothing fits, or it doesn't say. */
		{99, "0:_stext 10:f 40:kallsyms_lookup 100:at_etext 100:_etext "
		     "1000:kallsyms_num_syms 100a:data 100b:__start_x " END},
		{0, "0:_stext 10:f 40:kallsyms_lookup 100:at_etext 100:_etext "
		    "100a:data 100b:__start_x " END},
	};

	(void)state;
	for (size_t i = 0; i < SM_ARRAY_SIZE(cases); i++) {
		struct object *obj = make_kernel(cases[i].count);

		assert_list(obj, TEXT, cases[i].list);
		sm_object_free(obj);
	}
}

static void test_bounds(void **state)
{
	struct object *obj = make_kernel(7);
	struct sm_symbol sym;
	struct kallsyms k;

	(void)state;
	assert_null(sm_object_symbols(obj, &k));
	assert_int_equal(k.stext, TEXT);
	assert_int_equal(k.etext, TEXT + 0x100);
	assert_int_equal(k.sinittext, TEXT + 0x2000);
	assert_int_equal(k.einittext, TEXT + 0x2100);
	assert_int_equal(k.end, 0);
	assert_int_equal(k.text_low, TEXT);
	assert_true(k.nonzero);
	assert_true(sm_kallsyms_holds(&k, TEXT + 0x12));
	assert_false(sm_kallsyms_holds(&k, TEXT + 0x1000));
	assert_true(sm_kallsyms_find(&k, TEXT + 0x12, &sym));
	assert_string_equal(sym.name, "f");
	assert_int_equal(sym.offset, 2);
	assert_int_equal(sym.size, 0x30);
	sm_kallsyms_release(&k);
	sm_object_free(obj);

	obj = make_kernel(11);
	assert_null(sm_object_symbols(obj, &k));
	assert_int_equal(k.end, TEXT + 0x3000);
	sm_kallsyms_release(&k);
	sm_object_free(obj);
}

static void test_address(void **state)
{
	struct object *obj = make_kernel(0);

	(void)state;
	assert_int_equal(sm_object_address(obj, "_stext"), TEXT);
	assert_int_equal(sm_object_address(obj, "_end"), TEXT + 0x3000);
	assert_int_equal(sm_object_address(obj, "_ste"), 0);
	assert_int_equal(sm_object_address(obj, "at_etext"), 0); /* a local one */
	sm_object_free(obj);
}

/* ---- modules ---- */

static void test_module(void **state)
{
	struct ew *f = ew_new(64, false, ET_REL, EM_X86_64);
	struct ew_section *modinfo = ew_section(f, ".modinfo", SHT_PROGBITS, SHF_ALLOC, 0);
	struct ew_section *init = ew_text(f, ".init.text", 0, 0x40);
	struct ew_section *text = ew_text(f, ".text", 0, 0x40);
	struct ew_section *data = ew_section(f, ".data", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, 0);
	struct ew_section *info = ew_debug(f, ".debug_info");
	struct sm_symbol sym;
	struct kallsyms k;
	struct object *obj;

	(void)state;
	ew_zeros(modinfo, 8);
	ew_zeros(data, 8);
	ew_zeros(info, 8);
	ew_symbol(f, "license", modinfo, 0, 0, LOCAL);
	ew_symbol(f, "in_debug", info, 0, 0, LOCAL);
	ew_symbol(f, ".LC0", text, 0, 0, LOCAL);
	ew_symbol(f, "$x", text, 0, 0, LOCAL);
	ew_symbol(f, "L0", text, 0, 0, LOCAL);
	/* The table's order decides, nothing else. */
	ew_symbol(f, "__weak_alias", text, 0x8, 8, WEAK);
	ew_function(text, "alias", 0x8, 8);
	ew_function(text, "last", 0x20, 0x10);
	ew_function(text, "first", 0x0, 8);
	ew_symbol(f, "table", data, 4, 4, GLOBAL);
	ew_function(init, "init_module", 0, 0x40);
	ew_symbol(f, "absolute", NULL, 0x1234, 0, GLOBAL);
	ew_undefined(f, "undefined");
	obj = elf_open(f);
	/* .modinfo is there in the layout, but it has no names. */
	assert_list(obj, IMAGE_BASE,
		"0:first 8:__weak_alias 8:alias 20:last 1000:| 1014:table 2000:init_module 2000:| "
		"3000:|");
	assert_null(sm_object_symbols(obj, &k));
	assert_true(sm_kallsyms_find(&k, IMAGE_BASE + 0xa, &sym));
	assert_string_equal(sym.name, "__weak_alias");
	assert_int_equal(sym.size, 0x18);
	/* To the end of the kernel's memory for code, which has whole pages. */
	assert_true(sm_kallsyms_find(&k, IMAGE_BASE + 0x30, &sym));
	assert_string_equal(sym.name, "last");
	assert_int_equal(sym.size, 0xfe0);
	assert_false(sm_kallsyms_find(&k, IMAGE_BASE + 0x1008, &sym));
	assert_true(sm_kallsyms_find(&k, IMAGE_BASE + 0x2000, &sym));
	assert_string_equal(sym.name, "init_module");
	sm_kallsyms_release(&k);
	sm_object_free(obj);
	ew_free(f);
}

static void test_none(void **state)
{
	struct ew *f = ew_new(64, false, ET_REL, EM_X86_64);
	struct object *obj;

	(void)state;
	ew_text(f, ".text", 0, 0x40);
	f->no_symtab = true;
	obj = elf_open(f);
	assert_list(obj, 0, "");
	assert_int_equal(sm_object_address(obj, "_stext"), 0);
	sm_object_free(obj);
	ew_free(f);
}

/* ---- a real kernel ---- */

static int compare(const char *vmlinux, const char *kallsyms)
{
	unsigned long long bad = 0, lines = 0, addr, slide = 0;
	FILE *f = fopen(kallsyms, "r");
	struct kallsyms k = {0};
	struct object *obj = NULL;
	struct sm_error *err = sm_object_open(vmlinux, NULL, &obj);
	char line[1024], name[600], type;

	if (!err)
		err = sm_object_symbols(obj, &k);
	if (err || !f) {
		struct sm_buf buf = {0};

		if (err)
			sm_error_format(err, &buf);
		fprintf(stderr, "%s\n", buf.data ? buf.data : "cannot open the kallsyms");
		return 2;
	}
	while (!slide && fgets(line, sizeof(line), f)) {
		if (strstr(line, " _stext\n"))
			slide = strtoull(line, NULL, 16) - k.stext;
	}
	rewind(f);
	for (; fgets(line, sizeof(line), f); lines++) {
		const char *mine;
		uint64_t at;

		if (strchr(line, '[') || sscanf(line, "%llx %c %599s", &addr, &type, name) != 3)
			break;
		at = lines < k.n ? k.syms[lines].addr : 0;
		mine = lines < k.n ? k.names + k.syms[lines].name : "nothing";
		/* The addresses of percpu data on x86-64 aren't moved. */
		if (at >= k.text_low)
			at += slide;
		if ((at != addr || strcmp(mine, name) != 0) && bad++ < 20)
			printf("line %llu: the kernel has %llx '%s', the file %llx '%s'\n",
				lines + 1, addr, name, (unsigned long long)at, mine);
	}
	if (lines < k.n)
		bad += k.n - lines;
	printf("%llu of %llu differ, the file has %zu\n", bad, lines, k.n);
	fclose(f);
	sm_kallsyms_release(&k);
	sm_object_free(obj);
	return bad || !lines;
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_aliases),
		cmocka_unit_test(test_left_out),
		cmocka_unit_test(test_configurations),
		cmocka_unit_test(test_bounds),
		cmocka_unit_test(test_address),
		cmocka_unit_test(test_module),
		cmocka_unit_test(test_none),
	};

	if (argc == 4 && strcmp(argv[1], "compare") == 0)
		return compare(argv[2], argv[3]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
