/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * profile.proto of pprof, gzipped. Samples are written as they come, and what they refer to after
 * them: memory follows distinct addresses.
 */
#include <errno.h>
#include <stdlib.h>

#include "pprof_tables.h"
#include "proto.h"

static const struct sample_type {
	enum sm_metric metric;
	const char *type, *unit;
	bool always; /* else only when it is asked for */
} TYPES[] = {
	{SM_M_COUNT, "alloc_objects", "count", true},
	{SM_M_BYTES, "alloc_space", "bytes", true},
	{SM_M_LIVE_COUNT, "inuse_objects", "count", true},
	{SM_M_LIVE_BYTES, "inuse_space", "bytes", true},
	{SM_M_BYTES_REQ, "requested_space", "bytes", false},
	{SM_M_WASTE, "waste_space", "bytes", false},
	{SM_M_PEAK_BYTES, "peak_space", "bytes", false},
	{SM_M_FREES, "freed_objects", "count", false},
	{SM_M_REF_COUNT, "ref_count", "count", false},
};

/* A number's unit, when none is given, is its key to readers. Given, a 0 isn't taken as no value.
 */
static const struct label {
	enum sm_attr attr;
	const char *key, *unit;
	bool number;
} LABELS[] = {
	{SM_ATTR_COMM, "comm", NULL, false},
	{SM_ATTR_PID, "pid", "pid", true},
	{SM_ATTR_CPU, "cpu", "cpu", true},
	{SM_ATTR_CACHE, "cache", NULL, false},
	{SM_ATTR_GFP, "gfp", NULL, false},
	{SM_ATTR_ORDER, "order", "order", true},
	{SM_ATTR_SIZE, "bytes", "bytes", true},
};

struct pprof {
	const struct sm_export *x;
	struct gzip gzip;
	struct pprof_tables tables;
	const struct sample_type *types[SM_ARRAY_SIZE(TYPES)];
	size_t ntypes;
	uint32_t label_keys[SM_ARRAY_SIZE(LABELS)], label_units[SM_ARRAY_SIZE(LABELS)];
	uint32_t stack_id, base, yes; /* strings */
	struct sm_buf sample, part, packed;
	bool failed; /* memory was short */
};

static uint32_t string(struct pprof *p, const char *text)
{
	uint32_t id = pprof_string(&p->tables, text);

	p->failed |= id == SM_NO_STRING;
	return id;
}

static void put(struct pprof *p, unsigned field, struct sm_buf *message)
{
	struct sm_out *out = &p->gzip.plain;

	sm_buf_reset(&p->packed);
	proto_varint(&p->packed, field << 3 | PROTO_BYTES);
	proto_varint(&p->packed, message->len);
	sm_out_bytes(out, p->packed.data, p->packed.len);
	sm_out_bytes(out, message->data, message->len);
	p->failed |= p->packed.failed || message->failed;
	sm_buf_reset(message);
	gzip_drain(&p->gzip);
}

static void put_number(struct pprof *p, unsigned field, uint64_t v)
{
	sm_buf_reset(&p->packed);
	proto_u64(&p->packed, field, v);
	sm_out_bytes(&p->gzip.plain, p->packed.data, p->packed.len);
}

static void put_type(struct pprof *p, unsigned field, const struct sample_type *type)
{
	proto_u64(&p->part, 1, string(p, type->type));
	proto_u64(&p->part, 2, string(p, type->unit));
	put(p, field, &p->part);
}

static void put_comment(struct pprof *p, const struct sm_export_side *side, const char *what)
{
	struct sm_buf text = {0};

	sm_buf_adds(&text, what);
	if (side->profile->trace->kernel_release)
		sm_buf_addf(&text, "kernel %s; ", side->profile->trace->kernel_release);
	sm_health_text(side->profile, &text);
	if (text.failed)
		p->failed = true;
	else
		put_number(p, 13, string(p, text.data));
	sm_buf_release(&text);
}

static void put_head(struct pprof *p)
{
	static const struct sample_type SPACE = {.type = "space", .unit = "bytes"};
	const struct sm_profile *now = p->x->now.profile;
	enum sm_metric by = p->x->opts->by;

	for (size_t i = 0; i < SM_ARRAY_SIZE(TYPES); i++) {
		uint32_t bit = 1u << TYPES[i].metric;

		if (!(now->known & bit) ||
			(p->x->base.profile && !(p->x->base.profile->known & bit)) ||
			(!TYPES[i].always && TYPES[i].metric != by))
			continue;
		p->types[p->ntypes++] = &TYPES[i];
		put_type(p, 1, &TYPES[i]);
		if (TYPES[i].metric == by)
			put_number(p, 14, string(p, TYPES[i].type));
	}
	for (size_t i = 0; i < SM_ARRAY_SIZE(LABELS); i++) {
		p->label_keys[i] = string(p, LABELS[i].key);
		p->label_units[i] = string(p, LABELS[i].unit);
	}
	p->stack_id = string(p, "stack_id");
	p->base = string(p, "pprof::base");
	p->yes = string(p, "true");
	put_number(p, 9, (uint64_t)p->x->time_ns);
	if (now->health.has_window && now->trace->clock_is_time)
		put_number(p, 10, now->to - now->from);
	/* Every byte is counted, none is sampled. */
	put_type(p, 11, by == SM_M_REF_COUNT ? &TYPES[SM_ARRAY_SIZE(TYPES) - 1] : &SPACE);
	put_number(p, 12, 1);
	put_comment(p, &p->x->now, "");
	if (p->x->base.profile)
		put_comment(p, &p->x->base, "base: ");
}

