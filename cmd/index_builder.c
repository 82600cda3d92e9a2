/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "index_builder.h"

#define LOWEST_PRIORITY 19

void index_builder_note(struct cli *cli, const struct sm_symbols *syms)
{
	const char *vmlinux = syms ? sm_symbols_unindexed(syms) : NULL;

	if (!vmlinux)
		return;
	pthread_mutex_lock(&cli->lock);
	if (!cli->missed_index)
		cli->missed_index = realpath(vmlinux, NULL);
	pthread_mutex_unlock(&cli->lock);
}

/* The lock is the builder's as long as it has the file open, and goes with it. -1 = somebody
 * builds, or nothing can be written there. */
static int lock_cache(const char *cache)
{
	char *path;
	int fd;

	if (!sm_make_folders(cache) || asprintf(&path, "%s/building", cache) < 0)
		return -1;
	fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW, 0600);
	free(path);
	if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) != 0) {
		close(fd);
		return -1;
	}
	return fd;
}

/* In the grandchild: the command's files are closed but for the lock. */
static void become_builder(const char *vmlinux, int lock)
{
	int null = open("/dev/null", O_RDWR);

	if (null < 0 || dup2(null, 0) < 0 || dup2(null, 1) < 0 || dup2(null, 2) < 0)
		_exit(1);
	if (dup2(lock, 3) < 0)
		_exit(1);
#ifdef SYS_close_range
	(void)syscall(SYS_close_range, 4U, ~0U, 0U); /* since Linux 5.9 */
#endif
	setsid();
	(void)!nice(LOWEST_PRIORITY);
	execl("/proc/self/exe", "smtool", "symbolize", "-q", "--build-index", vmlinux,
		(char *)NULL);
	_exit(1);
}

void index_builder_start(const struct cli *cli)
{
	pid_t pid;
	int lock;

	if (!cli->missed_index || !cli->symbols.cache)
		return;
	lock = lock_cache(cli->symbols.cache);
	if (lock < 0)
		return;
	/* Twice, so that it is nobody's child: this process ends now, but a caller of its own main
	 * would have to wait for it. */
	pid = fork();
	if (pid == 0) {
		if (fork() == 0)
			become_builder(cli->missed_index, lock);
		_exit(0);
	}
	if (pid > 0)
		waitpid(pid, NULL, 0);
	close(lock);
}
