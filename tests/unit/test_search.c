/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where a kernel's files are found, which are passed over, and the files that a file names. */
#include "finding.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "gen/elfwriter.h"

static void test_layouts(void **state)
{
	static const char *const paths[] = {
		"root/usr/lib/debug/boot/vmlinux-" RELEASE,
		"root/usr/lib/debug/boot/vmlinux-" RELEASE ".debug",
		"root/usr/lib/debug/lib/modules/" RELEASE "/vmlinux",
		"root/usr/lib/debug/usr/lib/modules/" RELEASE "/vmlinux.debug",
		"root/usr/lib/debug/vmlinux-" RELEASE,
		"root/usr/lib/modules/" RELEASE "/build/vmlinux",
		"root/usr/lib/modules/" RELEASE "/vmlinux",
		"root/lib/modules/" RELEASE "/build/vmlinux",
		"root/lib/modules/" RELEASE "/vmlinux",
		"root/boot/vmlinux-" RELEASE,
		"root/usr/lib/debug/.build-id/01/23456789abcdef.debug",
		"root/usr/lib/.build-id/01/23456789abcdef",
	};
	const struct scratch *s = *state;
	struct search search = finding_search(s, "root");

	finding_vmlinux_is(s, &search, ID, "-", "-");
	for (size_t i = 0; i < SM_ARRAY_SIZE(paths); i++) {
		finding_put(s, paths[i], CODE | DEBUG, ID);
		finding_vmlinux_is(s, &search, ID, paths[i], paths[i]);
		finding_vmlinux_is(s, &search, OTHER_ID, "-", "-");
		/* The system's files aren't taken unseen. */
		finding_vmlinux_is(s, &search, NULL, "-", "-");
		assert_int_equal(unlink(scratch_path(s, paths[i])), 0);
	}
	finding_put(s, "root/vmlinux", CODE | DEBUG, ID);
	finding_vmlinux_is(s, &search, ID, "-", "-");
}

static void test_order(void **state)
{
	const struct scratch *s = *state;
	struct search search = finding_search(s, "root");
	const char *dirs[] = {NULL, NULL};
	char debug_dir[4200], modules[4200], capture[4200];
	struct said said;

	said_listen(&said);
	snprintf(debug_dir, sizeof(debug_dir), "%s/dbg/", s->dir);
	snprintf(modules, sizeof(modules), "%s/tree", s->dir);
	snprintf(capture, sizeof(capture), "%s/cap/dir/", s->dir);
	dirs[0] = "no such directory";
	dirs[1] = debug_dir;
	search.debug_dirs = dirs;
	search.ndebug_dirs = 2;
	search.modules = modules;
	search.capture = capture;
	search.log = &said.log;
	finding_put(s, "root/boot/vmlinux-" RELEASE, CODE | DEBUG, ID);
	assert_int_equal(mkdir(scratch_path(s, "cap"), 0700), 0);
	assert_int_equal(mkdir(scratch_path(s, "cap/dir"), 0700), 0);
	finding_vmlinux_is(
		s, &search, ID, "root/boot/vmlinux-" RELEASE, "root/boot/vmlinux-" RELEASE);
	finding_put(s, "cap/usr/lib/debug/vmlinux-" RELEASE, CODE | DEBUG, ID);
	finding_vmlinux_is(s, &search, ID, "cap/usr/lib/debug/vmlinux-" RELEASE,
		"cap/usr/lib/debug/vmlinux-" RELEASE);
	finding_put(s, "cap/dir/vmlinux", CODE | DEBUG, ID);
	finding_vmlinux_is(s, &search, ID, "cap/dir/vmlinux", "cap/dir/vmlinux");
	finding_put(s, "dbg/boot/vmlinux-" RELEASE, CODE | DEBUG, ID);
	finding_vmlinux_is(
		s, &search, ID, "dbg/boot/vmlinux-" RELEASE, "dbg/boot/vmlinux-" RELEASE);
	finding_put(s, "tree/vmlinux", CODE | DEBUG, ID);
	finding_vmlinux_is(s, &search, ID, "tree/vmlinux", "tree/vmlinux");
	/* Another kernel's, and what is no ELF file, are passed over and named. */
	finding_put(s, "tree/vmlinux", CODE | DEBUG, OTHER_ID);
	scratch_write(s, "dbg/boot/vmlinux-" RELEASE, "text", 4);
	finding_put(s, "cap/dir/vmlinux", CODE | DEBUG, NULL);
	finding_vmlinux_is(s, &search, ID, "cap/usr/lib/debug/vmlinux-" RELEASE,
		"cap/usr/lib/debug/vmlinux-" RELEASE);
	said_was(&said, SM_DEBUG, "tree/vmlinux' has the build id " OTHER_ID ", not " ID);
	said_was(&said, SM_DEBUG, "dbg/boot/vmlinux-" RELEASE);
	said_was(&said, SM_DEBUG, "cap/dir/vmlinux' has the build id (none)");
	sm_buf_release(&said.text);
}

