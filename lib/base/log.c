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
