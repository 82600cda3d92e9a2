/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * usage: drive SCRIPT
 * Runs a program in a terminal of its own, types, and prints what the screen shows: README.md here
 * says what a script may hold.
 */
#include <ctype.h>
#include <errno.h>
#include <locale.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "drive_keys.h"
#include "session.h"

struct drive {
	struct session session;
	int rows, columns;
	const char *script;
	unsigned line;
};

__attribute__((format(printf, 2, 3), noreturn)) static void die(
	struct drive *d, const char *fmt, ...)
{
	const char *name = strrchr(d->script, '/');
	va_list ap;

	fflush(stdout);
	fprintf(stderr, "%s:%u: ", name ? name + 1 : d->script, d->line);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	if (d->session.started) {
		fprintf(stderr, "the screen is:\n");
		emulator_print(&d->session.emulator, stderr);
	}
	session_release(&d->session);
	exit(1);
}

static void need(struct drive *d, bool ok)
{
	if (!ok)
		die(d, "%s", d->session.error);
}

static void settle(struct drive *d)
{
	need(d, session_settle(&d->session));
}

/* ---- commands ---- */

static void parse_size(struct drive *d, const char *arg)
{
	int used = 0;

	if (sscanf(arg, "%dx%d%n", &d->columns, &d->rows, &used) != 2 || arg[used] || d->rows < 1 ||
		d->columns < 1 || d->rows > MAX_ROWS || d->columns > MAX_COLUMNS)
		die(d, "not a size, COLUMNSxROWS: '%s'", arg);
}

static void do_size(struct drive *d, char *arg)
{
	if (d->session.started)
		die(d, "it runs already: 'resize' is for that");
	parse_size(d, arg);
}

static void do_resize(struct drive *d, char *arg)
{
	parse_size(d, arg);
	need(d, session_resize(&d->session, d->rows, d->columns));
	settle(d);
}

static void do_env(struct drive *d, char *arg)
{
	char *equals = strchr(arg, '=');

	if (!*arg || equals == arg)
		die(d, "not a variable: '%s'", arg);
	if (!equals) {
		unsetenv(arg);
		return;
	}
	*equals = '\0';
	setenv(arg, equals + 1, 1);
}

static long number_of(struct drive *d, const char *arg, long most)
{
	char *end;
	long n = strtol(arg, &end, 10);

	if (end == arg || *end || n < 0 || n > most)
		die(d, "not a number: '%s'", arg);
	return n;
}

static void do_quiet(struct drive *d, char *arg)
{
	int before = d->session.quiet_ms;

	d->session.quiet_ms = (int)number_of(d, arg, SESSION_TIMEOUT_MS / 2);
	if (!d->session.started)
		return;
	settle(d);
	d->session.quiet_ms = before;
}

static void do_run(struct drive *d, char *arg)
{
	const char *name = getenv("TERM");
	const struct terminal *terminal = terminal_find(name ? name : "");
	char command[4200];

	if (d->session.started)
		die(d, "it runs already");
	if (!terminal)
		die(d, "no terminal is known that TERM calls '%s'", name ? name : "");
	snprintf(command, sizeof(command), "exec %s", arg);
	need(d, session_start(&d->session, command, terminal, d->rows, d->columns));
	settle(d);
}

static void type(struct drive *d, const struct keystrokes *keys)
{
	need(d, session_type(&d->session, keys->bytes, keys->n));
	settle(d);
}

static void do_keys(struct drive *d, char *arg)
{
	struct keystrokes keys = {0};
	const char *at = arg;

	while (keys_next(&keys, &d->session.emulator, &at)) {
		/* Else the next key would be the rest of an escape sequence. */
		if (keys.ends_with_escape) {
			type(d, &keys);
			keys = (struct keystrokes){0};
		}
	}
	if (keys.error[0])
		die(d, "%s", keys.error);
	if (keys.n)
		type(d, &keys);
}

