/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report.h"

#include <stdlib.h>

static const char *const NAMES[] = {
	[SEVERITY_ERROR] = "error",
	[SEVERITY_WARNING] = "warning",
	[SEVERITY_NOTE] = "note",
};

/* The same fault as the last one, met once more. */
static bool is_repeated(const struct report *r, const struct sm_error *err)
{
	const struct sm_error *last = r->n ? r->items[r->n - 1].err : NULL;

	if (!last || !err->has_offset || !last->has_offset || err->offset != last->offset)
		return false;
	return err->path && last->path && !strcmp(err->path, last->path) &&
	       !strcmp(err->what, last->what);
}

void report_take(struct report *r, enum severity severity, struct sm_error *err)
{
	if (is_repeated(r, err)) {
		sm_error_free(err);
		return;
	}
	if (err->code == SM_E_NOMEM || !sm_grow(&r->items, &r->cap, r->n + 1, sizeof(*r->items))) {
		r->failed = true;
		sm_error_free(err);
		return;
	}
	r->items[r->n++] = (struct finding){.severity = severity, .err = err};
	r->counts[severity]++;
}

void report_add(struct report *r, enum severity severity, const char *path, const char *what,
	const char *detail_fmt, ...)
{
	struct sm_buf detail = {0};
	va_list ap;

	va_start(ap, detail_fmt);
	sm_buf_vaddf(&detail, detail_fmt, ap);
	va_end(ap);
	report_take(r, severity,
		detail.failed ? sm_error_nomem()
			      : sm_error_new(SM_E_OTHER, path, what, "%s",
					detail.data ? detail.data : ""));
	sm_buf_release(&detail);
}

void report_release(struct report *r)
{
	for (size_t i = 0; i < r->n; i++)
		sm_error_free(r->items[i].err);
	free(r->items);
	memset(r, 0, sizeof(*r));
}

void report_write_text(const struct report *r, struct sm_out *out)
{
	struct sm_buf line = {0};
	bool any = false;

	for (size_t i = 0; i < r->n; i++) {
		sm_buf_reset(&line);
		sm_error_format(r->items[i].err, &line);
		sm_out_f(out, "%s: ", NAMES[r->items[i].severity]);
		sm_out_bytes(out, line.data, line.len);
		sm_out_char(out, '\n');
	}
	sm_buf_release(&line);
	sm_out_str(out, r->counts[SEVERITY_ERROR] ? "not ok" : "ok");
	for (int s = 0; s < SEVERITY_NR; s++) {
		if (!r->counts[s])
			continue;
		sm_out_f(out, "%s%zu %s%s", any ? ", " : ": ", r->counts[s], NAMES[s],
			r->counts[s] == 1 ? "" : "s");
		any = true;
	}
	sm_out_char(out, '\n');
}

void report_write_json(const struct report *r, struct sm_out *out)
{
	struct sm_json j;

	sm_json_init(&j, out, true);
	sm_json_object(&j, NULL);
	sm_json_bool(&j, "ok", !r->counts[SEVERITY_ERROR]);
	sm_json_array(&j, "findings");
	for (size_t i = 0; i < r->n; i++) {
		const struct sm_error *err = r->items[i].err;

		sm_json_object(&j, NULL);
		sm_json_str(&j, "severity", NAMES[r->items[i].severity]);
		sm_json_str(&j, "what", err->what);
		sm_json_object(&j, "where");
		sm_json_str(&j, "path", err->path);
		if (err->has_offset)
			sm_json_u64(&j, "offset", err->offset);
		else
			sm_json_null(&j, "offset");
		sm_json_object_end(&j);
		sm_json_str(&j, "detail", err->detail);
		sm_json_object_end(&j);
	}
	sm_json_array_end(&j);
	sm_json_object_end(&j);
	sm_out_char(out, '\n');
}
