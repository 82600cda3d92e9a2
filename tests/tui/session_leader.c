/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "session_leader.h"

/* For a signal handler, which has no caller to get it from */
static volatile pid_t job;

/* A shell tells its jobs that the terminal went away. */
static void pass_on(int signum)
{
	int before = errno;

	if (job > 0)
		kill(-job, signum);
	errno = before;
}

/*
 * A process group without a parent in its session is an orphan, which SIGTSTP doesn't stop; and one
 * that isn't in the foreground is stopped by what it does to the terminal.
 */
__attribute__((noreturn)) static void run(int slave, int idle, const char *command)
{
	char number[16];

	setpgid(0, 0);
	tcsetpgrp(slave, getpid());
	signal(SIGTTOU, SIG_DFL);
	signal(SIGHUP, SIG_DFL);
	signal(SIGPIPE, SIG_DFL);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (int fd = 0; fd < 3; fd++)
		if (dup2(slave, fd) < 0)
			_exit(126);
	if (idle >= 0) {
		snprintf(number, sizeof(number), "%d", SESSION_IDLE_FD);
		setenv("SMTOOL_IDLE_FD", number, 1);
		if (dup2(idle, SESSION_IDLE_FD) < 0)
			_exit(126);
		fcntl(SESSION_IDLE_FD, F_SETFD, 0);
	} else {
		unsetenv("SMTOOL_IDLE_FD");
	}
	execl("/bin/sh", "sh", "-c", command, NULL);
	_exit(127);
}

static void tell(int events, int kind, int value)
{
	struct session_event event = {kind, value};

	if (write(events, &event, sizeof(event)) != (ssize_t)sizeof(event))
		_exit(1);
}

void session_lead(int slave, int idle, int events, int orders, const char *command)
{
	struct sigaction hangup = {.sa_handler = pass_on, .sa_flags = SA_RESTART};
	int status;
	char order;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGTTOU, SIG_IGN);
	sigaction(SIGHUP, &hangup, NULL);
	if (setsid() < 0 || ioctl(slave, TIOCSCTTY, 0) < 0)
		_exit(1);
	job = fork();
	if (job < 0)
		_exit(1);
	if (job == 0)
		run(slave, idle, command);
	if (idle >= 0)
		close(idle);
	tell(events, SESSION_PID, job);
	while (waitpid(job, &status, WUNTRACED) == job && WIFSTOPPED(status)) {
		tcsetpgrp(slave, getpid());
		tell(events, SESSION_STATUS, status);
		if (read(orders, &order, 1) != 1)
			_exit(1);
		tcsetpgrp(slave, job);
		kill(-job, SIGCONT);
	}
	job = 0;
	tell(events, SESSION_STATUS, status);
	/* With its end the terminal would go away, that is still to be looked at. */
	while (read(orders, &order, 1) > 0)
		;
	_exit(0);
}
