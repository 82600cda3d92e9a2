/* SPDX-License-Identifier: GPL-2.0-or-later */
/* JSON Lines for databases: stacks by their keys, and what was counted of each. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "export.h"

/* A row's stack, and where it is known: the same key is written once. */
struct keys {
	uint64_t *slots; /* open addressing, 0 = free */
	size_t n, nslots;
	bool has_zero;
};

/* True when the key is new; *failed when memory is short. */
static bool add_key(struct keys *k, uint64_t key, bool *failed)
{
	size_t i;

	if (!key) {
		bool fresh = !k->has_zero;

		k->has_zero = true;
		return fresh;
	}
	if (k->n * 2 >= k->nslots) {
		struct keys bigger = {.nslots = k->nslots ? k->nslots * 2 : 1024};

		bigger.slots = calloc(bigger.nslots, sizeof(*bigger.slots));
		if (!bigger.slots) {
			*failed = true;
			return false;
		}
		for (size_t s = 0; s < k->nslots; s++)
			if (k->slots[s])
				add_key(&bigger, k->slots[s], failed);
		bigger.has_zero = k->has_zero;
		free(k->slots);
		*k = bigger;
	}
	for (i = key & (k->nslots - 1); k->slots[i]; i = (i + 1) & (k->nslots - 1))
		if (k->slots[i] == key)
			return false;
	k->slots[i] = key;
	k->n++;
	return true;
}

struct rows {
	const struct sm_export *x;
	struct sm_trim *trim;
	struct export_ids ids;
	struct keys keys;
	struct sm_json stacks, facts;
	const char *generation;
};

static void put_key(struct sm_json *j, uint64_t key)
{
	char text[32];

	snprintf(text, sizeof(text), "0x%016llx", (unsigned long long)key);
	sm_json_str(j, "stack_key", text);
}

static void put_visible(struct sm_json *j, const char *key, const char *text)
{
	struct sm_buf b = {0};

	if (!text) {
		sm_json_null(j, key);
		return;
	}
	sm_buf_add_visible(&b, text, strlen(text));
	if (b.failed && !j->out->errnum)
		j->out->errnum = ENOMEM;
	sm_json_strn(j, key, b.len ? b.data : "", b.len);
	sm_buf_release(&b);
}

/* What a column says of one of the functions that an address is in. */
enum column { FRAMES, MODULES, LINES, TRACE };

static void put_cell(struct sm_json *j, enum column column, const struct sm_symbols *syms,
	uint64_t ip, const struct export_symbol *s, size_t level)
{
	const struct sm_line *line = level < s->nlines ? &s->lines[level] : NULL;
	bool last = level + 1 >= s->nlines;
	uint64_t address;
	struct sm_buf b = {0};

	switch (column) {
	case FRAMES:
		put_visible(j, NULL, last ? s->name : line->function);
		break;
	case MODULES:
		put_visible(j, NULL, s->name ? s->module : NULL);
		break;
	case LINES:
		if (line && line->file)
			sm_buf_adds(&b, line->file);
		if (line && line->file && line->line)
			sm_buf_addf(&b, ":%u", line->line);
		put_visible(j, NULL, b.data);
		break;
	case TRACE:
		address = syms ? sm_symbols_shown_address(syms, ip) : ip;
		if (address)
			sm_json_hex(j, NULL, address);
		else
			sm_json_null(j, NULL);
		break;
	}
	sm_buf_release(&b);
}

static void put_column(
	struct rows *r, const char *name, enum column column, const struct sm_trimmed *t)
{
	const struct sm_symbols *syms = r->x->now.syms;

	sm_json_array(&r->stacks, name);
	for (uint32_t i = 0; i < t->depth; i++) {
		struct export_symbol s;

		export_resolve(syms, t->ips[i], &s);
		for (size_t level = 0; level == 0 || level < s.nlines; level++)
			put_cell(&r->stacks, column, syms, t->ips[i], &s, level);
	}
	sm_json_array_end(&r->stacks);
}

/* What both files say of where a row is from. */
static void put_origin(struct rows *r, struct sm_json *j)
{
	put_visible(j, "boot_id", r->x->now.profile->trace->boot_id);
	sm_json_str(j, "generation", r->generation);
}

/* The kernel's; of a merged profile, that of the stack's. */
static const char *build_id_of(const struct sm_symbols *syms, const struct sm_trimmed *t)
{
	const char *id = syms ? sm_symbols_build_id(syms, NULL) : NULL;

	for (uint32_t i = t->depth; !id && i-- > 0;) {
		struct sm_symbol sym;

		if (syms && sm_symbols_find(syms, t->ips[i], &sym) && !sym.module)
			id = sm_symbols_build_id_at(syms, t->ips[i], &sym);
	}
	return id;
}

static void put_stack(
	struct rows *r, uint64_t key, const struct sm_row *row, const struct sm_trimmed *t)
{
	const struct sm_symbols *syms = r->x->now.syms;
	struct sm_json *j = &r->stacks;
	const uint32_t *ids = NULL;
	uint32_t n = 0;

