/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names by kallsyms, from small captures that are written to a directory. With the argument
 * `compare FILE` it is a tool instead: see tests/root/kallsyms.sh.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include <smtool/record.h>
#include <smtool/symbol.h>

#include "scratch.h"

/* A kernel without CONFIG_KALLSYMS_ALL: text, init text, and a few bounds of data. */
#define KERNEL                                \
	"ffffffff81000000 T alias_first\n"    \
	"ffffffff81000000 T _stext\n"         \
	"ffffffff81000000 T _text\n"          \
	"ffffffff81000100 t one\n"            \
	"ffffffff81000180 T two\n"            \
	"ffffffff81000180 W two_alias\n"      \
	"ffffffff81000180 t __two_alias\n"    \
	"ffffffff81002000 T last\n"           \
	"ffffffff81003000 T _etext\n"         \
	"ffffffff82000000 D __start_rodata\n" \
	"ffffffff83000000 T _sinittext\n"     \
	"ffffffff83000000 t start_kernel\n"   \
	"ffffffff83000500 T _einittext\n"

static void put(const struct scratch *s, const char *name, const char *text)
{
	scratch_write(s, name, text, strlen(text));
}

static struct sm_symbols *open_capture(const struct scratch *s, const struct sm_symbols_opts *opts)
{
	/* No files, so nothing of the source is needed later. */
	struct sm_symbols_opts without = opts ? *opts : (struct sm_symbols_opts){0};
	struct sm_symbols *syms;
	struct sm_source *src;

	without.no_debug = true;
	put(s, "proc/version", "Linux\n");
	src = scratch_open(s, "");
	assert_null(sm_symbols_open(src, &without, &syms));
	sm_source_free(src);
	return syms;
}

static struct sm_symbols *open_text(const struct scratch *s, const char *kallsyms)
{
	put(s, "proc/kallsyms", kallsyms);
	return open_capture(s, NULL);
}

static void assert_format(const struct sm_symbols *syms, uint64_t ip, const char *want)
{
	struct sm_buf buf = {0};

	sm_symbols_format(syms, ip, &buf);
	assert_string_equal(buf.data, want);
	sm_buf_release(&buf);
}

static void assert_trouble(const struct scratch *s, const char *kallsyms, const char *want)
{
	struct sm_symbols *syms = open_text(s, kallsyms);

	assert_string_equal(sm_symbols_trouble(syms), want);
	assert_int_equal(sm_symbols_count(syms), 0);
	assert_format(syms, 0xffffffff81000100, "0xffffffff81000100");
	sm_symbols_free(syms);
}

static void test_kernel(void **state)
{
	struct sm_symbols *syms = open_text(*state, KERNEL);

	assert_null(sm_symbols_trouble(syms));
	assert_int_equal(sm_symbols_count(syms), 13);
	assert_format(syms, 0xffffffff81000000, "alias_first+0x0/0x100");
	assert_format(syms, 0xffffffff810000ff, "alias_first+0xff/0x100");
	assert_format(syms, 0xffffffff81000100, "one+0x0/0x80");
	assert_format(syms, 0xffffffff81000180, "two+0x0/0x1e80");
	assert_format(syms, 0xffffffff81001fff, "two+0x1e7f/0x1e80");
	assert_format(syms, 0xffffffff81002fff, "last+0xfff/0x1000");
	assert_format(syms, 0xffffffff83000000, "_sinittext+0x0/0x500");
	assert_format(syms, 0xffffffff830004ff, "_sinittext+0x4ff/0x500");
	assert_int_equal(sm_symbols_address(syms, "_text"), 0xffffffff81000000);
	assert_int_equal(sm_symbols_address(syms, "two_alias"), 0xffffffff81000180);
	assert_int_equal(sm_symbols_address(syms, "three"), 0);
	sm_symbols_free(syms);
}

