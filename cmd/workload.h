/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SMTOOL_WORKLOAD_H
#define SMTOOL_WORKLOAD_H

#include <signal.h>
#include <smtool/base.h>

/* The command that a recording runs: made ready before threads exist, let go when tracing runs. */
struct workload {
	const char *name; /* borrowed */
	pid_t pid;        /* 0 = none */
	int go, report;   /* pipes */
	bool prepared, started, ended;
	int status; /* of waitpid(), once ended */
};

/* Forks; the child waits. `mask` is the signal mask that the command gets. */
struct sm_error *workload_prepare(
	struct workload *w, char **argv, const sigset_t *mask) SM_MUST_CHECK;
/* Lets it run; an error when it can't be executed. */
struct sm_error *workload_start(struct workload *w) SM_MUST_CHECK;
/* After SIGCHLD: whether it has ended. */
bool workload_ended(struct workload *w);
/* Asks it to end, if it runs. */
void workload_terminate(struct workload *w);
/* Ends a child that was never let go; with `say`, one line on standard error tells of a failure. */
void workload_release(struct workload *w, bool say);

#endif
