/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <unistd.h>

#include "cli.h"

/* ---- bash ---- */

/* The names of an option as a pattern of `case`, or as words of a list. */
static void put_names(struct sm_out *out, const struct option_def *def, char separator)
{
	if (def->short_name)
		sm_out_f(out, "-%c", def->short_name);
	if (def->short_name && def->name)
		sm_out_char(out, separator);
	if (def->name)
		sm_out_f(out, "--%s", def->name);
}

static void put_bash_words_of_commands(struct sm_out *out, const char *more)
{
	const struct command *const *commands;
	size_t n;

	commands = command_list(&n);
	sm_out_str(out, "_smtool_words '");
	for (size_t i = 0; i < n; i++)
		sm_out_f(out, "%s%s", i ? " " : "", commands[i]->name);
	sm_out_f(out, "%s'", more);
}

/* What fills COMPREPLY for a completion of struct option_def or struct command. */
static void put_bash_action(struct sm_out *out, const char *complete)
{
	if (!strcmp(complete, "file")) {
		sm_out_str(out, "_smtool_files -f");
	} else if (!strcmp(complete, "dir")) {
		sm_out_str(out, "_smtool_files -d");
	} else if (!strcmp(complete, "program")) {
		sm_out_str(out, "_smtool_program");
	} else if (!strcmp(complete, "commands")) {
		put_bash_words_of_commands(out, "");
	} else if (*complete) {
		sm_out_f(out, "_smtool_words '%s'", complete);
	} else {
		sm_out_char(out, ':');
	}
}

static void put_bash_command(struct sm_out *out, const struct command *command)
{
	struct option_table tables[COMMAND_MAX_TABLES];
	size_t n = command_tables(command, NULL, NULL, tables);
	bool first = true;

	sm_out_f(out, "\t%s)\n\t\tcase $previous in\n", command->name);
	for (size_t t = 0; t < n; t++) {
		for (size_t i = 0; i < tables[t].n; i++) {
			const struct option_def *def = &tables[t].defs[i];

			if (!option_takes_argument(def))
				continue;
			sm_out_str(out, "\t\t");
			put_names(out, def, '|');
			sm_out_str(out, ") ");
			put_bash_action(out, option_completion(&tables[t], def));
			sm_out_str(out, "; return ;;\n");
		}
	}
	sm_out_str(out, "\t\tesac\n\t\tif [[ $current == -* && -z $ended ]]; then\n"
			"\t\t\t_smtool_words '");
	for (size_t t = 0; t < n; t++) {
		for (size_t i = 0; i < tables[t].n; i++) {
			if (!first)
				sm_out_char(out, ' ');
			put_names(out, &tables[t].defs[i], ' ');
			first = false;
		}
	}
	sm_out_str(out, "'\n\t\telse\n\t\t\t");
	put_bash_action(out, command->operands ? command->operands : "");
	sm_out_str(out, "\n\t\tfi\n\t\t;;\n");
}