/* 48 bits of address: all above is the code, but for bit 55. */
static void test_pac(void **state)
{
	struct sm_symbols *syms = open_text(*state, "ffff800008010000 T _stext\n"
						    "ffff800008010000 T one\n"
						    "ffff800008020000 T two\n"
						    "ffff800008030000 T _etext\n");

	assert_format(syms, 0xffff800008020010, "two+0x10/0x10000");
	assert_format(syms, 0x4db9800008020010, "two+0x10/0x10000");
	assert_format(syms, 0x00ff800008020010, "two+0x10/0x10000");
	/* The user's half, and data in the linear map */
	assert_format(syms, 0x4d39800008020010, "0x4d39800008020010");
	assert_format(syms, 0xffff000008020010, "0xffff000008020010");
	sm_symbols_free(syms);
	/* x86-64 has none: its direct map isn't text. */
	syms = open_text(*state, KERNEL);
	assert_format(syms, 0xffff888001000100, "0xffff888001000100");
	sm_symbols_free(syms);
	/* 39 bits, as phones have */
	syms = open_text(*state, "ffffffc008010000 T _stext\n"
				 "ffffffc008020000 T two\n"
				 "ffffffc008030000 T _etext\n");
	assert_format(syms, 0x92a6d5c008020010, "two+0x10/0x10000");
	sm_symbols_free(syms);
}

static void test_outside(void **state)
{
	struct sm_symbols *syms = open_text(*state, KERNEL);

	assert_format(syms, 0, "0x0");
	assert_format(syms, 0xffffffff80ffffff, "0xffffffff80ffffff");
	assert_format(syms, 0xffffffff81003000, "0xffffffff81003000");
	assert_format(syms, 0xffffffff82000010, "0xffffffff82000010");
	assert_format(syms, 0xffffffff83000500, "0xffffffff83000500");
	assert_format(syms, UINT64_MAX, "0xffffffffffffffff");
	sm_symbols_free(syms);
}

/* CONFIG_KALLSYMS_ALL: _end is listed, and everything up to it has a name. Percpu symbols start at
 * 0. */
static void test_all(void **state)
{
	struct sm_symbols *syms = open_text(*state, "0000000000000000 A fixed_percpu_data\n"
						    "0000000000001000 A irq_stack_backing_store\n"
						    "0000000001000000 A phys_startup_64\n"
						    "ffffffff81000000 T _stext\n"
						    "ffffffff81003000 T _etext\n"
						    "ffffffff82000000 D __start_rodata\n"
						    "ffffffff84000000 B _end\n");

	assert_format(syms, 0x1008, "0x1008");
	assert_format(syms, 0x1000008, "0x1000008");
	assert_format(syms, 0xffffffff82000010, "__start_rodata+0x10/0x2000000");
	assert_format(syms, 0xffffffff83ffffff, "__start_rodata+0x1ffffff/0x2000000");
	assert_format(syms, 0xffffffff84000000, "0xffffffff84000000");
	assert_int_equal(sm_symbols_address(syms, "irq_stack_backing_store"), 0x1000);
	sm_symbols_free(syms);
}

static void test_caller(void **state)
{
	struct sm_symbols *syms = open_text(*state, KERNEL);
	struct sm_symbol sym;

	assert_true(sm_symbols_find_caller(syms, 0xffffffff81000180, &sym));
	assert_string_equal(sym.name, "one");
	assert_null(sym.module);
	assert_int_equal(sym.start, 0xffffffff81000100);
	assert_int_equal(sym.offset, 0x80);
	assert_int_equal(sym.size, 0x80);
	assert_true(sm_symbols_find_caller(syms, 0xffffffff81000181, &sym));
	assert_string_equal(sym.name, "two");
	assert_int_equal(sym.offset, 1);
	/* The call was the kernel's very last instruction. */
	assert_true(sm_symbols_find_caller(syms, 0xffffffff81003000, &sym));
	assert_string_equal(sym.name, "last");
	assert_false(sm_symbols_find_caller(syms, 0xffffffff81000000, &sym));
	assert_null(sym.name);
	assert_false(sm_symbols_find_caller(syms, 0, &sym));
	sm_symbols_free(syms);
}