static void do_mouse(struct drive *d, char *arg)
{
	struct keystrokes keys = {0};

	if (!mouse_events(&keys, &d->session.emulator, arg))
		die(d, "%s", keys.error);
	type(d, &keys);
}

static void do_settle(struct drive *d, char *arg)
{
	(void)arg;
	settle(d);
}

static void do_wait(struct drive *d, char *arg)
{
	if (!*arg)
		die(d, "wait for what?");
	need(d, session_wait_for(&d->session, arg));
}

static void do_screen(struct drive *d, char *arg)
{
	const struct emulator *e = &d->session.emulator;

	printf("-- screen%s%s %dx%d\n", *arg ? " " : "", arg, e->columns, e->rows);
	emulator_print(e, stdout);
}

static void do_colors(struct drive *d, char *arg)
{
	int first = 0, last = MAX_ROWS, n = sscanf(arg, "%d-%d", &first, &last);

	if (*arg && (n < 1 || first < 0 || last < first))
		die(d, "not rows: '%s'", arg);
	if (n == 1)
		last = first;
	printf("-- colors%s%s\n", *arg ? " " : "", arg);
	emulator_print_looks(&d->session.emulator, first, last, stdout);
}

/* For a program that knows what is to be on its screen */
static void do_compare(struct drive *d, char *arg)
{
	char *shown = NULL, *wanted = NULL;
	size_t nshown, nwanted = 0, room = 0;
	FILE *out = open_memstream(&shown, &nshown), *f = fopen(arg, "re");
	ssize_t n = f ? getdelim(&wanted, &room, '\0', f) : -1;

	if (!out || n < 0)
		die(d, "'%s': %s", arg, strerror(errno));
	nwanted = (size_t)n;
	emulator_print(&d->session.emulator, out);
	emulator_print_looks(&d->session.emulator, 0, MAX_ROWS, out);
	fclose(out);
	fclose(f);
	if (nshown != nwanted || memcmp(shown, wanted, nshown) != 0) {
		fprintf(stderr, "-- wanted\n%s-- shown\n%s", wanted, shown);
		die(d, "the screen isn't what '%s' has", arg);
	}
	free(shown);
	free(wanted);
}

static void do_cursor(struct drive *d, char *arg)
{
	const struct emulator *e = &d->session.emulator;

	(void)arg;
	printf("-- cursor %d %d%s\n", e->at.x, e->at.y, e->cursor_hidden ? " hidden" : "");
}

static int signal_number(struct drive *d, const char *name)
{
	static const struct {
		const char *name;
		int number;
	} SIGNALS[] = {{"TERM", SIGTERM}, {"HUP", SIGHUP}, {"INT", SIGINT}, {"QUIT", SIGQUIT},
		{"SEGV", SIGSEGV}, {"ABRT", SIGABRT}, {"BUS", SIGBUS}, {"FPE", SIGFPE},
		{"TSTP", SIGTSTP}, {"STOP", SIGSTOP}, {"CONT", SIGCONT}, {"WINCH", SIGWINCH},
		{"USR1", SIGUSR1}, {"PIPE", SIGPIPE}};

	for (size_t i = 0; i < sizeof(SIGNALS) / sizeof(SIGNALS[0]); i++)
		if (!strcmp(SIGNALS[i].name, name))
			return SIGNALS[i].number;
	die(d, "no signal '%s'", name);
}

static void do_signal(struct drive *d, char *arg)
{
	need(d, session_signal(&d->session, signal_number(d, arg)));
}

static void check_restored(struct drive *d, const char *when)
{
	if (!session_is_restored(&d->session))
		die(d, "%s, %s", when, d->session.error);
}

static void do_suspend(struct drive *d, char *arg)
{
	if (*arg)
		do_signal(d, arg);
	else
		need(d, session_type(&d->session, "\032", 1));
	need(d, session_wait_for_stop(&d->session));
	check_restored(d, "while it is stopped");
}

