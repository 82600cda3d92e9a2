/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A file of any kind: opened by its content, all members read, as blobs and as streams. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <smtool/source.h>

/* What compresses well makes large members of small inputs: enough of each is read. */
#define BLOB_MAX (1 << 20)
#define STREAM_MAX (4 << 20)
#define MEMBERS_MAX 64
#define DEPTH_MAX 16

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_blob(const struct sm_source *src, const char *name)
{
	struct sm_blob blob;
	struct sm_error *err = sm_source_read(src, name, BLOB_MAX, &blob);
	volatile uint8_t sum = 0;

	if (!err)
		for (size_t i = 0; i < blob.size; i++)
			sum = (uint8_t)(sum + blob.data[i]);
	sm_error_free(err);
	sm_blob_release(&blob);
}

static void read_stream(const struct sm_source *src, const char *name)
{
	struct sm_stream *stream;
	struct sm_error *err = sm_source_stream(src, name, &stream);
	uint64_t total = 0;
	const uint8_t *p;
	size_t n;

	if (err) {
		sm_error_free(err);
		return;
	}
	do {
		err = sm_stream_take(stream, 4099, &p, &n);
		total += n;
		if (sm_stream_offset(stream) != total)
			abort();
		sm_error_free(err);
	} while (n && total < STREAM_MAX);
	sm_stream_free(stream);
}

static void read_below(const struct sm_source *src, const char *dir, unsigned *left, int depth)
{
	struct sm_names names;

	if (sm_source_list(src, dir, &names))
		abort();
	for (size_t i = 0; i < names.n && *left; i++) {
		char *name;

		if (asprintf(&name, "%s%s%s", dir, *dir ? "/" : "", names.names[i]) < 0)
			abort();
		if (!*names.names[i] || strchr(names.names[i], '/') ||
			!strcmp(names.names[i], ".."))
			abort();
		if (sm_source_has(src, name)) {
			--*left;
			read_blob(src, name);
			read_stream(src, name);
		}
		if (depth < DEPTH_MAX)
			read_below(src, name, left, depth + 1);
		free(name);
	}
	sm_names_release(&names);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("input", MFD_CLOEXEC);
	unsigned left = MEMBERS_MAX;
	struct sm_source *src;
	struct sm_error *err;
	char path[64];

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	err = sm_source_open(path, NULL, &src);
	if (err) {
		struct sm_buf b = {0};

		sm_error_format(err, &b);
		sm_buf_release(&b);
		sm_error_free(err);
	} else {
		read_below(src, "", &left, 0);
		sm_source_free(src);
	}
	close(fd);
	return 0;
}
