/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "source_file.h"

/* The largest files of a kernel, which are register lists, have 24 MB; those with code a tenth. */
#define MAX_FILE (UINT64_C(16) << 20)
#define MAX_NAME 1024

struct finder {
	const struct source_places *places;
	struct source_file *f;
	uint32_t line;
	bool nomem;
};

/* ---- reading ---- */

static bool split(struct source_file *f)
{
	size_t cap = 0, n = 0;

	for (size_t at = 0; at < f->len;) {
		const char *end = memchr(f->data + at, '\n', f->len - at);

		if (!sm_grow(&f->starts, &cap, n + 2, sizeof(*f->starts)))
			return false;
		f->starts[n++] = at;
		at = end ? (size_t)(end - f->data) + 1 : f->len;
		f->starts[n] = at;
	}
	f->nlines = n;
	return true;
}

static void forget(struct source_file *f)
{
	free(f->data);
	free(f->starts);
	f->data = NULL;
	f->starts = NULL;
	f->len = f->nlines = 0;
}

/* Takes the file if it suits. */
static bool take(struct finder *x, int fd, const char *path)
{
	struct source_file *f = x->f;
	struct stat st;
	ssize_t n;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_size <= 0 ||
		(uint64_t)st.st_size > MAX_FILE)
		return false;
	f->data = malloc((size_t)st.st_size);
	x->nomem = !f->data;
	while (f->data && f->len < (size_t)st.st_size) {
		n = read(fd, f->data + f->len, (size_t)st.st_size - f->len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		f->len += (size_t)n;
	}
	if (!f->data || !split(f)) {
		x->nomem = true;
		forget(f);
		return false;
	}
	if (x->line <= f->nlines || !f->path) {
		free(f->path);
		f->path = strdup(path);
		x->nomem = !f->path;
	}
	if (x->line > f->nlines || x->nomem) {
		forget(f);
		return false;
	}
	return true;
}

/* ---- opening what is in a directory ---- */

static bool is_inside(const char *name)
{
	for (const char *p = name; *p; p += strcspn(p, "/"), p += *p == '/') {
		size_t n = strcspn(p, "/");

		if (!n || (n == 2 && p[0] == '.' && p[1] == '.'))
			return false;
	}
	return *name != '\0';
}

/* Without openat2(): component by component, no links at all. */
static int open_step_by_step(int dir, const char *name)
{
	int fd = dir;

	while (*name) {
		size_t n = strcspn(name, "/");
		bool last = !name[n];
		char part[256];
		int next;

		if (n >= sizeof(part)) {
			errno = ENAMETOOLONG;
			next = -1;
		} else {
			memcpy(part, name, n);
			part[n] = '\0';
			next = openat(fd, part,
				O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY |
					(last ? O_RDONLY : O_PATH | O_DIRECTORY));
		}
		if (fd != dir)
			close(fd);
		if (next < 0)
			return -1;
		fd = next;
		name += n + !last;
	}
	return fd;
}

static int open_inside(int dir, const char *name)
{
	const struct open_how how = {
		.flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY,
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS,
	};
	long fd = syscall(SYS_openat2, dir, name, &how, sizeof(how));

	/* Old kernels don't have it, old sandboxes forbid what they haven't heard of. */
	if (fd < 0 && (errno == ENOSYS || errno == EPERM))
		return open_step_by_step(dir, name);
	return (int)fd;
}

/* Looks for the name, and what is left of it without its first directories. */
static bool look_in(struct finder *x, const char *dir)
{
	const char *name = x->f->name + strspn(x->f->name, "/");
	int at = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	bool found = false;

	if (at < 0)
		return false;
	for (bool first = true; !found && !x->nomem; first = false) {
		const char *slash = strchr(name, '/');
		int fd;

		if (!first && !slash)
			break;
		fd = is_inside(name) ? open_inside(at, name) : -1;
		if (fd >= 0) {
			struct sm_buf path = {0};

			sm_buf_addf(&path, "%s/%s", dir, name);
			x->nomem |= path.failed;
			found = !path.failed && take(x, fd, path.data);
			sm_buf_release(&path);
			close(fd);
		}
		if (!slash)
			break;
		name = slash + 1;
	}
	close(at);
	return found;
}

