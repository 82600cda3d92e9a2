/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <stdlib.h>

#include "question.h"

static size_t tables_of(struct selection_opts *o, struct option_table tables[2])
{
	size_t n;

	tables[0] = (struct option_table){.defs = selection_metric_options(&n), .base = o};
	tables[0].n = n;
	tables[1] = (struct option_table){.defs = selection_filter_options(&n), .base = o};
	tables[1].n = n;
	return 2;
}

const char *question_word(size_t i, bool *takes_value)
{
	struct option_table tables[2];
	size_t n = tables_of(NULL, tables);

	for (size_t t = 0; t < n; t++) {
		if (i < tables[t].n) {
			*takes_value = option_takes_argument(&tables[t].defs[i]);
			return tables[t].defs[i].name;
		}
		i -= tables[t].n;
	}
	return NULL;
}

/* Takes the next word, without its quotes, with "--" before it. NULL at the end, or *bad. */
static char *next_word(const char **text, bool *bad, bool *failed)
{
	const char *p = *text + strspn(*text, " \t");
	struct sm_buf word = {0};
	char quote = 0;

	if (!*p)
		return NULL;
	if (p[0] != '-')
		sm_buf_adds(&word, "--");
	for (; *p && (quote || (*p != ' ' && *p != '\t')); p++) {
		if (quote && *p == quote)
			quote = 0;
		else if (!quote && (*p == '"' || *p == '\''))
			quote = *p;
		else
			sm_buf_addc(&word, *p);
	}
	*text = p;
	*bad = quote != 0;
	*failed = word.failed;
	return word.data;
}

/* The words after an empty one, as a program gets them; freed by free_words(). */
static struct sm_error *split(const char *text, char ***out, int *argc)
{
	char **words = NULL, *word;
	size_t n = 0, cap = 0;
	bool bad = false, failed = false;

	if (!sm_grow(&words, &cap, 2, sizeof(*words)))
		return sm_error_nomem();
	words[n++] = NULL;
	while (!bad && !failed && (word = next_word(&text, &bad, &failed))) {
		if (!sm_grow(&words, &cap, n + 2, sizeof(*words))) {
			free(word);
			failed = true;
			break;
		}
		words[n++] = word;
	}
	words[n] = NULL;
	*out = words;
	*argc = (int)n;
	if (failed)
		return sm_error_nomem();
	return bad ? sm_error_new(SM_E_USAGE, NULL, "a quote is open", NULL) : NULL;
}

struct sm_error *question_parse(const struct cli *cli, const char *text, struct question **out)
{
	struct question *q = calloc(1, sizeof(*q));
	struct option_table tables[2];
	struct sm_error *err = NULL;
	char **argv = NULL;
	int argc = 0;
	bool help;

	*out = NULL;
	if (!q)
		return sm_error_nomem();
	atomic_init(&q->refs, 1);
	text += strspn(text, " \t");
	q->text = strdup(text);
	err = q->text ? split(text, &q->words, &argc) : sm_error_nomem();
	if (!err) {
		/* Parsing moves words about: the list that owns them stays as it is. */
		argv = malloc(((size_t)argc + 1) * sizeof(*argv));
		if (!argv)
			err = sm_error_nomem();
		else
			memcpy(argv, q->words, ((size_t)argc + 1) * sizeof(*argv));
	}
	if (!err)
		err = option_parse(tables, tables_of(&q->opts, tables), 0, &argc, argv, &help);
	if (!err)
		err = selection_read(&q->selection, &q->opts, cli);
	free(argv);
	if (err) {
		question_put(q);
		return err;
	}
	q->has_moment = q->opts.at != NULL;
	*out = q;
	return NULL;
}

struct sm_error *question_at(
	const struct cli *cli, const struct question *q, uint64_t ns, struct question **at)
{
	struct sm_error *err = question_parse(cli, q->text, at);

	if (err)
		return err;
	(*at)->selection.profile.to = (struct sm_moment){.kind = SM_MOMENT_NS, .ns = ns};
	(*at)->has_moment = (*at)->own_moment = true;
	return NULL;
}

struct sm_error *question_filter(
	const struct cli *cli, const char *text, const struct question *q, struct question **out)
{
	struct sm_error *err = question_parse(cli, text, out);

	if (err || !q->own_moment || (*out)->has_moment)
		return err;
	(*out)->selection.profile.to = q->selection.profile.to;
	(*out)->has_moment = (*out)->own_moment = true;
	return NULL;
}

