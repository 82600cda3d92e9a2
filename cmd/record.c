/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <smtool/recorder.h>

#include "cli.h"
#include "workload.h"

#define SECOND_NS UINT64_C(1000000000)
#define MAX_BUFFER_KB (UINT64_C(16) << 20)

struct record {
	/* options */
	const char *path, *clock, *instance;
	struct option_list events;
	bool slab, page;
	uint64_t buffer_kb, duration, size;
	unsigned stackmap; /* enum sm_recorder_map */

	struct cli *cli;
	struct sm_recorder *recorder;
	struct workload workload;
	struct sm_buf command, default_path, spool_dir;
	sigset_t old_mask;
	int signals; /* a signalfd */
	bool live;   /* a status line is wanted */
	struct sm_recorder_status shown;
};

static void say(const char *text)
{
	fprintf(stderr, "smtool record: %s\n", text);
}

/* 1234567 as 1,234,567 */
static void add_count(struct sm_buf *buf, uint64_t n)
{
	char digits[24];
	int len = snprintf(digits, sizeof(digits), "%llu", (unsigned long long)n), i;

	for (i = 0; i < len; i++) {
		if (i && (len - i) % 3 == 0)
			sm_buf_addc(buf, ',');
		sm_buf_addc(buf, digits[i]);
	}
}

static void add_mib(struct sm_buf *buf, uint64_t bytes)
{
	sm_buf_addf(buf, "%.1f MiB", (double)bytes / (1 << 20));
}

static void erase_status(const struct record *r)
{
	if (r->live)
		fputs("\r\033[K", stderr);
}

static void show_status(struct record *r)
{
	struct sm_recorder_status st;
	struct sm_buf line = {0};
	uint64_t ns, records;

	sm_recorder_status(r->recorder, &st);
	ns = st.elapsed_ns - r->shown.elapsed_ns;
	records = st.records - r->shown.records;
	sm_buf_addf(&line, "\r%.0f s  ", (double)st.elapsed_ns / 1e9);
	/* Each event has its stack as a record of its own. */
	if (ns)
		add_count(&line, (uint64_t)((double)records / 2 * 1e9 / (double)ns));
	sm_buf_adds(&line, " events/s  ");
	add_mib(&line, st.disk_bytes);
	sm_buf_adds(&line, " on disk  ");
	add_count(&line, st.lost);
	sm_buf_adds(&line, " lost");
	if (st.has_map)
		sm_buf_addf(&line, "  stack map %llu / %llu", (unsigned long long)st.map_entries,
			(unsigned long long)st.map_capacity);
	sm_buf_adds(&line, "\033[K");
	if (!line.failed)
		fputs(line.data, stderr);
	sm_buf_release(&line);
	r->shown = st;
}

static void show_result(const struct record *r)
{
	struct sm_recorder_status st;
	struct sm_buf line = {0};

	sm_recorder_status(r->recorder, &st);
	sm_buf_add_visible(&line, r->path, strlen(r->path));
	sm_buf_addf(&line, ": %.1f s, ", (double)st.elapsed_ns / 1e9);
	add_count(&line, st.events);
	sm_buf_adds(&line, " events, ");
	add_count(&line, st.lost);
	sm_buf_adds(&line, " lost, ");
	add_mib(&line, st.archive_bytes ? st.archive_bytes : st.disk_bytes); /* 0: a pipe */
	if (st.events) {
		sm_buf_addf(
			&line, " (%.0f bytes/event)", (double)st.disk_bytes / (double)st.events);
		sm_buf_addf(&line, "; the recording's own: %.2f %% of the events",
			(double)st.own_events * 100 / (double)st.events);
	}
	if (!line.failed)
		say(line.data);
	sm_buf_release(&line);
}

/* What ends a recording. */
enum ending { END_NONE, END_STOP, END_ABORT };

static enum ending read_signals(struct record *r)
{
	enum ending ending = END_NONE;
	struct signalfd_siginfo info;

	while (read(r->signals, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGQUIT)
			return END_ABORT;
		if (info.ssi_signo == SIGCHLD) {
			if (workload_ended(&r->workload))
				ending = END_STOP;
			continue;
		}
		ending = END_STOP;
	}
	return ending;
}

/* While the capture is being finished only the keyboard's signals still mean something. */
static bool is_cancelled(void *ctx)
{
	struct signalfd_siginfo info;
	struct record *r = ctx;
	bool cancelled = false;

	while (read(r->signals, &info, sizeof(info)) == sizeof(info))
		cancelled |= info.ssi_signo == SIGINT || info.ssi_signo == SIGQUIT;
	return cancelled;
}

