/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli.h"
#include "selection.h"

/* ns: work that ends sooner is not worth a line; how often the line may change. */
#define PROGRESS_DELAY UINT64_C(1000000000)
#define PROGRESS_INTERVAL UINT64_C(100000000)

static void write_all(int fd, const char *data, size_t len)
{
	while (len) {
		ssize_t n = write(fd, data, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return;
		data += n;
		len -= (size_t)n;
	}
}

/* With the lock held. */
static void erase_progress(struct cli *cli)
{
	static const char erase[] = "\r\033[K";

	if (cli->progress_shown)
		write_all(STDERR_FILENO, erase, sizeof(erase) - 1);
	cli->progress_shown = false;
}

void cli_erase_progress(struct cli *cli)
{
	pthread_mutex_lock(&cli->lock);
	erase_progress(cli);
	pthread_mutex_unlock(&cli->lock);
}

/* One line on standard error in one write, so that lines of others don't get into it. */
static void say(struct cli *cli, const char *kind, const char *text)
{
	struct sm_buf line = {0};

	sm_buf_adds(&line, "smtool");
	if (cli->command)
		sm_buf_addf(&line, " %s", cli->command->name);
	sm_buf_addf(&line, ": %s%s\n", kind, text);
	pthread_mutex_lock(&cli->lock);
	erase_progress(cli);
	if (!line.failed)
		write_all(STDERR_FILENO, line.data, line.len);
	else
		write_all(STDERR_FILENO, text, strlen(text));
	pthread_mutex_unlock(&cli->lock);
	sm_buf_release(&line);
}

static void write_log(void *ctx, enum sm_level level, const char *line)
{
	static const char *const kinds[] = {"", "warning: ", "", "debug: "};

	say(ctx, kinds[level], line);
}

static void draw_progress(
	struct cli *cli, const char *what, uint64_t done, uint64_t total, uint64_t now)
{
	char line[128];
	int n;

	if (total)
		n = snprintf(line, sizeof(line), "\r%.60s %u%%\033[K", what,
			(unsigned)(done >= total ? 100 : (double)done * 100 / (double)total));
	else
		n = snprintf(
			line, sizeof(line), "\r%.60s %llu\033[K", what, (unsigned long long)done);
	write_all(STDERR_FILENO, line, (size_t)n);
	cli->progress_shown = true;
	cli->progress_drawn = now;
}

static void tick(void *ctx, const char *what, uint64_t done, uint64_t total)
{
	struct cli *cli = ctx;
	uint64_t now;

	/* Whoever finds another thread in here has nothing newer to show. */
	if (!cli->progress_wanted || pthread_mutex_trylock(&cli->lock))
		return;
	now = sm_now_ns();
	if (strncmp(cli->progress_what, what, sizeof(cli->progress_what) - 1)) {
		erase_progress(cli);
		snprintf(cli->progress_what, sizeof(cli->progress_what), "%s", what);
		cli->progress_start = now;
	}
	if (now - cli->progress_start >= PROGRESS_DELAY &&
		now - cli->progress_drawn >= PROGRESS_INTERVAL)
		draw_progress(cli, what, done, total, now);
	pthread_mutex_unlock(&cli->lock);
}

static bool terminal_is_dumb(void)
{
	const char *term = getenv("TERM");

	return !term || !*term || !strcmp(term, "dumb");
}

void cli_init(struct cli *cli, const struct command *command)
{
	*cli = (struct cli){
		.command = command,
		.log = {.write = write_log, .ctx = cli, .level = SM_WARN},
		.progress = {.tick = tick, .ctx = cli},
	};
	pthread_mutex_init(&cli->lock, NULL);
}

void cli_release(struct cli *cli)
{
	cli_erase_progress(cli);
	option_list_release(&cli->symbols.debug_dirs);
	selection_opts_release(&cli->selection);
	free(cli->symbols.cache);
	free(cli->missed_index);
	pthread_mutex_destroy(&cli->lock);
}

static struct sm_error *print_help(const struct command *command)
{
	struct sm_error *err;
	struct sm_out out;

	err = sm_out_init_fd(&out, STDOUT_FILENO, "standard output");
	if (err)
		return err;
	command_print_help(&out, command);
	return sm_out_finish(&out);
}

bool cli_parse(struct cli *cli, void *own, int *argc, char **argv, int *status)
{
	const struct command *command = cli->command;
	struct option_table tables[COMMAND_MAX_TABLES];
	size_t n = command_tables(command, own, cli, tables);
	unsigned flags = 0;
	struct sm_error *err;
	bool help;

	if (command->flags & COMMAND_STOP_AT_OPERAND)
		flags |= OPTION_STOP_AT_OPERAND;
	err = option_parse(tables, n, flags, argc, argv, &help);
	if (err || help) {
		*status = cli_error(cli, err ? err : print_help(command));
		return false;
	}
	if (cli->log_opts.quiet)
		cli->log.level = SM_ERROR;
	else if (cli->log_opts.verbose)
		cli->log.level = cli->log_opts.verbose > 1 ? SM_DEBUG : SM_INFO;
	cli->progress_wanted = !cli->log_opts.quiet && !terminal_is_dumb() && isatty(STDERR_FILENO);
	if (!cli->input.threads)
		cli->input.threads = sm_cpu_count();
	return true;
}

int cli_error(struct cli *cli, struct sm_error *err)
{
	int status = EXIT_FAILED;
	struct sm_buf text = {0};

	if (!err)
		return cli->partial ? EXIT_PARTIAL : EXIT_DONE;
	if (err->code == SM_E_USAGE)
		status = EXIT_USAGE;
	if (err->errnum == EPIPE) {
		sm_error_free(err);
		return status;
	}
	sm_error_format(err, &text);
	if (err->code == SM_E_USAGE && cli->command)
		sm_buf_addf(&text, "; see 'smtool %s -h'", cli->command->name);
	else if (err->code == SM_E_USAGE)
		sm_buf_adds(&text, "; see 'smtool -h'");
	say(cli, "", text.failed ? "out of memory" : text.data);
	sm_buf_release(&text);
	sm_error_free(err);
	return status;
}

int cli_usage(struct cli *cli, const char *fmt, ...)
{
	struct sm_buf text = {0};
	struct sm_error *err;
	va_list ap;

	va_start(ap, fmt);
	sm_buf_vaddf(&text, fmt, ap);
	va_end(ap);
	err = sm_error_new(SM_E_USAGE, NULL, text.failed ? "usage" : text.data, NULL);
	sm_buf_release(&text);
	cli_error(cli, err);
	return EXIT_USAGE;
}

void cli_partial(struct cli *cli, struct sm_error *err)
{
	struct sm_buf text = {0};

	cli->partial = true;
	if (!err)
		return;
	sm_error_format(err, &text);
	say(cli, "", text.failed ? "out of memory" : text.data);
	sm_buf_release(&text);
	sm_error_free(err);
}

struct sm_error *cli_open_output(struct cli *cli, struct sm_out *out)
{
	struct sm_error *err;
	int fd = STDOUT_FILENO;

	cli_erase_progress(cli);
	cli->to_file = cli->to_pager = false;
	if (!output_is_stdout(cli->output.path)) {
		err = output_file_open(&cli->file, cli->output.path,
			cli->keep_existing ? OUTPUT_FILE_FORCE : NULL);
		if (err)
			return err;
		cli->to_file = true;
		fd = cli->file.fd;
	} else if (!cli->output.no_pager && isatty(STDOUT_FILENO) && pager_start(&cli->pager)) {
		cli->to_pager = true;
		fd = cli->pager.fd;
	}
	err = sm_out_init_fd(out, fd, cli->to_file ? cli->output.path : "standard output");
	if (err && cli->to_file)
		output_file_discard(&cli->file);
	else if (err && cli->to_pager)
		pager_finish(&cli->pager);
	return err;
}

struct sm_error *cli_close_output(struct cli *cli, struct sm_out *out, struct sm_error *err)
{
	struct sm_error *write_err = sm_out_finish(out);

	if (cli->to_pager)
		pager_finish(&cli->pager);
	if (cli->to_file) {
		if (err || write_err)
			output_file_discard(&cli->file);
		else
			write_err = output_file_commit(&cli->file);
	}
	cli->to_file = cli->to_pager = false;
	/* Writing fails with SM_E_STOPPED in its wake, where a loop saw it and stopped. */
	if (!err)
		return write_err;
	if (write_err && err->code == SM_E_STOPPED) {
		sm_error_free(err);
		return write_err;
	}
	sm_error_free(write_err);
	return err;
}

bool cli_color(const struct cli *cli)
{
	const char *no_color;

	if (cli->output.color != COLOR_AUTO)
		return cli->output.color == COLOR_ALWAYS;
	no_color = getenv("NO_COLOR");
	if ((no_color && *no_color) || terminal_is_dumb())
		return false;
	return output_is_stdout(cli->output.path) && isatty(STDOUT_FILENO);
}
