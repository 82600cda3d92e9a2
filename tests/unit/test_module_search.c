/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where a module's files are found, and which are passed over. */
#include "finding.h"

#include <setjmp.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

#define MODULES "root/lib/modules/" RELEASE "/"
#define DEBUG_MODULES "root/usr/lib/debug/lib/modules/" RELEASE "/"

static void test_module_names(void **state)
{
	static const char *const paths[] = {MODULES "kernel/a/snd-hda_core.ko",
		MODULES "updates/snd_hda_core.ko.debug", DEBUG_MODULES "extra/x/snd-hda-core.ko",
		"root/usr/lib/modules/" RELEASE "/snd_hda-core.ko",
		"root/usr/lib/debug/usr/lib/modules/" RELEASE "/k/snd-hda-core.debug"};
	const unsigned parts = CODE | DEBUG | RELOCATABLE;
	const struct scratch *s = *state;
	struct search search = finding_search(s, "root");

	for (size_t i = 0; i < SM_ARRAY_SIZE(paths); i++) {
		finding_put(s, paths[i], parts, ID);
		finding_module_is(s, &search, "snd_hda_core", ID, paths[i], paths[i]);
		finding_module_is(s, &search, "snd-hda-core", NULL, paths[i], paths[i]);
		finding_module_is(s, &search, "snd_hda_core", OTHER_ID, "-", "-");
		finding_module_is(s, &search, "snd_hda_cor", ID, "-", "-");
		finding_module_is(s, &search, "snd_hda_core_", ID, "-", "-");
		unlink(scratch_path(s, paths[i]));
	}
	/* By build id alone. */
	finding_put(s, "root/usr/lib/debug/.build-id/01/23456789abcdef.debug", parts, ID);
	finding_module_is(s, &search, "anything", ID,
		"root/usr/lib/debug/.build-id/01/23456789abcdef.debug",
		"root/usr/lib/debug/.build-id/01/23456789abcdef.debug");
}

static void test_module_compressed(void **state)
{
	static const struct {
		const char *program, *suffix;
	} forms[] = {{"xz", "xz"}, {"gzip", "gz"}, {"zstd -q --rm", "zst"}};
	const struct scratch *s = *state;
	struct search search = finding_search(s, "root");
	char path[256];

	for (size_t i = 0; i < SM_ARRAY_SIZE(forms); i++) {
		char program[16] = {0};

		strncpy(program, forms[i].program, strcspn(forms[i].program, " "));
		if (!scratch_has_program(program))
			continue;
		finding_put(s, MODULES "kernel/m.ko", CODE | DEBUG | RELOCATABLE, ID);
		scratch_run(s, "%s '%s'", forms[i].program, MODULES "kernel/m.ko");
		snprintf(path, sizeof(path), MODULES "kernel/m.ko.%s", forms[i].suffix);
		finding_module_is(s, &search, "m", ID, path, path);
		unlink(scratch_path(s, path));
	}
}

static void test_module_parts(void **state)
{
	static const char code[] = MODULES "kernel/m.ko", debug[] = DEBUG_MODULES "kernel/m.ko";
	const struct scratch *s = *state;
	struct search search = finding_search(s, "root");
	struct said said;

	said_listen(&said);
	search.log = &said.log;
	finding_put(s, code, CODE | RELOCATABLE, ID);
	finding_put(s, debug, DEBUG | RELOCATABLE, ID);
	finding_module_is(s, &search, "m", ID, code, debug);
	finding_module_is(s, &search, "m", NULL, code, debug);
	said_was(&said, SM_INFO, "doesn't say the build id of module 'm'");
	/* Their image addresses would differ. */
	finding_put(s, code, CODE | RELOCATABLE | LARGER, ID);
	finding_module_is(s, &search, "m", ID, "-", debug);
	said_was(&said, SM_DEBUG, "other sections");
	finding_put(s, code, CODE, ID);
	finding_module_is(s, &search, "m", ID, "-", debug);
	/* Another module's. */
	finding_put(s, code, CODE | RELOCATABLE, OTHER_ID);
	finding_module_is(s, &search, "m", ID, "-", debug);
	finding_module_is(s, &search, "m", OTHER_ID, code, "-");
	sm_buf_release(&said.text);
}

static void test_module_dir(void **state)
{
	const struct scratch *s = *state;
	struct search search = finding_search(s, "root");
	struct said said;
	char dir[4200], capture[4200];

	said_listen(&said);
	search.log = &said.log;
	snprintf(dir, sizeof(dir), "%s/mods", s->dir);
	snprintf(capture, sizeof(capture), "%s/cap", s->dir);
	search.modules = dir;
	search.capture = capture;
	search.release = NULL;
	finding_put(s, "cap/m.ko", CODE | DEBUG | RELOCATABLE, ID);
	finding_module_is(s, &search, "m", ID, "cap/m.ko", "cap/m.ko");
	finding_put(s, "mods/a/b/c/m.ko", CODE | DEBUG | RELOCATABLE, ID);
	finding_module_is(s, &search, "m", ID, "mods/a/b/c/m.ko", "mods/a/b/c/m.ko");
	/* Only what the user named is taken by force. */
	finding_module_is(s, &search, "m", OTHER_ID, "-", "-");
	search.force = true;
	finding_module_is(s, &search, "m", OTHER_ID, "mods/a/b/c/m.ko", "mods/a/b/c/m.ko");
	said_was(&said, SM_WARN, "though its build id differs");
	unlink(scratch_path(s, "mods/a/b/c/m.ko"));
	finding_module_is(s, &search, "m", OTHER_ID, "-", "-");
	sm_buf_release(&said.text);
}

