// SPDX-License-Identifier: GPL-2.0
/*
 * Tasks for the tests of the function graph tracer's shadow stacks.
 *
 * idle N: N threads that do nothing, 10000 in a process. Prints "ready".
 *
 * churn: births and deaths without end, of processes and threads, with an exec in a thread and with
 * a pid namespace.
 *
 * late FIFO: a fork that stops in the middle, in a page fault, until somebody opens FIFO. Prints
 * "stopped", then "linked" when the child is there. Both stay.
 *
 * write TEXT FILE: prints how many seconds the write() took, and its error.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PER_PROCESS 10000
/* A thread that only calls into the kernel needs no more. */
#define STACK 1024
#define THREAD_FLAGS \
	(CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM)

static _Noreturn void die(const char *what)
{
	perror(what);
	_exit(1);
}

static _Noreturn void pause_forever(void)
{
	for (;;)
		syscall(SYS_pause);
}

static int idle_thread(void *arg)
{
	(void)arg;
	pause_forever();
}

static int short_thread(void *arg)
{
	struct timespec time = {.tv_nsec = (long)(uintptr_t)arg};

	syscall(SYS_nanosleep, &time, NULL);
	syscall(SYS_exit, 0);
	return 0;
}

/* The thread group's number moves to this thread. */
static int exec_thread(void *arg)
{
	char *argv[] = {"fgraph_threads", "nothing", NULL};

	(void)arg;
	execv("/proc/self/exe", argv);
	return 1;
}

static char *stacks(size_t n, size_t size)
{
	char *p = mmap(NULL, n * size, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED)
		die("mmap");
	return p;
}

static _Noreturn void idle(size_t n)
{
	size_t i, part;
	char *stack, done;
	int ready[2];

	while (n) {
		part = n < PER_PROCESS ? n : PER_PROCESS;
		if (pipe(ready))
			die("pipe");
		switch (fork()) {
		case -1:
			die("fork");
		case 0:
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			stack = stacks(part, STACK);
			/* The process itself is one of them. */
			for (i = 1; i < part; i++) {
				if (clone(idle_thread, stack + i * STACK, THREAD_FLAGS, NULL) < 0)
					die("clone");
			}
			if (write(ready[1], "", 1) != 1)
				die("write");
			pause_forever();
		}
		close(ready[1]);
		if (read(ready[0], &done, 1) != 1)
			die("thread");
		close(ready[0]);
		n -= part;
	}
	puts("ready");
	fflush(stdout);
	pause_forever();
}

static _Noreturn void one_life(unsigned int round)
{
	char *stack = stacks(16, 16384);
	uintptr_t i;

	for (i = 1; i < 8; i++)
		clone(short_thread, stack + i * 16384, THREAD_FLAGS, (void *)(i * 100000));
	switch (round % 4) {
	case 0:
		clone(exec_thread, stack + 9 * 16384, THREAD_FLAGS, NULL);
		pause_forever();
	case 1:
		if (!unshare(CLONE_NEWPID) && !fork())
			_exit(0);
		wait(NULL);
	}
	_exit(0);
}

static _Noreturn void churn(void)
{
	unsigned int round, i;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (round = 0;; round++) {
		for (i = 0; i < 4; i++) {
			if (!fork())
				one_life(round + i);
		}
		while (wait(NULL) > 0)
			;
	}
}

struct late {
	int *pidfd;
	char stack[65536];
};

static int late_fork(void *arg)
{
	struct late *late = arg;

	/* The kernel stores the descriptor half-way through, before the child is in any list. */
	if (!syscall(SYS_clone, CLONE_PIDFD | SIGCHLD, NULL, late->pidfd, NULL, NULL))
		pause_forever();
	puts("linked");
	fflush(stdout);
	pause_forever();
}

static _Noreturn void late(const char *fifo)
{
	static struct late late;
	struct uffdio_api api = {.api = UFFD_API};
	struct uffdio_register reg = {.mode = UFFDIO_REGISTER_MODE_MISSING};
	struct uffdio_zeropage zero = {};
	struct uffd_msg msg;
	char *page = stacks(1, 4096);
	int uffd;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	uffd = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
	if (uffd < 0)
		die("userfaultfd");
	reg.range.start = (uintptr_t)page;
	reg.range.len = 4096;
	if (ioctl(uffd, UFFDIO_API, &api) || ioctl(uffd, UFFDIO_REGISTER, &reg))
		die("userfaultfd");
	late.pidfd = (int *)page;
	if (clone(late_fork, late.stack + sizeof(late.stack) - 64, THREAD_FLAGS, &late) < 0)
		die("clone");
	if (read(uffd, &msg, sizeof(msg)) != sizeof(msg) || msg.event != UFFD_EVENT_PAGEFAULT)
		die("no page fault");
	puts("stopped");
	fflush(stdout);
	if (open(fifo, O_RDONLY) < 0)
		die(fifo);
	zero.range = reg.range;
	if (ioctl(uffd, UFFDIO_ZEROPAGE, &zero))
		die("zeropage");
	pause_forever();
}

static int timed_write(const char *text, const char *file)
{
	struct timespec from, to;
	int fd = open(file, O_WRONLY | O_TRUNC), error;

	if (fd < 0)
		die(file);
	clock_gettime(CLOCK_MONOTONIC, &from);
	error = write(fd, text, strlen(text)) < 0 ? errno : 0;
	clock_gettime(CLOCK_MONOTONIC, &to);
	printf("%.4f %s\n",
		(double)(to.tv_sec - from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec) / 1e9,
		error ? strerrorname_np(error) : "ok");
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "idle"))
		idle(strtoul(argv[2], NULL, 0));
	if (argc == 2 && !strcmp(argv[1], "churn"))
		churn();
	if (argc == 3 && !strcmp(argv[1], "late"))
		late(argv[2]);
	if (argc == 4 && !strcmp(argv[1], "write"))
		return timed_write(argv[2], argv[3]);
	if (argc == 2 && !strcmp(argv[1], "nothing"))
		return 0;
	fputs("usage: fgraph_threads idle N | churn | late FIFO | write TEXT FILE\n", stderr);
	return 2;
}
