/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Blocks of a page_owner as events: each is the allocation of a page that lives. */
#include <stdlib.h>

#include "text.h"

#define BATCH 1024
/* Distinct masks with their names: a kernel has a few dozens. */
#define MAX_MASKS 4096

static int compare_events(const void *a, const void *b)
{
	const struct owner_event *x = a, *y = b;

	if (x->ts != y->ts)
		return x->ts < y->ts ? -1 : 1;
	return x->pfn < y->pfn ? -1 : x->pfn > y->pfn;
}

/* The file has them by page frame number. */
static void sort_events(struct owner_events *e)
{
	for (size_t i = 1; i < e->n; i++) {
		if (compare_events(&e->items[i - 1], &e->items[i]) <= 0)
			continue;
		qsort(e->items, e->n, sizeof(*e->items), compare_events);
		return;
	}
}

static uint64_t mask_of(const struct owner_events *e, uint32_t i)
{
	return sm_load64(e->masks.items[i].data, false);
}

static struct sm_error *make_masks(struct sm_trace *trace, struct sm_event_type *type)
{
	const struct owner_events *e = trace->priv->owner;
	size_t n = e->masks.n < MAX_MASKS ? e->masks.n : MAX_MASKS;
	struct sm_flag_name *names = sm_arena_alloc(&trace->priv->arena, (n + 1) * sizeof(*names));

	if (!names)
		return sm_error_nomem();
	for (uint32_t i = 0; i < n; i++) {
		const char *name = sm_strings_get(&e->mask_text, e->mask_names[i]);

		if (!name || !mask_of(e, i))
			continue;
		names[type->ngfp].value = mask_of(e, i);
		names[type->ngfp++].name = name;
	}
	sm_gfp_whole_sort(names, type->ngfp);
	type->gfp = names;
	type->gfp_whole = true;
	return NULL;
}

/* Of payloads that are made for those who want them. */
#define PFN_OFFSET 0
#define GFP_OFFSET 8
#define ORDER_OFFSET 16
#define TGID_OFFSET 20
#define PAYLOAD 24

static struct sm_error *make_type(struct sm_trace *trace)
{
	static const struct sm_field PFN = {
		.name = "pfn", .type = "unsigned long", .offset = PFN_OFFSET, .size = 8};
	static const struct sm_field ORDER = {
		.name = "order", .type = "unsigned int", .offset = ORDER_OFFSET, .size = 4};
	static const struct sm_field GFP = {
		.name = "gfp_flags", .type = "gfp_t", .offset = GFP_OFFSET, .size = 8};
	static const struct sm_field TGID = {.name = "tgid",
		.type = "pid_t",
		.offset = TGID_OFFSET,
		.size = 4,
		.is_signed = true};
	struct sm_field *fields = sm_arena_alloc(&trace->priv->arena, 4 * sizeof(*fields));
	struct sm_event_type *type = calloc(1, sizeof(*type));

	trace->types = type;
	if (!fields || !type)
		return sm_error_nomem();
	trace->ntypes = 1;
	type->system = "kmem";
	type->name = "page_owner";
	type->kind = SM_EV_PAGE_ALLOC;
	type->print_fmt = "";
	type->fields = fields;
	if (trace->priv->owner->has_pfn)
		fields[type->nfields++] = PFN;
	fields[type->nfields++] = ORDER;
	fields[type->nfields++] = GFP;
	if (trace->text.has_process)
		fields[type->nfields++] = TGID;
	return make_masks(trace, type);
}

struct sm_error *owner_events_finish(struct sm_trace *trace)
{
	struct owner_events *e = trace->priv->owner;
	struct sm_health *h = &trace->health;

	sort_events(e);
	if (e->n && trace->text.has_time) {
		h->has_window = true;
		h->first_ts = e->items[0].ts;
		h->last_ts = e->items[e->n - 1].ts;
	}
	free(trace->clock);
	/* Since boot; each time is its own CPU's, which are a little apart. */
	trace->clock = strdup("local");
	if (!trace->clock)
		return sm_error_nomem();
	trace->clock_is_time = trace->clock_orders = true;
	return make_type(trace);
}