static void test_named(void **state)
{
	const struct scratch *s = *state;
	struct search search = finding_search(s, "root");
	struct object_set set;
	struct said said;
	char path[4200];

	said_listen(&said);
	search.log = &said.log;
	snprintf(path, sizeof(path), "%s/mine", s->dir);
	search.vmlinux = path;
	finding_put(s, "root/boot/vmlinux-" RELEASE, CODE | DEBUG, ID);
	scratch_expect(sm_search_vmlinux(&search, ID, &set), SM_E_MISSING, path);
	scratch_write(s, "mine", "text", 4);
	scratch_expect(sm_search_vmlinux(&search, ID, &set), SM_E_FORMAT, path);
	assert_null(set.code);
	finding_put(s, "mine", CODE | DEBUG, OTHER_ID);
	scratch_expect(sm_search_vmlinux(&search, ID, &set), SM_E_REFUSED,
		"its build id is " OTHER_ID ", the captured kernel's " ID);
	assert_null(set.code);
	assert_null(set.debug);
	finding_put(s, "mine", CODE | DEBUG, NULL);
	scratch_expect(sm_search_vmlinux(&search, ID, &set), SM_E_REFUSED,
		"its build id is (none), the captured kernel's " ID);
	search.force = true;
	finding_vmlinux_is(s, &search, ID, "mine", "mine");
	said_was(&said, SM_WARN, "mine' belongs to another kernel: its build id is (none)");
	finding_put(s, "mine", CODE | DEBUG, OTHER_ID);
	finding_vmlinux_is(s, &search, ID, "mine", "mine");
	search.force = false;
	finding_vmlinux_is(s, &search, OTHER_ID, "mine", "mine");
	sm_buf_reset(&said.text);
	finding_vmlinux_is(s, &search, NULL, "mine", "mine");
	said_was(&said, SM_WARN, "can't be checked");
	/* Its debug file is that of its own build id. */
	finding_put(s, "mine", CODE, OTHER_ID);
	finding_put(s, "root/usr/lib/debug/.build-id/01/23456789abcdef.debug", DEBUG, ID);
	finding_put(s, "root/usr/lib/debug/.build-id/fe/dcba9876543210.debug", DEBUG, OTHER_ID);
	search.force = true;
	finding_vmlinux_is(
		s, &search, ID, "mine", "root/usr/lib/debug/.build-id/fe/dcba9876543210.debug");
	sm_buf_release(&said.text);
}

static void test_no_build_id(void **state)
{
	const struct scratch *s = *state;
	struct search search = finding_search(s, "root");
	struct said said;
	char capture[4200];

	said_listen(&said);
	search.log = &said.log;
	snprintf(capture, sizeof(capture), "%s/cap/file.tar", s->dir);
	scratch_write(s, "cap/file.tar", "", 0);
	search.capture = capture;
	finding_put(s, "root/boot/vmlinux-" RELEASE, CODE | DEBUG, ID);
	finding_vmlinux_is(s, &search, NULL, "-", "-");
	/* What goes with code that has no build id can't be told. */
	finding_put(s, "cap/vmlinux", CODE, NULL);
	finding_put(s, "cap/vmlinux-" RELEASE, DEBUG, OTHER_ID);
	finding_vmlinux_is(s, &search, NULL, "cap/vmlinux", "-");
	finding_put(s, "cap/vmlinux", CODE, OTHER_ID);
	finding_vmlinux_is(s, &search, NULL, "cap/vmlinux", "cap/vmlinux-" RELEASE);
	said_was(&said, SM_WARN, "cap/vmlinux-" RELEASE "' is that kernel can't be checked");
	sm_buf_release(&said.text);
}

