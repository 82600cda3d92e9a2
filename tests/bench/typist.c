/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * usage: typist ROUNDS KEYS BROWSE READ
 *
 * In turns runs the command READ, and the program BROWSE in a terminal of its own until its screen
 * is full; in the last round, after that, types the keys of the file KEYS (words as
 * tests/tui/README.md has them, a `#` begins a comment line), one at a time, each when all that the
 * one before brought about is done. At the end it quits by `:quit`. Prints lines of a name and
 * times in ns:
 *
 *   read, start, after, idle   least, median, largest of all rounds: of READ, to the full screen,
 * the difference of these in each round, to idle answer, settled            median, 99th
 * percentile, largest of all keys: to the first output (to idle when there was none), to idle keys
 * how many late KEY                   for each of the ten slowest: to the first output, to idle,
 * its number
 */
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tui/drive_keys.h"
#include "tui/session.h"

#define COLUMNS 160
#define ROWS 50
#define MAX_ROUNDS 99
#define MAX_KEYS 100000

struct stroke {
	uint64_t answer, settled;
	unsigned number;
	char word[32];
};

struct typist {
	struct session session;
	const struct terminal *terminal;
	const char *browse, *read;
	uint64_t reads[MAX_ROUNDS], starts[MAX_ROUNDS], afters[MAX_ROUNDS], idles[MAX_ROUNDS];
	struct stroke *strokes;
	unsigned nstrokes;
};

__attribute__((noreturn)) static void die(struct typist *t, const char *why)
{
	fprintf(stderr, "typist: %s\n", why);
	if (t->session.started)
		emulator_print(&t->session.emulator, stderr);
	session_release(&t->session);
	exit(1);
}

static void need(struct typist *t, bool ok)
{
	if (!ok)
		die(t, t->session.error);
}

static uint64_t time_of_read(struct typist *t)
{
	uint64_t begin = session_now();
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		int null = open("/dev/null", O_WRONLY);

		if (null >= 0 && dup2(null, STDOUT_FILENO) >= 0)
			execl("/bin/sh", "sh", "-c", t->read, NULL);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status != 0)
		die(t, "the command to compare with failed");
	return session_now() - begin;
}

static void start(struct typist *t, unsigned round)
{
	uint64_t begin = session_now();

	need(t, session_start(&t->session, t->browse, t->terminal, ROWS, COLUMNS));
	/* Rows from the first line to the last but what is said at the bottom */
	while (emulator_blank_rows(&t->session.emulator) > 1) {
		need(t, session_step(&t->session, 100));
		if (t->session.ended || session_now() - begin > 60000000000)
			die(t, "it doesn't fill the screen");
	}
	t->starts[round] = session_now() - begin;
	t->afters[round] =
		t->starts[round] > t->reads[round] ? t->starts[round] - t->reads[round] : 0;
	need(t, session_settle(&t->session));
	t->idles[round] = session_now() - begin;
}

static void quit(struct typist *t)
{
	static const char QUIT[] = ":quit\r";

	need(t, session_type(&t->session, QUIT, sizeof(QUIT) - 1));
	need(t, session_wait_for_end(&t->session));
	if (t->session.status != 0)
		die(t, "it ended with an error");
	session_release(&t->session);
}

static void press(struct typist *t, const struct keystrokes *keys, const char *word, size_t len)
{
	struct session *s = &t->session;
	struct stroke *stroke = &t->strokes[t->nstrokes];

	if (t->nstrokes == MAX_KEYS)
		die(t, "too many keys");
	need(t, session_type(s, keys->bytes, keys->n));
	need(t, session_settle(s));
	if (s->ended || s->stopped)
		die(t, "a key ended it");
	stroke->settled = s->settled_ns - s->typed_ns;
	stroke->answer = s->output_ns ? s->output_ns - s->typed_ns : stroke->settled;
	stroke->number = t->nstrokes++;
	snprintf(stroke->word, sizeof(stroke->word), "%.*s", (int)len, word);
}

