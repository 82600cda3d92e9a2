/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Opening: which kind of source something is. */
#include "internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * The first bytes. A file of the kernel's without a size is read from its beginning: the offsets of
 * page_owner are page frame numbers, and it refuses a read that has no room for a whole block.
 */
static bool read_head(const struct sm_source *src, uint8_t *head, size_t *len)
{
	uint8_t *block;
	ssize_t n;

	if (src->size)
		return sm_spool_pread(src->fd, head, CONTENT_HEAD, 0, len);
	block = malloc(SOURCE_STREAM_BUF);
	*len = 0;
	errno = ENOMEM;
	n = block ? read(src->fd, block, SOURCE_STREAM_BUF) : -1;
	if (n > 0) {
		*len = (size_t)n < CONTENT_HEAD ? (size_t)n : CONTENT_HEAD;
		memcpy(head, block, *len);
	}
	free(block);
	return n >= 0;
}

/* A file whose size is known, in src->fd. */
static struct sm_error *open_by_content(struct sm_source *src)
{
	uint8_t head[CONTENT_HEAD];
	enum content content;
	struct sm_error *err;
	size_t len;

	if (!read_head(src, head, &len))
		return sm_error_errno(errno, src->path, "cannot read", NULL);
	err = sm_content_detect(head, len, src->path, &content);
	if (err)
		return err;
	switch (content) {
	case CONTENT_TAR:
		return sm_tar_archive_open(src);
	case CONTENT_ZSTD:
		return sm_zstd_archive_open(src);
	case CONTENT_MAP:
		sm_bare_file_open(src, SM_SOURCE_MAP, SM_MEMBER_MAP);
		return NULL;
	case CONTENT_TEXT:
		sm_bare_file_open(src, SM_SOURCE_TEXT, sm_kernel_text_member(head, len));
		return NULL;
	case CONTENT_DAT:
		return sm_dat_open(src);
	case CONTENT_NONE:
		break;
	}
	return sm_error_new(SM_E_FORMAT, src->path, "not a capture", NULL);
}

/* Puts what src->fd gives into a file that can be read at any place. */
static struct sm_error *open_spooled(struct sm_source *src)
{
	struct sm_error *err;
	int fd;

	err = sm_spool_copy(src->fd, src->path, &src->opts, &fd, &src->size);
	if (err)
		return err;
	close(src->fd);
	src->fd = fd;
	return open_by_content(src);
}

static struct sm_error *open_fd(struct sm_source *src, bool is_stdin)
{
	struct stat st;

	if (fstat(src->fd, &st))
		return sm_error_errno(errno, src->path, "cannot stat", NULL);
	if (S_ISDIR(st.st_mode))
		return sm_directory_open(src);
	if (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode))
		return open_spooled(src);
	if (!S_ISREG(st.st_mode))
		return sm_error_new(SM_E_FORMAT, src->path,
			isatty(src->fd) ? "a terminal" : "a device",
			"want a capture, a trace.dat or a stack_map_bin");
	src->size = (uint64_t)st.st_size;
	/* From the middle of a file, or from one of the kernel's whose name isn't known. */
	if (is_stdin && (!src->size || lseek(src->fd, 0, SEEK_CUR) > 0))
		return open_spooled(src);
	return open_by_content(src);
}

static struct sm_error *open_path(struct sm_source *src, const char *path)
{
	bool is_stdin = path && !strcmp(path, "-");

	if (is_stdin)
		src->fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
	else
		src->fd = open(path ? path : "/", O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (src->fd < 0 && (errno == ENOENT || errno == ENOTDIR))
		return sm_error_new(SM_E_MISSING, src->path, "no such file", NULL);
	if (src->fd < 0)
		return sm_error_errno(errno, src->path, "cannot open", NULL);
	return path ? open_fd(src, is_stdin) : sm_directory_open_live(src);
}

struct sm_error *sm_source_open(
	const char *path, const struct sm_source_opts *opts, struct sm_source **out)
{
	struct sm_source *src = calloc(1, sizeof(*src));
	struct sm_error *err;

	if (!src)
		return sm_error_nomem();
	src->fd = -1;
	if (opts)
		src->opts = *opts;
	src->path = strdup(!path ? "running kernel" : !strcmp(path, "-") ? "<stdin>" : path);
	err = src->path ? open_path(src, path) : sm_error_nomem();
	src->opts.tmpdir = NULL;
	if (err)
		sm_source_free(src);
	else
		*out = src;
	return err;
}

void sm_source_free(struct sm_source *src)
{
	if (!src)
		return;
	if (src->map)
		munmap((void *)src->map, (size_t)src->size);
	if (src->fd >= 0)
		close(src->fd);
	sm_members_release(&src->members);
	sm_dat_free(src->dat);
	sm_error_free(src->damage);
	free(src->path);
	free(src);
}

enum sm_source_kind sm_source_kind(const struct sm_source *src)
{
	return src->kind;
}

const char *sm_source_path(const struct sm_source *src)
{
	return src->path;
}

const struct sm_error *sm_source_damage(const struct sm_source *src)
{
	return src->damage;
}

static struct sm_error *bad_name(const struct sm_source *src, const char *name)
{
	return sm_error_new(SM_E_MISSING, src->path, "not in the capture",
		"'%s' can't be the name of a member", name);
}

bool sm_source_has(const struct sm_source *src, const char *name)
{
	return sm_names_valid(name) && src->ops->has(src, name);
}

struct sm_error *sm_source_list(
	const struct sm_source *src, const char *dir, struct sm_names *names)
{
	struct sm_error *err;

	*names = (struct sm_names){0};
	if (*dir && !sm_names_valid(dir))
		return NULL;
	err = src->ops->list(src, dir, names);
	if (err)
		sm_names_release(names);
	return err;
}

struct sm_error *sm_source_read(
	const struct sm_source *src, const char *name, uint64_t max, struct sm_blob *blob)
{
	*blob = (struct sm_blob){0};
	if (!sm_names_valid(name))
		return bad_name(src, name);
	return src->ops->read(src, name, max, blob);
}

struct sm_error *sm_source_stream(
	const struct sm_source *src, const char *name, struct sm_stream **stream)
{
	*stream = NULL;
	if (!sm_names_valid(name))
		return bad_name(src, name);
	return src->ops->stream(src, name, stream);
}
