/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Faults met while pages are read, kept for `check` with their places. */
#include <stdlib.h>

#include "internal.h"

void sm_findings_add(struct findings *f, const char *what, const char *path, uint64_t offset,
	const char *fmt, ...)
{
	struct sm_finding item = {.what = what, .offset = offset};
	struct sm_buf buf = {0};
	va_list ap;

	if (f->n >= MAX_FINDINGS || !sm_grow(&f->items, &f->cap, f->n + 1, sizeof(*f->items))) {
		f->more++;
		return;
	}
	va_start(ap, fmt);
	sm_buf_vaddf(&buf, fmt, ap);
	va_end(ap);
	item.detail = buf.data;
	item.path = strdup(path);
	if (!item.path || buf.failed) {
		free(item.path);
		free(item.detail);
		f->more++;
		return;
	}
	f->items[f->n++] = item;
}

void sm_findings_move(struct findings *to, struct findings *from)
{
	size_t i = 0;

	for (; i < from->n && to->n < MAX_FINDINGS; i++) {
		if (!sm_grow(&to->items, &to->cap, to->n + 1, sizeof(*to->items)))
			break;
		to->items[to->n++] = from->items[i];
	}
	to->more += from->more + (from->n - i);
	for (size_t k = i; k < from->n; k++) {
		free(from->items[k].path);
		free(from->items[k].detail);
	}
	free(from->items);
	memset(from, 0, sizeof(*from));
}

void sm_findings_release(struct findings *f)
{
	for (size_t i = 0; i < f->n; i++) {
		free(f->items[i].path);
		free(f->items[i].detail);
	}
	free(f->items);
	memset(f, 0, sizeof(*f));
}

const struct sm_finding *sm_trace_findings(const struct sm_trace *trace, size_t *n)
{
	*n = trace->priv->findings.n;
	return trace->priv->findings.items;
}
