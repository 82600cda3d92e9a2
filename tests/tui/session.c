/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "session.h"
#include "session_leader.h"

__attribute__((format(printf, 2, 3))) static bool fail(struct session *s, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(s->error, sizeof(s->error), fmt, ap);
	va_end(ap);
	return false;
}

uint64_t session_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static bool open_terminal(struct session *s, int rows, int columns)
{
	struct winsize size = {.ws_row = (unsigned short)rows, .ws_col = (unsigned short)columns};
	const char *path;

	s->master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
	if (s->master < 0 || grantpt(s->master) || unlockpt(s->master))
		return fail(s, "no terminal: %s", strerror(errno));
	path = ptsname(s->master);
	s->slave = path ? open(path, O_RDWR | O_NOCTTY | O_CLOEXEC) : -1;
	if (s->slave < 0 || ioctl(s->slave, TIOCSWINSZ, &size) < 0 ||
		tcgetattr(s->slave, &s->before) < 0)
		return fail(s, "no terminal: %s", strerror(errno));
	return true;
}

void session_release(struct session *s)
{
	if (!s->started)
		return;
	if (s->pid > 0 && !s->ended)
		kill(-s->pid, SIGKILL);
	kill(s->leader, SIGKILL);
	waitpid(s->leader, NULL, 0);
	close_fd(&s->master);
	close_fd(&s->slave);
	close_fd(&s->idle);
	close_fd(&s->events);
	close_fd(&s->orders);
	emulator_release(&s->emulator);
	*s = (struct session){.quiet_ms = s->quiet_ms};
}

/* ---- what comes ---- */

static bool take_idle(struct session *s)
{
	char data[256];
	bool any = false;
	ssize_t n;

	while ((n = read(s->idle, data, sizeof(data))) > 0)
		any = any || memchr(data, '\n', (size_t)n);
	if (n == 0)
		close_fd(&s->idle);
	return any;
}

/* A poll or read of a master waits for what the kernel still moves there from the slave. */
static bool take_output(struct session *s, bool *any)
{
	char data[65536];
	ssize_t n;

	/* A program that never stops writing doesn't keep it here. */
	for (int i = 0; i < 10000 && s->master >= 0; i++) {
		n = read(s->master, data, sizeof(data));
		if (n <= 0)
			break;
		if (!s->output_ns)
			s->output_ns = session_now();
		*any = true;
		if (!emulator_write(&s->emulator, data, (size_t)n))
			return fail(s, "%s", s->emulator.error);
	}
	return true;
}

static void take_events(struct session *s)
{
	struct session_event event;

	while (read(s->events, &event, sizeof(event)) == (ssize_t)sizeof(event)) {
		if (event.kind == SESSION_PID) {
			s->pid = event.value;
			continue;
		}
		s->status = event.value;
		s->stopped = WIFSTOPPED(event.value);
		s->ended = !s->stopped;
	}
}

bool session_step(struct session *s, int ms)
{
	struct pollfd fds[] = {
		{.fd = s->idle, .events = POLLIN},
		{.fd = s->master, .events = POLLIN},
		{.fd = s->events, .events = POLLIN},
	};
	bool idle = false, output = false;

	/* Nobody else reports what the leader can't. */
	if (!s->started)
		return fail(s, "nothing runs");
	if (poll(fds, 3, ms) < 0 && errno != EINTR)
		return fail(s, "poll: %s", strerror(errno));
	/* In this order: what was written before these was written to the terminal before. */
	if (s->idle >= 0 && fds[0].revents)
		idle = take_idle(s);
	if (fds[2].revents)
		take_events(s);
	if (!take_output(s, &output))
		return false;
	if (idle) {
		s->settled = true;
		s->settled_ns = session_now();
	} else if (output) {
		s->settled = false;
	}
	return true;
}

static bool is_late(uint64_t begin)
{
	return session_now() - begin > (uint64_t)SESSION_TIMEOUT_MS * 1000000;
}

static bool wait_for_pid(struct session *s)
{
	uint64_t begin = session_now();

	while (!s->pid) {
		if (!session_step(s, 100))
			return false;
		if (is_late(begin))
			return fail(s, "it doesn't start");
	}
	return true;
}

bool session_start(struct session *s, const char *command, const struct terminal *terminal,
	int rows, int columns)
{
	int idle[2] = {-1, -1}, events[2] = {-1, -1}, orders[2] = {-1, -1};
	bool ok;

	*s = (struct session){.quiet_ms = s->quiet_ms,
		.master = -1,
		.slave = -1,
		.idle = -1,
		.events = -1,
		.orders = -1};
	if (!open_terminal(s, rows, columns))
		return false;
	if (!emulator_init(&s->emulator, terminal, rows, columns))
		return fail(s, "no memory");
	ok = pipe2(idle, O_CLOEXEC | O_NONBLOCK) == 0 && pipe2(events, O_CLOEXEC) == 0 &&
	     pipe2(orders, O_CLOEXEC) == 0 && fcntl(events[0], F_SETFL, O_NONBLOCK) == 0;
	s->idle = idle[0];
	s->events = events[0];
	s->orders = orders[1];
	fflush(NULL);
	s->typed_ns = session_now();
	s->leader = ok ? fork() : -1;
	if (s->leader == 0) {
		close(s->master);
		close(s->idle);
		close(s->events);
		close(s->orders);
		session_lead(s->slave, s->quiet_ms ? -1 : idle[1], events[1], orders[0], command);
	}
	s->started = s->leader > 0;
	close_fd(&idle[1]);
	close_fd(&events[1]);
	close_fd(&orders[0]);
	if (!s->started)
		return fail(s, "can't start a process: %s", strerror(errno));
	return wait_for_pid(s);
}

