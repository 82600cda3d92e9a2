/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What rows are grouped by beside stacks: each value of an attribute once, with its text. */
#include <stdlib.h>

#include "internal.h"

#define NO_VALUE UINT64_MAX

void sm_kmalloc_cache_name(uint64_t bytes_alloc, struct sm_buf *buf)
{
	/* Larger requests go to the page allocator and have no cache. */
	if (bytes_alloc > 8192)
		sm_buf_adds(buf, "kmalloc-large");
	else if (bytes_alloc >= 1024 && bytes_alloc % 1024 == 0)
		sm_buf_addf(buf, "kmalloc-%lluk", (unsigned long long)bytes_alloc / 1024);
	else
		sm_buf_addf(buf, "kmalloc-%llu", (unsigned long long)bytes_alloc);
}

/* A number that stands for the event's attribute. Different numbers may have the same text. */
const char *sm_attr_name(enum sm_attr attr)
{
	static const char *const NAMES[] = {
		[SM_ATTR_NONE] = "",
		[SM_ATTR_COMM] = "comm",
		[SM_ATTR_PID] = "pid",
		[SM_ATTR_CPU] = "cpu",
		[SM_ATTR_EVENT] = "event",
		[SM_ATTR_CACHE] = "cache",
		[SM_ATTR_GFP] = "gfp",
		[SM_ATTR_ORDER] = "order",
		[SM_ATTR_SIZE] = "size",
	};

	return NAMES[attr];
}

static uint64_t value_of(enum sm_attr attr, const struct sm_trace *trace, const struct sm_event *ev)
{
	switch (attr) {
	case SM_ATTR_COMM:
		if (ev->comm)
			return (UINT64_C(1) << 32) | ev->comm;
		return (uint32_t)ev->pid;
	case SM_ATTR_PID:
		return (uint32_t)ev->pid;
	case SM_ATTR_CPU:
		return ev->cpu;
	case SM_ATTR_EVENT:
		return ev->type;
	case SM_ATTR_CACHE:
		if (ev->cache != SM_NO_STRING)
			return ev->cache;
		if (ev->kind == SM_EV_SLAB_ALLOC &&
			strncmp(trace->types[ev->type].name, "kmalloc", 7) == 0)
			return (UINT64_C(1) << 63) | ev->bytes_alloc;
		return NO_VALUE;
	case SM_ATTR_GFP:
		/* Its names depend on the type's format. */
		return ev->kind == SM_EV_SLAB_ALLOC || ev->kind == SM_EV_PAGE_ALLOC
			       ? (uint64_t)ev->type << 48 | (ev->gfp & ((UINT64_C(1) << 48) - 1))
			       : NO_VALUE;
	case SM_ATTR_ORDER:
		return ev->kind == SM_EV_PAGE_ALLOC || ev->kind == SM_EV_PAGE_FREE ? ev->order
										   : NO_VALUE;
	case SM_ATTR_SIZE:
		return ev->kind == SM_EV_SLAB_ALLOC || ev->kind == SM_EV_PAGE_ALLOC
			       ? ev->bytes_alloc
			       : NO_VALUE;
	default:
		return 0;
	}
}

static void format_type(const struct sm_trace *trace, uint16_t index, struct sm_buf *buf)
{
	const struct sm_event_type *type;

	if (index >= trace->ntypes) {
		sm_buf_adds(buf, "[unknown event]");
		return;
	}
	type = &trace->types[index];
	if (strcmp(type->system, "kmem") != 0)
		sm_buf_addf(buf, "%s:", type->system);
	sm_buf_adds(buf, type->name);
}

static void format_value(enum sm_attr attr, const struct sm_trace *trace, const struct sm_event *ev,
	struct sm_buf *buf)
{
	uint64_t value = value_of(attr, trace, ev);
	const char *s;

