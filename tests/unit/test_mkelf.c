/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The text front end: what its scripts say is found again, and captures that are made to match do.
 */
#include "capture.h"

#include "lookup.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

static const char linked[] = "elf le 64 exec x86_64\n"
			     "buildid 00112233aabb\n"
			     "dwarf 5 aranges strx rnglistx\n"
			     "compress zstd\n"
			     "text .text 0xffffffff81000000\n"
			     "text .text.unlikely 0xffffffff81200000\n"
			     "symbol _stext .text\n"
			     "unit mm/slub.c /src/linux\n"
			     "function kmalloc {\n"
			     "  line 10\n"
			     "  nop 8\n"
			     "  inline slab_alloc include/linux/slab.h:3 {\n"
			     "    line include/linux/slab.h:77\n"
			     "    call helper\n"
			     "    label ret_helper\n"
			     "  }\n"
			     "  call kmalloc\n"
			     "  label ret_self\n"
			     "  part .text.unlikely {\n"
			     "    line 14\n"
			     "    bytes 0f0b\n"
			     "  }\n"
			     "  ret\n"
			     "}\n"
			     "function helper static {\n"
			     "  line 30\n"
			     "  ret\n"
			     "}\n"
			     "unit -\n"
			     "function memcpy align=64 {\n"
			     "  ret\n"
			     "}\n";

static const char module[] = "elf le 64 rel x86_64\n"
			     "buildid aabbccdd\n"
			     "dwarf 4\n"
			     "text .text\n"
			     "text .init.text\n"
			     "unit drivers/mod.c /src/linux\n"
			     "function mod_alloc {\n"
			     "  line 5\n"
			     "  call kmalloc\n"
			     "  label ret_mod\n"
			     "  ret\n"
			     "}\n"
			     "function mod_init .init.text static {\n"
			     "  line 9\n"
			     "  call mod_alloc\n"
			     "  label ret_init\n"
			     "  ret\n"
			     "}\n";

/* build/tests/NAME, beside build/tests/unit/ */
static const char *tool(const char *name)
{
	static char path[4096];
	char exe[3000];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);

	assert_true(n > 0);
	exe[n] = '\0';
	*strrchr(exe, '/') = '\0';
	snprintf(path, sizeof(path), "%s/../%s", exe, name);
	if (access(path, X_OK) != 0)
		fail_msg("'%s' isn't there: make it first", path);
	return path;
}

static void run(const struct scratch *s, const char *script, const char *arguments)
{
	scratch_write(s, "script", script, strlen(script));
	scratch_run(s, "'%s' %s", tool("mkelf"), arguments);
}

static void test_linked(void **state)
{
	const struct scratch *s = *state;
	struct lookup l;

	run(s, linked, "script vmlinux");
	lookup_open_path(&l, scratch_path(s, "vmlinux"));
	assert_string_equal(l.obj->build_id, "00112233aabb");
	lookup_expect_range(&l, ".text", 0, 8, "kmalloc mm/slub.c:10");
	lookup_expect_range(&l, ".text", 8, 13,
		"slab_alloc include/linux/slab.h:77 < kmalloc include/linux/slab.h:3");
	lookup_expect_range(&l, ".text", 13, 19, "kmalloc mm/slub.c:10");
	lookup_expect(&l, ".text", 19, "");
	lookup_expect(&l, ".text", 0x20, "helper mm/slub.c:30");
	lookup_expect(&l, ".text", 0x40, "");
	assert_string_equal(lookup_symbol(&l, lookup_at(&l, ".text", 0x40)), "memcpy");
	lookup_expect_range(&l, ".text.unlikely", 0, 2, "kmalloc mm/slub.c:14");
	lookup_close(&l);
}

static void test_module(void **state)
{
	const struct scratch *s = *state;
	struct lookup l;

	run(s, module, "--hollow script mod.ko.debug");
	lookup_open_path(&l, scratch_path(s, "mod.ko.debug"));
	lookup_expect(&l, ".text", 4, "mod_alloc drivers/mod.c:5");
	lookup_expect(&l, ".init.text", 4, "mod_init drivers/mod.c:9");
	lookup_close(&l);
	run(s, module, "--strip script mod.ko");
	lookup_open_path(&l, scratch_path(s, "mod.ko"));
	assert_null(l.dwarf);
	assert_string_equal(lookup_symbol(&l, lookup_at(&l, ".text", 0)), "");
	lookup_close(&l);
}

static void expect_text(const struct scratch *s, const char *file, const char *want)
{
	size_t len;
	uint8_t *text = scratch_load(s, file, &len);

	assert_string_equal((char *)text, want);
	free(text);
}

static void test_capture(void **state)
{
	const struct scratch *s = *state;

	run(s, linked, "--capture script 0x200000 >vmlinux.inc");
	expect_text(s, "vmlinux.inc",
		"buildid 00112233aabb\n"
		"kallsyms 0xffffffff81200000 _stext type=T\n"
		"kallsyms 0xffffffff81200000 kmalloc type=T\n"
		"let ret_helper = 0xffffffff8120000d\n"
		"let ret_self = 0xffffffff81200012\n"
		"kallsyms 0xffffffff81200020 helper type=t\n"
		"kallsyms 0xffffffff81200040 memcpy type=T\n");
	run(s, module,
		"--capture script mod .text=0xffffffffc0000000 .init.text=0xffffffffc0010000 "
		">mod.inc");
	expect_text(s, "mod.inc",
		"module mod 0xffffffffc0000000 0x10006 buildid=aabbccdd\n"
		"file sys/module/mod/sections/.text \"0xffffffffc0000000\\n\"\n"
		"file sys/module/mod/sections/.init.text \"0xffffffffc0010000\\n\"\n"
		"kallsyms 0xffffffffc0000000 mod_alloc mod type=T\n"
		"let ret_mod = 0xffffffffc0000005\n"
		"kallsyms 0xffffffffc0010000 mod_init mod type=t\n"
		"let ret_init = 0xffffffffc0010005\n");
	scratch_run(s, "{ echo kernel le 64 page 4096 format 6.18; cat vmlinux.inc mod.inc; "
		       "echo kmalloc 'site=$ret_self' ptr=1 req=8; "
		       "echo stack '$ret_self' '$ret_mod' '$ret_init'; } >capture.txt");
	scratch_run(s, "'%s' capture.txt out", tool("mkcapture"));
	expect_text(s, "out/sys/module/mod/sections/.init.text", "0xffffffffc0010000\n");
	expect_text(s, "out/proc/modules", "mod 65542 0 - Live 0xffffffffc0000000\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_linked, scratch_setup, scratch_teardown),
		cmocka_unit_test_setup_teardown(test_module, scratch_setup, scratch_teardown),
		cmocka_unit_test_setup_teardown(test_capture, scratch_setup, scratch_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