static void add_label(struct pprof *p, uint32_t key, uint32_t str, uint64_t num, uint32_t unit)
{
	proto_u64(&p->part, 1, key);
	proto_u64(&p->part, 2, str);
	proto_u64(&p->part, 3, num);
	proto_u64(&p->part, 4, unit);
	proto_bytes(&p->sample, 3, p->part.data, p->part.len);
	p->failed |= p->part.failed;
	sm_buf_reset(&p->part);
}

/* Values that aren't known, "[no order]", have no label. */
static void add_labels(struct pprof *p, const struct sm_profile *profile, uint32_t attr)
{
	for (size_t i = 0; i < SM_ARRAY_SIZE(LABELS); i++) {
		const struct label *l = &LABELS[i];
		const char *text;

		if (!(p->x->labels & (1u << l->attr)))
			continue;
		text = sm_profile_value(profile, attr, l->attr);
		if (!text || !*text)
			continue;
		if (!l->number)
			add_label(p, p->label_keys[i], string(p, text), 0, 0);
		else if (*text >= '0' && *text <= '9')
			add_label(p, p->label_keys[i], 0, strtoull(text, NULL, 10),
				p->label_units[i]);
	}
}

static void add_locations(struct pprof *p, unsigned side, const struct sm_export_side *from,
	const struct sm_row *row, const struct sm_trimmed *t)
{
	sm_buf_reset(&p->packed);
	for (uint32_t i = 0; i < t->depth || (i == 0 && !t->depth); i++) {
		uint32_t id =
			t->depth ? pprof_location_of(&p->tables, side, from->syms, t->ips[i])
				 : pprof_location_of_label(&p->tables, sm_stack_label(row->stack));

		p->failed |= !id;
		proto_varint(&p->packed, id);
	}
	proto_bytes(&p->sample, 1, p->packed.data, p->packed.len);
	p->failed |= p->packed.failed;
}

static void add_values(struct pprof *p, unsigned side, const struct sm_row *row)
{
	sm_buf_reset(&p->packed);
	for (size_t i = 0; i < p->ntypes; i++) {
		uint64_t v = row->m[p->types[i]->metric];

		if (side)
			v = export_scaled(p->x, v);
		if (v > INT64_MAX)
			v = INT64_MAX;
		proto_varint(&p->packed, side ? -v : v);
	}
	proto_bytes(&p->sample, 2, p->packed.data, p->packed.len);
	p->failed |= p->packed.failed;
}

static bool any_value(const struct pprof *p, const struct sm_row *row)
{
	for (size_t i = 0; i < p->ntypes; i++)
		if (row->m[p->types[i]->metric])
			return true;
	return false;
}

static struct sm_error *put_samples(
	struct pprof *p, unsigned side, const struct sm_export_side *from)
{
	const struct sm_profile *profile = from->profile;
	struct export_ids map_ids = {0};
	struct sm_trim *trim = NULL;
	struct sm_error *err = sm_trim_new(profile, from->syms, p->x->opts, &trim);
	uint32_t *order = export_row_order(profile, p->x->opts->by);

	if (!err)
		err = export_prepare(from);
	if (!err && (!order || !export_ids_init(&map_ids, profile->trace)))
		err = sm_error_nomem();
	for (size_t i = 0; !err && !p->failed && i < profile->nrows; i++) {
		const struct sm_row *row = &profile->rows[order[i]];
		struct sm_trimmed t;
		const uint32_t *ids;
		uint32_t n = 0;

		if (!any_value(p, row))
			continue;
		if (!sm_trim_stack(trim, row->stack, &t)) {
			err = sm_error_nomem();
			break;
		}
		if (t.left_out)
			continue;
		add_locations(p, side, from, row, &t);
		add_values(p, side, row);
		add_labels(p, profile, row->attr);
		if (row->stack < SM_STACK_MAX)
			n = export_ids_of(&map_ids, row->stack, &ids);
		for (uint32_t k = 0; k < n; k++)
			add_label(p, p->stack_id, 0, ids[k], p->stack_id);
		if (side)
			add_label(p, p->base, p->yes, 0, 0);
		put(p, 2, &p->sample);
		if (sm_out_failed(p->gzip.out))
			break;
	}
	sm_trim_free(trim);
	export_ids_release(&map_ids);
	free(order);
	return err;
}

struct sm_error *export_pprof(const struct sm_export *x, struct sm_out *out)
{
	struct pprof p = {.x = x};
	struct sm_error *err = export_check_metric(x), *finish;

	if (err)
		return err;
	err = gzip_begin(&p.gzip, out);
	if (err)
		return err;
	if (!pprof_tables_init(&p.tables, x->now.syms))
		err = sm_error_nomem();
	if (!err)
		put_head(&p);
	if (!err)
		err = put_samples(&p, 0, &x->now);
	if (!err && x->base.profile)
		err = put_samples(&p, 1, &x->base);
	if (!err)
		pprof_tables_write(&p.tables, &p.gzip);
	finish = gzip_finish(&p.gzip);
	if (!err && p.failed)
		err = sm_error_nomem();
	if (err)
		sm_error_free(finish);
	else
		err = finish;
	pprof_tables_release(&p.tables);
	sm_buf_release(&p.sample);
	sm_buf_release(&p.part);
	sm_buf_release(&p.packed);
	return err;
}