static bool look_inf(struct finder *x, const char *fmt, ...) SM_PRINTF(2, 3);
static bool look_inf(struct finder *x, const char *fmt, ...)
{
	struct sm_buf dir = {0};
	bool found = false;
	va_list ap;

	if (x->nomem)
		return false;
	va_start(ap, fmt);
	sm_buf_vaddf(&dir, fmt, ap);
	va_end(ap);
	x->nomem |= dir.failed;
	if (!dir.failed && dir.len)
		found = look_in(x, dir.data);
	sm_buf_release(&dir);
	return found;
}

/* ---- where ---- */

static bool look_beside_vmlinux(struct finder *x)
{
	const char *path = x->places->vmlinux, *slash = path ? strrchr(path, '/') : NULL;
	int n = slash ? (int)(slash - path) : 0;

	if (!path)
		return false;
	if (!slash)
		return look_inf(x, ".") || look_inf(x, "source");
	return look_inf(x, "%.*s", n ? n : 1, path) || look_inf(x, "%.*s/source", n, path);
}

static bool look_in_usual_places(struct finder *x)
{
	const char *release = x->places->release, *root = x->places->root;
	size_t two, three;

	if (!release || !*release || *release == '.' || strchr(release, '/') ||
		strlen(release) > 128)
		return false;
	if (!root)
		root = "";
	if (look_inf(x, "%s/lib/modules/%s/source", root, release) ||
		look_inf(x, "%s/lib/modules/%s/build", root, release) ||
		look_inf(x, "%s/usr/src/linux-%s", root, release))
		return true;
	/* "6.1.0-57-cloud-amd64" is linux-source-6.1's; "6.18.3" may be linux-6.18.3's. */
	three = strspn(release, "0123456789.");
	two = strcspn(release, ".");
	two += release[two] == '.';
	two += strspn(release + two, "0123456789");
	return look_inf(x, "%s/usr/src/linux-source-%.*s", root, (int)three, release) ||
	       look_inf(x, "%s/usr/src/linux-source-%.*s", root, (int)two, release) ||
	       look_inf(x, "%s/usr/src/linux-%.*s", root, (int)three, release);
}

static bool look_at_absolute(struct finder *x)
{
	int fd;
	bool found;

	if (!x->places->absolute || x->f->name[0] != '/')
		return false;
	fd = open(x->f->name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	found = fd >= 0 && take(x, fd, x->f->name);
	if (fd >= 0)
		close(fd);
	return found;
}

struct source_file *source_file_find(
	const struct source_places *places, const char *name, uint32_t line)
{
	struct finder x = {.places = places, .line = line};
	bool found = false;

	x.f = calloc(1, sizeof(*x.f));
	if (!x.f)
		return NULL;
	x.f->name = strdup(name);
	if (!x.f->name) {
		free(x.f);
		return NULL;
	}
	if (strlen(name) > MAX_NAME)
		return x.f;
	for (size_t i = 0; !found && !x.nomem && i < places->ngiven; i++)
		found = look_in(&x, places->given[i]);
	if (!found)
		found = look_at_absolute(&x) || look_beside_vmlinux(&x) || look_in_usual_places(&x);
	if (!x.nomem)
		return x.f;
	source_file_free(x.f);
	return NULL;
}

void source_file_free(struct source_file *f)
{
	if (!f)
		return;
	forget(f);
	free(f->path);
	free(f->name);
	free(f);
}

const char *source_file_line(const struct source_file *f, uint32_t line, size_t *len)
{
	size_t start, end;

	if (!f->data || !line || line > f->nlines)
		return NULL;
	start = f->starts[line - 1];
	end = f->starts[line];
	while (end > start && (f->data[end - 1] == '\n' || f->data[end - 1] == '\r'))
		end--;
	*len = end - start;
	return f->data + start;
}
