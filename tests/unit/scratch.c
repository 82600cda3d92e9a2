/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "scratch.h"

#include <ftw.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

int scratch_setup(void **state)
{
	const char *tmp = getenv("TMPDIR");
	struct scratch *s = calloc(1, sizeof(*s));

	if (!s)
		return -1;
	snprintf(s->dir, sizeof(s->dir), "%s/smtool-test-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	if (!mkdtemp(s->dir)) {
		free(s);
		return -1;
	}
	*state = s;
	return 0;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

int scratch_teardown(void **state)
{
	struct scratch *s = *state;
	int rc = nftw(s->dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);

	free(s);
	return rc;
}

const char *scratch_path(const struct scratch *s, const char *name)
{
	static char bufs[4][8192];
	static unsigned next;
	char *buf = bufs[next++ % 4];

	snprintf(buf, sizeof(bufs[0]), "%s/%s", s->dir, name);
	return buf;
}

void scratch_write(const struct scratch *s, const char *name, const void *data, size_t len)
{
	char path[8192];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", s->dir, name);
	for (char *p = strchr(path + strlen(s->dir) + 1, '/'); p; p = strchr(p + 1, '/')) {
		*p = '\0';
		mkdir(path, 0755);
		*p = '/';
	}
	f = fopen(path, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(data, 1, len, f), len);
	assert_int_equal(fclose(f), 0);
}

uint8_t *scratch_load(const struct scratch *s, const char *name, size_t *len)
{
	FILE *f = fopen(scratch_path(s, name), "r");
	struct stat st;
	uint8_t *data;

	assert_non_null(f);
	assert_int_equal(fstat(fileno(f), &st), 0);
	data = malloc((size_t)st.st_size + 1);
	assert_non_null(data);
	*len = fread(data, 1, (size_t)st.st_size, f);
	data[*len] = '\0';
	fclose(f);
	return data;
}

void scratch_run(const struct scratch *s, const char *fmt, ...)
{
	struct sm_buf b = {0};
	va_list ap;
	int rc;

	sm_buf_addf(&b, "cd '%s' || exit 1; ", s->dir);
	va_start(ap, fmt);
	sm_buf_vaddf(&b, fmt, ap);
	va_end(ap);
	assert_false(b.failed);
	rc = system(b.data);
	if (rc)
		fail_msg("status %d of: %s", rc, b.data);
	sm_buf_release(&b);
}

bool scratch_has_program(const char *name)
{
	char command[128];

	snprintf(command, sizeof(command), "command -v %s >/dev/null 2>&1", name);
	return !system(command);
}

uint8_t *scratch_pattern(size_t len, unsigned seed)
{
	uint8_t *data = malloc(len + 1);
	uint32_t x = seed * 2654435761U + 1;

	assert_non_null(data);
	for (size_t i = 0; i < len; i++) {
		x = x * 1664525 + 1013904223;
		data[i] = i & 32 ? (uint8_t)(x >> 24) : (uint8_t)seed;
	}
	return data;
}

static void format(const struct sm_error *err, struct sm_buf *b)
{
	sm_error_format(err, b);
	assert_false(b->failed);
}

struct sm_source *scratch_open(const struct scratch *s, const char *name)
{
	struct sm_source_opts opts = {.tmpdir = s->dir};
	struct sm_source *src = NULL;
	struct sm_error *err;

	err = sm_source_open(strcmp(name, "-") ? scratch_path(s, name) : name, &opts, &src);
	if (err) {
		struct sm_buf b = {0};

		format(err, &b);
		fail_msg("%s", b.data);
	}
	return src;
}

void scratch_expect(struct sm_error *err, enum sm_code code, const char *text)
{
	struct sm_buf b = {0};

	assert_non_null(err);
	format(err, &b);
	if (err->code != code || !strstr(b.data, text))
		fail_msg("want code %d and '%s', have code %d and '%s'", code, text, err->code,
			b.data);
	sm_buf_release(&b);
	sm_error_free(err);
}

void scratch_open_fails(
	const struct scratch *s, const char *name, enum sm_code code, const char *text)
{
	struct sm_source_opts opts = {.tmpdir = s->dir};
	struct sm_source *src = NULL;

	scratch_expect(sm_source_open(scratch_path(s, name), &opts, &src), code, text);
}

void scratch_member_is(const struct sm_source *src, const char *name, const void *data, size_t len)
{
	struct sm_stream *stream;
	struct sm_blob blob;
	size_t at = 0, n;
	const uint8_t *p;

	assert_true(sm_source_has(src, name));
	assert_null(sm_source_read(src, name, 0, &blob));
	assert_null(blob.damage);
	assert_int_equal(blob.size, len);
	assert_memory_equal(blob.data, data, len);
	assert_true(len < 8 || (uintptr_t)blob.data % 8 == 0);
	sm_blob_release(&blob);

	assert_null(sm_source_stream(src, name, &stream));
	do {
		size_t want = 1 + at % 70001;

		assert_int_equal(sm_stream_offset(stream), at);
		assert_null(sm_stream_take(stream, want, &p, &n));
		assert_true(n == want || at + n == len);
		assert_memory_equal(p, (const char *)data + at, n);
		at += n;
	} while (n);
	assert_int_equal(at, len);
	sm_stream_free(stream);
}

void scratch_list_is(const struct sm_source *src, const char *dir, const char *want)
{
	struct sm_names names;
	struct sm_buf b = {0};

	sm_buf_adds(&b, "");
	assert_null(sm_source_list(src, dir, &names));
	for (size_t i = 0; i < names.n; i++)
		sm_buf_addf(&b, "%s%s", i ? " " : "", names.names[i]);
	assert_string_equal(b.data ? b.data : "", want);
	sm_buf_release(&b);
	sm_names_release(&names);
}