static void test_trampoline(void **state)
{
	/* A 32-bit kernel can have a symbol there. */
	struct sm_symbols *syms = open_text(*state, "70000000 T _stext\n80000000 T _etext\n");
	struct sm_symbol sym;

	assert_format(syms, SM_TRAMPOLINE, "[FTRACE TRAMPOLINE]");
	assert_false(sm_symbols_find(syms, SM_TRAMPOLINE, &sym));
	assert_false(sm_symbols_find_caller(syms, SM_TRAMPOLINE, &sym));
	assert_true(sm_symbols_find(syms, SM_TRAMPOLINE - 1, &sym));
	sm_symbols_free(syms);
}

static void test_32bit(void **state)
{
	struct sm_symbols *syms = open_text(*state, "bf000000 t mod_one\t[mod]\n"
						    "c0008000 T _stext\n"
						    "c0008000 T stext\n"
						    "c0008400 T do_one\n"
						    "c0009000 T _etext\n");

	assert_format(syms, 0xc0008404, "do_one+0x4/0xc00");
	assert_format(syms, 0xc0008004, "_stext+0x4/0x400");
	assert_format(syms, 0xbf000004, "mod_one+0x4/0x1000 [mod]");
	sm_symbols_free(syms);
}

/* The first in the file among equals stays the first. */
static void test_unsorted(void **state)
{
	struct sm_symbols *syms = open_text(*state, "ffffffff81000200 T b\n"
						    "ffffffff81000300 T _etext\n"
						    "ffffffff81000200 T a\n"
						    "ffffffff81000100 T c\n"
						    "ffffffff81000000 T _stext\n"
						    "ffffffff81000100 T d\n");

	assert_format(syms, 0xffffffff81000204, "b+0x4/0x100");
	assert_format(syms, 0xffffffff81000104, "c+0x4/0x100");
	assert_format(syms, 0xffffffff81000004, "_stext+0x4/0x100");
	sm_symbols_free(syms);
}

/* A file that was filtered: no bounds are known, and none are made up far away. */
static void test_no_bounds(void **state)
{
	struct sm_symbols *syms = open_text(*state, "0000000000001000 A percpu\n"
						    "ffffffff81000100 T one\n"
						    "ffffffff81000200 T two\n");

	assert_format(syms, 0x1004, "0x1004");
	assert_format(syms, 0xffffffff81000104, "one+0x4/0x100");
	assert_format(syms, 0xffffffff81000204, "two+0x4");
	assert_format(syms, 0xffffffff82000000, "0xffffffff82000000");
	sm_symbols_free(syms);
}

static void test_modules(void **state)
{
	struct sm_symbols *syms;

	put(*state, "proc/modules",
		"beta 16384 0 - Live 0xffffffffc0110000 (OE)\n"
		"alpha 32768 1 beta,gamma Live 0xffffffffc0100000\n"
		"hidden 16384 0 - Live 0x0000000000000000\n"
		"odd line\n"
		"delta 18446744073709551615 0 - Live 0xffffffffc0200000\n"
		"gamma 4096 0 - Live 0xffffffffc0120000\n");
	syms = open_text(*state, KERNEL "ffffffffc0110000 t init_one\t[beta]\n"
					"ffffffffc0100200 t same\t[alpha]\n"
					"ffffffffc0100100 t init_one\t[alpha]\n"
					"ffffffffc0100100 t init_alias\t[alpha]\n"
					"ffffffffc0101000 d data\t[alpha]\n"
					"ffffffffc0101800 t $x\t[alpha]\n"
					"0000000000010000 A percpu\t[alpha]\n"
					"0000000000000000 U undefined\t[alpha]\n"
					"ffffffffc0110400 T same\t[beta]\n");
	assert_format(syms, 0xffffffffc0100104, "init_one+0x4/0x100 [alpha]");
	assert_format(syms, 0xffffffffc0110004, "init_one+0x4/0x400 [beta]");
	/* A module's last function goes on to its page's end... */
	assert_format(syms, 0xffffffffc0100204, "same+0x4/0xe00 [alpha]");
	assert_format(syms, 0xffffffffc0110404, "same+0x4/0xc00 [beta]");
	/* ... unless it is known to be longer. */
	assert_format(syms, 0xffffffffc0111404, "same+0x1004/0x1c00 [beta]");
	assert_format(syms, 0xffffffffc0101804, "data+0x804/0x7000 [alpha]");
	/* Before a module's first symbol, beyond its end, and where it has no symbols. */
	assert_format(syms, 0xffffffffc0100000, "0xffffffffc0100000");
	assert_format(syms, 0xffffffffc0108000, "0xffffffffc0108000");
	assert_format(syms, 0xffffffffc0120004, "0xffffffffc0120004");
	/* The kernel's own never come from a module. */
	assert_int_equal(sm_symbols_address(syms, "same"), 0);
	sm_symbols_free(syms);
}

