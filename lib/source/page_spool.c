/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One CPU's compressed pages on disk. Written past the page cache where the file system can: else
 * each page written leaves the kernel a folio and buffer heads that live on, in the very capture,
 * until they would top its list of live memory.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include "internal.h"
#include "recording.h"

#define STAGE (256U << 10) /* written at once; a multiple of any block size */

static int write_stage(struct sm_spool *s)
{
	size_t done = 0, len = s->staged;
	int flags;
	ssize_t n;

	while (done < s->staged) {
		n = write(s->fd, s->stage + done, s->staged - done);
		if (n > 0) {
			done += (size_t)n;
			continue;
		}
		if (n < 0 && errno == EINTR)
			continue;
		/* Not every file system says at once that it can't, nor takes every length. */
		flags = fcntl(s->fd, F_GETFL);
		if (n < 0 && errno != EINVAL)
			return errno;
		if (flags < 0 || !(flags & O_DIRECT) || fcntl(s->fd, F_SETFL, flags & ~O_DIRECT))
			return EIO;
	}
	s->staged = 0;
	s->written += len;
	return 0;
}

static struct sm_error *spool_open(struct sm_spool *s, const char *dir)
{
	struct sm_error *err;
	int flags;

	/* Populated at once, as chunks are. */
	s->stage = mmap(NULL, STAGE, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (s->stage == MAP_FAILED) {
		s->stage = NULL;
		return sm_error_nomem();
	}
	err = sm_spool_new(dir, &s->fd);
	if (err)
		return err;
	flags = fcntl(s->fd, F_GETFL);
	if (flags >= 0)
		(void)fcntl(s->fd, F_SETFL, flags | O_DIRECT); /* where it can't be: without */
	return NULL;
}

static struct sm_error *failed(const char *dir, int errnum)
{
	return sm_error_errno(errnum, dir, "cannot keep captured pages", NULL);
}

struct sm_error *sm_page_spool_add(
	struct sm_spool *s, const char *dir, const char *data, size_t len)
{
	struct sm_error *err;
	size_t part;
	int errnum;

	if (s->fd < 0) {
		err = s->stage ? NULL : spool_open(s, dir);
		if (err && err->code == SM_E_IO) { /* in this one's own words */
			errnum = err->errnum;
			sm_error_free(err);
			return failed(dir, errnum);
		}
		if (err)
			return err;
	}
	while (len) {
		part = STAGE - s->staged < len ? STAGE - s->staged : len;
		memcpy(s->stage + s->staged, data, part);
		s->staged += part;
		data += part;
		len -= part;
		errnum = s->staged == STAGE ? write_stage(s) : 0;
		if (errnum)
			return failed(dir, errnum);
	}
	return NULL;
}

struct sm_error *sm_page_spool_end(struct sm_spool *s, const char *dir)
{
	int flags, errnum;

	if (s->fd < 0)
		return NULL;
	flags = fcntl(s->fd, F_GETFL);
	if (flags >= 0)
		(void)fcntl(s->fd, F_SETFL, flags & ~O_DIRECT);
	errnum = write_stage(s);
	return errnum ? failed(dir, errnum) : NULL;
}

size_t sm_page_spool_block(void)
{
	return STAGE;
}

struct sm_error *sm_page_spool_read(const struct sm_spool *s, const char *dir, uint64_t offset,
	uint8_t *block, const uint8_t **data, size_t *len)
{
	uint64_t start = offset / STAGE * STAGE;
	size_t got;

	*data = NULL;
	*len = 0;
	if (offset >= s->written) {
		*data = s->stage + (offset - s->written);
		*len = s->staged - (size_t)(offset - s->written);
		return NULL;
	}
	/* By whole stages, as they were written: past the page cache other reads may be refused. */
	if (!sm_spool_pread(s->fd, block, STAGE, start, &got))
		return sm_error_errno(errno, dir, "cannot read captured pages", NULL);
	if (got != STAGE)
		return sm_error_new(SM_E_TRUNCATED, dir, "captured pages cut short", NULL);
	*data = block + (offset - start);
	*len = STAGE - (size_t)(offset - start);
	return NULL;
}

bool sm_page_spool_forget(struct sm_spool *s, uint64_t offset)
{
	off_t len = (off_t)(offset / STAGE * STAGE);

	return !len || fallocate(s->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, len) == 0;
}

void sm_page_spool_release(struct sm_spool *s)
{
	if (s->fd >= 0)
		close(s->fd);
	if (s->stage)
		munmap(s->stage, STAGE);
	s->fd = -1;
	s->stage = NULL;
	s->staged = 0;
}
