/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SMTOOL_PAGER_H
#define SMTOOL_PAGER_H

#include <signal.h>
#include <smtool/base.h>

struct pager {
	int fd; /* write here */
	pid_t pid;
	struct sigaction old_int, old_quit;
};

/* Starts $SMTOOL_PAGER, $PAGER or less; false when there is none to start, or none is wanted. */
bool pager_start(struct pager *p);
/* Waits until the user leaves it. */
void pager_finish(struct pager *p);

#endif
