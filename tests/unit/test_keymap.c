/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of keys: each means one thing, and the manual explains all of it. */
#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tui/keymap.h"

static void test_keys_are_unique(void **state)
{
	(void)state;
	for (size_t i = 0; i < keymap_n; i++) {
		for (size_t k = 0; k < SM_ARRAY_SIZE(keymap[i].keys) && keymap[i].keys[k]; k++)
			assert_ptr_equal(keymap_find(keymap[i].keys[k]), &keymap[i]);
		for (size_t j = 0; j < i; j++) {
			assert_string_not_equal(keymap[i].word, keymap[j].word);
			assert_int_not_equal(keymap[i].action, keymap[j].action);
		}
	}
	assert_null(keymap_find(0));
	assert_null(keymap_find('Z'));
}

static void test_every_action_has_a_word(void **state)
{
	(void)state;
	for (int a = ACT_NONE + 1; a < ACT_NR; a++) {
		size_t n = 0;

		for (size_t i = 0; i < keymap_n; i++)
			n += keymap[i].action == (enum action)a;
		assert_int_equal(n, 1);
	}
}

static void test_words(void **state)
{
	(void)state;
	assert_int_equal(keymap_word("sort", 4)->action, ACT_SORT);
	assert_int_equal(keymap_word("so", 2)->action, ACT_SORT);
	assert_int_equal(keymap_word("m", 1) != NULL, 0); /* mark, messages */
	assert_int_equal(keymap_word("me", 2)->action, ACT_MESSAGES);
	assert_null(keymap_word("nothing", 7));
	/* A whole word wins over those that it begins. */
	for (size_t i = 0; i < keymap_n; i++)
		assert_ptr_equal(keymap_word(keymap[i].word, strlen(keymap[i].word)), &keymap[i]);
}

static void test_names(void **state)
{
	static const struct {
		int key;
		const char *name;
	} NAMES[] = {{SCREEN_UP, "Up"}, {12, "Ctrl-L"}, {' ', "Space"}, {'/', "/"},
		{SCREEN_ENTER, "Enter"}};

	(void)state;
	for (size_t i = 0; i < SM_ARRAY_SIZE(NAMES); i++) {
		struct sm_buf name = {0};

		keymap_name(NAMES[i].key, &name);
		assert_string_equal(name.data, NAMES[i].name);
		sm_buf_release(&name);
	}
}

/* Each word stands in the manual as `.B :WORD`, or at the begin of such a line. */
static void test_manual_has_all(void **state)
{
	const char *src = getenv("SM_SRC");
	char path[4096], line[512];
	bool there[256] = {false};
	FILE *f;

	(void)state;
	if (!src)
		skip();
	snprintf(path, sizeof(path), "%s/man/smtool-browse.1", src);
	f = fopen(path, "r");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		/* One line may explain several. */
		for (const char *word = line[0] == '.' ? strchr(line, ':') : NULL; word;
			word = strchr(word, ':')) {
			char plain[64];
			size_t n = 0;

			for (word++; islower((unsigned char)*word) || *word == '-' || *word == '\\';
				word++)
				if (*word != '\\' && n + 1 < sizeof(plain))
					plain[n++] = *word;
			plain[n] = '\0';
			for (size_t i = 0; i < keymap_n; i++)
				there[i] |= !strcmp(plain, keymap[i].word);
		}
	}
	fclose(f);
	for (size_t i = 0; i < keymap_n; i++)
		if (!there[i])
			fail_msg("smtool-browse(1) doesn't explain ':%s'", keymap[i].word);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_keys_are_unique),
		cmocka_unit_test(test_every_action_has_a_word),
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_manual_has_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
