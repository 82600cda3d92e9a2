/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a recorder changed outside its own instance, and how it was before. The list is kept on disk
 * too, as run/smtool-PID-START.restore, so that the next run can undo it for a recorder that was
 * killed. START, the process's start time, tells a process that is gone from one that got its
 * number.
 *
 * The file's first line names tracefs; each other is a change, written before it is made.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "recording.h"

#define HEAD "smtool-restore 1 "

uint64_t sm_process_start(const char *root, long pid)
{
	char path[PATH_MAX], line[1024];
	const char *p;
	int field;

	sm_path_set(path, "%s/proc/%ld/stat", root, pid);
	if (sm_file_line(path, line, sizeof(line)))
		return 0;
	p = strrchr(line, ')'); /* the name in front may hold anything */
	if (!p)
		return 0;
	for (field = 2; field < 22; field++) {
		p = strchr(p, ' ');
		if (!p)
			return 0;
		p++;
	}
	return strtoull(p, NULL, 10);
}

struct sm_error *sm_undo_init(
	struct sm_undo *u, const char *root, const char *tracefs, const struct sm_log *log)
{
	char path[PATH_MAX];

	memset(u, 0, sizeof(*u));
	u->fd = -1;
	u->log = log;
	u->root = strdup(root);
	u->tracefs = strdup(tracefs);
	sm_path_set(path, "%s/run/smtool-%ld-%llu.restore", root, (long)getpid(),
		(unsigned long long)sm_process_start(root, getpid()));
	u->path = strdup(path);
	if (!u->root || !u->tracefs || !u->path)
		return sm_error_nomem();
	return NULL;
}

/* The file is made with the first line that goes into it. Without one, the capture goes on: then
 * only a kill -9 leaves something that nobody undoes. */
static void put_on_disk(struct sm_undo *u, const char *line)
{
	struct sm_buf text = {0};
	int errnum = 0;

	if (!u->path)
		return;
	if (u->fd < 0) {
		u->fd = open(u->path,
			O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600);
		errnum = u->fd < 0 ? errno : 0;
		sm_buf_addf(&text, HEAD "%s\n", u->tracefs);
	}
	sm_buf_addf(&text, "%s\n", line);
	if (!errnum && text.failed)
		errnum = ENOMEM;
	if (!errnum && write(u->fd, text.data, text.len) != (ssize_t)text.len)
		errnum = EIO;
	sm_buf_release(&text);
	if (!errnum)
		return;
	sm_log(u->log, SM_INFO, "cannot note what is changed in '%s': %s", u->path,
		strerror(errnum));
	if (u->fd >= 0) {
		unlink(u->path);
		close(u->fd);
		u->fd = -1;
	}
	free(u->path);
	u->path = NULL;
}

static struct sm_error *add_line(struct sm_undo *u, const char *fmt, ...) SM_PRINTF(2, 3);

static struct sm_error *add_line(struct sm_undo *u, const char *fmt, ...)
{
	struct sm_buf line = {0};
	va_list ap;

	va_start(ap, fmt);
	sm_buf_vaddf(&line, fmt, ap);
	va_end(ap);
	if (line.failed || !sm_grow(&u->lines, &u->cap, u->n + 1, sizeof(*u->lines))) {
		sm_buf_release(&line);
		return sm_error_nomem();
	}
	u->lines[u->n++] = line.data;
	put_on_disk(u, line.data);
	return NULL;
}

struct sm_error *sm_undo_set(struct sm_undo *u, const char *name, const char *value)
{
	return add_line(u, "set\t%s\t%s", name, value);
}

struct sm_error *sm_undo_remove(struct sm_undo *u, const char *instance)
{
	return add_line(u, "remove\t%s", instance);
}

/* An instance stays busy for a moment after its last file was closed. */
static int remove_instance(const char *tracefs, const char *name)
{
	const struct timespec nap = {0, 20 * 1000 * 1000};
	char path[PATH_MAX];
	int tries;

	sm_path_set(path, "%s/instances/%s", tracefs, name);
	for (tries = 0; tries < 25; tries++) {
		if (rmdir(path) == 0 || errno == ENOENT)
			return 0;
		if (errno != EBUSY)
			return errno;
		nanosleep(&nap, NULL);
	}
	return EBUSY;
}