static void test_module_choice(void **state)
{
	const struct scratch *s = *state;
	struct search search = finding_search(s, "root");

	finding_put(s, MODULES "kernel/m.ko", CODE | DEBUG | RELOCATABLE, ID);
	finding_put(s, MODULES "updates/m.ko", CODE | DEBUG | RELOCATABLE, OTHER_ID);
	finding_module_is(s, &search, "m", NULL, MODULES "updates/m.ko", MODULES "updates/m.ko");
	finding_module_is(s, &search, "m", ID, MODULES "kernel/m.ko", MODULES "kernel/m.ko");
}

/* What isn't a file, or leads in circles, doesn't hold it up. */
static void test_module_traps(void **state)
{
	const struct scratch *s = *state;
	struct search search = finding_search(s, "root");

	finding_put(s, MODULES "kernel/a/m.ko", CODE | DEBUG | RELOCATABLE, ID);
	scratch_run(s,
		"cd '" MODULES "' && mkfifo kernel/0m.ko m.ko && ln -s . self && ln -s .. build && "
		"ln -s nowhere kernel/dead.ko && mkdir kernel/dir.ko && ln -s a/m.ko kernel/n.ko "
		"&& "
		"printf x >kernel/ko && printf x >kernel/.ko");
	finding_module_is(s, &search, "m", ID, MODULES "kernel/a/m.ko", MODULES "kernel/a/m.ko");
	finding_module_is(s, &search, "n", ID, MODULES "kernel/n.ko", MODULES "kernel/n.ko");
	finding_module_is(s, &search, "dead", ID, "-", "-");
	finding_module_is(s, &search, "dir", ID, "-", "-");
	finding_module_is(s, &search, "0m", NULL, "-", "-");
}

#define DEEP "1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16/17/18/"

static void test_module_lists(void **state)
{
	static const char dep[] = "kernel/" DEEP "a-b.ko.xz: kernel/x.ko.xz kernel/y.ko.xz\n"
				  "/" DEEP "c.ko:\n../up/d.ko:\nkernel/../../up/d.ko:\n\n:\n";
	static const char order[] = "kernel/" DEEP "e.ko\nkernel/" DEEP "f.ko";
	const unsigned parts = CODE | DEBUG | RELOCATABLE;
	const struct scratch *s = *state;
	struct search search = finding_search(s, "root");

	/* Deeper than a tree is walked: these are found by a list or not at all. */
	finding_put(s, DEBUG_MODULES "kernel/" DEEP "a-b.ko.debug", parts, ID);
	finding_put(s, MODULES DEEP "c.ko", parts, ID);
	finding_put(s, "root/lib/modules/up/d.ko", parts, ID);
	finding_put(s, MODULES "kernel/" DEEP "e.ko", parts, ID);
	finding_put(s, MODULES "kernel/" DEEP "f.ko", parts, ID);
	finding_module_is(s, &search, "a_b", ID, "-", "-");
	scratch_write(s, MODULES "modules.dep", dep, sizeof(dep) - 1);
	scratch_write(s, MODULES "modules.order", order, sizeof(order) - 1);
	finding_module_is(s, &search, "a_b", ID, DEBUG_MODULES "kernel/" DEEP "a-b.ko.debug",
		DEBUG_MODULES "kernel/" DEEP "a-b.ko.debug");
	finding_module_is(
		s, &search, "e", ID, MODULES "kernel/" DEEP "e.ko", MODULES "kernel/" DEEP "e.ko");
	finding_module_is(
		s, &search, "f", ID, MODULES "kernel/" DEEP "f.ko", MODULES "kernel/" DEEP "f.ko");
	finding_module_is(s, &search, "c", ID, "-", "-");
	finding_module_is(s, &search, "d", ID, "-", "-");
}

static void test_module_memory(void **state)
{
	const struct scratch *s = *state;
	struct search search = finding_search(s, "root");

	finding_put(s, MODULES "kernel/m.ko", CODE | DEBUG | RELOCATABLE, ID);
	search.trees = sm_module_trees_new();
	assert_non_null(search.trees);
	finding_module_is(s, &search, "m", ID, MODULES "kernel/m.ko", MODULES "kernel/m.ko");
	finding_put(s, MODULES "kernel/n.ko", CODE | DEBUG | RELOCATABLE, ID);
	finding_module_is(s, &search, "n", ID, "-", "-");
	finding_module_is(s, &search, "m", ID, MODULES "kernel/m.ko", MODULES "kernel/m.ko");
	sm_module_trees_free(search.trees);
	search.trees = NULL;
	finding_module_is(s, &search, "n", ID, MODULES "kernel/n.ko", MODULES "kernel/n.ko");
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, scratch_setup, scratch_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_module_names),
		TEST(test_module_compressed),
		TEST(test_module_parts),
		TEST(test_module_dir),
		TEST(test_module_choice),
		TEST(test_module_traps),
		TEST(test_module_lists),
		TEST(test_module_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