static void print_bash(struct sm_out *out)
{
	const struct command *const *commands;
	size_t n;

	commands = command_list(&n);
	sm_out_str(out,
		"# bash completion for smtool, written by 'smtool completion bash'\n"
		"# shellcheck shell=bash\n\n"
		"_smtool_words()\n{\n"
		"\tmapfile -t COMPREPLY < <(compgen -W \"$1\" -- \"$current\")\n}\n\n"
		"_smtool_files()\n{\n"
		"\tcompopt -o filenames 2>/dev/null\n"
		"\tmapfile -t COMPREPLY < <(compgen \"$1\" -- \"$current\")\n}\n\n"
		"_smtool_program()\n{\n"
		"\tif [[ -n $first ]]; then\n"
		"\t\tmapfile -t COMPREPLY < <(compgen -c -- \"$current\")\n"
		"\telse\n"
		"\t\t_smtool_files -f\n"
		"\tfi\n}\n\n"
		"_smtool()\n{\n"
		"\tlocal current=${COMP_WORDS[COMP_CWORD]} previous='' ended='' first='' i\n\n"
		"\tCOMPREPLY=()\n"
		"\tif ((COMP_CWORD == 1)); then\n\t\t");
	put_bash_words_of_commands(out, " --help --version");
	sm_out_str(out, "\n"
			"\t\treturn\n\tfi\n"
			"\tfor ((i = 2; i < COMP_CWORD; i++)); do\n"
			"\t\tif [[ ${COMP_WORDS[i]} == -- ]]; then\n"
			"\t\t\tended=1\n"
			"\t\t\t((i == COMP_CWORD - 1)) && first=1\n"
			"\t\t\tbreak\n"
			"\t\tfi\n\tdone\n"
			"\tif [[ -z $ended ]]; then\n"
			"\t\t# The shell splits --name=value into three words.\n"
			"\t\tprevious=${COMP_WORDS[COMP_CWORD - 1]}\n"
			"\t\tif [[ $current == = ]]; then\n"
			"\t\t\tcurrent=''\n"
			"\t\telif [[ $previous == = ]]; then\n"
			"\t\t\tprevious=${COMP_WORDS[COMP_CWORD - 2]}\n"
			"\t\telif [[ $previous != -* ]]; then\n"
			"\t\t\tprevious=''\n"
			"\t\tfi\n\tfi\n"
			"\tcase ${COMP_WORDS[1]} in\n");
	for (size_t i = 0; i < n; i++)
		put_bash_command(out, commands[i]);
	sm_out_str(out, "\tesac\n}\n\ncomplete -F _smtool smtool\n");
}

/* ---- zsh ---- */

/* Text inside a single-quoted argument of _arguments or _describe, which read [ ] : and
 * \ themselves. */
static void put_zsh_text(struct sm_out *out, const char *s)
{
	for (; *s; s++) {
		if (*s == '\'') {
			sm_out_str(out, "'\\''");
			continue;
		}
		if (strchr("[]:\\", *s))
			sm_out_char(out, '\\');
		sm_out_char(out, *s);
	}
}

static void put_zsh_action(struct sm_out *out, const char *complete)
{
	if (!strcmp(complete, "file"))
		sm_out_str(out, "_files");
	else if (!strcmp(complete, "dir"))
		sm_out_str(out, "_files -/");
	else if (!strcmp(complete, "program"))
		sm_out_str(out, "_smtool_program");
	else if (!strcmp(complete, "commands"))
		sm_out_str(out, "_smtool_commands");
	else if (*complete)
		sm_out_f(out, "(%s)", complete);
	else
		sm_out_char(out, ' ');
}

static bool may_repeat(const struct option_def *def)
{
	return def->type == OPTION_LIST || def->type == OPTION_COUNT;
}

/* One argument of _arguments for one of the names, `name` with its dashes. */
static void put_zsh_option(struct sm_out *out, const struct option_table *table,
	const struct option_def *def, const char *name, bool is_long)
{
	sm_out_str(out, " \\\n\t\t\t'");
	if (may_repeat(def)) {
		sm_out_char(out, '*');
	} else {
		sm_out_char(out, '(');
		put_names(out, def, ' ');
		sm_out_char(out, ')');
	}
	sm_out_str(out, name);
	/* '+': in the same word or the next; '=': behind a '=' or in the next. */
	if (option_takes_argument(def))
		sm_out_char(out, is_long ? '=' : '+');
	sm_out_char(out, '[');
	put_zsh_text(out, def->help);
	sm_out_char(out, ']');
	if (option_takes_argument(def)) {
		sm_out_char(out, ':');
		put_zsh_text(out, def->arg ? def->arg : def->name);
		sm_out_char(out, ':');
		put_zsh_action(out, option_completion(table, def));
	}
	sm_out_char(out, '\'');
}

static void put_zsh_command(struct sm_out *out, const struct command *command)
{
	struct option_table tables[COMMAND_MAX_TABLES];
	size_t n = command_tables(command, NULL, NULL, tables);

	sm_out_f(out, "\t%s)\n\t\t_arguments -s -S", command->name);
	for (size_t t = 0; t < n; t++) {
		for (size_t i = 0; i < tables[t].n; i++) {
			const struct option_def *def = &tables[t].defs[i];
			struct sm_buf name = {0};

			if (def->short_name) {
				sm_buf_addf(&name, "-%c", def->short_name);
				put_zsh_option(out, &tables[t], def, name.data, false);
				sm_buf_reset(&name);
			}
			if (def->name) {
				sm_buf_addf(&name, "--%s", def->name);
				put_zsh_option(out, &tables[t], def, name.data, true);
			}
			sm_buf_release(&name);
		}
	}
	if (command->operands) {
		/* '::' as the separator: the rest of the line is the program's. */
		bool program = !strcmp(command->operands, "program");

		sm_out_f(out, " \\\n\t\t\t'*:%s:", program ? ":program" : "operand");
		put_zsh_action(out, command->operands);
		sm_out_char(out, '\'');
	}
	sm_out_str(out, "\n\t\t;;\n");
}

