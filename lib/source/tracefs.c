/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where tracefs is, and its small files. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "recording.h"

void sm_path_set(char *path, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(path, PATH_MAX, fmt, ap);
	va_end(ap);
	if (n < 0 || n >= PATH_MAX)
		path[0] = '\0';
}

bool sm_file_exists(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0;
}

int sm_file_read(const char *path, struct sm_buf *buf)
{
	char chunk[16384];
	int errnum = 0;
	ssize_t n;
	int fd;

	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return errno;
	for (;;) {
		n = read(fd, chunk, sizeof(chunk));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		sm_buf_add(buf, chunk, (size_t)n);
	}
	if (n < 0)
		errnum = errno;
	else if (buf->failed)
		errnum = ENOMEM;
	close(fd);
	return errnum;
}

int sm_file_line(const char *path, char *line, size_t size)
{
	struct sm_buf buf = {0};
	int errnum = sm_file_read(path, &buf);
	size_t len;

	line[0] = '\0';
	if (!errnum && buf.data) {
		len = strcspn(buf.data, "\n");
		if (len >= size)
			len = size - 1;
		memcpy(line, buf.data, len);
		line[len] = '\0';
	}
	sm_buf_release(&buf);
	return errnum;
}

int sm_file_write(const char *path, const char *text)
{
	size_t len = strlen(text);
	int errnum = 0;
	ssize_t n;
	int fd;

	fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
	if (fd < 0)
		return errno;
	do
		n = len ? write(fd, text, len) : 0;
	while (n < 0 && errno == EINTR);
	if (n < 0)
		errnum = errno;
	else if ((size_t)n < len)
		errnum = EIO;
	if (close(fd) < 0 && !errnum)
		errnum = errno;
	return errnum;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static int dir_names(const char *dir, bool hidden, struct sm_names *names)
{
	struct dirent *entry;
	size_t cap = 0;
	int errnum = 0;
	DIR *d;

	memset(names, 0, sizeof(*names));
	d = opendir(dir);
	if (!d)
		return errno;
	for (;;) {
		errno = 0;
		entry = readdir(d);
		if (!entry) {
			errnum = errno;
			break;
		}
		if (entry->d_name[0] == '.' &&
			(!hidden || !strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..")))
			continue;
		if (!sm_grow(&names->names, &cap, names->n + 1, sizeof(*names->names))) {
			errnum = ENOMEM;
			break;
		}
		names->names[names->n] = strdup(entry->d_name);
		if (!names->names[names->n]) {
			errnum = ENOMEM;
			break;
		}
		names->n++;
	}
	closedir(d);
	if (errnum) {
		sm_names_release(names);
		return errnum;
	}
	if (names->n)
		qsort(names->names, names->n, sizeof(*names->names), compare_names);
	return 0;
}

int sm_dir_names(const char *dir, struct sm_names *names)
{
	return dir_names(dir, false, names);
}

int sm_dir_names_all(const char *dir, struct sm_names *names)
{
	return dir_names(dir, true, names);
}

static bool locked_down(const char *root)
{
	char path[PATH_MAX], line[128];

	sm_path_set(path, "%s/sys/kernel/security/lockdown", root);
	return sm_file_line(path, line, sizeof(line)) == 0 &&
	       (strstr(line, "[integrity]") || strstr(line, "[confidentiality]"));
}

struct sm_error *sm_tracefs_error(const char *root, int errnum, const char *path, const char *what)
{
	if (errnum == EPERM && locked_down(root))
		return sm_error_new(SM_E_REFUSED, path, what,
			"the kernel is locked down (see /sys/kernel/security/lockdown); "
			"tracing needs it off");
	if (errnum == EACCES || errnum == EPERM)
		return sm_error_errno(errnum, path, what, "run it as root");
	if (errnum == ENOMEM)
		return sm_error_errno(errnum, path, what, "try a smaller buffer (-b)");
	return sm_error_errno(errnum, path, what, NULL);
}

struct sm_error *sm_tracefs_find(const char *root, char **path)
{
	static const char *const places[] = {"sys/kernel/tracing", "sys/kernel/debug/tracing"};
	char dir[PATH_MAX], probe[PATH_MAX];
	struct sm_error *denied = NULL;
	size_t i;
	int fd;

	*path = NULL;
	for (i = 0; i < SM_ARRAY_SIZE(places); i++) {
		sm_path_set(dir, "%s/%s", root, places[i]);
		sm_path_set(probe, "%s/tracing_on", dir);
		fd = open(probe, O_RDWR | O_CLOEXEC);
		if (fd >= 0) {
			close(fd);
			sm_error_free(denied);
			*path = strdup(dir);
			return *path ? NULL : sm_error_nomem();
		}
		if (errno != ENOENT && errno != ENOTDIR && !denied)
			denied = sm_tracefs_error(root, errno, dir, "cannot use tracefs");
	}
	if (denied)
		return denied;
	return sm_error_new(SM_E_MISSING, NULL, "tracefs is not mounted",
		"run 'mount -t tracefs nodev /sys/kernel/tracing' (a kernel without it was built "
		"without CONFIG_TRACING)");
}

static struct sm_error *event_refs_put(
	struct sm_event_refs *refs, const char *system, const char *name)
{
	struct sm_event_ref *ref;
	size_t i;

	for (i = 0; i < refs->n; i++)
		if (!strcmp(refs->items[i].system, system) && !strcmp(refs->items[i].name, name))
			return NULL;
	if (!sm_grow(&refs->items, &refs->cap, refs->n + 1, sizeof(*refs->items)))
		return sm_error_nomem();
	ref = &refs->items[refs->n];
	ref->system = strdup(system);
	ref->name = strdup(name);
	if (!ref->system || !ref->name) {
		free(ref->system);
		free(ref->name);
		return sm_error_nomem();
	}
	refs->n++;
	return NULL;
}

/* `whole`: the system's name alone was given, which means all of its events. */
static struct sm_error *match_system(struct sm_event_refs *refs, const char *tracefs,
	const char *system, const char *event, bool whole, size_t *matches)
{
	struct sm_error *err = NULL;
	struct sm_names names;
	char path[PATH_MAX];
	size_t i;

	sm_path_set(path, "%s/events/%s", tracefs, system);
	if (sm_dir_names(path, &names))
		return NULL; /* header_page and other plain files */
	for (i = 0; i < names.n && !err; i++) {
		if (!whole && fnmatch(event, names.names[i], 0))
			continue;
		sm_path_set(path, "%s/events/%s/%s/enable", tracefs, system, names.names[i]);
		if (!sm_file_exists(path))
			continue;
		err = event_refs_put(refs, system, names.names[i]);
		++*matches;
	}
	sm_names_release(&names);
	return err;
}

struct sm_error *sm_event_refs_add(
	struct sm_event_refs *refs, const char *tracefs, const char *pattern, size_t *matches)
{
	const char *colon = strchr(pattern, ':');
	const char *event = colon ? colon + 1 : pattern;
	struct sm_error *err = NULL;
	struct sm_names systems;
	char path[PATH_MAX];
	char *system;
	size_t i;
	int errnum;

	*matches = 0;
	system = colon ? strndup(pattern, (size_t)(colon - pattern)) : strdup("*");
	if (!system)
		return sm_error_nomem();
	if (colon && !*event)
		event = "*";
	sm_path_set(path, "%s/events", tracefs);
	errnum = sm_dir_names(path, &systems);
	if (errnum) {
		free(system);
		return sm_error_errno(errnum, path, "cannot list events", NULL);
	}
	for (i = 0; i < systems.n && !err; i++) {
		bool whole = !colon && !strcmp(systems.names[i], pattern);

		if (!strcmp(systems.names[i], "ftrace")) /* never enabled as events are */
			continue;
		if (fnmatch(system, systems.names[i], 0) == 0)
			err = match_system(refs, tracefs, systems.names[i], event, whole, matches);
	}
	sm_names_release(&systems);
	free(system);
	return err;
}

void sm_event_refs_release(struct sm_event_refs *refs)
{
	size_t i;

	for (i = 0; i < refs->n; i++) {
		free(refs->items[i].system);
		free(refs->items[i].name);
	}
	free(refs->items);
	memset(refs, 0, sizeof(*refs));
}

static bool offers(const char *offered, const char *clock)
{
	size_t len = strlen(clock);
	const char *p = offered;

	while ((p = strstr(p, clock))) {
		bool starts = p == offered || p[-1] == ' ' || p[-1] == '[';

		if (starts && strchr(" ]\n", p[len]))
			return true;
		p += len;
	}
	return false;
}

/*
 * mono: nanoseconds, the same on all CPUs, safe in an NMI, no lock; mono_raw the same without NTP's
 * slewing. boot may step on resume. global takes a lock that all CPUs share, but never reads a
 * device: better where the clock source is one (hpet, acpi_pm). local orders nothing across CPUs.
 */
const char *sm_clock_choose(const char *offered, const char *want, bool slow_source)
{
	static const char *const fast[] = {"mono", "mono_raw", "boot", "global", "local"};
	static const char *const slow[] = {"global", "mono", "mono_raw", "boot", "local"};
	const char *const *list = slow_source ? slow : fast;
	size_t i;

	if (want)
		return offers(offered, want) ? want : NULL;
	for (i = 0; i < SM_ARRAY_SIZE(fast); i++)
		if (offers(offered, list[i]))
			return list[i];
	return NULL;
}

bool sm_clock_source_is_slow(const char *root)
{
	char path[PATH_MAX], line[64];

	sm_path_set(
		path, "%s/sys/devices/system/clocksource/clocksource0/current_clocksource", root);
	if (sm_file_line(path, line, sizeof(line)))
		return false;
	return !strcmp(line, "hpet") || !strcmp(line, "acpi_pm") || !strcmp(line, "pit") ||
	       strstr(line, "jiffies");
}

void sm_clock_current(const char *offered, char *name, size_t size)
{
	const char *open = strchr(offered, '[');
	size_t len = open ? strcspn(open + 1, "] \n") : 0;

	if (len >= size)
		len = 0;
	if (len)
		memcpy(name, open + 1, len);
	name[len] = '\0';
}

static uint64_t stat_value(const char *text, const char *key)
{
	size_t len = strlen(key);
	const char *p;

	for (p = text; *p; p += strcspn(p, "\n"), p += *p == '\n')
		if (!strncmp(p, key, len) && p[len] == ':')
			return strtoull(p + len + 1, NULL, 10);
	return 0;
}

/* "now ts: 2982.090824", or a plain number where the clock doesn't count ns. */
static bool stat_now(const char *text, uint64_t *now)
{
	const char *p = strstr(text, "\nnow ts: ");
	unsigned long long seconds;
	unsigned us;
	int n;

	n = p ? sscanf(p + 9, "%llu.%6u", &seconds, &us) : 0;
	*now = n == 2 ? seconds * 1000000000 + us * UINT64_C(1000) : n == 1 ? seconds : 0;
	return n > 0;
}

void sm_buffer_stats_parse(const char *text, struct sm_buffer_stats *st)
{
	st->entries = stat_value(text, "entries");
	st->overrun = stat_value(text, "overrun");
	st->commit_overrun = stat_value(text, "commit overrun");
	st->dropped = stat_value(text, "dropped events");
	st->read = stat_value(text, "read events");
	st->has_now = stat_now(text, &st->now);
}