static struct sm_error *wait_for_end(struct record *r)
{
	uint64_t start = sm_now_ns(), end = r->duration ? start + r->duration : UINT64_MAX;
	uint64_t next = start + SECOND_NS, now, until;
	struct pollfd fds[2] = {
		{.fd = r->signals, .events = POLLIN},
		{.fd = sm_recorder_fd(r->recorder), .events = POLLIN},
	};
	enum ending ending = END_NONE;
	struct timespec timeout;

	if (end < start)
		end = UINT64_MAX;
	while (ending == END_NONE) {
		now = sm_now_ns();
		if (now >= end)
			break;
		if (r->live && now >= next) {
			show_status(r);
			next = now + SECOND_NS;
		}
		until = (r->live && next < end ? next : end) - now;
		timeout.tv_sec = until / SECOND_NS > 3600 ? 3600 : (time_t)(until / SECOND_NS);
		timeout.tv_nsec = (long)(until % SECOND_NS);
		if (ppoll(fds, 2, &timeout, NULL) < 0)
			continue; /* EINTR */
		if (fds[0].revents)
			ending = read_signals(r);
		if (fds[1].revents && ending == END_NONE)
			ending = END_STOP;
	}
	erase_status(r);
	if (ending == END_ABORT)
		return sm_error_new(SM_E_STOPPED, NULL, "given up, nothing saved", NULL);
	return NULL;
}

static struct sm_error *capture(struct record *r, int argc, char **argv)
{
	struct sm_error *err;

	if (argc) {
		err = workload_prepare(&r->workload, argv, &r->old_mask);
		if (err)
			return err;
	}
	err = sm_recorder_start(r->recorder);
	if (!err && argc)
		err = workload_start(&r->workload);
	if (!err)
		err = wait_for_end(r);
	if (err)
		return err;
	if (sm_recorder_limit_reached(r->recorder) && !r->cli->log_opts.quiet)
		say("the size limit is reached");
	workload_terminate(&r->workload);
	return sm_recorder_stop(r->recorder);
}

static struct sm_error *record_to(
	struct record *r, const struct output_file *file, int argc, char **argv)
{
	const struct sm_recorder_opts opts = {
		.output_fd = file->fd,
		.output = r->path,
		.spool_dir = r->spool_dir.data,
		.events = r->events.items,
		.nevents = r->events.n,
		.slab = r->slab,
		.page = r->page,
		.buffer_kb = r->buffer_kb,
		.size_limit = r->size,
		.clock = r->clock,
		.instance = r->instance,
		.stackmap = (enum sm_recorder_map)r->stackmap,
		.command = argc ? r->command.data : NULL,
		.log = &r->cli->log,
		.cancelled = is_cancelled,
		.ctx = r,
	};
	struct sm_error *err;

	err = sm_recorder_new(&opts, &r->recorder);
	if (!err)
		err = capture(r, argc, argv);
	if (!err)
		err = sm_recorder_save(r->recorder);
	return err;
}

/* Names the output, and where pages wait until then: beside it, so that one file system holds all.
 */
