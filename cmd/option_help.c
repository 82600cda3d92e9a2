/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "option.h"

#define HELP_COLUMN 28
#define HELP_WIDTH 80

static void add_words(struct sm_buf *buf, const char *words, const char *separator)
{
	const char *word;
	bool first = true;
	size_t len;

	for (; option_next_word(&words, &word, &len); first = false) {
		if (!first)
			sm_buf_adds(buf, separator);
		sm_buf_add(buf, word, len);
	}
}

/* What -h calls the argument: its name, or the words of a choice. */
static void add_argument(
	struct sm_buf *buf, const struct option_table *table, const struct option_def *def)
{
	if (def->arg)
		sm_buf_adds(buf, def->arg);
	else
		add_words(buf, option_completion(table, def), "|");
}

/* Writes `text` from `column` on, broken between words. */
static void put_wrapped(struct sm_out *out, const char *text)
{
	size_t column = HELP_COLUMN, len;
	const char *word;
	bool first = true;

	while (option_next_word(&text, &word, &len)) {
		if (!first && column + 1 + len > HELP_WIDTH) {
			sm_out_char(out, '\n');
			sm_out_pad(out, ' ', HELP_COLUMN);
			column = HELP_COLUMN;
		} else if (!first) {
			sm_out_char(out, ' ');
			column++;
		}
		sm_out_bytes(out, word, len);
		column += len;
		first = false;
	}
	sm_out_char(out, '\n');
}

static void put_option(
	struct sm_out *out, const struct option_table *table, const struct option_def *def)
{
	struct sm_buf buf = {0};

	sm_buf_adds(&buf, "    ");
	if (def->short_name)
		sm_buf_addf(&buf, "-%c", def->short_name);
	if (def->name)
		sm_buf_addf(&buf, "%s--%s", def->short_name ? ", " : "    ", def->name);
	if (option_takes_argument(def)) {
		sm_buf_addc(&buf, ' ');
		add_argument(&buf, table, def);
	}
	sm_out_bytes(out, buf.data, buf.len);
	if (buf.len + 2 > HELP_COLUMN) {
		sm_out_char(out, '\n');
		sm_out_pad(out, ' ', HELP_COLUMN);
	} else {
		sm_out_pad(out, ' ', HELP_COLUMN - buf.len);
	}
	sm_buf_reset(&buf);
	sm_buf_adds(&buf, def->help);
	/* A choice whose argument has a name: the words are told here. */
	if (def->type == OPTION_CHOICE && def->arg) {
		sm_buf_adds(&buf, ": ");
		add_words(&buf, option_completion(table, def), ", ");
	}
	if (!buf.failed)
		put_wrapped(out, buf.data);
	sm_buf_release(&buf);
}

void option_print_help(struct sm_out *out, const char *name, const char *usage, const char *summary,
	const struct option_table *tables, size_t n_tables)
{
	const char *lead = "usage:";

	while (*usage) {
		size_t len = strcspn(usage, "\n");

		sm_out_f(out, "%s smtool %s", lead, name);
		if (len)
			sm_out_f(out, " %.*s", (int)len, usage);
		sm_out_char(out, '\n');
		usage += len + (usage[len] == '\n');
		lead = "   or:";
	}
	sm_out_f(out, "\n%s\n", summary);
	for (size_t t = 0; t < n_tables; t++) {
		if (!t || tables[t].title)
			sm_out_char(out, '\n');
		if (tables[t].title)
			sm_out_f(out, "%s\n", tables[t].title);
		for (size_t i = 0; i < tables[t].n; i++)
			put_option(out, &tables[t], &tables[t].defs[i]);
	}
}

void option_print_list(
	struct sm_out *out, const char *prefix, const struct option_table *tables, size_t n_tables)
{
	for (size_t t = 0; t < n_tables; t++) {
		for (size_t i = 0; i < tables[t].n; i++) {
			const struct option_def *def = &tables[t].defs[i];
			const char *complete = "";
			struct sm_buf arg = {0};

			if (option_takes_argument(def)) {
				complete = option_completion(&tables[t], def);
				add_argument(&arg, &tables[t], def);
			}
			sm_out_f(out, "%s\t", prefix);
			if (def->short_name)
				sm_out_f(out, "-%c\t", def->short_name);
			else
				sm_out_str(out, "-\t");
			if (def->name)
				sm_out_f(out, "--%s\t", def->name);
			else
				sm_out_str(out, "-\t");
			sm_out_f(out, "%s\t%s\n", arg.len ? arg.data : "-",
				*complete ? complete : "-");
			sm_buf_release(&arg);
		}
	}
}