static void do_continue(struct drive *d, char *arg)
{
	(void)arg;
	need(d, session_continue(&d->session));
	settle(d);
}

static void do_hangup(struct drive *d, char *arg)
{
	(void)arg;
	session_hang_up(&d->session);
}

static void do_exit(struct drive *d, char *arg)
{
	int status, want = (int)number_of(d, arg, 255);

	need(d, session_wait_for_end(&d->session));
	status = d->session.status;
	status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
	if (status != want)
		die(d, "exit status %d, expected %d", status, want);
	check_restored(d, "after its end");
	session_release(&d->session);
}

static void do_file(struct drive *d, char *arg)
{
	FILE *f = fopen(arg, "re");
	int c, before = '\n';

	if (!f)
		die(d, "'%s': %s", arg, strerror(errno));
	printf("-- file %s\n", arg);
	while ((c = fgetc(f)) != EOF) {
		if (c == 27)
			fputs("\\e", stdout);
		else if (c == '\n' || c == '\t' || (c >= ' ' && c != 127))
			putchar(c);
		else
			printf("\\x%02x", (unsigned)c);
		before = c;
	}
	if (before != '\n')
		fputs("\\c\n", stdout);
	fclose(f);
}

static void do_sh(struct drive *d, char *arg)
{
	int status;

	fflush(stdout);
	status = system(arg);
	if (status != 0)
		die(d, "status %d of: %s", WIFEXITED(status) ? WEXITSTATUS(status) : -1, arg);
}

static const struct {
	const char *name;
	bool while_it_runs;
	void (*act)(struct drive *d, char *arg);
} COMMANDS[] = {
	{"size", false, do_size},
	{"env", false, do_env},
	{"quiet", false, do_quiet},
	{"sh", false, do_sh},
	{"file", false, do_file},
	{"run", false, do_run},
	{"keys", true, do_keys},
	{"mouse", true, do_mouse},
	{"resize", true, do_resize},
	{"settle", true, do_settle},
	{"wait", true, do_wait},
	{"screen", true, do_screen},
	{"colors", true, do_colors},
	{"compare", true, do_compare},
	{"cursor", true, do_cursor},
	{"signal", true, do_signal},
	{"suspend", true, do_suspend},
	{"continue", true, do_continue},
	{"hangup", true, do_hangup},
	{"exit", true, do_exit},
};

static void obey(struct drive *d, char *line)
{
	char *word = line + strspn(line, " \t"), *arg = word + strcspn(word, " \t\n"), *end;

	if (*arg)
		*arg++ = '\0';
	arg += strspn(arg, " \t");
	end = arg + strlen(arg);
	while (end > arg && isspace((unsigned char)end[-1]))
		*--end = '\0';
	if (!*word || *word == '#')
		return;
	for (size_t i = 0; i < sizeof(COMMANDS) / sizeof(COMMANDS[0]); i++) {
		if (strcmp(COMMANDS[i].name, word) != 0)
			continue;
		if (COMMANDS[i].while_it_runs && !d->session.started)
			die(d, "'%s' before 'run'", word);
		COMMANDS[i].act(d, arg);
		return;
	}
	die(d, "no command '%s'", word);
}

int main(int argc, char **argv)
{
	struct drive d = {.rows = 24, .columns = 100, .script = argv[1]};
	char line[4096];
	FILE *f = argc == 2 ? fopen(argv[1], "re") : NULL;

	if (!f) {
		fprintf(stderr, "usage: drive SCRIPT\n");
		return 2;
	}
	setlocale(LC_CTYPE, "C.UTF-8");
	signal(SIGPIPE, SIG_IGN);
	while (fgets(line, sizeof(line), f)) {
		d.line++;
		if (!strchr(line, '\n') && !feof(f))
			die(&d, "a line is too long");
		obey(&d, line);
	}
	fclose(f);
	if (d.session.started)
		die(&d, "the script ends without 'exit'");
	return 0;
}
