/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The records of a page to events, each joined to its stack. This is the hottest code of the tool:
 * it is compiled once per byte order, so that the usual one pays nothing for the other.
 */
#include <stdlib.h>

#include "known.h"
#include "payload.h"

#define TYPE_PADDING 29
#define TYPE_TIME_EXTEND 30
#define TYPE_TIME_STAMP 31

/* Larger than any page allocator's: a value above is damage. */
#define MAX_ORDER 20
#define MAX_STACK_DEPTH 8192

HOT void load_cache(struct decoder *d, const struct type_plan *plan, const uint8_t *payload,
	size_t len, struct sm_event *ev)
{
	uint32_t loc = sm_load32(payload + plan->name.offset, d->trace->layout.swap);
	size_t size = loc >> 16;
	size_t off = (loc & 0xffff) + (plan->name_relative ? plan->name.offset + 4u : 0u);

	if (off + size > len) {
		sm_findings_add(&d->findings, "string outside its record", d->cpu->member,
			d->page_offset, "offset %zu, length %zu, record of %zu bytes", off, size,
			len);
		return;
	}
	ev->cache = sm_known_cache_id(d, (const char *)payload + off, size);
}

/* Loads a data record. False when its values are impossible. */
HOT bool load_event(struct decoder *d, const struct type_plan *plan, const uint8_t *payload,
	size_t len, bool swap, struct sm_event *ev)
{
	const struct common common = load_common(plan, payload, swap);

	/* Field by field: memset() of this size is a slow string instruction in some compilers. */
	ev->ts = scale_time(&d->trace->priv->scale, d->time);
	ev->ptr = ev->bytes_req = ev->bytes_alloc = ev->gfp = 0;
	ev->stack = SM_STACK_NONE;
	ev->stack_id = -1;
	ev->cache = SM_NO_STRING;
	ev->pid = common.pid;
	ev->raw = ev->raw_len = 0;
	ev->type = plan->type;
	ev->cpu = (uint16_t)d->cpu->cpu;
	ev->kind = plan->kind;
	ev->order = 0;
	ev->flags = common.flags;
	ev->preempt = common.preempt;
	ev->failed = false;
	ev->comm = 0;
	ev->call_site = load_ref(&plan->call_site, payload, swap);
	switch (plan->kind) {
	case SM_EV_SLAB_ALLOC:
		ev->bytes_req = load_ref(&plan->req, payload, swap);
		ev->bytes_alloc = load_ref(&plan->alloc, payload, swap);
		ev->gfp = load_ref(&plan->gfp, payload, swap);
		ev->ptr = load_ref(&plan->ptr, payload, swap);
		ev->failed = ev->ptr == 0;
		if (plan->name.size)
			load_cache(d, plan, payload, len, ev);
		break;
	case SM_EV_SLAB_FREE:
		ev->ptr = load_ref(&plan->ptr, payload, swap);
		if (plan->name.size)
			load_cache(d, plan, payload, len, ev);
		break;
	case SM_EV_PAGE_ALLOC:
	case SM_EV_PAGE_FREE:
	case SM_EV_PAGE_FREE_BATCHED: {
		uint64_t order = load_ref(&plan->order, payload, swap);

		ev->ptr = load_ref(&plan->ptr, payload, swap);
		ev->gfp = load_ref(&plan->gfp, payload, swap);
		ev->failed = ev->ptr == (plan->ptr.size == 4 ? UINT32_MAX : UINT64_MAX);
		if (order > MAX_ORDER)
			return false;
		ev->order = (uint8_t)order;
		ev->bytes_alloc = (uint64_t)d->trace->kernel_page_size << order;
		ev->bytes_req = ev->bytes_alloc;
		break;
	}
	default:
		break;
	}
	return true;
}

