/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "completer.h"

const char *completer_group(size_t i)
{
	struct selection s = {0};
	size_t len;

	selection_group_word((unsigned)i, &len);
	if (!len)
		return NULL;
	selection_group(&s, (unsigned)i);
	return group_word(s.table.group, s.profile.attr);
}

static void add(
	struct candidates *c, const char *word, const char *typed, size_t len, const char *suffix)
{
	if (strncmp(word, typed, len) == 0)
		candidates_add(c, word, strlen(word), suffix);
}

static void add_words(
	const char *(*word)(size_t i), const char *typed, size_t len, struct candidates *c)
{
	for (size_t i = 0; word(i); i++)
		add(c, word(i), typed, len, "");
}

static const char *percent_word(size_t i)
{
	return i == 0 ? "total" : i == 1 ? "part" : NULL;
}

static const char *tree_word(size_t i)
{
	return i == 0 ? "top-down" : i == 1 ? "inverted" : NULL;
}

static void complete_key(
	const struct browser *b, const char *typed, size_t len, struct candidates *c)
{
	for (unsigned m = 0; m < SM_M_NR; m++)
		if (b->readings[0] && b->readings[0]->profile->known & 1u << m)
			add(c, sm_metric_name((enum sm_metric)m), typed, len, "");
}

static void complete_file(const char *typed, size_t len, struct candidates *c)
{
	size_t dir_len = len, base;
	struct sm_buf dir = {0};
	struct dirent *entry;
	DIR *d;

	while (dir_len && typed[dir_len - 1] != '/')
		dir_len--;
	base = dir_len;
	sm_buf_add(&dir, dir_len ? typed : "./", dir_len ? dir_len : 2);
	d = dir.failed ? NULL : opendir(dir.data);
	while (d && (entry = readdir(d))) {
		struct sm_buf path = {0};
		struct stat st;
		bool is_dir;

		if (strncmp(entry->d_name, typed + base, len - base) != 0 ||
			(entry->d_name[0] == '.' && len == base))
			continue;
		sm_buf_addf(&path, "%s%s", dir.data, entry->d_name);
		is_dir = !path.failed && stat(path.data, &st) == 0 && S_ISDIR(st.st_mode);
		candidates_add(c, entry->d_name, strlen(entry->d_name), is_dir ? "/" : "");
		sm_buf_release(&path);
	}
	if (d)
		closedir(d);
	sm_buf_release(&dir);
	c->start += base;
}

static void complete_filter(
	const struct browser *b, const char *typed, size_t len, struct candidates *c)
{
	const char *name;
	bool value;

	if (len > 3 && !strncmp(typed, "by=", 3)) {
		c->start += 3;
		complete_key(b, typed + 3, len - 3, c);
		return;
	}
	for (size_t i = 0; (name = question_word(i, &value)); i++)
		add(c, name, typed, len, value ? "=" : " ");
}

/* The argument of an action. */
static void complete_arg(const struct browser *b, enum action action, const char *typed, size_t len,
	struct candidates *c)
{
	switch (action) {
	case ACT_SORT:
		complete_key(b, typed, len, c);
		break;
	case ACT_GROUP:
		add_words(completer_group, typed, len, c);
		break;
	case ACT_VIEW:
		add_words(browser_view_word, typed, len, c);
		break;
	case ACT_PERCENT:
		add_words(percent_word, typed, len, c);
		break;
	case ACT_TREE:
		add_words(tree_word, typed, len, c);
		break;
	case ACT_FILTER:
		complete_filter(b, typed, len, c);
		break;
	case ACT_AT:
		add(c, "peak", typed, len, "");
		break;
	case ACT_WRITE:
	case ACT_COPY:
	case ACT_SCREEN:
	case ACT_SAVE:
		complete_file(typed, len, c);
		break;
	default:
		break;
	}
}

void completer_complete(void *browser, const char *text, size_t len, struct candidates *c)
{
	const struct browser *b = browser;
	enum action action = b->prompt.action;
	const struct key_def *def;
	size_t start = len, word;

	while (start && text[start - 1] != ' ')
		start--;
	c->start = start;
	if (action != ACT_PROMPT) {
		complete_arg(b, action, text + start, len - start, c);
		return;
	}
	word = strcspn(text, " ");
	if (start == 0) {
		for (size_t i = 0; i < keymap_n; i++)
			add(c, keymap[i].word, text, len, keymap[i].arg[0] ? " " : "");
		return;
	}
	def = keymap_word(text, word);
	if (def)
		complete_arg(b, def->action, text + start, len - start, c);
}
