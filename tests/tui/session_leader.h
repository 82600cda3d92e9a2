/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session_leader: the process between, in which a program is a job of a shell. */
#ifndef TESTS_TUI_SESSION_LEADER_H
#define TESTS_TUI_SESSION_LEADER_H

/* Where the program says that it is idle */
#define SESSION_IDLE_FD 9

enum { SESSION_PID = 1, SESSION_STATUS };

struct session_event {
	int kind;
	int value; /* the program's id, or a status of waitpid() */
};

/*
 * In a child of its own: runs `command` by sh as the foreground job of the terminal `slave`, writes
 * events, and lets a stopped program go on for each byte of `orders`. `idle` -1 = there is none.
 */
__attribute__((noreturn)) void session_lead(
	int slave, int idle, int events, int orders, const char *command);

#endif