/* A record that is shorter than its format. */
static struct common load_short_event(struct decoder *d, const struct type_plan *plan,
	const uint8_t *payload, size_t len, bool swap, struct sm_event *ev)
{
	struct common common = {0};

	memset(ev, 0, sizeof(*ev));
	if (len >= (size_t)plan->pid.offset + plan->pid.size &&
		len >= (size_t)plan->flags.offset + plan->flags.size &&
		len >= (size_t)plan->preempt.offset + plan->preempt.size)
		common = load_common(plan, payload, swap);
	ev->ts = scale_time(&d->trace->priv->scale, d->time);
	ev->type = plan->type;
	ev->kind = SM_EV_OTHER;
	ev->cpu = (uint16_t)d->cpu->cpu;
	ev->stack = SM_STACK_NONE;
	ev->stack_id = -1;
	ev->cache = SM_NO_STRING;
	ev->pid = common.pid;
	ev->flags = common.flags;
	ev->preempt = common.preempt;
	d->health.bad_records++;
	sm_findings_add(&d->findings, "record shorter than its format", d->cpu->member,
		d->page_offset, "%zu bytes, needs %u; only its stack is counted", len,
		plan->min_len);
	return common;
}

static void drop_waiting(struct decoder *d, unsigned at)
{
	d->nwaiting--;
	if (at < d->nwaiting)
		memmove(&d->waiting[at], &d->waiting[at + 1],
			(d->nwaiting - at) * sizeof(d->waiting[0]));
}

HOT void push_event(struct decoder *d, const struct type_plan *plan, const uint8_t *payload,
	size_t len, bool swap)
{
	struct event_batch *out = d->out;
	struct sm_event *ev;
	uint64_t key;

	if (out->n == out->cap && !sm_grow(&out->events, &out->cap, out->n + 1, sizeof(*ev))) {
		d->error = d->error ? d->error : sm_error_nomem();
		return;
	}
	ev = &out->events[out->n];
	if (len < plan->min_len) {
		/* Sound framing, but not what its format says: an event of which nothing but the
		 * common fields is believed. */
		const struct common common = load_short_event(d, plan, payload, len, swap, ev);

		key = key_of(&common, swap);
	} else {
		key = load_key(plan, payload, swap);
		if (!load_event(d, plan, payload, len, swap, ev)) {
			ev->kind = SM_EV_OTHER;
			d->health.bad_records++;
			sm_findings_add(&d->findings, "event with an impossible order",
				d->cpu->member, d->page_offset, "only its stack is counted");
		}
	}
	if (d->raw) {
		ev->raw = (uint32_t)out->raw.len;
		ev->raw_len = (uint32_t)len;
		sm_buf_add(&out->raw, payload, len);
	}
	if (plan->type == UINT16_MAX)
		d->health.unknown_types++;
	if (d->time < d->last_ts)
		d->health.time_back++;
	d->last_ts = d->time;
	d->health.events++;
	d->health.no_stack++; /* until one claims it */

	/* A waiting event that holds up too many others is given up. */
	if (d->nwaiting == MAX_WAITING || (d->nwaiting && out->n - d->waiting[0].event >= MAX_HELD))
		drop_waiting(d, 0);
	for (unsigned i = d->nwaiting; i-- > 0;) {
		if (d->waiting[i].key != key)
			continue;
		d->waiting[i].superseded = true;
		break;
	}
	d->waiting[d->nwaiting++] = (struct waiting){.key = key, .event = (uint32_t)out->n};
	out->n++;
}

/* False when the stack can't be the event's. `known` is where the decoder keeps it, or NULL. */
HOT bool holds_call_site(struct decoder *d, const struct sm_event *ev, uint32_t stack,
	struct known_stack *known, bool superseded)
{
	if (!ev->call_site || stack >= SM_STACK_MAX)
		return true;
	if (known && known->call_site == ev->call_site)
		return true;
	if (sm_stacks_note_call_site(d->trace->stacks, stack, ev->call_site)) {
		if (known)
			known->call_site = ev->call_site;
		return true;
	}
	/* A stack follows its event at once. One that comes after another event of the same
	 * context must prove that it is this one's. */
	if (superseded)
		return false;
	d->health.stray_call_sites++;
	return true;
}

/* The waiting event that a stack of `plan`'s record belongs to, no longer waiting; NULL = an
 * orphan. */
HOT struct sm_event *claim_event(struct decoder *d, const struct type_plan *plan,
	const uint8_t *payload, uint32_t stack, struct known_stack *known, bool swap)
{
	uint64_t key = load_key(plan, payload, swap);

	for (unsigned i = d->nwaiting; i-- > 0;) {
		struct sm_event *ev = &d->out->events[d->waiting[i].event];

		if (d->waiting[i].key != key)
			continue;
		if (!holds_call_site(d, ev, stack, known, d->waiting[i].superseded))
			return NULL;
		drop_waiting(d, i);
		return ev;
	}
	return NULL;
}