static void test_parts(void **state)
{
	static const char path[] = "root/lib/modules/" RELEASE "/vmlinux";
	static const char debug[] = "root/usr/lib/debug/lib/modules/" RELEASE "/vmlinux.debug";
	const struct scratch *s = *state;
	struct search search = finding_search(s, "root");
	struct object_set set;

	finding_put(s, path, CODE, ID);
	finding_vmlinux_is(s, &search, ID, path, "-");
	finding_put(s, path, CODE | SYMBOLS, ID);
	finding_vmlinux_is(s, &search, ID, path, path);
	finding_put(s, debug, SYMBOLS, ID);
	finding_put(s, path, CODE, ID);
	finding_vmlinux_is(s, &search, ID, path, debug);
	finding_put(s, debug, DEBUG, ID);
	finding_vmlinux_is(s, &search, ID, path, debug);
	finding_put(s, debug, DEBUG, OTHER_ID);
	finding_vmlinux_is(s, &search, ID, path, "-");
	finding_put(s, debug, DEBUG, ID);
	assert_int_equal(unlink(scratch_path(s, path)), 0);
	finding_vmlinux_is(s, &search, ID, "-", debug);

	assert_null(sm_search_file(&search, scratch_path(s, debug), &set));
	finding_set_is(s, &set, "-", debug, "-");
	finding_put(s, "root/usr/lib/.build-id/01/23456789abcdef", CODE, ID);
	assert_null(sm_search_file(&search, scratch_path(s, debug), &set));
	finding_set_is(s, &set, "root/usr/lib/.build-id/01/23456789abcdef", debug, "-");
	finding_put(s, "empty", 0, ID);
	unlink(scratch_path(s, debug));
	unlink(scratch_path(s, "root/usr/lib/.build-id/01/23456789abcdef"));
	scratch_expect(sm_search_file(&search, scratch_path(s, "empty"), &set), SM_E_MISSING,
		"no code, no symbols and no debug information");
}

static void test_debuglink(void **state)
{
	static const char *const places[] = {"root/lib/f.debug", "root/lib/.debug/f.debug",
		"root/usr/lib/debug/lib/f.debug", "dbg/lib/f.debug", "dbg/f.debug"};
	const struct scratch *s = *state;
	struct search search = finding_search(s, "root");
	struct finding_elf code = {.parts = CODE, .link = "f.debug"};
	const struct finding_elf debug = {.parts = DEBUG};
	char debug_dir[4200];
	const char *dirs[] = {debug_dir};
	struct object_set set;
	uint8_t *data;
	size_t len;

	snprintf(debug_dir, sizeof(debug_dir), "%s/dbg", s->dir);
	search.debug_dirs = dirs;
	search.ndebug_dirs = 1;
	data = finding_make(&debug, &len);
	code.crc = ew_crc32(data, len);
	free(data);
	finding_put_elf(s, "root/lib/f", &code);
	for (size_t i = 0; i < SM_ARRAY_SIZE(places); i++) {
		finding_put_elf(s, places[i], &debug);
		assert_null(sm_search_file(&search, scratch_path(s, "root/lib/f"), &set));
		finding_set_is(s, &set, "root/lib/f", places[i], "-");
		/* Another checksum. */
		finding_put(s, places[i], DEBUG | LARGER, NULL);
		assert_null(sm_search_file(&search, scratch_path(s, "root/lib/f"), &set));
		finding_set_is(s, &set, "root/lib/f", "-", "-");
		unlink(scratch_path(s, places[i]));
	}
	/* Build ids say more. */
	finding_put(s, places[0], DEBUG | LARGER, ID);
	code.id = ID;
	finding_put_elf(s, "root/lib/f", &code);
	assert_null(sm_search_file(&search, scratch_path(s, "root/lib/f"), &set));
	finding_set_is(s, &set, "root/lib/f", places[0], "-");
	code.id = OTHER_ID;
	finding_put_elf(s, "root/lib/f", &code);
	assert_null(sm_search_file(&search, scratch_path(s, "root/lib/f"), &set));
	finding_set_is(s, &set, "root/lib/f", "-", "-");
	/* No path, and not the file itself. */
	code.id = NULL;
	finding_put_elf(s, "root/f.debug", &debug);
	code.link = "../f.debug";
	finding_put_elf(s, "root/lib/f", &code);
	assert_null(sm_search_file(&search, scratch_path(s, "root/lib/f"), &set));
	finding_set_is(s, &set, "root/lib/f", "-", "-");
	code.link = "f";
	finding_put_elf(s, "root/lib/f", &code);
	assert_null(sm_search_file(&search, scratch_path(s, "root/lib/f"), &set));
	finding_set_is(s, &set, "root/lib/f", "-", "-");
}

