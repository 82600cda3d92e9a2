/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <smtool/base.h>

void sm_log(const struct sm_log *log, enum sm_level level, const char *fmt, ...)
{
	struct sm_buf raw = {0}, line = {0};
	va_list ap;

	if (!log || !log->write || level > log->level)
		return;
	va_start(ap, fmt);
	sm_buf_vaddf(&raw, fmt, ap);
	va_end(ap);
	if (!raw.failed)
		sm_buf_add_visible(&line, raw.data, raw.len);
	if (raw.failed || line.failed)
		log->write(log->ctx, level, "a message was lost: out of memory");
	else
		log->write(log->ctx, level, line.data ? line.data : "");
	sm_buf_release(&raw);
	sm_buf_release(&line);
}

void sm_log_error(
	const struct sm_log *log, enum sm_level level, struct sm_error *err, const char *rest)
{
	struct sm_buf text = {0};

	if (!err)
		return;
	sm_error_format(err, &text);
	sm_log(log, level, "%s%s", text.data ? text.data : "out of memory", rest);
	sm_buf_release(&text);
	sm_error_free(err);
}