/* Index of the record's stack; *known is where the decoder keeps it, if anywhere. */
HOT uint32_t intern_stack(struct decoder *d, const struct type_plan *plan, const uint8_t *payload,
	size_t len, bool swap, struct known_stack **known)
{
	const struct sm_layout *l = &d->trace->layout;
	const uint8_t *ips = payload + plan->callers;
	size_t depth = (len - plan->callers) / l->long_size;
	uint64_t ones = l->long_size == 4 ? UINT32_MAX : UINT64_MAX;
	bool plain = l->long_size == 8 && !swap;
	struct known_stack *k;
	uint32_t index;

	*known = NULL;
	if (plan->size.size) {
		int64_t size = (int64_t)load_ref(&plan->size, payload, swap);

		if (size < 0)
			size = 0;
		if ((uint64_t)size < depth)
			depth = (size_t)size;
	}
	if (depth > MAX_STACK_DEPTH)
		depth = MAX_STACK_DEPTH;
	if (!plain) {
		if (depth > d->scratch_cap &&
			!sm_grow(&d->scratch, &d->scratch_cap, depth, sizeof(*d->scratch))) {
			d->error = d->error ? d->error : sm_error_nomem();
			return SM_STACK_NONE;
		}
		for (size_t i = 0; i < depth; i++)
			d->scratch[i] = l->long_size == 8 ? sm_load64(ips + i * 8, swap)
							  : sm_load32(ips + i * 4, swap);
		ips = (const uint8_t *)d->scratch;
	}
	/* Older kernels end the list with an all-ones word and leave what is behind it as it was.
	 */
	for (size_t i = plan->size.size && depth ? depth - 1 : 0; i < depth; i++) {
		if (sm_load64(ips + i * 8, false) == ones) {
			depth = i;
			break;
		}
	}
	if (!depth)
		return SM_STACK_NONE;
	k = *known = sm_known_stack(d, ips, (uint32_t)depth);
	if (k->depth == depth && sm_same_ips(k->ips, ips, (uint32_t)depth))
		return k->index;
	index = sm_stacks_add(d->trace->stacks, ips, (uint32_t)depth, false);
	if (index == SM_STACK_NONE) {
		d->error = d->error ? d->error : sm_error_nomem();
		*known = NULL;
		return index;
	}
	*k = (struct known_stack){
		.ips = sm_stacks_get(d->trace->stacks, index).ips,
		.depth = (uint32_t)depth,
		.index = index,
	};
	return index;
}

HOT void take_full_stack(struct decoder *d, const struct type_plan *plan, const uint8_t *payload,
	size_t len, bool swap)
{
	struct known_stack *known;
	uint32_t stack = intern_stack(d, plan, payload, len, swap, &known);
	struct sm_event *ev = claim_event(d, plan, payload, stack, known, swap);

	if (!ev) {
		d->health.orphan_stacks++;
		return;
	}
	ev->stack = stack;
	d->health.no_stack -= stack != SM_STACK_NONE;
}

static void note_unresolved(struct decoder *d, uint32_t id)
{
	if (id >= SM_MAP_MAX_IDS)
		return;
	if (!d->unresolved)
		d->unresolved = calloc(SM_MAP_MAX_IDS / 64, sizeof(*d->unresolved));
	if (!d->unresolved)
		d->error = d->error ? d->error : sm_error_nomem();
	else
		d->unresolved[id / 64] |= UINT64_C(1) << id % 64;
}

HOT void take_stack_id(
	struct decoder *d, const struct type_plan *plan, const uint8_t *payload, bool swap)
{
	int64_t id = (int64_t)load_ref(&plan->id, payload, swap);
	uint32_t stack = SM_STACK_NONE;
	struct sm_event *ev;

