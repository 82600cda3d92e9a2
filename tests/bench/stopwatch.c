/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * usage: stopwatch ROUNDS COMMAND [ARG]... [: COMMAND [ARG]...]...
 *
 * Runs the commands in turns, so that what else the machine does hits all of them alike, after one
 * round that warms caches and isn't counted unless ROUNDS is 1. Their stdout goes to /dev/null.
 * Prints a line for each: least, median and largest wall time and median processor time in ns, and
 * the largest resident set in KiB. Exits 1 when a command fails.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MAX_COMMANDS 8
#define MAX_ROUNDS 99

struct command {
	char **argv;
	uint64_t wall[MAX_ROUNDS], cpu[MAX_ROUNDS];
	long rss;
};

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static uint64_t time_ns(struct timeval t)
{
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_usec * 1000;
}

static void run_child(char **argv)
{
	int null = open("/dev/null", O_WRONLY);

	if (null < 0 || dup2(null, STDOUT_FILENO) < 0)
		_exit(126);
	execvp(argv[0], argv);
	fprintf(stderr, "stopwatch: can't run '%s': %s\n", argv[0], strerror(errno));
	_exit(127);
}

static int run(struct command *c, unsigned round)
{
	uint64_t begin = now();
	struct rusage used;
	int status;
	pid_t pid = fork();

	if (pid == 0)
		run_child(c->argv);
	if (pid < 0 || wait4(pid, &status, 0, &used) < 0) {
		perror("stopwatch");
		return -1;
	}
	c->wall[round] = now() - begin;
	c->cpu[round] = time_ns(used.ru_utime) + time_ns(used.ru_stime);
	if (used.ru_maxrss > c->rss)
		c->rss = used.ru_maxrss;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return 0;
	fprintf(stderr, "stopwatch: '%s' failed\n", c->argv[0]);
	return -1;
}

static int compare(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

int main(int argc, char **argv)
{
	static struct command commands[MAX_COMMANDS];
	unsigned n = 0, rounds = argc > 2 ? (unsigned)strtoul(argv[1], NULL, 10) : 0;

	if (rounds < 1 || rounds > MAX_ROUNDS) {
		fprintf(stderr, "usage: stopwatch ROUNDS COMMAND [ARG]... "
				"[: COMMAND [ARG]...]...\n");
		return 2;
	}
	for (int i = 2; i < argc && n < MAX_COMMANDS; i++) {
		commands[n++].argv = &argv[i];
		while (i < argc && strcmp(argv[i], ":") != 0)
			i++;
		argv[i] = NULL;
	}
	for (unsigned round = 0; round < rounds; round++) {
		for (unsigned i = 0; i < n; i++) {
			/* The first measurement overwrites the warming run's. */
			if (round == 0 && rounds > 1 && run(&commands[i], 0) < 0)
				return 1;
			if (run(&commands[i], round) < 0)
				return 1;
		}
	}
	for (unsigned i = 0; i < n; i++) {
		struct command *c = &commands[i];

		qsort(c->wall, rounds, sizeof(c->wall[0]), compare);
		qsort(c->cpu, rounds, sizeof(c->cpu[0]), compare);
		printf("%llu %llu %llu %llu %ld\n", (unsigned long long)c->wall[0],
			(unsigned long long)c->wall[rounds / 2],
			(unsigned long long)c->wall[rounds - 1],
			(unsigned long long)c->cpu[rounds / 2], c->rss);
	}
	return 0;
}
