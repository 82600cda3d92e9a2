/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <stdlib.h>

#include "option.h"
#include "suggestion.h"

void option_list_release(struct option_list *list)
{
	free(list->items);
	*list = (struct option_list){0};
}

bool option_takes_argument(const struct option_def *def)
{
	switch (def->type) {
	case OPTION_FLAG:
	case OPTION_COUNT:
	case OPTION_WORD:
	case OPTION_HELP:
		return false;
	case OPTION_STRING:
	case OPTION_LIST:
	case OPTION_U64:
	case OPTION_SIZE:
	case OPTION_DURATION:
	case OPTION_CHOICE:
		return true;
	}
	return false;
}

const char *option_completion(const struct option_table *table, const struct option_def *def)
{
	if (def->complete)
		return def->complete;
	if ((def->type == OPTION_CHOICE || def->type == OPTION_WORD) && table->words)
		return table->words;
	return "";
}

bool option_next_word(const char **words, const char **word, size_t *len)
{
	const char *p = *words + strspn(*words, " ");

	*word = p;
	*len = strcspn(p, " ");
	*words = p + *len;
	return *len > 0;
}

/* A definition, with the table that it stands in. */
struct found {
	const struct option_table *table;
	const struct option_def *def;
};

static bool word_index(const char *words, const char *s, unsigned *index)
{
	const char *word;
	size_t len;

	for (unsigned i = 0; option_next_word(&words, &word, &len); i++) {
		if (strlen(s) == len && !memcmp(s, word, len)) {
			*index = i;
			return true;
		}
	}
	return false;
}

/* "a, b or c" */
static void add_words(struct sm_buf *buf, const char *words)
{
	const char *word, *rest = words;
	size_t len;

	while (option_next_word(&words, &word, &len)) {
		if (word != rest + strspn(rest, " "))
			sm_buf_adds(buf, words[strspn(words, " ")] ? ", " : " or ");
		sm_buf_add(buf, word, len);
	}
}

static struct sm_error *usage_error(struct sm_buf *buf)
{
	struct sm_error *err;

	if (buf->failed)
		err = sm_error_nomem();
	else
		err = sm_error_new(SM_E_USAGE, NULL, buf->data, NULL);
	sm_buf_release(buf);
	return err;
}

SM_PRINTF(1, 2) static struct sm_error *usage_errorf(const char *fmt, ...)
{
	struct sm_buf buf = {0};
	va_list ap;

	va_start(ap, fmt);
	sm_buf_vaddf(&buf, fmt, ap);
	va_end(ap);
	return usage_error(&buf);
}

/* `name` is how messages call the option, `arg` is NULL where it takes none. */
static struct sm_error *assign(const struct found *f, const char *name, const char *arg, bool *help)
{
	const struct option_def *def = f->def;
	const char *words = option_completion(f->table, def);
	void *member = (char *)f->table->base + def->offset;
	struct option_list *list;

	switch (def->type) {
	case OPTION_FLAG:
		*(bool *)member = true;
		return NULL;
	case OPTION_COUNT:
		++*(unsigned *)member;
		return NULL;
	case OPTION_STRING:
		*(const char **)member = arg;
		return NULL;
	case OPTION_LIST:
		list = member;
		if (!sm_grow(&list->items, &list->cap, list->n + 1, sizeof(*list->items)))
			return sm_error_nomem();
		list->items[list->n++] = arg;
		return NULL;
	case OPTION_U64:
		return sm_parse_u64(name, arg, def->max ? def->max : UINT64_MAX, member);
	case OPTION_SIZE:
		return sm_parse_size(name, arg, member);
	case OPTION_DURATION:
		return sm_parse_duration(name, arg, member);
	case OPTION_CHOICE:
		if (!word_index(words, arg, member)) {
			struct sm_buf buf = {0};

			sm_buf_addf(&buf, "invalid value '%s' for '%s': want ", arg, name);
			add_words(&buf, words);
			return usage_error(&buf);
		}
		return NULL;
	case OPTION_WORD:
		/* The word is the table's own: a wrong one is a fault of ours. */
		if (!word_index(words, def->arg, member))
			abort();
		return NULL;
	case OPTION_HELP:
		*help = true;
		return NULL;
	}
	return NULL;
}

static bool find_short(const struct option_table *tables, size_t n_tables, char c, struct found *f)
{
	for (size_t t = 0; t < n_tables; t++) {
		for (size_t i = 0; i < tables[t].n; i++) {
			if (tables[t].defs[i].short_name == c) {
				*f = (struct found){&tables[t], &tables[t].defs[i]};
				return true;
			}
		}
	}
	return false;
}

