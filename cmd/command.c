/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli.h"
#include "command.h"
#include "selection.h"
#include "suggestion.h"

#define COMMAND(name) extern const struct command command_##name;
#include "commands.def"
#undef COMMAND

static const struct command *const commands[] = {
#define COMMAND(name) &command_##name,
#include "commands.def"
#undef COMMAND
};

const struct command *const *command_list(size_t *n)
{
	*n = SM_ARRAY_SIZE(commands);
	return commands;
}

const struct command *command_find(const char *name)
{
	for (size_t i = 0; i < SM_ARRAY_SIZE(commands); i++) {
		if (!strcmp(commands[i]->name, name))
			return commands[i];
	}
	return NULL;
}

static const struct option_def format_options[] = {
	OPT_CHOICE('f', "format", output_opts, format, NULL, NULL, "form of the output"),
	OPT_WORD(0, "json", output_opts, format, "json", NULL, "same as --format json"),
};

static const struct option_def output_options[] = {
	OPT_STRING('o', "output", output_opts, path, "FILE", "file",
		"write to FILE, which appears once it is complete"),
	OPT_CHOICE(0, "color", output_opts, color, NULL, "auto always never",
		"colour the text; auto: on a terminal, unless NO_COLOR is set"),
	OPT_FLAG(0, "no-pager", output_opts, no_pager, "do not page what a terminal shows"),
};

static const struct option_def input_options[] = {
	OPT_FLAG(0, "lenient", input_opts, lenient,
		"skip what is corrupt and go on where that can be done"),
	OPT_U64(0, "threads", input_opts, threads, "N", 1024,
		"decode with N threads; 0, the default: one a processor"),
};

static const struct option_def symbol_options[] = {
	OPT_STRING(0, "vmlinux", symbol_opts, vmlinux, "FILE", "file",
		"the captured kernel's vmlinux, or its debug file; else it is looked for"),
	OPT_STRING(0, "kallsyms", symbol_opts, kallsyms, "FILE", "file",
		"read kernel symbols from a copy of /proc/kallsyms"),
	OPT_STRING(0, "modules", symbol_opts, modules, "DIR", "dir",
		"where the captured kernel's modules are"),
	OPT_LIST(0, "debug-dir", symbol_opts, debug_dirs, "DIR", "dir",
		"look for debug files here first; repeatable"),
	OPT_STRING(0, "kaslr", symbol_opts, kaslr, "OFFSET", "auto none",
		"how far the kernel was moved from its link address: auto, none or a number"),
	OPT_FLAG(0, "force", symbol_opts, force,
		"take files whose build ids differ; replace an output file"),
	OPT_FLAG(0, "no-cache", symbol_opts, no_cache, "neither use nor write an index of names"),
	OPT_FLAG(0, "no-inlines", symbol_opts, no_inlines,
		"leave out inlined functions, and places in the text"),
	OPT_FLAG(0, "no-symbols", symbol_opts, no_symbols, "show plain addresses"),
};

static const struct option_def log_options[] = {
	OPT_FLAG('q', "quiet", log_opts, quiet, "no warnings and no progress"),
	OPT_COUNT('v', "verbose", log_opts, verbose, "say more; twice: still more"),
};

static const struct option_def help_options[] = {
	{.short_name = 'h', .name = "help", .type = OPTION_HELP, .help = "print this help"},
};

size_t command_tables(const struct command *command, void *own, struct cli *cli,
	struct option_table tables[COMMAND_MAX_TABLES])
{
	size_t n_metric, n_filters;
	const struct option_def *metric = selection_metric_options(&n_metric);
	const struct option_def *filters = selection_filter_options(&n_filters);
	const struct {
		bool wanted;
		const char *title;
		const struct option_def *defs;
		size_t n;
		void *base;
	} groups[] = {
		{true, NULL, command->options, command->n_options, own},
		{command->flags & COMMAND_METRIC, NULL, metric, n_metric,
			cli ? &cli->selection : NULL},
		{command->flags & COMMAND_SELECTION, "Selection:", filters, n_filters,
			cli ? &cli->selection : NULL},
		{command->formats != NULL, "Output:", format_options, SM_ARRAY_SIZE(format_options),
			cli ? &cli->output : NULL},
		{command->flags & COMMAND_OUTPUT, command->formats ? NULL : "Output:",
			output_options, SM_ARRAY_SIZE(output_options), cli ? &cli->output : NULL},
		{command->flags & COMMAND_INPUT, "Input:", input_options,
			SM_ARRAY_SIZE(input_options), cli ? &cli->input : NULL},
		{command->flags & COMMAND_SYMBOLS, "Symbols:", symbol_options,
			SM_ARRAY_SIZE(symbol_options), cli ? &cli->symbols : NULL},
		{command->flags & COMMAND_LOG, "General:", log_options, SM_ARRAY_SIZE(log_options),
			cli ? &cli->log_opts : NULL},
		{true, command->flags & COMMAND_LOG ? NULL : "General:", help_options,
			SM_ARRAY_SIZE(help_options), NULL},
	};
	size_t n = 0;

	_Static_assert(SM_ARRAY_SIZE(groups) <= COMMAND_MAX_TABLES, "too many tables");
	for (size_t i = 0; i < SM_ARRAY_SIZE(groups); i++) {
		if (!groups[i].wanted || !groups[i].n)
			continue;
		tables[n++] = (struct option_table){
			.defs = groups[i].defs,
			.n = groups[i].n,
			.title = groups[i].title,
			.base = groups[i].base,
			.words = command->formats,
		};
	}
	return n;
}

void command_print_help(struct sm_out *out, const struct command *command)
{
	struct option_table tables[COMMAND_MAX_TABLES];
	size_t n = command_tables(command, NULL, NULL, tables);

	option_print_help(out, command->name, command->usage, command->summary, tables, n);
}

void command_print_overview(struct sm_out *out)
{
	sm_out_str(out, "usage: smtool COMMAND [OPTION]... [INPUT]...\n"
			"   or: smtool help [COMMAND]\n"
			"   or: smtool --version\n"
			"\nFinds the call paths that own a Linux kernel's memory.\n\n");
	for (size_t i = 0; i < SM_ARRAY_SIZE(commands); i++)
		sm_out_f(out, "    %-12s%s\n", commands[i]->name, commands[i]->summary);
	sm_out_str(out,
		"\nINPUT is a capture (directory, .tar, .tar.zst), a stack_map_bin file, '-' for\n"
		"standard input, or nothing: the running kernel.\n"
		"'smtool COMMAND -h' lists a command's options, 'man smtool' tells more.\n");
}

struct sm_error *command_unknown(const char *name)
{
	struct suggestion near;
	struct sm_error *err;
	struct sm_buf buf = {0};

	suggestion_init(&near, name, strlen(name));
	for (size_t i = 0; i < SM_ARRAY_SIZE(commands); i++)
		suggestion_consider(&near, commands[i]->name);
	sm_buf_addf(&buf, "unknown command '%s'", name);
	if (suggestion_get(&near))
		sm_buf_addf(&buf, " (did you mean '%s'?)", suggestion_get(&near));
	err = buf.failed ? sm_error_nomem() : sm_error_new(SM_E_USAGE, NULL, buf.data, NULL);
	sm_buf_release(&buf);
	return err;
}
