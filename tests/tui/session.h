/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session: a program in a terminal of its own, with a leader that does what a shell does there. */
#ifndef TESTS_TUI_SESSION_H
#define TESTS_TUI_SESSION_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <termios.h>

#include "emulator.h"

#define SESSION_TIMEOUT_MS 30000

struct session {
	struct emulator emulator;
	int master, slave;  /* the slave is kept open to look at its settings */
	int idle;           /* lines of SMTOOL_IDLE_FD */
	int events, orders; /* from and to the leader */
	pid_t leader, pid;
	bool started, stopped, ended;
	int status;   /* of waitpid(), when stopped or ended */
	bool settled; /* idle, and nothing was written since */
	int quiet_ms; /* != 0: the program doesn't say when it is idle; so long silence is */
	struct termios before;
	/* Monotonic, in ns; 0 = not since session_type() */
	uint64_t typed_ns, output_ns, settled_ns;
	char error[1024];
};

/* All: false is an error, told in s->error. */

/* `command` is for sh. Doesn't wait; `quiet_ms` stays. */
bool session_start(struct session *s, const char *command, const struct terminal *terminal,
	int rows, int columns);
/* Kills what still runs. */
void session_release(struct session *s);

/* Takes what comes within `ms`. */
bool session_step(struct session *s, int ms);
/* Until the program has nothing more to do, is stopped or ended. */
bool session_settle(struct session *s);
bool session_type(struct session *s, const char *bytes, size_t len);
bool session_resize(struct session *s, int rows, int columns);
/* Until a line of the screen has `text`, and the program is idle */
bool session_wait_for(struct session *s, const char *text);
bool session_wait_for_stop(struct session *s);
bool session_wait_for_end(struct session *s);
bool session_continue(struct session *s);
bool session_signal(struct session *s, int number);
/* The terminal goes away, as when its window is closed. */
void session_hang_up(struct session *s);
/* The terminal is as it was before the program. */
bool session_is_restored(struct session *s);

uint64_t session_now(void);

#endif