struct sm_error *question_whole(
	const struct cli *cli, const struct question *q, struct question **out)
{
	struct sm_error *err = question_parse(cli, q->text, out);

	if (err)
		return err;
	if ((*out)->has_moment)
		(*out)->selection.profile.to = (struct sm_moment){.kind = SM_MOMENT_NONE};
	(*out)->has_moment = false;
	(*out)->selection.profile.older = 0;
	return NULL;
}

struct sm_error *question_between(const struct cli *cli, const struct question *q, uint64_t from,
	uint64_t to, struct question **out)
{
	struct sm_error *err = question_at(cli, q, to, out);

	if (!err)
		(*out)->selection.profile.from =
			(struct sm_moment){.kind = SM_MOMENT_NS, .ns = from + 1};
	return err;
}

void question_moment(const struct question *q, struct sm_buf *text)
{
	const struct sm_moment *m = &q->selection.profile.to;

	if (!q->own_moment)
		return;
	switch (m->kind) {
	case SM_MOMENT_NS:
	case SM_MOMENT_FROM_START:
		sm_buf_addf(text, "at %s%llu.%09llu", m->kind == SM_MOMENT_NS ? "" : "+",
			(unsigned long long)(m->ns / 1000000000),
			(unsigned long long)(m->ns % 1000000000));
		break;
	case SM_MOMENT_PERCENT:
		sm_buf_addf(text, "at %g%%", m->percent);
		break;
	case SM_MOMENT_PEAK:
		sm_buf_adds(text, "at the peak");
		break;
	case SM_MOMENT_NONE:
		break;
	}
}

struct question *question_get(struct question *q)
{
	atomic_fetch_add(&q->refs, 1);
	return q;
}

void question_put(struct question *q)
{
	if (!q || atomic_fetch_sub(&q->refs, 1) > 1)
		return;
	selection_release(&q->selection);
	selection_opts_release(&q->opts);
	for (size_t i = 1; q->words && q->words[i]; i++)
		free(q->words[i]);
	free(q->words);
	free((char *)(uintptr_t)q->text);
	free(q);
}

bool questions_count_alike(const struct question *a, const struct question *b)
{
	struct sm_buf x = {0}, y = {0};
	bool alike = true;

	for (unsigned i = 0; i < 2; i++) {
		struct selection_opts opts = (i ? b : a)->opts;

		/* What tables are made by. */
		opts.focus = opts.ignore = opts.hide = (struct option_list){0};
		opts.no_skip = false;
		opts.by = NULL;
		question_text(&opts, i ? &y : &x);
	}
	if (x.failed || y.failed || x.len != y.len || (x.len && memcmp(x.data, y.data, x.len)))
		alike = false;
	sm_buf_release(&x);
	sm_buf_release(&y);
	return alike;
}

static void add_word(struct sm_buf *text, const char *name, const char *value)
{
	if (text->len)
		sm_buf_addc(text, ' ');
	sm_buf_adds(text, name);
	if (!value)
		return;
	sm_buf_addc(text, '=');
	if (value[strcspn(value, " \t\"'")])
		sm_buf_addf(text, strchr(value, '"') ? "'%s'" : "\"%s\"", value);
	else
		sm_buf_adds(text, value);
}

static void add_option(struct sm_buf *text, const struct option_def *def, const char *base)
{
	const void *member = base + def->offset;
	const struct option_list *list;
	char number[32];
	uint64_t v;

	switch (def->type) {
	case OPTION_FLAG:
		if (*(const bool *)member)
			add_word(text, def->name, NULL);
		break;
	case OPTION_STRING:
		if (*(const char *const *)member)
			add_word(text, def->name, *(const char *const *)member);
		break;
	case OPTION_LIST:
		list = member;
		for (size_t i = 0; i < list->n; i++)
			add_word(text, def->name, list->items[i]);
		break;
	case OPTION_SIZE:
	case OPTION_DURATION:
		v = *(const uint64_t *)member;
		snprintf(number, sizeof(number), "%llu%s", (unsigned long long)v,
			def->type == OPTION_DURATION ? "ns" : "");
		if (v)
			add_word(text, def->name, number);
		break;
	default:
		break;
	}
}

void question_text(const struct selection_opts *o, struct sm_buf *text)
{
	struct option_table tables[2];
	size_t n = tables_of(NULL, tables);

	for (size_t t = 0; t < n; t++)
		for (size_t i = 0; i < tables[t].n; i++)
			add_option(text, &tables[t].defs[i], (const char *)o);
}