/* Typed, but not yet read by the program; a poll waits for what the kernel still moves there. */
static bool input_waits(struct session *s)
{
	struct pollfd fd = {.fd = s->slave, .events = POLLIN};
	int n = 0;

	return poll(&fd, 1, 0) > 0 && ioctl(s->slave, FIONREAD, &n) == 0 && n > 0;
}

static bool settle_quietly(struct session *s)
{
	uint64_t begin = session_now(), last = begin;

	while (!s->ended && !s->stopped && session_now() - last < (uint64_t)s->quiet_ms * 1000000) {
		s->output_ns = 0;
		if (!session_step(s, s->quiet_ms))
			return false;
		if (s->output_ns)
			last = s->output_ns;
		if (is_late(begin))
			return fail(s, "it doesn't become quiet");
	}
	return true;
}

bool session_settle(struct session *s)
{
	uint64_t begin = session_now();

	if (s->quiet_ms)
		return settle_quietly(s);
	for (;;) {
		if (!session_step(s, s->settled ? 0 : 100))
			return false;
		if (s->ended || s->stopped)
			return session_step(s, 0);
		/* A line from before it saw the keys */
		if (s->settled && input_waits(s))
			s->settled = false;
		if (s->settled)
			return true;
		if (is_late(begin))
			return fail(s, "it doesn't come to rest");
	}
}

bool session_wait_for(struct session *s, const char *text)
{
	uint64_t begin = session_now();

	while (!emulator_contains(&s->emulator, text) || !(s->settled || s->quiet_ms)) {
		if (!session_step(s, 100))
			return false;
		if (s->ended)
			return fail(s, "it ended before '%s' was shown", text);
		if (is_late(begin))
			return fail(s, "'%s' isn't shown", text);
	}
	return !s->quiet_ms || session_settle(s);
}

static bool wait_for_either(struct session *s, const bool *what, const char *why)
{
	uint64_t begin = session_now();

	while (!*what) {
		if (!session_step(s, 100))
			return false;
		if (is_late(begin) || (s->ended && what != &s->ended))
			return fail(s, "%s", why);
	}
	return session_step(s, 0);
}

bool session_wait_for_stop(struct session *s)
{
	return wait_for_either(s, &s->stopped, "it doesn't stop");
}

bool session_wait_for_end(struct session *s)
{
	return wait_for_either(s, &s->ended, "it doesn't end");
}

/* ---- what goes ---- */

/* What it says from here on answers what is done now. */
static bool begin_answer(struct session *s)
{
	if (!session_step(s, 0))
		return false;
	s->settled = false;
	s->output_ns = s->settled_ns = 0;
	s->typed_ns = session_now();
	return true;
}

bool session_type(struct session *s, const char *bytes, size_t len)
{
	uint64_t begin = session_now();

	if (!begin_answer(s))
		return false;
	if (s->ended || s->stopped)
		return fail(s, "it %s", s->ended ? "has ended" : "is stopped");
	while (len) {
		ssize_t n = write(s->master, bytes, len);

		if (n > 0) {
			bytes += n;
			len -= (size_t)n;
		} else if (errno != EAGAIN && errno != EINTR) {
			return fail(s, "can't type: %s", strerror(errno));
		} else if (!session_step(s, 1)) {
			return false;
		}
		if (is_late(begin))
			return fail(s, "it doesn't read what is typed");
	}
	return true;
}

bool session_resize(struct session *s, int rows, int columns)
{
	struct winsize size = {.ws_row = (unsigned short)rows, .ws_col = (unsigned short)columns};

	if (!begin_answer(s))
		return false;
	if (!emulator_resize(&s->emulator, rows, columns) ||
		ioctl(s->master, TIOCSWINSZ, &size) < 0)
		return fail(s, "can't change the size");
	return true;
}

bool session_signal(struct session *s, int number)
{
	if (!begin_answer(s))
		return false;
	if (s->pid <= 0 || s->ended)
		return fail(s, "nothing runs");
	return kill(s->pid, number) == 0 || fail(s, "can't send a signal: %s", strerror(errno));
}

bool session_continue(struct session *s)
{
	if (!s->stopped)
		return fail(s, "it isn't stopped");
	if (!begin_answer(s))
		return false;
	s->stopped = false;
	return write(s->orders, "c", 1) == 1 || fail(s, "can't let it continue");
}

void session_hang_up(struct session *s)
{
	session_step(s, 0);
	close_fd(&s->slave);
	close_fd(&s->master);
}

bool session_is_restored(struct session *s)
{
	const struct termios *then = &s->before;
	struct termios now;
	char differences[512];

	if (s->slave < 0)
		return true;
	if (emulator_differs(&s->emulator, differences, sizeof(differences)))
		return fail(s, "the terminal isn't as it was: %s", differences);
	if (tcgetattr(s->slave, &now) < 0)
		return fail(s, "the terminal's settings: %s", strerror(errno));
	if (now.c_iflag != then->c_iflag || now.c_oflag != then->c_oflag ||
		now.c_cflag != then->c_cflag || now.c_lflag != then->c_lflag ||
		memcmp(now.c_cc, then->c_cc, sizeof(now.c_cc)) != 0)
		return fail(s, "the terminal's settings (stty) aren't as they were");
	return true;
}
