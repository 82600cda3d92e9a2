/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <smtool/recorder.h>

#include "comparison.h"
#include "tui/browser.h"

struct browse_opts {
	unsigned group, color, theme;
	bool no_mouse, hold;
	uint64_t replay, buffer_kb, keep;
	struct option_list record, sources;
	const char *clock, *trace_instance;
	struct comparison_opts comparison;
};

#define MAX_BUFFER_KB (UINT64_C(16) << 20)
#define KEEP (UINT64_C(1) << 30)

static const struct option_def OPTIONS[] = {
	OPT_CHOICE('g', "group-by", browse_opts, group, "GROUP", SELECTION_GROUPS,
		"what a row of the first view is (stack)"),
	OPT_CHOICE(0, "color", browse_opts, color, NULL, "auto always never",
		"colours; auto: where the terminal has them, unless NO_COLOR is set"),
	OPT_CHOICE(0, "theme", browse_opts, theme, NULL, "auto dark light",
		"what the terminal's ground is; auto: by COLORFGBG, else dark"),
	COMPARISON_OPTIONS(browse_opts),
	OPT_DURATION(0, "replay", browse_opts, replay, "T",
		"play INPUT as if it went on now: T of it a second"),
	OPT_FLAG(0, "hold", browse_opts, hold, "live: begin with the picture held"),
	OPT_LIST(0, "record", browse_opts, record, "EVENT", "",
		"live: record this event, as 'smtool record -e'; repeatable"),
	OPT_U64('b', "buffer-size", browse_opts, buffer_kb, "KB", MAX_BUFFER_KB,
		"live: size of the kernel's buffer for each CPU (8192)"),
	OPT_SIZE(0, "keep", browse_opts, keep, "SIZE",
		"live: keep so many bytes, compressed, of what was seen for saving (1G)"),
	OPT_STRING(0, "clock", browse_opts, clock, "NAME",
		"local global counter uptime perf mono mono_raw boot tai",
		"live: the kernel's trace clock, as 'smtool record'"),
	OPT_STRING(0, "new-instance", browse_opts, trace_instance, "NAME", "",
		"live: name of the tracing instance that is made; it must not exist"),
	OPT_LIST(0, "source", browse_opts, sources, "DIR", "dir",
		"a source tree of the captured kernel, for the code view; repeatable"),
	OPT_FLAG(0, "no-mouse", browse_opts, no_mouse, "leave the mouse to the terminal"),
};

/* Keys come from the terminal, also where standard input is a capture. */
static FILE *open_keys(bool from_stdin)
{
	if (!from_stdin && isatty(STDIN_FILENO))
		return stdin;
	return fopen("/dev/tty", "r+e");
}

static struct sm_error *check_inputs(char **paths, int n)
{
	if (n > MAX_SIDES)
		return sm_error_new(SM_E_USAGE, NULL, "too many inputs",
			"one is shown, two are compared; 'smtool diff' takes a series");
	if (n == 2 && !strcmp(paths[0], "-") && !strcmp(paths[1], "-"))
		return sm_error_new(SM_E_USAGE, NULL, "standard input twice",
			"'-' can be one of the inputs only");
	return NULL;
}

static bool wants_color(const struct browse_opts *o)
{
	const char *no_color = getenv("NO_COLOR");

	return o->color == COLOR_ALWAYS || (o->color == COLOR_AUTO && !(no_color && *no_color));
}

static struct sm_error *browse(
	struct cli *cli, const struct browse_opts *o, char **paths, int n, int *ended_by)
{
	struct sm_error *err = check_inputs(paths, n);
	const char *inputs[MAX_SIDES] = {0};
	struct browser_opts opts = {.paths = inputs, .npaths = n ? (size_t)n : 1};
	const struct live_choice live = {
		.replay = o->replay,
		.events = o->record.items,
		.nevents = o->record.n,
		.buffer_kb = o->buffer_kb,
		.keep = o->keep,
		.clock = o->clock,
		.instance = o->trace_instance,
		.spool_dir = getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp",
	};
	struct comparison comparison = {0};
	struct selection s = {0};
	bool from_stdin = false;

	if (err)
		return err;
	for (int i = 0; i < n; i++) {
		inputs[i] = paths[i];
		from_stdin |= !strcmp(paths[i], "-");
	}
	if (o->replay && n != 1)
		return sm_error_new(SM_E_USAGE, NULL, "--replay plays one input", NULL);
	if (!n || o->replay)
		opts.live = &live;
	opts.frozen = o->hold;
	opts.sources = o->sources.items;
	opts.nsources = o->sources.n;
	selection_group(&s, o->group);
	opts.group = s.table.group;
	opts.attr = s.profile.attr;
	if (!isatty(STDOUT_FILENO))
		return sm_error_new(SM_E_USAGE, NULL, "standard output is no terminal",
			"browse is for one; 'smtool top' writes the same as text or JSON");
	opts.screen.in = open_keys(from_stdin);
	if (!opts.screen.in)
		return sm_error_new(SM_E_USAGE, NULL, "no terminal to read keys from",
			"browse needs one; 'smtool top' writes the same as text or JSON");
	opts.screen.out = stdout;
	opts.screen.color = wants_color(o);
	opts.screen.theme = (enum screen_theme)o->theme;
	opts.screen.mouse = !o->no_mouse;
	opts.comparison = &comparison;
	err = comparison_read(&o->comparison, &comparison);
	if (!err)
		err = browser_run(cli, &opts, ended_by);
	comparison_release(&comparison);
	if (opts.screen.in != stdin)
		fclose(opts.screen.in);
	return err;
}

static int run(int argc, char **argv, struct cli *cli)
{
	struct browse_opts o = {.buffer_kb = SM_RECORDER_BUFFER_KB, .keep = KEEP};
	int status, ended_by = 0;

	if (!cli_parse(cli, &o, &argc, argv, &status)) {
		option_list_release(&o.record);
		option_list_release(&o.sources);
		return status;
	}
	status = cli_error(cli, browse(cli, &o, argv, argc, &ended_by));
	option_list_release(&o.record);
	option_list_release(&o.sources);
	/* All is undone: now as if nobody had caught it. */
	if (ended_by) {
		/* ncurses leaves its handler. */
		signal(ended_by, SIG_DFL);
		raise(ended_by);
	}
	return status;
}

const struct command command_browse = {
	.name = "browse",
	.summary = "all that in a terminal: look around, compare, watch",
	.usage = "[OPTION]... [INPUT]\n[OPTION]... OLD NEW",
	.options = OPTIONS,
	.n_options = SM_ARRAY_SIZE(OPTIONS),
	.operands = "file",
	.flags = COMMAND_LOG | COMMAND_INPUT | COMMAND_SYMBOLS | COMMAND_METRIC | COMMAND_SELECTION,
	.run = run,
};