/* Since 6.4 the size counts parts that lie elsewhere, so ranges overlap: the nearer base has the
 * text. */
static void test_overlap(void **state)
{
	struct sm_symbols *syms;

	put(*state, "proc/modules",
		"alpha 65536 0 - Live 0xffffffffc0100000\n"
		"beta 65536 0 - Live 0xffffffffc0102000\n");
	syms = open_text(*state, KERNEL "ffffffffc0100000 t one\t[alpha]\n"
					"ffffffffc0102000 t one\t[beta]\n"
					"ffffffffc0105040 t bpf_prog_1234_x\t[bpf]\n");
	assert_format(syms, 0xffffffffc0100004, "one+0x4/0x1000 [alpha]");
	assert_format(syms, 0xffffffffc0102004, "one+0x4/0x1000 [beta]");
	assert_format(syms, 0xffffffffc0105044, "bpf_prog_1234_x+0x4");
	sm_symbols_free(syms);
}

static void test_pseudo_modules(void **state)
{
	struct sm_symbols *syms = open_text(*state,
		KERNEL "ffffffffc0301000 t bpf_prog_6deef7357e7b4530\t[bpf]\n"
		       "ffffffffc0301080 t bpf_prog_a\t[bpf]\n"
		       "ffffffffc0201000 t ftrace_trampoline\t[__builtin__ftrace]\n"
		       "ffffffffc0501000 t kprobe_insn_page\t[__builtin__kprobes]\n");
	struct sm_symbol sym;

	/* The kernel gives these no module, and doesn't find trampolines at all. */
	assert_format(syms, 0xffffffffc0301010, "bpf_prog_6deef7357e7b4530+0x10/0x80");
	assert_format(syms, 0xffffffffc0301090, "bpf_prog_a+0x10");
	assert_format(syms, 0xffffffffc0311080, "0xffffffffc0311080");
	assert_format(syms, 0xffffffffc0201010, "0xffffffffc0201010");
	assert_true(sm_symbols_find(syms, 0xffffffffc0201010, &sym));
	assert_string_equal(sym.name, "ftrace_trampoline");
	assert_string_equal(sym.module, "__builtin__ftrace");
	assert_int_equal(sym.size, 0);
	assert_true(sm_symbols_find(syms, 0xffffffffc0301010, &sym));
	assert_string_equal(sym.module, "bpf");
	sm_symbols_free(syms);
}

static void test_restricted(void **state)
{
	assert_trouble(*state,
		"0000000000000000 T _stext\n0000000000000000 t one\n"
		"0000000000000000 t two\t[mod]\n",
		"kallsyms is restricted (all addresses are 0): capture as root with "
		"kernel.kptr_restrict below 2; addresses stay hex");
}

static void test_stub(void **state)
{
	assert_trouble(*state,
		"ffffffffffffffff B The real System.map is in the "
		"linux-image-<version>-dbg package\n",
		"kallsyms is a stub that only tells where the real System.map is: use "
		"/proc/kallsyms of the captured kernel; addresses stay hex");
}

static void test_useless(void **state)
{
	struct sm_symbols *syms;
	struct sm_buf want = {0};

	assert_trouble(
		*state, "", "kallsyms has no symbols: the file is empty; addresses stay hex");
	assert_trouble(*state, "hello\n\n",
		"kallsyms has no symbols: no line reads 'ADDRESS TYPE NAME'; addresses stay hex");
	scratch_run(*state, "rm proc/kallsyms");
	syms = open_capture(*state, NULL);
	sm_buf_addf(
		&want, "'%s' has no proc/kallsyms: addresses stay hex", scratch_path(*state, ""));
	assert_string_equal(sm_symbols_trouble(syms), want.data);
	sm_buf_release(&want);
	sm_symbols_free(syms);
	assert_null(sm_symbols_open(NULL, NULL, &syms));
	assert_non_null(sm_symbols_trouble(syms));
	sm_symbols_free(syms);
}

