/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "output_file.h"

static void release(struct output_file *f)
{
	if (f->fd >= 0)
		close(f->fd);
	free(f->path);
	free(f->final);
	free(f->temporary);
	*f = (struct output_file){.fd = -1};
}

/* A name beside `final` that the n-th try takes. */
static char *temporary_name(const char *final, unsigned n)
{
	const char *slash = strrchr(final, '/');
	int dir_len = slash ? (int)(slash - final) + 1 : 0;
	char *name;

	/* The name is cut so that it stays valid when the final one is as long as can be. */
	if (asprintf(&name, "%.*s.%.200s.%ld.%u.tmp", dir_len, final, final + dir_len,
		    (long)getpid(), n) < 0)
		return NULL;
	return name;
}

#define MAX_TRIES 100

static struct sm_error *open_named(struct output_file *f)
{
	for (unsigned n = 0; n < MAX_TRIES; n++) {
		free(f->temporary);
		f->temporary = temporary_name(f->final, n);
		if (!f->temporary)
			return sm_error_nomem();
		f->fd = open(f->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (f->fd >= 0)
			return NULL;
		if (errno != EEXIST)
			break;
	}
	free(f->temporary);
	f->temporary = NULL;
	return sm_error_errno(errno, f->path, "can't create output file", NULL);
}

static struct sm_error *open_unnamed(struct output_file *f)
{
	char *dir = strdup(f->final), *slash;

	if (!dir)
		return sm_error_nomem();
	slash = strrchr(dir, '/');
	if (slash)
		slash[slash == dir] = '\0';
	f->fd = open(slash ? dir : ".", O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666);
	free(dir);
	/* Giving it a name takes /proc. */
	if (f->fd >= 0 && access("/proc/self/fd", X_OK)) {
		close(f->fd);
		f->fd = -1;
	}
	return f->fd >= 0 ? NULL : open_named(f);
}

static struct sm_error *exists_already(const char *path, const char *keep)
{
	return sm_error_new(SM_E_REFUSED, path, "output file exists", "%s", keep);
}

struct sm_error *output_file_check(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode) ? exists_already(path, OUTPUT_FILE_FORCE)
						       : NULL;
}

struct sm_error *output_file_open(struct output_file *f, const char *path, const char *keep)
{
	struct sm_error *err;
	struct stat st;
	bool exists;

	*f = (struct output_file){.fd = -1, .keep = keep};
	exists = !stat(path, &st);
	if (exists && keep && S_ISREG(st.st_mode))
		return exists_already(path, keep);
	f->path = strdup(path);
	if (!f->path)
		return sm_error_nomem();
	if (exists && !S_ISREG(st.st_mode)) {
		f->fd = open(path, O_WRONLY | O_CLOEXEC);
		if (f->fd >= 0)
			return NULL;
		err = sm_error_errno(errno, path, "can't open output file", NULL);
		release(f);
		return err;
	}
	/* A link stays, and what it leads to is replaced. */
	f->final = exists ? realpath(path, NULL) : strdup(path);
	err = f->final ? open_unnamed(f) : sm_error_errno(errno, path, "can't resolve", NULL);
	if (!err && exists && fchmod(f->fd, st.st_mode & 0777))
		err = sm_error_errno(errno, path, "can't set mode of output file", NULL);
	if (err)
		output_file_discard(f);
	return err;
}

/* Gives the file without a name one. */
static struct sm_error *name_it(struct output_file *f)
{
	char self[64];

	snprintf(self, sizeof(self), "/proc/self/fd/%d", f->fd);
	for (unsigned n = 0; n < MAX_TRIES; n++) {
		char *name = temporary_name(f->final, n);

		if (!name)
			return sm_error_nomem();
		if (!linkat(AT_FDCWD, self, AT_FDCWD, name, AT_SYMLINK_FOLLOW)) {
			f->temporary = name;
			return NULL;
		}
		free(name);
		if (errno != EEXIST)
			break;
	}
	return sm_error_errno(errno, f->path, "can't name output file", NULL);
}

static struct sm_error *place(struct output_file *f)
{
	if (!f->keep && !rename(f->temporary, f->final))
		return NULL;
	/* A link is never made in place of what is there. */
	if (f->keep && !link(f->temporary, f->final)) {
		unlink(f->temporary);
		return NULL;
	}
	if (f->keep && errno == EEXIST)
		return exists_already(f->path, f->keep);
	/* Some file systems have no links. */
	if (f->keep && access(f->final, F_OK) && !rename(f->temporary, f->final))
		return NULL;
	return sm_error_errno(errno, f->path, "can't put output file in place", NULL);
}

struct sm_error *output_file_commit(struct output_file *f)
{
	struct sm_error *err = NULL;
	int fd;

	if (f->final && !f->temporary)
		err = name_it(f);
	/* Some file systems tell only now that the disk is full. */
	fd = f->fd;
	f->fd = -1;
	if (close(fd) && !err)
		err = sm_error_errno(errno, f->path, "can't write", NULL);
	if (!err && f->final)
		err = place(f);
	if (err) {
		output_file_discard(f);
		return err;
	}
	release(f);
	return NULL;
}

void output_file_discard(struct output_file *f)
{
	if (f->temporary)
		unlink(f->temporary);
	release(f);
}
