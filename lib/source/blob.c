/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whole members in memory. */
#include "internal.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define HUGE_PAGE (UINT64_C(2) << 20)
#define READ_CHUNK ((size_t)1 << 20)

struct sm_error *sm_blob_too_large(const char *path, uint64_t max)
{
	return sm_error_new(SM_E_REFUSED, path, "too large",
		"more than the %llu bytes that make sense here", (unsigned long long)max);
}

/* Mapping the file itself would save the copy, but costs a fault per 64 KiB: on the machines that
 * we measured (a 138 MB stack map in the page cache: 33 ms against 85 to 180) copying into huge
 * pages wins. It also spares us a SIGBUS when somebody truncates the file. */
bool sm_blob_load(int fd, uint64_t offset, uint64_t size, char *path, struct sm_blob *blob)
{
	size_t map_size, got = 0;
	uint8_t *map, *data;

	if (size < SOURCE_MAP_MIN || size > SIZE_MAX / 2)
		return false;
	/* Address space only: memory is used as bytes arrive. */
	map_size = (size_t)size + HUGE_PAGE;
	map = mmap(NULL, map_size, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (map == MAP_FAILED)
		return false;
	data = map;
	if (size >= HUGE_PAGE) {
		data += -(uintptr_t)map & (HUGE_PAGE - 1);
		(void)madvise(data, (size_t)size, MADV_HUGEPAGE);
	}
	while (got < size) {
		size_t want = (size_t)size - got < READ_CHUNK ? (size_t)size - got : READ_CHUNK;
		ssize_t n = pread(fd, data + got, want, (off_t)(offset + got));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			munmap(map, map_size);
			return false;
		}
		if (n == 0)
			break;
		got += (size_t)n;
	}
	*blob = (struct sm_blob){
		.data = data,
		.size = got,
		.path = path,
		.map = map,
		.map_size = map_size,
	};
	return true;
}

struct sm_error *sm_blob_read_stream(struct sm_stream *s, uint64_t max, struct sm_blob *blob)
{
	struct sm_error *err = NULL;
	size_t cap = 0, len = 0, n;
	uint8_t *buf = NULL;

	if (!max)
		max = UINT64_MAX;
	for (;;) {
		/* A file that is read to its end needs a call that finds nothing more. */
		if (!sm_grow(&buf, &cap, len == cap ? len + SOURCE_MAP_MIN : cap, 1)) {
			err = sm_error_nomem();
			break;
		}
		err = s->ops->fill(s, buf + len, cap - len, &n);
		if (err || !n)
			break;
		len += n;
		if (len > max) {
			err = sm_blob_too_large(s->path, max);
			break;
		}
	}
	*blob = (struct sm_blob){0};
	if (err && (err->code == SM_E_TRUNCATED || err->code == SM_E_FORMAT)) {
		blob->damage = err;
		err = NULL;
	}
	if (err) {
		free(buf);
	} else {
		uint8_t *tight = len < cap / 2 ? realloc(buf, len ? len : 1) : NULL;

		blob->data = blob->owned = tight ? tight : buf;
		blob->size = len;
		blob->path = s->path;
		s->path = NULL;
	}
	sm_stream_free(s);
	return err;
}

void sm_blob_release(struct sm_blob *blob)
{
	if (blob->map)
		munmap(blob->map, blob->map_size);
	free(blob->owned);
	free(blob->path);
	sm_error_free(blob->damage);
	*blob = (struct sm_blob){0};
}