	switch (attr) {
	case SM_ATTR_COMM:
		s = sm_event_comm(trace, ev);
		sm_buf_adds(buf, s ? s : "<...>");
		return;
	case SM_ATTR_PID:
		sm_buf_addf(buf, "%d", ev->pid);
		return;
	case SM_ATTR_EVENT:
		format_type(trace, ev->type, buf);
		return;
	case SM_ATTR_CACHE:
		s = sm_trace_cache(trace, ev->cache);
		if (s)
			sm_buf_adds(buf, s);
		else if (value != NO_VALUE)
			sm_kmalloc_cache_name(ev->bytes_alloc, buf);
		else
			sm_buf_adds(buf, "[unknown cache]");
		return;
	case SM_ATTR_GFP:
		if (value == NO_VALUE)
			sm_buf_adds(buf, "[no gfp]");
		else
			sm_gfp_format(trace->types[ev->type].gfp, trace->types[ev->type].ngfp,
				ev->gfp, buf);
		return;
	default:
		if (value == NO_VALUE)
			sm_buf_adds(buf, attr == SM_ATTR_ORDER ? "[no order]" : "[no size]");
		else
			sm_buf_addf(buf, "%llu", (unsigned long long)value);
		return;
	}
}

static size_t home_of(uint64_t value, size_t nslots)
{
	return (size_t)((value * UINT64_C(0x9e3779b97f4a7c15)) >> 20) & (nslots - 1);
}

static bool grow_slots(struct attr_table *t)
{
	size_t nslots = t->nslots ? t->nslots * 2 : 256;
	uint32_t *slots = calloc(nslots, sizeof(*slots));

	if (!slots)
		return false;
	for (size_t v = 0; v < t->n; v++) {
		size_t i = home_of(t->values[v].value, nslots);

		while (slots[i])
			i = (i + 1) & (nslots - 1);
		slots[i] = (uint32_t)v + 1;
	}
	free(t->slots);
	t->slots = slots;
	t->nslots = nslots;
	return true;
}

static uint32_t new_value(struct attr_table *t, const struct sm_trace *trace,
	const struct sm_event *ev, uint64_t value)
{
	struct sm_buf text = {0};
	uint32_t label;

	format_value(t->attr, trace, ev, &text);
	label = text.failed ? SM_NO_STRING
			    : sm_strings_add(&t->labels, text.data ? text.data : "", text.len);
	sm_buf_release(&text);
	if (label == SM_NO_STRING || !sm_grow(&t->values, &t->cap, t->n + 1, sizeof(*t->values)))
		return UINT32_MAX;
	t->values[t->n] = (struct attr_value){.value = value, .label = label};
	return (uint32_t)t->n++;
}

/* Values of the same text share the label, which is the index that rows use. */
uint32_t sm_attr_of(struct attr_table *t, const struct sm_trace *trace, const struct sm_event *ev)
{
	uint64_t value;
	uint32_t v;
	size_t i;

	if (t->attr == SM_ATTR_NONE)
		return 0;
	value = value_of(t->attr, trace, ev);
	if (t->n && t->values[t->last].value == value)
		return t->values[t->last].label;
	if (t->n * 2 >= t->nslots && !grow_slots(t))
		return UINT32_MAX;
	for (i = home_of(value, t->nslots); t->slots[i]; i = (i + 1) & (t->nslots - 1)) {
		v = t->slots[i] - 1;
		if (t->values[v].value == value) {
			t->last = v;
			return t->values[v].label;
		}
	}
	v = new_value(t, trace, ev, value);
	if (v == UINT32_MAX)
		return UINT32_MAX;
	t->slots[i] = v + 1;
	t->last = v;
	return t->values[v].label;
}

bool sm_attr_name_again(struct attr_table *t, const struct sm_trace *trace)
{
	for (size_t v = 0; v < t->n && t->attr == SM_ATTR_COMM; v++) {
		struct attr_value *value = &t->values[v];
		const char *name;

		if (value->value > UINT32_MAX) /* the event's own */
			continue;
		name = sm_trace_comm(trace, (int32_t)(uint32_t)value->value);
		if (!name || strcmp(name, sm_strings_get(&t->labels, value->label)) == 0)
			continue;
		value->label = sm_strings_add(&t->labels, name, strlen(name));
		if (value->label == SM_NO_STRING)
			return false;
	}
	return true;
}

void sm_attr_release(struct attr_table *t)
{
	free(t->values);
	free(t->slots);
	sm_strings_release(&t->labels);
	memset(t, 0, sizeof(*t));
}