static void print_zsh(struct sm_out *out)
{
	const struct command *const *commands;
	size_t n;

	commands = command_list(&n);
	sm_out_str(out, "#compdef smtool\n"
			"# zsh completion for smtool, written by 'smtool completion zsh'\n\n"
			"_smtool_commands()\n{\n\tlocal -a commands=(\n");
	for (size_t i = 0; i < n; i++) {
		sm_out_f(out, "\t\t'%s:", commands[i]->name);
		put_zsh_text(out, commands[i]->summary);
		sm_out_str(out, "'\n");
	}
	sm_out_str(out, "\t)\n\n\t_describe -t commands 'smtool command' commands\n}\n\n"
			"# What follows '--' is completed like a command line of its own.\n"
			"_smtool_program()\n{\n"
			"\tlocal -i end=${words[(i)--]}\n\n"
			"\tif ((end < CURRENT)); then\n"
			"\t\tshift end words\n"
			"\t\t((CURRENT -= end))\n"
			"\tfi\n\t_normal\n}\n\n"
			"_smtool()\n{\n"
			"\tlocal curcontext=$curcontext state line\n"
			"\tlocal -A opt_args\n\n"
			"\t_arguments -C '(- *)'{-h,--help}'[list the commands]' \\\n"
			"\t\t'(- *)--version[print the version]' \\\n"
			"\t\t'1: :_smtool_commands' '*:: :->command'\n"
			"\t[[ $state == command ]] || return\n"
			"\tcurcontext=${curcontext%:*:*}:smtool-$words[1]:\n"
			"\tcase $words[1] in\n");
	for (size_t i = 0; i < n; i++)
		put_zsh_command(out, commands[i]);
	sm_out_str(out, "\tesac\n}\n\n"
			"if [[ $funcstack[1] == _smtool ]]; then\n"
			"\t_smtool \"$@\"\nelse\n\tcompdef _smtool smtool\nfi\n");
}

/* ---- the command ---- */

/* For programs: what the tables say, as option_print_list() writes it. */
static void print_list(struct sm_out *out)
{
	const struct command *const *commands;
	size_t n;

	commands = command_list(&n);
	for (size_t i = 0; i < n; i++) {
		struct option_table tables[COMMAND_MAX_TABLES];
		size_t n_tables = command_tables(commands[i], NULL, NULL, tables);

		option_print_list(out, commands[i]->name, tables, n_tables);
	}
}

static int run(int argc, char **argv, struct cli *cli)
{
	static const struct {
		const char *name;
		void (*print)(struct sm_out *out);
	} forms[] = {
		{"bash", print_bash},
		{"zsh", print_zsh},
		{"list", print_list},
	};
	struct sm_error *err;
	struct sm_out out;
	int status;

	if (!cli_parse(cli, NULL, &argc, argv, &status))
		return status;
	if (argc != 1)
		return cli_usage(cli, "give one of bash, zsh or list");
	for (size_t i = 0; i < SM_ARRAY_SIZE(forms); i++) {
		if (strcmp(forms[i].name, argv[0]))
			continue;
		err = sm_out_init_fd(&out, STDOUT_FILENO, "standard output");
		if (err)
			return cli_error(cli, err);
		forms[i].print(&out);
		return cli_error(cli, sm_out_finish(&out));
	}
	return cli_usage(cli, "no completion for '%s' (give bash, zsh or list)", argv[0]);
}

const struct command command_completion = {
	.name = "completion",
	.summary = "prints a completion script for bash or zsh, or a list of all options",
	.usage = "bash|zsh|list",
	.operands = "bash zsh list",
	.run = run,
};