static void type_all(struct typist *t, const char *path)
{
	FILE *f = fopen(path, "re");
	char line[4096];

	if (!f)
		die(t, "no file of keys");
	while (fgets(line, sizeof(line), f)) {
		struct keystrokes keys = {0};
		const char *at = line, *before = line;

		line[strcspn(line, "\n")] = '\0';
		if (line[0] == '#')
			continue;
		while (keys_next(&keys, &t->session.emulator, &at)) {
			before += strspn(before, " ");
			press(t, &keys, before, (size_t)(at - before));
			keys = (struct keystrokes){0};
			before = at;
		}
		if (keys.error[0])
			die(t, keys.error);
	}
	fclose(f);
}

/* ---- what came of it ---- */

static int compare(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static int compare_answers(const void *a, const void *b)
{
	const struct stroke *x = a, *y = b;

	return x->answer > y->answer ? -1 : x->answer < y->answer;
}

static void print_times(const char *name, uint64_t *times, unsigned n, bool percentiles)
{
	qsort(times, n, sizeof(*times), compare);
	printf("%s %llu %llu %llu\n", name,
		(unsigned long long)(percentiles ? times[n / 2] : times[0]),
		(unsigned long long)(percentiles ? times[(n - 1) * 99 / 100] : times[n / 2]),
		(unsigned long long)times[n - 1]);
}

static void print_strokes(struct typist *t)
{
	uint64_t *times = calloc(t->nstrokes, sizeof(*times));

	if (!times)
		die(t, "no memory");
	for (unsigned i = 0; i < t->nstrokes; i++)
		times[i] = t->strokes[i].answer;
	print_times("answer", times, t->nstrokes, true);
	for (unsigned i = 0; i < t->nstrokes; i++)
		times[i] = t->strokes[i].settled;
	print_times("settled", times, t->nstrokes, true);
	printf("keys %u\n", t->nstrokes);
	qsort(t->strokes, t->nstrokes, sizeof(*t->strokes), compare_answers);
	for (unsigned i = 0; i < 10 && i < t->nstrokes; i++)
		printf("late %s %llu %llu %u\n", t->strokes[i].word,
			(unsigned long long)t->strokes[i].answer,
			(unsigned long long)t->strokes[i].settled, t->strokes[i].number);
	free(times);
}

int main(int argc, char **argv)
{
	static struct typist t;
	const char *term = getenv("TERM");
	unsigned rounds = argc == 5 ? (unsigned)strtoul(argv[1], NULL, 10) : 0;

	if (rounds < 1 || rounds > MAX_ROUNDS) {
		fprintf(stderr, "usage: typist ROUNDS KEYS BROWSE READ\n");
		return 2;
	}
	setlocale(LC_CTYPE, "C.UTF-8");
	signal(SIGPIPE, SIG_IGN);
	t.terminal = terminal_find(term ? term : "");
	t.browse = argv[3];
	t.read = argv[4];
	t.strokes = calloc(MAX_KEYS, sizeof(*t.strokes));
	if (!t.strokes || !t.terminal)
		die(&t, t.strokes ? "TERM is none that is known" : "no memory");
	for (unsigned round = 0; round < rounds; round++) {
		/* The first measurement overwrites the one that warms caches. */
		for (unsigned again = round == 0 && rounds > 1 ? 2 : 1; again > 0; again--) {
			t.reads[round] = time_of_read(&t);
			start(&t, round);
			if (round + 1 == rounds)
				type_all(&t, argv[2]);
			quit(&t);
		}
	}
	print_times("read", t.reads, rounds, false);
	print_times("start", t.starts, rounds, false);
	print_times("after", t.afters, rounds, false);
	print_times("idle", t.idles, rounds, false);
	print_strokes(&t);
	free(t.strokes);
	return 0;
}
