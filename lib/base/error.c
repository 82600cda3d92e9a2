/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include <smtool/base.h>

/* Handed out where not even an error can be allocated; never written to. */
static const struct sm_error no_memory = {
	.code = SM_E_NOMEM,
	.errnum = ENOMEM,
	.what = (char *)"out of memory",
};

struct sm_error *sm_error_nomem(void)
{
	return (struct sm_error *)&no_memory;
}

void sm_error_free(struct sm_error *err)
{
	if (err != &no_memory)
		free(err);
}

/* The error and its strings are one allocation. */
SM_PRINTF(4, 0)
static struct sm_error *new_error(
	enum sm_code code, const char *path, const char *what, const char *fmt, va_list ap)
{
	size_t path_size = path ? strlen(path) + 1 : 0, what_size = strlen(what) + 1;
	size_t detail_size = 0;
	struct sm_error *err;
	char *text;

	if (fmt) {
		va_list copy;
		int n;

		va_copy(copy, ap);
		n = vsnprintf(NULL, 0, fmt, copy);
		va_end(copy);
		detail_size = n < 0 ? 0 : (size_t)n + 1;
	}
	err = malloc(sizeof(*err) + what_size + path_size + detail_size);
	if (!err)
		return sm_error_nomem();
	*err = (struct sm_error){.code = code};
	text = (char *)(err + 1);
	err->what = memcpy(text, what, what_size);
	text += what_size;
	if (path_size) {
		err->path = memcpy(text, path, path_size);
		text += path_size;
	}
	if (detail_size) {
		err->detail = text;
		vsnprintf(text, detail_size, fmt, ap);
	}
	return err;
}

struct sm_error *sm_error_new(
	enum sm_code code, const char *path, const char *what, const char *detail_fmt, ...)
{
	struct sm_error *err;
	va_list ap;

	va_start(ap, detail_fmt);
	err = new_error(code, path, what, detail_fmt, ap);
	va_end(ap);
	return err;
}

struct sm_error *sm_error_at(enum sm_code code, const char *path, uint64_t offset, const char *what,
	const char *detail_fmt, ...)
{
	struct sm_error *err;
	va_list ap;

	va_start(ap, detail_fmt);
	err = new_error(code, path, what, detail_fmt, ap);
	va_end(ap);
	if (err != &no_memory) {
		err->has_offset = true;
		err->offset = offset;
	}
	return err;
}

struct sm_error *sm_error_errno(int errnum, const char *path, const char *what, const char *hint)
{
	struct sm_error *err;
	char text[128];

	/* The GNU form: returns the text, which needn't be in the buffer. */
	err = sm_error_new(errnum == ENOENT ? SM_E_MISSING : SM_E_IO, path, what, "%s%s%s",
		strerror_r(errnum, text, sizeof(text)), hint ? "; " : "", hint ? hint : "");
	if (err != &no_memory)
		err->errnum = errnum;
	return err;
}

static void add_visible(struct sm_buf *buf, const char *s)
{
	sm_buf_add_visible(buf, s, strlen(s));
}

struct sm_error *sm_error_copy(const struct sm_error *err)
{
	struct sm_error *copy = sm_error_new(
		err->code, err->path, err->what, err->detail ? "%s" : NULL, err->detail);

	if (copy != &no_memory) {
		copy->errnum = err->errnum;
		copy->has_offset = err->has_offset;
		copy->offset = err->offset;
	}
	return copy;
}

void sm_error_format(const struct sm_error *err, struct sm_buf *buf)
{
	add_visible(buf, err->what);
	if (err->path) {
		sm_buf_adds(buf, ": '");
		add_visible(buf, err->path);
		sm_buf_addc(buf, '\'');
	}
	if (err->has_offset)
		sm_buf_addf(buf, " at byte %llu", (unsigned long long)err->offset);
	if (err->detail && *err->detail) {
		sm_buf_adds(buf, ": ");
		add_visible(buf, err->detail);
	}
}
