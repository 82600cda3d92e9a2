/* SPDX-License-Identifier: GPL-2.0-or-later */
/* "Page allocated via order 0, mask 0x0(...), pid 1, tgid 1 (init), ts 1 ns, free_ts 0 ns" */
#include "page_owner.h"

/* Kernels have at most 10; the decoder of events refuses more as well. */
#define MAX_ORDER 20
/* With the NUL that isn't shown. */
#define TASK_COMM_LEN 16

bool owner_no_memory(struct owner *o)
{
	if (!o->err)
		o->err = sm_error_nomem();
	return false;
}

/* Where the name of a task ends that begins at `p`: the last place where a time follows. NULL where
 * none does. */
static const char *find_comm_end(const char *p, const char *end)
{
	static const char after[] = "), ts ";
	size_t n = sizeof(after) - 1;

	if (end - p < (ptrdiff_t)n)
		return NULL;
	for (const char *q = end - n; q > p; q--)
		if (!memcmp(q, after, n))
			return q;
	return memcmp(p, after, n) ? NULL : p;
}

static bool add_mask(struct owner *o, uint64_t mask, const char *names, size_t len)
{
	struct owner_events *e = o->events;
	size_t known = e->masks.n;
	uint32_t id = sm_strings_add(&e->masks, (const char *)&mask, sizeof(mask));

	if (id == SM_NO_STRING ||
		!sm_grow(&e->mask_names, &e->names_cap, (size_t)id + 1, sizeof(*e->mask_names)))
		return owner_no_memory(o);
	if (id >= known)
		e->mask_names[id] = SM_NO_STRING;
	if (len && e->mask_names[id] == SM_NO_STRING) {
		e->mask_names[id] = sm_strings_add(&e->mask_text, names, len);
		if (e->mask_names[id] == SM_NO_STRING)
			return owner_no_memory(o);
	}
	o->block.event.gfp = id;
	return true;
}

static bool take_mask(struct owner *o, struct text_cursor *c)
{
	const char *names = NULL, *close;
	uint64_t mask;

	if (!text_take(c, ", mask ") || !text_take_hex(c, &mask))
		return false;
	if (!text_take(c, "("))
		return add_mask(o, mask, NULL, 0);
	names = c->p;
	close = memchr(c->p, ')', (size_t)(c->end - c->p));
	if (!close || memchr(names, '\0', (size_t)(close - names)))
		return false;
	c->p = close + 1;
	return add_mask(o, mask, names, (size_t)(close - names));
}

/* " (name)"; *open: it goes on in the next line. */
static bool take_comm(struct owner *o, struct text_cursor *c, bool *open)
{
	const char *close;
	uint32_t id;

	if (!text_take(c, " ("))
		return true;
	close = find_comm_end(c->p, c->end);
	if (!close) {
		*open = c->end - c->p < TASK_COMM_LEN;
		return false;
	}
	id = sm_strings_add(&o->events->comms, c->p, strnlen(c->p, (size_t)(close - c->p)));
	if (id == SM_NO_STRING)
		return owner_no_memory(o);
	o->block.task.comm = id;
	c->p = close + 1;
	return true;
}

/* What follows the mask: "name number" each. */
static bool take_values(struct owner *o, struct text_cursor *c, bool *open)
{
	struct block *b = &o->block;
	struct sm_text *text = &o->trace->text;
	uint64_t v;

	while (text_take(c, ", ")) {
		if (text_take(c, "pid ")) {
			if (!text_take_number(c, INT32_MAX, &v) || !take_comm(o, c, open))
				return false;
			b->task.pid = (int32_t)v;
			text->has_task = true;
		} else if (text_take(c, "tgid ")) {
			if (!text_take_number(c, INT32_MAX, &v) || !take_comm(o, c, open))
				return false;
			b->task.tgid = (int32_t)v;
			text->has_process = true;
		} else if (text_take(c, "ts ")) {
			/* page_owner_sort takes the number away. */
			if (b->sorted && text_take(c, " ns"))
				continue;
			if (!text_take_number(c, INT64_MAX, &v) || !text_take(c, " ns"))
				return false;
			b->event.ts = v;
			text->has_time = true;
		} else if (text_take(c, "free_ts ")) {
			/* Of who had the page before. */
			if (!text_take_number(c, UINT64_MAX, &v) || !text_take(c, " ns"))
				return false;
		} else {
			return true; /* of a version that tells more */
		}
	}
	return text_at_end(c);
}

/* *open: the line is to be continued by the next. */
static bool parse_header(struct owner *o, const char *line, size_t len, bool *open)
{
	struct text_cursor c = {line, line + len};
	struct block *b = &o->block;
	uint64_t order;

	*open = false;
	b->task = (struct owner_task){.pid = -1, .tgid = -1, .comm = SM_NO_STRING};
	b->event = (struct owner_event){.pfn = UINT64_MAX};
	if (!text_take(&c, "Page allocated via order ") || !text_take_number(&c, MAX_ORDER, &order))
		return false;
	b->event.order = (uint8_t)order;
	if (!take_mask(o, &c))
		return false;
	if (!take_values(o, &c, open))
		return false;
	o->trace->text.has_comm |= b->task.comm != SM_NO_STRING;
	b->event.task = sm_strings_add(&o->events->tasks, (const char *)&b->task, sizeof(b->task));
	return b->event.task != SM_NO_STRING || owner_no_memory(o);
}

void owner_take_header(struct owner *o, const char *line, size_t len)
{
	bool open;

	o->block.begun = o->block.header = true;
	o->block.bad = !parse_header(o, line, len, &open);
	sm_buf_reset(&o->header);
	if (open)
		sm_buf_add(&o->header, line, len);
	else if (o->block.bad && !o->err)
		text_bad(&o->in, "a page that makes no sense", line, len);
}

void owner_continue_header(struct owner *o, const char *line, size_t len)
{
	bool open;

	sm_buf_addc(&o->header, '\n');
	sm_buf_add(&o->header, line, len);
	if (o->header.failed) {
		owner_no_memory(o);
		return;
	}
	o->block.bad = !parse_header(o, o->header.data, o->header.len, &open);
	if (open)
		return;
	if (o->block.bad && !o->err)
		text_bad(&o->in, "a page that makes no sense", o->header.data, o->header.len);
	sm_buf_reset(&o->header);
}