static void test_altlink(void **state)
{
	static const char *const places[] = {"x/common.debug",
		"root/usr/lib/debug/.build-id/fe/dcba9876543210.debug",
		"root/usr/lib/debug/.dwz/common.debug", "dbg/.dwz/common.debug"};
	const struct finding_elf file = {
		.parts = CODE | DEBUG, .id = ID, .alt = "../x/common.debug", .alt_id = OTHER_ID};
	const struct finding_elf absolute = {
		.parts = CODE | DEBUG, .id = ID, .alt = "/alt/common.debug", .alt_id = OTHER_ID};
	const struct scratch *s = *state;
	struct search search = finding_search(s, "root");
	char debug_dir[4200];
	const char *dirs[] = {debug_dir};
	struct object_set set;
	struct said said;

	said_listen(&said);
	search.log = &said.log;
	snprintf(debug_dir, sizeof(debug_dir), "%s/dbg", s->dir);
	search.debug_dirs = dirs;
	search.ndebug_dirs = 1;
	finding_put_elf(s, "dir/file", &file);
	finding_put(s, "links/unrelated", 0, NULL);
	assert_int_equal(symlink("../dir/file", scratch_path(s, "links/deep")), 0);
	for (size_t i = 0; i < SM_ARRAY_SIZE(places); i++) {
		finding_put(s, places[i], DEBUG, OTHER_ID);
		assert_null(sm_search_file(&search, scratch_path(s, "dir/file"), &set));
		finding_set_is(s, &set, "dir/file", "dir/file", places[i]);
		sm_buf_reset(&said.text);
		finding_put(s, places[i], DEBUG, ID);
		assert_null(sm_search_file(&search, scratch_path(s, "dir/file"), &set));
		finding_set_is(s, &set, "dir/file", "dir/file", "-");
		said_was(&said, SM_WARN,
			"needs the supplementary file '../x/common.debug', which isn't found");
		unlink(scratch_path(s, places[i]));
	}
	/* Relative to what a link leads to: "links/../x" would do as well, so that has to go. */
	scratch_run(s, "mkdir -p deep/er && mv dir deep/er/dir && mv x deep/er/x && "
		       "ln -sf ../deep/er/dir/file links/deep");
	finding_put(s, "deep/er/x/common.debug", DEBUG, OTHER_ID);
	assert_null(sm_search_file(&search, scratch_path(s, "links/deep"), &set));
	finding_set_is(s, &set, "links/deep", "links/deep", "deep/er/x/common.debug");
	/* An absolute one is below the root. */
	finding_put_elf(s, "abs", &absolute);
	finding_put(s, "root/alt/common.debug", DEBUG, OTHER_ID);
	assert_null(sm_search_file(&search, scratch_path(s, "abs"), &set));
	finding_set_is(s, &set, "abs", "abs", "root/alt/common.debug");
	sm_buf_release(&said.text);
}

static void test_untrusted_words(void **state)
{
	static const char *const releases[] = {
		"..", ".", "", "../..", "a/b", "/", ".hidden", "x/../" RELEASE, "../" RELEASE};
	static const char *const names[] = {"..", "", ".m", "../m", "kernel/m", "/m"};
	const struct scratch *s = *state;
	struct search search = finding_search(s, "root");

	finding_put(s, "root/lib/modules/vmlinux", CODE | DEBUG, ID);
	finding_put(s, "root/lib/modules/a/b/vmlinux", CODE | DEBUG, ID);
	finding_put(s, "root/lib/vmlinux", CODE | DEBUG, ID);
	finding_put(s, "root/lib/modules/.hidden/vmlinux", CODE | DEBUG, ID);
	finding_put(s, "root/lib/modules/" RELEASE "/vmlinux", CODE | DEBUG, ID);
	finding_put(s, "root/lib/modules/x/y", CODE | DEBUG, ID);
	finding_put(s, "root/lib/modules/" RELEASE "/kernel/m.ko", CODE | DEBUG, ID);
	finding_put(s, "root/lib/modules/m.ko", CODE | DEBUG, ID);
	for (size_t i = 0; i < SM_ARRAY_SIZE(releases); i++) {
		search.release = releases[i];
		finding_vmlinux_is(s, &search, ID, "-", "-");
		finding_module_is(s, &search, "m", ID, "-", "-");
	}
	search.release = RELEASE;
	for (size_t i = 0; i < SM_ARRAY_SIZE(names); i++)
		finding_module_is(s, &search, names[i], ID, "-", "-");
	/* They would have been found under a name that is one. */
	finding_module_is(s, &search, "m", ID, "root/lib/modules/" RELEASE "/kernel/m.ko",
		"root/lib/modules/" RELEASE "/kernel/m.ko");
}

