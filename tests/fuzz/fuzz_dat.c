/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A trace.dat: opened, its members listed and read as blobs and as streams, which must give the
 * same, and run as a trace in each of its buffers.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <smtool/record.h>

/* What compresses well makes large members of small inputs: enough of each is read. */
#define BLOB_MAX (1 << 20)
#define STREAM_MAX (2 << 20)
#define MEMBERS_MAX 200
#define DEPTH_MAX 10
#define EVENTS_MAX 20000

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* As a stream, in odd steps; the first bytes must be those of the blob. */
static void read_stream(const struct sm_source *src, const char *name, const struct sm_blob *blob)
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
		if (blob && n && total < blob->size &&
			memcmp(blob->data + total, p,
				n < blob->size - total ? n : (size_t)(blob->size - total)))
			abort();
		total += n;
		if (sm_stream_offset(stream) != total)
			abort();
		sm_error_free(err);
	} while (n && total < STREAM_MAX);
	sm_stream_free(stream);
}

static void read_member(const struct sm_source *src, const char *name)
{
	struct sm_blob blob;
	struct sm_error *err = sm_source_read(src, name, BLOB_MAX, &blob);

	read_stream(src, name, err ? NULL : &blob);
	sm_error_free(err);
	sm_blob_release(&blob);
}

static void read_below(const struct sm_source *src, const char *dir, unsigned *left, int depth)
{
	struct sm_names names;

	if (sm_source_list(src, dir, &names))
		abort();
	for (size_t i = 0; i < names.n && *left; i++) {
		char *name;

		if (!*names.names[i] || strchr(names.names[i], '/') ||
			!strcmp(names.names[i], ".."))
			abort();
		if (asprintf(&name, "%s%s%s", dir, *dir ? "/" : "", names.names[i]) < 0)
			abort();
		--*left;
		if (sm_source_has(src, name))
			read_member(src, name);
		if (depth < DEPTH_MAX)
			read_below(src, name, left, depth + 1);
		free(name);
	}
	sm_names_release(&names);
}

static struct sm_error *count(void *ctx, const struct sm_batch *batch)
{
	size_t *left = ctx;

	if (*left < batch->n)
		return sm_error_new(SM_E_STOPPED, NULL, "enough", NULL);
	*left -= batch->n;
	return NULL;
}

static void run_buffer(const struct sm_source *src, const char *instance)
{
	const struct sm_trace_opts opts = {.instance = instance};
	const struct sm_run_opts run = {.threads = 1};
	size_t left = EVENTS_MAX;
	struct sm_trace *trace;
	struct sm_error *err = sm_trace_open(src, &opts, &trace);

	if (!err) {
		err = sm_trace_run(trace, &run, count, &left);
		sm_trace_free(trace);
	}
	sm_error_free(err);
}

static void run_buffers(const struct sm_source *src)
{
	struct sm_names names;

	run_buffer(src, NULL);
	if (sm_source_list(src, SM_TRACING "/instances", &names))
		abort();
	for (size_t i = 0; i < names.n && i < 4; i++)
		run_buffer(src, names.names[i]);
	sm_names_release(&names);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char magic[] = "\x17\x08\x44tracing";
	int fd = memfd_create("input", MFD_CLOEXEC);
	unsigned left = MEMBERS_MAX;
	struct sm_source *src;
	struct sm_error *err;
	char path[64];

	if (fd < 0)
		abort();
	/* Other files are fuzz_archive's. */
	if (size >= sizeof(magic) - 1 && !memcmp(data, magic, sizeof(magic) - 1)) {
		if (write(fd, data, size) != (ssize_t)size)
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
			run_buffers(src);
			sm_source_free(src);
		}
	}
	close(fd);
	return 0;
}
