/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Directories: a capture that was unpacked, or the running system. */
#include "internal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define DEBUG_TRACING "sys/kernel/debug/tracing"
#define OPEN_RETRIES 16 /* a rename meanwhile makes openat2() say EAGAIN */

/* Where `name` really is, relative to the root; owned. *path is NULL when it can't be anywhere.
 * Returns false when memory is short. */
static bool real_path(const struct sm_source *src, const char *name, char **path)
{
	size_t base = strlen(SM_TRACING);
	bool inside = !strncmp(name, SM_TRACING, base) && (!name[base] || name[base] == '/');

	*path = NULL;
	if (!inside) {
		if (!*src->tracing) /* it is a tracing directory, nothing else */
			return true;
		*path = strdup(*name ? name : ".");
		return *path != NULL;
	}
	name += base;
	if (!*src->tracing)
		*path = strdup(*name ? name + 1 : ".");
	else if (asprintf(path, "%s%s", src->tracing, name) < 0)
		*path = NULL;
	return *path != NULL;
}

/* For kernels before 5.6, and sandboxes: follows no links at all. */
static int open_without_links(int root, const char *path, int flags)
{
	int dir = root, fd = -1, errnum = 0;

	for (;;) {
		size_t len = strcspn(path, "/");
		char *part = strndup(path, len);

		if (!part) {
			errnum = ENOMEM;
			break;
		}
		fd = openat(dir, part,
			(path[len] ? O_PATH | O_DIRECTORY : flags) | O_NOFOLLOW | O_CLOEXEC);
		errnum = errno;
		free(part);
		if (dir != root)
			close(dir);
		if (fd < 0 || !path[len])
			break;
		dir = fd;
		fd = -1;
		path += len + 1;
	}
	errno = errnum;
	return fd;
}

static int open_beneath(int root, const char *path, int flags)
{
	struct open_how how = {
		.flags = (unsigned int)(flags | O_CLOEXEC),
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS,
	};
	long fd;

	for (int i = 0; i < OPEN_RETRIES; i++) {
		fd = syscall(SYS_openat2, root, path, &how, sizeof(how));
		if (fd >= 0 || errno != EAGAIN)
			break;
	}
	if (fd < 0 && (errno == ENOSYS || errno == EPERM))
		return open_without_links(root, path, flags);
	return (int)fd;
}

static int open_real(const struct sm_source *src, const char *path, int flags)
{
	if (src->kind == SM_SOURCE_LIVE)
		return openat(src->fd, path, flags | O_CLOEXEC);
	return open_beneath(src->fd, path, flags);
}

static char *message_path(const struct sm_source *src, const char *real)
{
	const char *root = src->kind == SM_SOURCE_LIVE ? "" : src->path;
	size_t len = strlen(root);
	char *path;

	while (len > 1 && root[len - 1] == '/')
		len--;
	return asprintf(&path, "%.*s%s%s", (int)len, root, len == 1 && *root == '/' ? "" : "/",
		       real) < 0
		       ? NULL
		       : path;
}

static struct sm_error *open_error(const struct sm_source *src, int errnum, const char *path)
{
	const char *hint = NULL;

	switch (errnum) {
	case ENOENT:
	case ENOTDIR:
		return sm_error_new(SM_E_MISSING, path, "no such file",
			src->kind == SM_SOURCE_LIVE ? "this kernel doesn't have it"
						    : "it isn't in the capture");
	case EXDEV:
	case ELOOP:
		return sm_error_new(
			SM_E_REFUSED, path, "refused", "a symbolic link leads out of the capture");
	case EACCES:
	case EPERM:
		if (src->kind == SM_SOURCE_LIVE)
			hint = geteuid() ? "run as root" : "the kernel may be locked down";
		break;
	case EBUSY:
		hint = "another reader has it open";
		break;
	}
	return sm_error_errno(errnum, path, "cannot open", hint);
}

struct opened {
	int fd;        /* -1: a CPU that was never online */
	uint64_t size; /* as stat tells, 0 where it doesn't */
	bool pipe;     /* a trace_pipe_raw */
	char *path;    /* for messages, owned */
};

static struct sm_error *open_member(const struct sm_source *src, const char *name, struct opened *o)
{
	const char *slash = strrchr(name, '/');
	struct sm_error *err = NULL;
	struct stat st;
	char *real;

	*o = (struct opened){.fd = -1};
	o->pipe = slash && !strcmp(slash, "/trace_pipe_raw");
	if (!real_path(src, name, &real))
		return sm_error_nomem();
	o->path = message_path(src, real ? real : name);
	if (!o->path)
		err = sm_error_nomem();
	else if (!real)
		err = open_error(src, ENOENT, o->path);
	if (err)
		goto out;
	/* Without O_NONBLOCK a fifo, or an empty trace_pipe_raw, would hang. */
	o->fd = open_real(src, real, O_RDONLY | O_NONBLOCK | O_NOCTTY);
	if (o->fd < 0) {
		if (errno != ENODEV || !o->pipe)
			err = open_error(src, errno, o->path);
		goto out;
	}
	if (fstat(o->fd, &st))
		err = sm_error_errno(errno, o->path, "cannot stat", NULL);
	else if (!S_ISREG(st.st_mode))
		err = sm_error_new(SM_E_REFUSED, o->path, "not a regular file", NULL);
	else
		o->size = (uint64_t)st.st_size;
out:
	free(real);
	if (err) {
		if (o->fd >= 0)
			close(o->fd);
		free(o->path);
	}
	return err;
}