/* In a process of its own, whose libdebuginfod is ours: LD_LIBRARY_PATH counts from the start on.
 */
static int use_debuginfod(const char *dir)
{
	struct scratch s;
	struct search search;
	struct said said;

	snprintf(s.dir, sizeof(s.dir), "%s", dir);
	search = finding_search(&s, "root");
	said_listen(&said);
	search.log = &said.log;
	finding_vmlinux_is(&s, &search, ID, "-", "-");
	search.debuginfod = true;
	finding_vmlinux_is(&s, &search, ID, "served-" ID, "served-" ID);
	said_was(&said, SM_WARN,
		"asking debuginfod for the debug information of vmlinux (build id " ID ")");
	finding_module_is(&s, &search, "m", OTHER_ID, "-", "-");
	said_was(&said, SM_DEBUG, "debuginfod has nothing for build id " OTHER_ID);
	/* What isn't what was asked for. */
	finding_module_is(&s, &search, "m", "00112233445566", "-", "-");
	said_was(&said, SM_DEBUG, "has the build id " ID ", not 00112233445566");
	sm_buf_release(&said.text);
	return 0;
}

static void test_debuginfod(void **state)
{
	static const char library[] =
		"#define _GNU_SOURCE\n"
		"#include <errno.h>\n#include <fcntl.h>\n#include <stdio.h>\n#include <stdlib.h>\n"
		"void *debuginfod_begin(void) { return malloc(1); }\n"
		"void debuginfod_end(void *c) { free(c); }\n"
		"int debuginfod_find_debuginfo(void *c, const unsigned char *id, int len, char "
		"**p)\n"
		"{\n"
		"	int fd;\n"
		"	if (!c || len || asprintf(p, \"%s/served-%s\", getenv(\"SERVED\"), id) < "
		"0)\n"
		"		abort();\n"
		"	fd = open(*p, O_RDONLY);\n"
		"	if (fd >= 0)\n"
		"		return fd;\n"
		"	free(*p);\n"
		"	*p = NULL;\n"
		"	return -ENOENT;\n"
		"}\n";
	const struct scratch *s = *state;
	struct search search = finding_search(s, "root");
	char self[4096] = {0};

	/* Without an address of a server, and with or without the library, nothing happens. */
	unsetenv("DEBUGINFOD_URLS");
	search.debuginfod = true;
	finding_vmlinux_is(s, &search, ID, "-", "-");
	if (!scratch_has_program("cc"))
		skip();
	assert_true(readlink("/proc/self/exe", self, sizeof(self) - 1) > 0);
	scratch_write(s, "fake.c", library, sizeof(library) - 1);
	finding_put(s, "served-" ID, CODE | DEBUG, ID);
	finding_put(s, "served-00112233445566", CODE | DEBUG, ID);
	scratch_run(s,
		"cc -shared -fPIC -o libdebuginfod.so.1 fake.c && "
		"SERVED=$PWD LD_LIBRARY_PATH=$PWD '%s' debuginfod \"$PWD\"",
		self);
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, scratch_setup, scratch_teardown)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		TEST(test_layouts),
		TEST(test_order),
		TEST(test_named),
		TEST(test_no_build_id),
		TEST(test_parts),
		TEST(test_debuglink),
		TEST(test_altlink),
		TEST(test_untrusted_words),
		TEST(test_debuginfod),
	};

	if (argc == 3 && strcmp(argv[1], "debuginfod") == 0)
		return use_debuginfod(argv[2]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