	if (id >= 0)
		stack = id < SM_MAP_MAX_IDS && d->trace->id_stack ? d->trace->id_stack[id]
								  : SM_STACK_UNRESOLVED;
	else
		d->health.invalid_ids++;
	ev = claim_event(d, plan, payload, stack, NULL, swap);
	if (!ev) {
		d->health.orphan_stacks++;
		return;
	}
	ev->stack = stack;
	if (id >= 0) {
		ev->stack_id = id <= INT32_MAX ? (int32_t)id : INT32_MAX;
		d->health.no_stack--;
		if (stack == SM_STACK_UNRESOLVED) {
			d->health.unresolved_ids++;
			note_unresolved(d, (uint32_t)ev->stack_id);
		}
	}
}

/* A data record's payload. False when it doesn't even hold a type. */
HOT bool take_payload(struct decoder *d, const uint8_t *payload, size_t len, bool swap)
{
	const struct sm_trace_private *priv = d->trace->priv;
	const struct type_plan *plan;

	if (len < 2)
		return false;
	plan = &priv->plans[priv->plan_of_id[sm_load16(payload, swap)]];
	d->cpu->records++;
	if (plan->kind >= SM_EV_KERNEL_STACK && len < plan->min_len) {
		d->health.bad_records++;
		sm_findings_add(&d->findings, "stack record shorter than its format",
			d->cpu->member, d->page_offset, "%zu bytes, needs %u; left out", len,
			plan->min_len);
		return true;
	}
	switch (plan->kind) {
	case SM_EV_KERNEL_STACK:
		take_full_stack(d, plan, payload, len, swap);
		break;
	case SM_EV_STACK_ID:
		take_stack_id(d, plan, payload, swap);
		break;
	case SM_EV_USER_STACK:
		break;
	default:
		push_event(d, plan, payload, len, swap);
		break;
	}
	return true;
}

static uint64_t absolute_time(uint64_t previous, uint64_t low59)
{
	const uint64_t mask = (UINT64_C(1) << 59) - 1;
	uint64_t time = (previous & ~mask) | low59;

	return time < previous ? time + (UINT64_C(1) << 59) : time;
}

/* Why the records from `at` on can't be read, or NULL at their sound end. *at is then the fault's
 * place. */
HOT const char *decode_records(
	struct decoder *d, const uint8_t *data, size_t len, bool swap, size_t *at)
{
	const bool big = sm_host_big_endian() != swap;
	size_t pos = *at;

	while (len - pos >= 4 && !d->error) {
		uint32_t w = sm_load32(data + pos, swap);
		uint32_t type_len = big ? w >> 27 : w & 31;
		uint32_t delta = big ? w & 0x7ffffff : w >> 5;
		uint32_t second = 0;

		*at = pos;
		if (type_len == 0 ||
			(type_len >= TYPE_PADDING && !(type_len == TYPE_PADDING && !delta))) {
			if (len - pos < 8)
				return "record cut short";
			second = sm_load32(data + pos + 4, swap);
		}
		if (type_len == TYPE_PADDING) {
			if (delta == 0)
				return NULL;
			if (second > len - pos - 4)
				return "padding that does not fit its page";
			if (delta != 1)
				d->time += delta;
			pos += 4 + (size_t)second;
		} else if (type_len == TYPE_TIME_EXTEND) {
			d->time += ((uint64_t)second << 27) + delta;
			pos += 8;
		} else if (type_len == TYPE_TIME_STAMP) {
			d->time = absolute_time(d->time, ((uint64_t)second << 27) + delta);
			pos += 8;
		} else if (type_len == 0) {
			if (second < 4)
				return "record with an impossible length";
			if (second > len - pos - 4)
				return "record that does not fit its page";
			d->time += delta;
			if (!take_payload(d, data + pos + 8, second - 4, swap))
				return "record without a type";
			pos += 4 + (size_t)second;
		} else {
			size_t size = (size_t)type_len * 4;

			if (size > len - pos - 4)
				return "record that does not fit its page";
			d->time += delta;
			if (!take_payload(d, data + pos + 4, size, swap))
				return "record without a type";
			pos += 4 + size;
		}
	}
	*at = pos;
	return pos < len && !d->error ? "record cut short" : NULL;
}

const char *sm_decode_native(struct decoder *d, const uint8_t *data, size_t len, size_t *at)
{
	return decode_records(d, data, len, false, at);
}

const char *sm_decode_swapped(struct decoder *d, const uint8_t *data, size_t len, size_t *at)
{
	return decode_records(d, data, len, true, at);
}
