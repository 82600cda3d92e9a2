/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include <curses.h>
#include <term.h>

#include "rescue.h"

static const int SIGNALS[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGSYS};
#define NSIGNALS (sizeof(SIGNALS) / sizeof(SIGNALS[0]))

/* A signal handler has no caller to get this from. */
static struct {
	int in, out;
	struct termios termios;
	char undo[512];
	size_t len;
	struct sigaction before[NSIGNALS];
	volatile sig_atomic_t armed;
} rescue;

/* Only what may be called in a handler. */
static void crash(int signum)
{
	const char *at = rescue.undo;
	size_t left = rescue.len;

	if (rescue.armed) {
		rescue.armed = 0;
		while (left) {
			ssize_t n = write(rescue.out, at, left);

			if (n <= 0)
				break;
			at += n;
			left -= (size_t)n;
		}
		tcsetattr(rescue.in, TCSANOW, &rescue.termios);
	}
	/* Whoever handled it before meets it next. */
	for (size_t i = 0; i < NSIGNALS; i++)
		if (SIGNALS[i] == signum)
			sigaction(signum, &rescue.before[i], NULL);
	raise(signum);
}

static void add(const char *text)
{
	/* Delays are for terminals of long ago. */
	for (; text && text != (char *)-1 && *text && rescue.len < sizeof(rescue.undo); text++) {
		if (text[0] == '$' && text[1] == '<' && strchr(text, '>'))
			text = strchr(text, '>');
		else
			rescue.undo[rescue.len++] = *text;
	}
}

bool rescue_knows_terminal(int out)
{
	const char *term = getenv("TERM"), *cup;
	int rc = 0;

	if (!term || !*term || setupterm(term, out, &rc) == ERR)
		return false;
	cup = tigetstr("cup");
	return cup && cup != (char *)-1;
}

bool rescue_arm(int in, int out)
{
	struct sigaction action = {.sa_handler = crash, .sa_flags = SA_ONSTACK};

	rescue.in = in;
	rescue.out = out;
	rescue.len = 0;
	if (tcgetattr(in, &rescue.termios) < 0)
		return false;
	add(tigetstr("sgr0"));
	add(tigetstr("op"));
	if (tigetstr("kmous") != (char *)-1 && tigetstr("kmous"))
		add("\033[?1006l\033[?1003l\033[?1002l\033[?1000l");
	add(tigetstr("rmkx"));
	add(tigetstr("cnorm"));
	add(tigetstr("rmcup"));
	sigemptyset(&action.sa_mask);
	/* The screen has one of its own. */
	del_curterm(cur_term);
	for (size_t i = 0; i < NSIGNALS; i++)
		sigaction(SIGNALS[i], &action, &rescue.before[i]);
	rescue.armed = 1;
	return true;
}

void rescue_disarm(void)
{
	if (!rescue.armed)
		return;
	rescue.armed = 0;
	for (size_t i = 0; i < NSIGNALS; i++)
		sigaction(SIGNALS[i], &rescue.before[i], NULL);
}
