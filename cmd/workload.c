/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "workload.h"

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* In the child. */
static _Noreturn void run_child(int go, int report, char **argv, const sigset_t *mask)
{
	int errnum;
	ssize_t n;
	char c;

	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
	sigprocmask(SIG_SETMASK, mask, NULL);
	do
		n = read(go, &c, 1);
	while (n < 0 && errno == EINTR);
	if (n != 1)
		_exit(126); /* not let go: nobody looks */
	execvp(argv[0], argv);
	errnum = errno;
	if (write(report, &errnum, sizeof(errnum)) < 0)
		_exit(126);
	_exit(127);
}

struct sm_error *workload_prepare(struct workload *w, char **argv, const sigset_t *mask)
{
	int go[2] = {-1, -1}, report[2] = {-1, -1};
	int errnum;

	*w = (struct workload){.name = argv[0], .go = -1, .report = -1, .prepared = true};
	if (pipe2(go, O_CLOEXEC) || pipe2(report, O_CLOEXEC))
		goto fail;
	w->pid = fork();
	if (w->pid < 0)
		goto fail;
	if (w->pid == 0) {
		/* Its own copy of the other end would keep it waiting for ever. */
		close(go[1]);
		run_child(go[0], report[1], argv, mask);
	}
	close(go[0]);
	close(report[1]);
	w->go = go[1];
	w->report = report[0];
	return NULL;
fail:
	errnum = errno;
	w->pid = 0;
	close_fd(&go[0]);
	close_fd(&go[1]);
	close_fd(&report[0]);
	close_fd(&report[1]);
	return sm_error_errno(errnum, argv[0], "can't start", NULL);
}

struct sm_error *workload_start(struct workload *w)
{
	int errnum = 0;
	ssize_t n;

	/* SIGPIPE is ignored: a child that was killed meanwhile shows as one that has ended. */
	if (write(w->go, "", 1) < 0)
		errnum = errno;
	close_fd(&w->go);
	w->started = true;
	if (errnum && errnum != EPIPE)
		return sm_error_errno(errnum, w->name, "can't start", NULL);
	do
		n = read(w->report, &errnum, sizeof(errnum));
	while (n < 0 && errno == EINTR);
	close_fd(&w->report);
	if (n != sizeof(errnum))
		return NULL; /* closed by a successful exec */
	waitpid(w->pid, NULL, 0);
	w->pid = 0;
	return sm_error_errno(errnum, w->name, "can't run", NULL);
}

bool workload_ended(struct workload *w)
{
	if (w->pid > 0 && waitpid(w->pid, &w->status, WNOHANG) == w->pid) {
		w->pid = 0;
		w->ended = true;
	}
	return w->ended;
}

void workload_terminate(struct workload *w)
{
	if (w->pid > 0 && !workload_ended(w))
		kill(w->pid, SIGTERM);
}

void workload_release(struct workload *w, bool say)
{
	if (!w->prepared)
		return;
	close_fd(&w->go);
	close_fd(&w->report);
	if (w->pid > 0 && !w->started)
		waitpid(w->pid, NULL, 0);
	if (!w->ended || !say)
		return;
	if (WIFEXITED(w->status) && WEXITSTATUS(w->status))
		fprintf(stderr, "smtool record: '%s' exited with status %d\n", w->name,
			WEXITSTATUS(w->status));
	else if (WIFSIGNALED(w->status))
		fprintf(stderr, "smtool record: '%s' was killed by signal %d (%s)\n", w->name,
			WTERMSIG(w->status), strsignal(WTERMSIG(w->status)));
}