static bool name_files(struct record *r, const struct output_file *file)
{
	const char *slash = file->final ? strrchr(file->final, '/') : NULL;

	if (!file->final)
		sm_buf_adds(&r->spool_dir, getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
	else if (!slash)
		sm_buf_adds(&r->spool_dir, ".");
	else
		sm_buf_add(&r->spool_dir, file->final, (size_t)(slash - file->final) + 1);
	return !r->spool_dir.failed;
}

static bool name_output(struct record *r)
{
	time_t now = time(NULL);
	char stamp[64];
	struct tm tm;

	if (r->path)
		return true;
	if (!localtime_r(&now, &tm) || !strftime(stamp, sizeof(stamp), "%Y%m%d-%H%M%S", &tm))
		stamp[0] = '\0';
	sm_buf_addf(&r->default_path, "smtool-%s.tar.zst", stamp);
	r->path = r->default_path.data;
	return !r->default_path.failed;
}

static void catch_signals(struct record *r)
{
	sigset_t mask;

	sigemptyset(&mask);
	sigaddset(&mask, SIGINT);
	sigaddset(&mask, SIGTERM);
	sigaddset(&mask, SIGHUP);
	sigaddset(&mask, SIGQUIT);
	sigaddset(&mask, SIGCHLD);
	sigprocmask(SIG_BLOCK, &mask, &r->old_mask);
	r->signals = signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
	/* A closed terminal and a file size limit must not kill what tracefs depends on. */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
}

static struct sm_error *run(struct record *r, int argc, char **argv)
{
	struct output_file file = {.fd = STDOUT_FILENO};
	bool to_stdout;
	struct sm_error *err = NULL;
	mode_t mask;
	int i;

	for (i = 0; i < argc; i++)
		sm_buf_addf(&r->command, "%s%s", i ? " " : "", argv[i]);
	if (r->command.failed || !name_output(r))
		return sm_error_nomem();
	to_stdout = !strcmp(r->path, "-");
	catch_signals(r);
	if (r->signals < 0)
		return sm_error_errno(errno, NULL, "can't receive signals", NULL);
	if (!to_stdout) {
		mask = umask(077); /* kernel addresses are in it */
		err = output_file_open(&file, r->path, NULL);
		umask(mask);
	}
	if (err)
		return err;
	err = name_files(r, &file) ? record_to(r, &file, argc, argv) : sm_error_nomem();
	if (!to_stdout && err)
		output_file_discard(&file);
	else if (!to_stdout)
		err = output_file_commit(&file);
	if (!err && !r->cli->log_opts.quiet)
		show_result(r);
	return err;
}

static int run_record(int argc, char **argv, struct cli *cli)
{
	struct record r = {.cli = cli, .signals = -1, .buffer_kb = SM_RECORDER_BUFFER_KB};
	int status;

	if (!cli_parse(cli, &r, &argc, argv, &status))
		goto out;
	if (!r.buffer_kb) {
		status = cli_usage(cli, "invalid buffer size '0' for '-b'");
		goto out;
	}
	if (r.path && !strcmp(r.path, "-") && isatty(STDOUT_FILENO)) {
		status = cli_usage(cli, "a capture isn't for a terminal: give '-o FILE'");
		goto out;
	}
	r.live = !cli->log_opts.quiet && isatty(STDERR_FILENO);
	status = cli_error(cli, run(&r, argc, argv));
	sm_recorder_free(r.recorder);
	workload_release(&r.workload, !cli->log_opts.quiet);
out:
	option_list_release(&r.events);
	sm_buf_release(&r.command);
	sm_buf_release(&r.default_path);
	sm_buf_release(&r.spool_dir);
	if (r.signals >= 0)
		close(r.signals);
	return status;
}

/* clang-format off */
static const struct option_def options[] = {
	OPT_STRING('o', "output", record, path, "FILE", "file",
		"write the capture to FILE (default: smtool-DATE.tar.zst)"),
	OPT_LIST('e', "event", record, events, "EVENT", "",
		"record EVENT: SYSTEM:NAME, NAME or SYSTEM, with * and ?; can be repeated"),
	OPT_FLAG(0, "slab", record, slab,
		"record allocations and frees of slab objects; the default without --page and -e"),
	OPT_FLAG(0, "page", record, page,
		"record allocations and frees of pages"),
	OPT_U64('b', "buffer-size", record, buffer_kb, "KB", MAX_BUFFER_KB,
		"size of the kernel's buffer for each CPU (default: 8192)"),
	OPT_DURATION(0, "duration", record, duration, "T",
		"stop after T (10, 1.5s, 200ms, 5m)"),
	OPT_SIZE(0, "size", record, size, "LIMIT",
		"stop when LIMIT bytes are on the disk (500M, 2G)"),
	OPT_STRING(0, "clock", record, clock, "NAME",
		"local global counter uptime perf mono mono_raw boot tai",
		"the kernel's trace clock (default: mono, or global where mono is slow)"),
	OPT_CHOICE(0, "stackmap", record, stackmap, NULL, "auto yes no",
		"let the kernel keep each stack once, in the global buffer (auto: where it "
		"can and nobody else uses that buffer)"),
	OPT_STRING(0, "instance", record, instance, "NAME", "",
		"name of the tracing instance that is made, and removed at the end (default: one of "
		"its own); it must not exist"),
};
/* clang-format on */

const struct command command_record = {
	.name = "record",
	.summary = "capture from the running kernel",
	.usage = "[OPTION]... [-- CMD [ARG]...]",
	.options = options,
	.n_options = SM_ARRAY_SIZE(options),
	.operands = "program",
	.flags = COMMAND_LOG | COMMAND_STOP_AT_OPERAND,
	.run = run_record,
};