static bool has(const struct sm_source *src, const char *name)
{
	struct stat st;
	bool found;
	char *real;
	int fd;

	if (!real_path(src, name, &real) || !real)
		return false;
	fd = open_real(src, real, O_PATH);
	free(real);
	if (fd < 0)
		return false;
	found = !fstat(fd, &st) && S_ISREG(st.st_mode);
	close(fd);
	return found;
}

/* Adds the entries of the directory `real`. */
static struct sm_error *list_real(
	const struct sm_source *src, const char *real, struct sm_names *names, size_t *cap)
{
	int fd = open_real(src, real, O_RDONLY | O_DIRECTORY), errnum = errno;
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct sm_error *err = NULL;
	struct dirent *entry;
	char *path;

	if (!dir) {
		if (fd >= 0) {
			close(fd);
			return sm_error_nomem();
		}
		if (errnum == ENOENT || errnum == ENOTDIR)
			return NULL;
		path = message_path(src, real);
		err = open_error(src, errnum, path);
		free(path);
		return err;
	}
	while (!err && (errno = 0, entry = readdir(dir))) {
		const char *name = entry->d_name;

		if (strcmp(name, ".") && strcmp(name, "..") &&
			!sm_names_add(names, cap, name, strlen(name)))
			err = sm_error_nomem();
	}
	if (!err && errno)
		err = sm_error_errno(errno, src->path, "cannot list a directory", NULL);
	closedir(dir);
	return err;
}

static struct sm_error *list(const struct sm_source *src, const char *dir, struct sm_names *names)
{
	struct sm_error *err = NULL;
	size_t cap = 0;
	char *real;

	if (!real_path(src, dir, &real))
		return sm_error_nomem();
	if (real)
		err = list_real(src, real, names, &cap);
	free(real);
	/* What leads to a tracing directory that really is elsewhere. */
	if (!err && strcmp(src->tracing, SM_TRACING) &&
		!sm_names_add_below(names, &cap, SM_TRACING, dir))
		err = sm_error_nomem();
	sm_names_sort(names);
	return err;
}

static struct sm_error *stream(
	const struct sm_source *src, const char *name, struct sm_stream **stream)
{
	struct opened o;
	struct sm_error *err = open_member(src, name, &o);

	return err ? err : sm_stream_new_fd(o.fd, o.path, o.size, o.pipe, stream);
}

static struct sm_error *read_file(
	const struct sm_source *src, const char *name, uint64_t max, struct sm_blob *blob)
{
	struct sm_stream *s;
	struct opened o;
	struct sm_error *err = open_member(src, name, &o);

	if (err)
		return err;
	/* What sysfs gives as a size is only a bound, but it maps nothing either. */
	if ((!max || o.size <= max) && o.fd >= 0 && sm_blob_load(o.fd, 0, o.size, o.path, blob)) {
		close(o.fd);
		return NULL;
	}
	err = sm_stream_new_fd(o.fd, o.path, o.size, o.pipe, &s);
	return err ? err : sm_blob_read_stream(s, max, blob);
}

static const struct source_ops directory_ops = {
	.has = has,
	.list = list,
	.read = read_file,
	.stream = stream,
};

/* Whether the directory is there with something in it, or can't be looked into. */
static bool filled(const struct sm_source *src, const char *real)
{
	struct sm_names names = {0};
	size_t cap = 0;
	struct sm_error *err = list_real(src, real, &names, &cap);
	bool yes = err || names.n;

	sm_error_free(err);
	sm_names_release(&names);
	return yes;
}

static bool exists(const struct sm_source *src, const char *real)
{
	int fd = open_real(src, real, O_PATH);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

struct sm_error *sm_directory_open(struct sm_source *src)
{
	src->kind = SM_SOURCE_DIR;
	src->ops = &directory_ops;
	src->tracing = SM_TRACING;
	if (!exists(src, "sys") && !exists(src, "proc") && !exists(src, "smtool.json") &&
		(exists(src, "events/header_page") || exists(src, "per_cpu") ||
			exists(src, "stack_map_bin")))
		src->tracing = "";
	else if (!filled(src, SM_TRACING) && filled(src, DEBUG_TRACING))
		src->tracing = DEBUG_TRACING;
	return NULL;
}

struct sm_error *sm_directory_open_live(struct sm_source *src)
{
	src->kind = SM_SOURCE_LIVE;
	src->ops = &directory_ops;
	src->tracing = SM_TRACING;
	if (!filled(src, SM_TRACING) && filled(src, DEBUG_TRACING))
		src->tracing = DEBUG_TRACING;
	return NULL;
}
