/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "restatement.h"

static const char PLAIN[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
			    "_-./,:=+@%^";

static void add_quoted(struct sm_buf *buf, const char *word)
{
	if (*word && strspn(word, PLAIN) == strlen(word)) {
		sm_buf_adds(buf, word);
		return;
	}
	sm_buf_addc(buf, '\'');
	for (; *word; word++) {
		if (*word == '\'')
			sm_buf_adds(buf, "'\\''");
		else
			sm_buf_addc(buf, *word);
	}
	sm_buf_addc(buf, '\'');
}

void restate_word(struct sm_buf *buf, const char *word)
{
	sm_buf_addc(buf, ' ');
	add_quoted(buf, word);
}

static void add_option(struct sm_buf *buf, const struct option_def *def, const char *value)
{
	sm_buf_addf(buf, " --%s", def->name);
	if (!value)
		return;
	sm_buf_addc(buf, ' ');
	add_quoted(buf, value);
}

static void add_number(struct sm_buf *buf, const struct option_def *def, uint64_t v)
{
	if (v)
		sm_buf_addf(buf, " --%s %llu%s", def->name, (unsigned long long)v,
			def->type == OPTION_DURATION ? "ns" : "");
}

void restate_options(struct sm_buf *buf, const struct option_table *table, const char *but)
{
	for (size_t i = 0; i < table->n; i++) {
		const struct option_def *def = &table->defs[i];
		const void *member = (const char *)table->base + def->offset;
		const struct option_list *list;
		const char *text;
		uint64_t number;
		bool flag;

		if (!def->name || (but && strcmp(def->name, but) == 0))
			continue;
		switch (def->type) {
		case OPTION_FLAG:
			memcpy(&flag, member, sizeof(flag));
			if (flag)
				add_option(buf, def, NULL);
			break;
		case OPTION_STRING:
			memcpy(&text, member, sizeof(text));
			if (text)
				add_option(buf, def, text);
			break;
		case OPTION_LIST:
			list = member;
			for (size_t k = 0; k < list->n; k++)
				add_option(buf, def, list->items[k]);
			break;
		case OPTION_U64:
		case OPTION_SIZE:
		case OPTION_DURATION:
			memcpy(&number, member, sizeof(number));
			add_number(buf, def, number);
			break;
		default:
			break;
		}
	}
}