/* A file that the user names replaces the capture's, and its faults are errors. */
static void test_option(void **state)
{
	struct sm_symbols_opts opts = {.kallsyms = NULL};
	struct sm_symbols *syms;
	struct sm_error *err;
	const char *path = scratch_path(*state, "other");

	put(*state, "proc/kallsyms", KERNEL);
	put(*state, "other", "ffffffff81000000 T other\nffffffff81001000 T _etext\n");
	opts.kallsyms = path;
	syms = open_capture(*state, &opts);
	assert_format(syms, 0xffffffff81000004, "other+0x4/0x1000");
	sm_symbols_free(syms);
	put(*state, "other", "0000000000000000 T other\n");
	err = sm_symbols_open(NULL, &opts, &syms);
	assert_non_null(err);
	assert_int_equal(err->code, SM_E_REFUSED);
	assert_string_equal(err->path, path);
	assert_null(syms);
	sm_error_free(err);
	put(*state, "other", "nothing\n");
	scratch_expect(sm_symbols_open(NULL, &opts, &syms), SM_E_FORMAT, "symbols");
	scratch_run(*state, "rm other");
	err = sm_symbols_open(NULL, &opts, &syms);
	assert_non_null(err);
	sm_error_free(err);
	opts = (struct sm_symbols_opts){.none = true};
	syms = open_capture(*state, &opts);
	assert_null(sm_symbols_trouble(syms));
	assert_format(syms, 0xffffffff81000104, "0xffffffff81000104");
	sm_symbols_free(syms);
}

static void test_hostile(void **state)
{
	static const char text[] = "ffffffff81000000 T _stext\n"
				   "ffffffff81000100 T \x1b[31mred\xc2\x9b\n"
				   "ffffffff81000200 T sp ace\n"
				   "ffffffff81000300 T nul\0byte\n"
				   "ffffffff81000400 T \n"
				   "ffffffff81000500  name\n"
				   "ffffffff81000600 T\tname\n"
				   "ffffffff81000700 T crlf\r\n"
				   "10ffffffff81000700 T long\n"
				   "ffffffff81000800 T un\xffutf\n"
				   "ffffffff81000900 T m\t[]\n"
				   "ffffffff81000900 T m\t[open\n"
				   "ffffffff81000a00 T blank \t\n"
				   "ffffffff81000b00 T a[b]\n"
				   "ffffffff81001000 T _etext\n"
				   "ffffffffc0000000 t f\t[m\x07]\n"
				   "ffffffffc0001000 t g [spaced]\n";
	struct sm_symbols *syms;

	scratch_write(*state, "proc/kallsyms", text, sizeof(text) - 1);
	syms = open_capture(*state, NULL);
	assert_int_equal(sm_symbols_count(syms), 9);
	assert_format(syms, 0xffffffff81000100, "\\x1b[31mred\\xc2\\x9b+0x0/0x600");
	assert_format(syms, 0xffffffff81000700, "crlf+0x0/0x100");
	assert_format(syms, 0xffffffff81000801, "un\\xffutf+0x1/0x200");
	assert_format(syms, 0xffffffff81000a01, "blank+0x1/0x100");
	assert_format(syms, 0xffffffff81000b01, "a[b]+0x1/0x500");
	assert_format(syms, 0xffffffffc0000001, "f+0x1/0x1000 [m\\x07]");
	assert_format(syms, 0xffffffffc0001001, "g+0x1/0x1000 [spaced]");
	sm_symbols_free(syms);
}

