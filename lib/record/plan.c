/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From formats to what the decoder loads: each field's place is looked up once, here. */
#include <stdlib.h>

#include "internal.h"

static struct field_ref ref_of(const struct sm_event_type *type, const char *name)
{
	const struct sm_field *f = sm_event_type_field(type, name);
	struct field_ref ref = {0};

	if (f && (f->size == 1 || f->size == 2 || f->size == 4 || f->size == 8)) {
		ref.offset = f->offset;
		ref.size = (uint8_t)f->size;
		ref.is_signed = f->is_signed;
	}
	return ref;
}

static void need(struct type_plan *plan, const struct field_ref *ref)
{
	uint32_t end = (uint32_t)ref->offset + ref->size;

	if (ref->size && end > plan->min_len)
		plan->min_len = end;
}

static void plan_common(struct type_plan *plan, const struct sm_event_type *type)
{
	plan->flags = ref_of(type, "common_flags");
	plan->preempt = ref_of(type, "common_preempt_count");
	plan->pid = ref_of(type, "common_pid");
	need(plan, &plan->flags);
	need(plan, &plan->preempt);
	need(plan, &plan->pid);
	plan->usual = plan->flags.offset == 2 && plan->flags.size == 1 &&
		      plan->preempt.offset == 3 && plan->preempt.size == 1 &&
		      plan->pid.offset == 4 && plan->pid.size == 4;
}

static void plan_stack(struct type_plan *plan, const struct sm_event_type *type)
{
	const struct sm_field *caller = sm_event_type_field(type, "caller");

	/* Kernels before 5.6 have no `size`: the list then ends with the payload. */
	plan->size = ref_of(type, "size");
	plan->callers = caller ? caller->offset : 16;
	need(plan, &plan->size);
	if (plan->callers > plan->min_len)
		plan->min_len = plan->callers;
}

static struct type_plan plan_of(const struct sm_event_type *type, uint16_t index)
{
	struct type_plan plan = {.type = index, .kind = (uint8_t)type->kind};
	const struct sm_field *name = sm_event_type_field(type, "name");

	plan_common(&plan, type);
	plan.call_site = ref_of(type, "call_site");
	switch (type->kind) {
	case SM_EV_SLAB_ALLOC:
	case SM_EV_SLAB_FREE:
		plan.ptr = ref_of(type, "ptr");
		plan.req = ref_of(type, "bytes_req");
		plan.alloc = ref_of(type, "bytes_alloc");
		plan.gfp = ref_of(type, "gfp_flags");
		if (name && name->size == 4 && (name->is_dynamic || name->is_relative)) {
			plan.name = ref_of(type, "name");
			plan.name_relative = name->is_relative;
		}
		break;
	case SM_EV_PAGE_ALLOC:
	case SM_EV_PAGE_FREE:
	case SM_EV_PAGE_FREE_BATCHED:
		plan.ptr = ref_of(type, "pfn");
		plan.order = ref_of(type, "order");
		plan.gfp = ref_of(type, "gfp_flags");
		break;
	case SM_EV_KERNEL_STACK:
		plan_stack(&plan, type);
		break;
	case SM_EV_STACK_ID:
		plan.id = ref_of(type, "stack_id");
		break;
	default:
		break;
	}
	need(&plan, &plan.ptr);
	need(&plan, &plan.call_site);
	need(&plan, &plan.req);
	need(&plan, &plan.alloc);
	need(&plan, &plan.gfp);
	need(&plan, &plan.order);
	need(&plan, &plan.name);
	need(&plan, &plan.id);
	return plan;
}

struct sm_error *sm_plans_build(struct sm_trace *trace)
{
	struct sm_trace_private *priv = trace->priv;
	size_t n = trace->ntypes;
	struct type_plan *unknown;

	priv->plans = calloc(n + 1, sizeof(*priv->plans));
	priv->plan_of_id = malloc(65536 * sizeof(*priv->plan_of_id));
	if (!priv->plans || !priv->plan_of_id)
		return sm_error_nomem();
	for (size_t i = 0; i < 65536; i++)
		priv->plan_of_id[i] = (uint16_t)n;
	for (size_t i = 0; i < n; i++) {
		priv->plans[i] = plan_of(&trace->types[i], (uint16_t)i);
		priv->plan_of_id[trace->types[i].id] = (uint16_t)i;
	}
	unknown = &priv->plans[n];
	unknown->type = UINT16_MAX;
	unknown->kind = SM_EV_OTHER;
	/* A record without a format still has the common fields that all others have. */
	if (n)
		plan_common(unknown, &trace->types[0]);
	return NULL;
}