	if (row->stack < SM_STACK_MAX)
		n = export_ids_of(&r->ids, row->stack, &ids);
	sm_json_init(j, j->out, false);
	sm_json_object(j, NULL);
	put_key(j, key);
	put_visible(j, "build_id", build_id_of(syms, t));
	put_visible(j, "kernel_release", r->x->now.profile->trace->kernel_release);
	put_origin(r, j);
	if (n)
		sm_json_u64(j, "stack_id", ids[0]);
	else
		sm_json_null(j, "stack_id");
	put_column(r, "frames", FRAMES, t);
	put_column(r, "modules", MODULES, t);
	put_column(r, "lines", LINES, t);
	put_column(r, "trace", TRACE, t);
	sm_json_object_end(j);
	sm_out_char(j->out, '\n');
}

/* Of all but a task's name, a text in brackets stands for what isn't known. */
static void put_text(struct rows *r, const char *name, const struct sm_row *row, enum sm_attr attr)
{
	const char *text = sm_profile_value(r->x->now.profile, row->attr, attr);

	if (text && attr != SM_ATTR_COMM && *text == '[')
		text = NULL;
	put_visible(&r->facts, name, text);
}

static void put_number(
	struct rows *r, const char *name, const struct sm_row *row, enum sm_attr attr)
{
	const char *text = sm_profile_value(r->x->now.profile, row->attr, attr);

	if (text && *text >= '0' && *text <= '9')
		sm_json_u64(&r->facts, name, strtoull(text, NULL, 10));
	else
		sm_json_null(&r->facts, name);
}

static void put_metric(
	struct rows *r, const char *name, const struct sm_row *row, enum sm_metric metric)
{
	if (r->x->now.profile->known & (1u << metric))
		sm_json_u64(&r->facts, name, row->m[metric]);
	else
		sm_json_null(&r->facts, name);
}

static void put_fact(struct rows *r, const uint64_t *key, const struct sm_row *row)
{
	struct sm_json *j = &r->facts;

	sm_json_init(j, j->out, false);
	sm_json_object(j, NULL);
	put_visible(j, "device", r->x->device);
	put_origin(r, j);
	if (r->x->time_ns)
		sm_json_i64(j, "ts_ns", r->x->time_ns);
	else
		sm_json_null(j, "ts_ns");
	if (key)
		put_key(j, *key);
	else
		sm_json_null(j, "stack_key");
	put_text(r, "event", row, SM_ATTR_EVENT);
	put_text(r, "comm", row, SM_ATTR_COMM);
	put_number(r, "pid", row, SM_ATTR_PID);
	put_number(r, "cpu", row, SM_ATTR_CPU);
	put_text(r, "cache", row, SM_ATTR_CACHE);
	put_text(r, "gfp", row, SM_ATTR_GFP);
	put_number(r, "order", row, SM_ATTR_ORDER);
	put_metric(r, "bytes_req", row, SM_M_BYTES_REQ);
	put_metric(r, "bytes_alloc", row, SM_M_BYTES);
	put_metric(r, "count", row, SM_M_COUNT);
	put_metric(r, "live_bytes", row, SM_M_LIVE_BYTES);
	put_metric(r, "live_count", row, SM_M_LIVE_COUNT);
	put_metric(r, "peak_bytes", row, SM_M_PEAK_BYTES);
	put_metric(r, "frees", row, SM_M_FREES);
	put_metric(r, "ref_count", row, SM_M_REF_COUNT);
	sm_json_object_end(j);
	sm_out_char(j->out, '\n');
}

static struct sm_error *put_row(struct rows *r, const struct sm_row *row)
{
	struct sm_trimmed t;
	uint64_t key;
	bool failed = false;

	if (!sm_trim_stack(r->trim, row->stack, &t))
		return sm_error_nomem();
	if (t.left_out)
		return NULL;
	if (!t.depth) {
		put_fact(r, NULL, row);
		return NULL;
	}
	key = sm_stack_key(r->x->now.syms, t.ips, t.depth);
	if (add_key(&r->keys, key, &failed))
		put_stack(r, key, row, &t);
	put_fact(r, &key, row);
	return failed ? sm_error_nomem() : NULL;
}

struct sm_error *sm_export_rows(
	const struct sm_export *x, struct sm_out *stacks, struct sm_out *facts)
{
	const struct sm_profile *p = x->now.profile;
	struct rows r = {.x = x, .stacks.out = stacks, .facts.out = facts};
	struct sm_error *err = export_check_metric(x);
	uint32_t *order;

	if (err)
		return err;
	r.generation = sm_map_generation_name(p->health.generation);
	order = export_row_order(p, x->opts->by);
	if (!order || !export_ids_init(&r.ids, p->trace))
		err = sm_error_nomem();
	if (!err)
		err = sm_trim_new(p, x->now.syms, x->opts, &r.trim);
	if (!err)
		err = export_prepare(&x->now);
	for (size_t i = 0; !err && i < p->nrows; i++) {
		if (sm_out_failed(stacks) || sm_out_failed(facts))
			break;
		err = put_row(&r, &p->rows[order[i]]);
	}
	sm_trim_free(r.trim);
	export_ids_release(&r.ids);
	free(r.keys.slots);
	free(order);
	return err;
}
