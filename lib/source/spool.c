/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files without a name: for pipes, and for archives that can only be decompressed from the start.
 */
#include "internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct sm_error *sm_spool_new(const char *tmpdir, int *fd)
{
	char *name;

	if (!tmpdir)
		tmpdir = "/tmp";
	*fd = open(tmpdir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (*fd >= 0)
		return NULL;
	/* Not every file system knows O_TMPFILE. */
	if (asprintf(&name, "%s/smtool-XXXXXX", tmpdir) < 0)
		return sm_error_nomem();
	*fd = mkostemp(name, O_CLOEXEC);
	if (*fd < 0) {
		int errnum = errno;

		free(name);
		return sm_error_errno(errnum, tmpdir, "cannot make a temporary file",
			"set TMPDIR to a directory that can be written to");
	}
	unlink(name);
	free(name);
	return NULL;
}

struct sm_error *sm_spool_write(int fd, const void *data, size_t len)
{
	const char *p = data;

	while (len) {
		ssize_t n = write(fd, p, len);

		if (n < 0) {
			if (errno == EINTR)
				continue;
			return sm_error_errno(errno, NULL, "cannot write a temporary file",
				"set TMPDIR to a directory with more space");
		}
		p += n;
		len -= (size_t)n;
	}
	return NULL;
}

struct sm_error *sm_spool_copy(
	int from, const char *path, const struct sm_source_opts *opts, int *fd, uint64_t *size)
{
	struct sm_error *err;
	char *buf;
	int to;

	err = sm_spool_new(opts->tmpdir, &to);
	if (err)
		return err;
	buf = malloc(SOURCE_STREAM_BUF);
	if (!buf)
		err = sm_error_nomem();
	*size = 0;
	while (!err) {
		ssize_t n = read(from, buf, SOURCE_STREAM_BUF);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == ESTALE)
			err = sm_error_new(SM_E_STALE, path, "the stack map was reset meanwhile",
				"read it again");
		else if (n < 0)
			err = sm_error_errno(errno, path, "cannot read", NULL);
		else if (!n)
			break;
		else
			err = sm_spool_write(to, buf, (size_t)n);
		if (!err)
			*size += (uint64_t)n;
		sm_progress_tick(opts->progress, "reading", *size, 0);
	}
	free(buf);
	if (err)
		close(to);
	else
		*fd = to;
	return err;
}

bool sm_spool_pread(int fd, void *buf, size_t len, uint64_t offset, size_t *got)
{
	*got = 0;
	while (*got < len) {
		ssize_t n = pread(fd, (char *)buf + *got, len - *got, (off_t)(offset + *got));

		if (n < 0) {
			if (errno == EINTR)
				continue;
			return false;
		}
		if (!n)
			break;
		*got += (size_t)n;
	}
	return true;
}
