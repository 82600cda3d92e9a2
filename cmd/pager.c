/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pager.h"

extern char **environ;

/* -F: leave when all fits one screen, -R: pass colours, -X: leave it on the screen. */
#define DEFAULT_PAGER "if command -v less >/dev/null; then exec less -FRX; else exec cat; fi"

static const char *pager_command(void)
{
	const char *command = getenv("SMTOOL_PAGER");

	if (!command)
		command = getenv("PAGER");
	if (!command)
		return DEFAULT_PAGER;
	return *command && strcmp(command, "cat") ? command : NULL;
}

bool pager_start(struct pager *p)
{
	const char *command = pager_command();
	char *argv[] = {(char *)"sh", (char *)"-c", (char *)command, NULL};
	struct sigaction ignore = {.sa_handler = SIG_IGN};
	posix_spawn_file_actions_t actions;
	int fds[2];
	bool ok;

	if (!command || pipe2(fds, O_CLOEXEC))
		return false;
	/* A PAGER that is plain "less" then does the same as ours. */
	setenv("LESS", "FRX", 0);
	ok = !posix_spawn_file_actions_init(&actions);
	if (ok) {
		ok = !posix_spawn_file_actions_adddup2(&actions, fds[0], STDIN_FILENO) &&
		     !posix_spawn(&p->pid, "/bin/sh", &actions, NULL, argv, environ);
		posix_spawn_file_actions_destroy(&actions);
	}
	close(fds[0]);
	if (!ok) {
		close(fds[1]);
		return false;
	}
	p->fd = fds[1];
	/* Ctrl-C is the pager's while it has the terminal: were we to die of it, two would read
	 * there. */
	sigaction(SIGINT, &ignore, &p->old_int);
	sigaction(SIGQUIT, &ignore, &p->old_quit);
	return true;
}

void pager_finish(struct pager *p)
{
	int status;

	close(p->fd);
	p->fd = -1;
	while (waitpid(p->pid, &status, 0) < 0 && errno == EINTR)
		;
	sigaction(SIGINT, &p->old_int, NULL);
	sigaction(SIGQUIT, &p->old_quit, NULL);
}