/* `text` is what stands between "--" and '=', `len` bytes. */
static struct sm_error *find_long(const struct option_table *tables, size_t n_tables,
	const char *text, size_t len, struct found *f)
{
	struct sm_buf candidates = {0};
	struct suggestion near;
	struct sm_error *err;
	unsigned matches = 0;
	const char *nearest;

	suggestion_init(&near, text, len);
	for (size_t t = 0; t < n_tables; t++) {
		for (size_t i = 0; i < tables[t].n; i++) {
			const struct option_def *def = &tables[t].defs[i];

			if (!def->name)
				continue;
			suggestion_consider(&near, def->name);
			if (!len || strncmp(def->name, text, len))
				continue;
			if (!def->name[len]) {
				*f = (struct found){&tables[t], def};
				sm_buf_release(&candidates);
				return NULL;
			}
			if (!matches++)
				*f = (struct found){&tables[t], def};
			sm_buf_addf(&candidates, "%s--%s", matches > 1 ? " " : "", def->name);
		}
	}
	if (matches == 1) {
		sm_buf_release(&candidates);
		return NULL;
	}
	nearest = suggestion_get(&near);
	if (matches) {
		struct sm_buf buf = {.failed = candidates.failed};

		sm_buf_addf(&buf, "ambiguous option '--%.*s': could be ", (int)len, text);
		if (!buf.failed)
			add_words(&buf, candidates.data);
		err = usage_error(&buf);
	} else if (nearest) {
		err = usage_errorf(
			"unknown option '--%.*s' (did you mean '--%s'?)", (int)len, text, nearest);
	} else {
		err = usage_errorf("unknown option '--%.*s'", (int)len, text);
	}
	sm_buf_release(&candidates);
	return err;
}

struct parser {
	const struct option_table *tables;
	size_t n_tables;
	int argc, at; /* `at`: the argument being parsed */
	char **argv;
	bool help;
};

static struct sm_error *next_argument(struct parser *p, const char *name, const char **arg)
{
	if (p->at + 1 >= p->argc)
		return usage_errorf("option '%s' needs a value", name);
	*arg = p->argv[++p->at];
	return NULL;
}

static struct sm_error *parse_long(struct parser *p, const char *text)
{
	const char *equals = strchr(text, '='), *arg = equals ? equals + 1 : NULL;
	size_t len = equals ? (size_t)(equals - text) : strlen(text);
	struct sm_error *err;
	struct found f = {0};
	char name[64];

	err = find_long(p->tables, p->n_tables, text, len, &f);
	if (err)
		return err;
	snprintf(name, sizeof(name), "--%s", f.def->name);
	if (!option_takes_argument(f.def)) {
		if (arg)
			return usage_errorf("option '%s' takes no value", name);
	} else if (!arg) {
		err = next_argument(p, name, &arg);
		if (err)
			return err;
	}
	return assign(&f, name, arg, &p->help);
}

/* `text` holds what follows the dash: flags, of which the last may take what is left. */
static struct sm_error *parse_short(struct parser *p, const char *text)
{
	while (*text && !p->help) {
		char name[3] = {'-', *text};
		const char *arg = NULL;
		struct sm_error *err;
		struct found f;

		/* A letter beyond ASCII is shown whole. */
		if (!find_short(p->tables, p->n_tables, *text, &f)) {
			if (*text & 0x80)
				return usage_errorf("unknown option '-%s'", text);
			return usage_errorf("unknown option '%s'", name);
		}
		text++;
		if (option_takes_argument(f.def)) {
			if (*text) {
				arg = text;
				text = "";
			} else {
				err = next_argument(p, name, &arg);
				if (err)
					return err;
			}
		}
		err = assign(&f, name, arg, &p->help);
		if (err)
			return err;
	}
	return NULL;
}

struct sm_error *option_parse(const struct option_table *tables, size_t n_tables, unsigned flags,
	int *argc, char **argv, bool *help)
{
	struct parser p = {.tables = tables, .n_tables = n_tables, .argc = *argc, .argv = argv};
	int operands = 0;

	*help = false;
	for (p.at = 1; p.at < p.argc; p.at++) {
		char *text = argv[p.at];
		struct sm_error *err;

		if (text[0] != '-' || !text[1]) {
			/* Operands are moved to the front, over arguments that are done
			 * with. */
			if (!(flags & OPTION_STOP_AT_OPERAND)) {
				argv[operands++] = text;
				continue;
			}
			break;
		}
		if (!strcmp(text, "--")) {
			p.at++;
			break;
		}
		err = text[1] == '-' ? parse_long(&p, text + 2) : parse_short(&p, text + 1);
		if (err)
			return err;
		if (p.help) {
			*help = true;
			return NULL;
		}
	}
	while (p.at < p.argc)
		argv[operands++] = argv[p.at++];
	argv[operands] = NULL;
	*argc = operands;
	return NULL;
}