/* Cut within a name: it is never shown, and its addresses aren't given to the symbol before. */
static void test_cut(void **state)
{
	struct sm_symbols *syms = open_text(*state, "ffffffff81000000 T _stext\n"
						    "ffffffff81000100 T one\n"
						    "ffffffff81000200 T two_is_c");

	assert_format(syms, 0xffffffff81000104, "one+0x4/0x100");
	assert_format(syms, 0xffffffff81000204, "0xffffffff81000204");
	assert_int_equal(sm_symbols_address(syms, "two_is_c"), 0);
	sm_symbols_free(syms);
	syms = open_text(
		*state, "ffffffff81000000 T _stext\nffffffff81000100 T one\nffffffff810002");
	assert_format(syms, 0xffffffff81000104, "one+0x4");
	sm_symbols_free(syms);
}

static void test_build_ids(void **state)
{
	static const char note[] = "\4\0\0\0\4\0\0\0\3\0\0\0GNU\0\xde\xad\xbe\xef";
	static const char swapped[] = "\0\0\0\4\0\0\0\4\0\0\0\3GNU\0\x01\x02\x03\x04";
	struct sm_symbols *syms;

	scratch_write(*state, "sys/kernel/notes", swapped, sizeof(swapped) - 1);
	scratch_write(*state, "sys/module/alpha/notes/.note.gnu.build-id", note, sizeof(note) - 1);
	scratch_write(*state, "sys/module/beta/notes/.note.gnu.build-id", note, sizeof(note) - 2);
	put(*state, "sys/module/gamma/parameters/x", "1\n");
	syms = open_text(*state, KERNEL "ffffffffc0110000 t one\t[alpha]\n");
	assert_string_equal(sm_symbols_build_id(syms, NULL), "01020304");
	assert_string_equal(sm_symbols_build_id(syms, "alpha"), "deadbeef");
	assert_null(sm_symbols_build_id(syms, "beta"));
	assert_null(sm_symbols_build_id(syms, "gamma"));
	assert_null(sm_symbols_build_id(syms, "none"));
	assert_format(syms, 0xffffffffc0110004, "one+0x4/0x1000 [alpha]");
	sm_symbols_free(syms);
}

/* Lines `ADDRESS TEXT` of FILE against this kernel's own names: prints what differs, then a count.
 */
static int compare(const char *path)
{
	unsigned long lines = 0, bad = 0;
	struct sm_symbols_opts opts = {.kallsyms = "/proc/kallsyms"};
	struct sm_symbols *syms;
	struct sm_buf buf = {0};
	struct sm_error *err = sm_symbols_open(NULL, &opts, &syms);
	FILE *f = fopen(path, "r");
	char line[1024];

	if (err || !f) {
		if (err)
			sm_error_format(err, &buf);
		fprintf(stderr, "%s\n", buf.data ? buf.data : "cannot open the file");
		return 2;
	}
	while (fgets(line, sizeof(line), f)) {
		char *text;
		uint64_t ip = strtoull(line, &text, 16);

		text += *text == ' ';
		text[strcspn(text, "\n")] = '\0';
		sm_buf_reset(&buf);
		sm_symbols_format(syms, ip, &buf);
		lines++;
		if (strcmp(buf.data, text) != 0 && bad++ < 20)
			printf("%llx: the kernel says '%s', smtool '%s'\n", (unsigned long long)ip,
				text, buf.data);
	}
	printf("%lu of %lu differ\n", bad, lines);
	fclose(f);
	sm_buf_release(&buf);
	sm_symbols_free(syms);
	return bad || !lines;
}

#define TEST(name) cmocka_unit_test_setup_teardown(test_##name, scratch_setup, scratch_teardown)

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		TEST(kernel),
		TEST(outside),
		TEST(pac),
		TEST(all),
		TEST(caller),
		TEST(trampoline),
		TEST(32bit),
		TEST(unsorted),
		TEST(no_bounds),
		TEST(modules),
		TEST(overlap),
		TEST(pseudo_modules),
		TEST(restricted),
		TEST(stub),
		TEST(useless),
		TEST(option),
		TEST(hostile),
		TEST(cut),
		TEST(build_ids),
	};

	if (argc == 3 && strcmp(argv[1], "compare") == 0)
		return compare(argv[2]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