/* No way out of tracefs: the list may have been tampered with. */
static bool name_is_safe(const char *name)
{
	return *name && *name != '/' && !strstr(name, "..");
}

/* `line` is cut up. */
static void undo_line(const char *tracefs, char *line, const struct sm_log *log)
{
	char path[PATH_MAX];
	char *name, *value;
	int errnum;

	name = strchr(line, '\t');
	if (!name)
		return;
	*name++ = '\0';
	value = strchr(name, '\t');
	if (value)
		*value++ = '\0';
	if (!name_is_safe(name))
		return;
	if (!strcmp(line, "remove") && !strchr(name, '/')) {
		errnum = remove_instance(tracefs, name);
		if (errnum)
			sm_log(log, SM_WARN,
				"cannot remove the tracing instance '%s': %s; remove it with "
				"'rmdir %s/instances/%s'",
				name, strerror(errnum), tracefs, name);
	} else if (!strcmp(line, "set") && value) {
		sm_path_set(path, "%s/%s", tracefs, name);
		errnum = sm_file_write(path, value);
		if (errnum)
			sm_log(log, SM_WARN, "cannot restore '%s' to '%s': %s", path, value,
				strerror(errnum));
	}
}

void sm_undo_run(struct sm_undo *u)
{
	while (u->n) {
		u->n--;
		undo_line(u->tracefs, u->lines[u->n], u->log);
		free(u->lines[u->n]);
	}
	if (u->fd >= 0) {
		unlink(u->path);
		close(u->fd);
		u->fd = -1;
	}
}

void sm_undo_release(struct sm_undo *u)
{
	sm_undo_run(u);
	free(u->lines);
	free(u->path);
	free(u->root);
	free(u->tracefs);
	memset(u, 0, sizeof(*u));
	u->fd = -1;
}

/* smtool-PID-START of a process that is there no more. */
static bool owner_is_gone(const char *root, const char *name, const char *suffix)
{
	unsigned long long start;
	long pid;
	int end = 0;

	if (sscanf(name, "smtool-%ld-%llu%n", &pid, &start, &end) != 2 ||
		strcmp(name + end, suffix))
		return false;
	return pid > 0 && sm_process_start(root, pid) != start;
}

static void sweep_list(
	const char *root, const char *tracefs, const char *name, const struct sm_log *log)
{
	struct sm_buf text = {0};
	char path[PATH_MAX];
	char *line, *end;
	struct stat st;

	sm_path_set(path, "%s/run/%s", root, name);
	if (lstat(path, &st) || !S_ISREG(st.st_mode) || st.st_uid != geteuid())
		return;
	if (sm_file_read(path, &text) == 0 && text.data &&
		!strncmp(text.data, HEAD, strlen(HEAD))) {
		sm_log(log, SM_WARN,
			"restoring tracing settings that a recording left behind when it was "
			"killed");
		/* Whole lines only, the last change first. */
		end = strrchr(text.data, '\n');
		while (end) {
			*end = '\0';
			line = strrchr(text.data, '\n');
			if (!line)
				break;
			undo_line(tracefs, line + 1, log);
			end = line;
		}
	}
	sm_buf_release(&text);
	unlink(path);
}

void sm_undo_sweep(const char *root, const char *tracefs, const struct sm_log *log)
{
	struct sm_names names;
	char path[PATH_MAX];
	size_t i;
	int errnum;

	sm_path_set(path, "%s/run", root);
	if (sm_dir_names(path, &names) == 0) {
		for (i = 0; i < names.n; i++)
			if (owner_is_gone(root, names.names[i], ".restore"))
				sweep_list(root, tracefs, names.names[i], log);
		sm_names_release(&names);
	}
	/* Instances whose list could not be kept. */
	sm_path_set(path, "%s/instances", tracefs);
	if (sm_dir_names(path, &names))
		return;
	for (i = 0; i < names.n; i++) {
		if (!owner_is_gone(root, names.names[i], ""))
			continue;
		errnum = remove_instance(tracefs, names.names[i]);
		if (!errnum)
			sm_log(log, SM_WARN,
				"removed the tracing instance '%s' of a recording that was killed",
				names.names[i]);
		else if (errnum != EBUSY)
			sm_log(log, SM_WARN, "cannot remove the tracing instance '%s': %s",
				names.names[i], strerror(errnum));
	}
	sm_names_release(&names);
}