void owner_events_free(struct owner_events *e)
{
	if (!e)
		return;
	free(e->items);
	free(e->mask_names);
	sm_strings_release(&e->tasks);
	sm_strings_release(&e->comms);
	sm_strings_release(&e->masks);
	sm_strings_release(&e->mask_text);
	free(e);
}

const char *sm_event_comm(const struct sm_trace *trace, const struct sm_event *ev)
{
	if (!ev->comm)
		return sm_trace_comm(trace, ev->pid);
	return sm_strings_get(&trace->priv->owner->comms, ev->comm - 1);
}

static struct owner_task task_of(const struct owner_events *e, const struct owner_event *from)
{
	struct owner_task task;

	memcpy(&task, e->tasks.items[from->task].data, sizeof(task));
	return task;
}

static void fill_event(
	const struct sm_trace *trace, const struct owner_event *from, struct sm_event *ev)
{
	struct owner_task task = task_of(trace->priv->owner, from);

	*ev = (struct sm_event){
		.ts = from->ts,
		.ptr = from->pfn,
		.bytes_req = (uint64_t)trace->kernel_page_size << from->order,
		.bytes_alloc = (uint64_t)trace->kernel_page_size << from->order,
		.gfp = mask_of(trace->priv->owner, from->gfp),
		.stack = from->stack,
		.stack_id = -1,
		.cache = SM_NO_STRING,
		.pid = task.pid,
		.comm = task.comm == SM_NO_STRING ? 0 : task.comm + 1,
		.cpu = SM_CPU_UNKNOWN,
		.kind = SM_EV_PAGE_ALLOC,
		.order = from->order,
	};
}

static void fill_payload(
	const struct sm_trace *trace, const struct owner_event *from, uint8_t payload[PAYLOAD])
{
	struct owner_task task = task_of(trace->priv->owner, from);
	uint64_t gfp = mask_of(trace->priv->owner, from->gfp);
	uint64_t pfn = from->pfn < NO_PFN ? from->pfn : UINT64_MAX;
	uint32_t order = from->order;

	memcpy(payload + PFN_OFFSET, &pfn, sizeof(pfn));
	memcpy(payload + GFP_OFFSET, &gfp, sizeof(gfp));
	memcpy(payload + ORDER_OFFSET, &order, sizeof(order));
	memcpy(payload + TGID_OFFSET, &task.tgid, sizeof(task.tgid));
}

struct sm_error *owner_events_run(
	const struct sm_trace *trace, const struct sm_run_opts *opts, sm_sink sink, void *ctx)
{
	const struct owner_events *e = trace->priv->owner;
	struct sm_event *events = malloc(BATCH * sizeof(*events));
	uint8_t *raw = opts->raw ? malloc((size_t)BATCH * PAYLOAD) : NULL;
	struct sm_error *err = NULL;

	if (!events || (opts->raw && !raw))
		err = sm_error_nomem();
	for (size_t at = 0; !err && at < e->n; at += BATCH) {
		size_t n = e->n - at < BATCH ? e->n - at : BATCH;
		struct sm_batch batch = {.events = events, .n = n, .raw = raw};

		for (size_t i = 0; i < n; i++) {
			fill_event(trace, &e->items[at + i], &events[i]);
			if (!raw)
				continue;
			fill_payload(trace, &e->items[at + i], raw + i * PAYLOAD);
			events[i].raw = (uint32_t)(i * PAYLOAD);
			events[i].raw_len = PAYLOAD;
		}
		err = sink(ctx, &batch);
	}
	free(events);
	free(raw);
	if (err && err->code == SM_E_STOPPED) {
		sm_error_free(err);
		err = NULL;
	}
	return err;
}
