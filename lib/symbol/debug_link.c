/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The files that an object names: .gnu_debuglink, and dwz's .gnu_debugaltlink. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>

#include "hunt.h"

#define CRC_CHUNK 65536

/* Of a whole file. False where it can't be read. */
static bool read_crc(const char *path, uint32_t *crc)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	uint8_t *chunk = malloc(CRC_CHUNK);
	uLong sum = crc32(0, NULL, 0);
	ssize_t n = -1;

	while (chunk && fd >= 0) {
		n = read(fd, chunk, CRC_CHUNK);
		if (n > 0)
			sum = crc32(sum, chunk, (uInt)n);
		else if (n == 0 || errno != EINTR)
			break;
	}
	free(chunk);
	if (fd >= 0)
		close(fd);
	*crc = (uint32_t)sum;
	return n == 0;
}

/* Equal build ids say more than the checksum, and cost no reading of the whole file. */
static struct sm_error *try_link(struct hunt *h, const char *path, const struct object *from)
{
	struct sm_error *err;
	struct object *obj;
	uint32_t crc;
	bool same;

	err = sm_hunt_open(h, path, &obj);
	if (err || !obj)
		return err;
	if (from->build_id && obj->build_id)
		same = strcmp(from->build_id, obj->build_id) == 0;
	else
		same = read_crc(path, &crc) && crc == from->debuglink_crc;
	if (same && sm_object_has_debug(obj))
		return sm_hunt_take(h, obj);
	sm_log(h->search->log, SM_DEBUG, "'%s' isn't the debug file of '%s': passed over", path,
		from->path);
	sm_object_free(obj);
	return NULL;
}

static struct sm_error *try_linkf(struct hunt *h, const struct object *from, const char *fmt, ...)
	SM_PRINTF(3, 4);

static struct sm_error *try_linkf(struct hunt *h, const struct object *from, const char *fmt, ...)
{
	struct sm_buf path = {0};
	struct sm_error *err;
	va_list ap;

	va_start(ap, fmt);
	sm_buf_vaddf(&path, fmt, ap);
	va_end(ap);
	err = path.failed ? sm_error_nomem() : try_link(h, path.data, from);
	sm_buf_release(&path);
	return err;
}

/* The directory of a path, with its slash; "" = the current one. */
static int dir_len(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash - path < INT_MAX - 1 ? (int)(slash - path) + 1 : 0;
}

/* As seen from `root`: a file of ROOT/lib/modules has its debug file below
 * ROOT/usr/lib/debug/lib/modules. */
static const char *below_root(const struct hunt *h, const char *path)
{
	const char *root = h->search->root ? h->search->root : "";
	size_t len = strlen(root);

	return len && strncmp(path, root, len) == 0 && path[len] == '/' ? path + len : path;
}

struct sm_error *sm_hunt_debuglink(struct hunt *h, const struct object *obj)
{
	const char *name = obj->debuglink;
	struct sm_error *err;
	const char *below;
	char *real;
	int len;

	if (!name || !*name || strchr(name, '/'))
		return NULL;
	len = dir_len(obj->path);
	err = try_linkf(h, obj, "%.*s%s", len, obj->path, name);
	if (!err && !h->set->debug)
		err = try_linkf(h, obj, "%.*s.debug/%s", len, obj->path, name);
	real = realpath(obj->path, NULL);
	if (!real)
		return err;
	below = below_root(h, real);
	len = dir_len(below);
	for (size_t i = 0; i < h->nbases && !err && !h->set->debug; i++) {
		const struct hunt_base *base = &h->bases[i];

		if (base->kind == HUNT_USER)
			err = try_linkf(h, obj, "%s%.*s%s", base->dir, len, below, name);
		if (base->kind == HUNT_USER && !err && !h->set->debug)
			err = try_linkf(h, obj, "%s/%s", base->dir, name);
		if (!err && !h->set->debug)
			err = try_linkf(
				h, obj, "%s/usr/lib/debug%.*s%s", base->dir, len, below, name);
	}
	free(real);
	return err;
}

static struct sm_error *try_alt(struct hunt *h, const char *fmt, ...) SM_PRINTF(2, 3);

static struct sm_error *try_alt(struct hunt *h, const char *fmt, ...)
{
	const char *want = h->set->debug->altlink_build_id;
	struct sm_error *err = NULL;
	struct object *obj = NULL;
	struct sm_buf path = {0};
	va_list ap;

	va_start(ap, fmt);
	sm_buf_vaddf(&path, fmt, ap);
	va_end(ap);
	if (path.failed)
		err = sm_error_nomem();
	else
		err = sm_hunt_open(h, path.data, &obj);
	if (!err && obj) {
		if (want && obj->build_id && strcmp(want, obj->build_id) == 0) {
			h->set->alt = obj;
			sm_log(h->search->log, SM_DEBUG, "%s: '%s', shared debug information",
				h->what, obj->path);
		} else {
			sm_log(h->search->log, SM_DEBUG,
				"'%s' isn't the supplementary file of '%s': passed over", path.data,
				h->set->debug->path);
			sm_object_free(obj);
		}
	}
	sm_buf_release(&path);
	return err;
}

/* Where it says, relative to the file's own place or to that of what its name is a link to. */
static struct sm_error *try_alt_at_name(struct hunt *h, const char *name)
{
	const char *path = h->set->debug->path;
	struct sm_error *err;
	char *real;

	if (*name == '/')
		return try_alt(h, "%s%s", h->search->root ? h->search->root : "", name);
	err = try_alt(h, "%.*s%s", dir_len(path), path, name);
	if (err || h->set->alt)
		return err;
	real = realpath(path, NULL);
	if (real)
		err = try_alt(h, "%.*s%s", dir_len(real), real, name);
	free(real);
	return err;
}

struct sm_error *sm_hunt_altlink(struct hunt *h)
{
	const struct object *debug = h->set->debug;
	const char *id = debug->altlink_build_id, *file;
	struct sm_error *err;
	char *path = NULL;

	if (!debug->altlink || !*debug->altlink)
		return NULL;
	err = try_alt_at_name(h, debug->altlink);
	file = debug->altlink + dir_len(debug->altlink);
	for (size_t i = 0; i < h->nbases && !err && !h->set->alt; i++) {
		const struct hunt_base *base = &h->bases[i];
		const char *const dirs[] = {"/usr/lib/debug", base->kind == HUNT_ROOT ? NULL : ""};

		for (size_t k = 0; k < SM_ARRAY_SIZE(dirs) && dirs[k] && !err; k++) {
			if (id && strlen(id) >= 4)
				err = try_alt(h, "%s%s/.build-id/%.2s/%s.debug", base->dir, dirs[k],
					id, id + 2);
			if (!err && !h->set->alt)
				err = try_alt(h, "%s%s/.dwz/%s", base->dir, dirs[k], file);
			if (h->set->alt)
				break;
		}
	}
	if (!err && !h->set->alt && h->search->debuginfod && id)
		err = sm_debuginfod_fetch(id, h->what, h->search->log, &path);
	if (!err && path)
		err = try_alt(h, "%s", path);
	free(path);
	if (!err && !h->set->alt)
		sm_log(h->search->log, SM_WARN,
			"'%s' needs the supplementary file '%s', which isn't found: names will be "
			"missing",
			debug->path, debug->altlink);
	return err;
}
