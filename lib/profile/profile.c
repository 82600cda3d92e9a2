/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From options to a finished profile: which window, how many readings, what the rows then say. */
#include <stdlib.h>

#include "counter.h"

static uint64_t moment_ns(const struct sm_moment *m, const struct sm_health *h, uint64_t otherwise)
{
	switch (m->kind) {
	case SM_MOMENT_NS:
		return m->ns;
	case SM_MOMENT_FROM_START:
		return m->ns < UINT64_MAX - h->first_ts ? h->first_ts + m->ns : UINT64_MAX;
	case SM_MOMENT_PERCENT:
		return h->first_ts +
		       (uint64_t)((double)(h->last_ts - h->first_ts) * m->percent / 100);
	default:
		return otherwise;
	}
}

static bool needs_window(const struct sm_moment *m)
{
	return m->kind == SM_MOMENT_PERCENT || m->kind == SM_MOMENT_FROM_START;
}

void sm_counter_keep_older(struct counter *c, uint64_t age, uint64_t now)
{
	struct live_set *sets[] = {&c->slab, &c->pages};

	for (size_t r = 0; r < c->rows->n; r++) {
		touch(c, &c->rows->rows[r]);
		c->rows->rows[r].live_bytes = c->rows->rows[r].live_count = 0;
	}
	for (size_t s = 0; s < SM_ARRAY_SIZE(sets); s++) {
		for (size_t i = 0; i < sets[s]->nslots; i++) {
			struct live_object *o = &sets[s]->slots[i];

			if (o->ptr == LIVE_FREE || o->row == ROW_NONE)
				continue;
			if (now < o->ts || now - o->ts < age) {
				o->row = ROW_NONE;
				continue;
			}
			c->rows->rows[o->row].live_bytes += o->bytes;
			c->rows->rows[o->row].live_count++;
		}
	}
}

struct sm_error *sm_counter_add_refs(struct counter *c)
{
	const struct sm_map *map = c->trace->map;

	for (size_t i = 0; i < map->n; i++) {
		size_t known = c->rows->n;
		uint32_t row = sm_rows_by_stack(c->rows, c->trace->map_stacks[i]);

		if (row == ROW_NONE)
			return sm_error_nomem();
		if (row >= known)
			c->rows->rows[row].epoch = c->epoch;
		c->rows->rows[row].ref_count += map->records[i].ref_count;
	}
	return NULL;
}

/* sm_trace_run(), which stops silently, told so. */
static struct sm_error *run_trace(
	struct sm_trace *trace, struct stop *stop, sm_sink sink, void *ctx)
{
	struct sm_run_opts run = {.threads = stop->opts->threads};
	struct sm_error *err = sm_trace_run(trace, &run, sink, ctx);

	if (!err && stop->stopped)
		err = sm_error_new(
			SM_E_STOPPED, sm_source_path(trace->src), "stopped before its end", NULL);
	return err;
}

static struct sm_error *skip_batch(void *ctx, const struct sm_batch *batch)
{
	return stop_asked(ctx, batch->n);
}

static struct sm_error *read_window(struct sm_trace *trace, const struct sm_profile_opts *opts)
{
	struct stop stop = {.opts = opts};

	return run_trace(trace, &stop, opts->stopped ? skip_batch : NULL, &stop);
}

struct sm_error *sm_counter_begin(struct counter *c, const struct sm_profile_opts *opts,
	enum sm_family family, uint64_t from, uint64_t to)
{
	struct sm_error *err = sm_filter_init(&c->filter, c->trace, opts, family);

	if (err)
		return err;
	c->filter.from = from;
	c->filter.to = to;
	if (!c->trace->clock_orders) {
		c->early = calloc(EARLY_FREES, sizeof(*c->early));
		if (!c->early)
			return sm_error_nomem();
	}
	c->stop = (struct stop){.opts = opts};
	return NULL;
}

struct sm_error *sm_count_pages(struct counter *c, const struct sm_profile_opts *opts,
	enum sm_family family, uint64_t from, uint64_t to)
{
	struct sm_error *err = sm_counter_begin(c, opts, family, from, to);

	return err ? err : run_trace(c->trace, &c->stop, sm_count_batch, c);
}

void sm_counter_release(struct counter *c)
{
	sm_filter_release(&c->filter);
	sm_live_release(&c->slab);
	sm_live_release(&c->pages);
	free(c->early);
}

void sm_counter_reset(struct counter *c, const struct sm_profile_opts *opts)
{
	struct sm_profile *profile = c->profile;
	struct sm_trace *trace = c->trace;
	struct meter *meter = c->meter;

	sm_counter_release(c);
	sm_rows_release(&profile->priv->rows);
	sm_attr_set_release(&profile->priv->attrs);
	memset(c, 0, sizeof(*c));
	c->profile = profile;
	c->trace = trace;
	c->meter = meter;
	if (meter)
		sm_meter_reset(meter);
	c->rows = &profile->priv->rows;
	c->attrs = &profile->priv->attrs;
	sm_attr_set_init(c->attrs, opts->attr, opts->attrs);
	c->epoch = 1;
}

void sm_counter_tell(
	struct counter *c, const struct sm_profile_opts *opts, enum sm_family family, uint64_t now)
{
	struct sm_profile *p = c->profile;
	const struct filter *f = &c->filter;

	p->family = family;
	p->named = opts->events.n > 0;
	p->mixed = f->follow_slab && f->follow_page && c->slab_allocs && c->page_allocs;
	p->health = c->trace->health;
	p->health.unmatched_frees = c->unmatched;
	p->health.failed_allocs = c->failed;
	p->health.reused = c->reused;
	p->from = f->from > p->health.first_ts ? f->from : p->health.first_ts;
	p->to = f->to < now ? f->to : now;
	p->peak_ts = c->peak_ts;
}

static struct sm_error *profile_pages(struct counter *c, const struct sm_profile_opts *opts)
{
	struct sm_profile *p = c->profile;
	bool text = c->trace->text.kind != NULL;
	enum sm_family family =
		opts->family == SM_FAMILY_PAGE || text ? SM_FAMILY_PAGE : SM_FAMILY_SLAB;
	uint64_t from, to;
	/* What is read from a running kernel is gone. */
	bool once = sm_source_kind(c->trace->src) == SM_SOURCE_LIVE;
	bool window = needs_window(&opts->from) || needs_window(&opts->to);
	struct sm_error *err = NULL;

	if (once && (window || opts->to.kind == SM_MOMENT_PEAK))
		return sm_error_new(SM_E_USAGE, sm_source_path(c->trace->src),
			"that moment needs two readings",
			"events of the running kernel can be read once: record a capture, or "
			"give seconds of the trace clock");
	if (window)
		err = read_window(c->trace, opts);
	if (err)
		return err;
	from = moment_ns(&opts->from, &c->trace->health, 0);
	to = moment_ns(&opts->to, &c->trace->health, UINT64_MAX);
	err = sm_count_pages(c, opts, family, from, to);
	if (!err && !once && !text && opts->family == SM_FAMILY_AUTO && !opts->events.n &&
		!c->slab_allocs && c->page_allocs) {
		family = SM_FAMILY_PAGE;
		sm_counter_reset(c, opts);
		err = sm_count_pages(c, opts, family, from, to);
	}
	if (!err && opts->to.kind == SM_MOMENT_PEAK) {
		to = c->peak_ts;
		sm_counter_reset(c, opts);
		err = sm_count_pages(c, opts, family, from, to);
	}
	if (err)
		return err;
	sm_counter_tell(c, opts, family, c->trace->health.last_ts);
	if (opts->older)
		sm_counter_keep_older(c, opts->older, p->to);
	/* Of what was freed, and when, a list of what lives says nothing. */
	p->known |= text ? 1u << SM_M_COUNT | 1u << SM_M_BYTES | 1u << SM_M_LIVE_BYTES |
				    1u << SM_M_LIVE_COUNT
			 : (1u << SM_M_REF_COUNT) - 1;
	return NULL;
}

struct sm_error *sm_counter_keep_live(struct counter *c)
{
	struct sm_profile_private *p = c->profile->priv;

	p->row_of = malloc((c->rows->n + 1) * sizeof(*p->row_of));
	if (!p->row_of)
		return sm_error_nomem();
	p->live[0] = c->slab;
	p->live[1] = c->pages;
	memset(&c->slab, 0, sizeof(c->slab));
	memset(&c->pages, 0, sizeof(c->pages));
	return NULL;
}

/* A map's references can't be told apart by what events have. */
bool sm_profile_takes_refs(const struct sm_trace *trace, const struct sm_profile_opts *opts)
{
	return trace->map && opts->attr == SM_ATTR_NONE &&
	       !(opts->attrs && sm_trace_has_events(trace));
}

struct sm_error *sm_profile_new(
	const struct sm_trace *trace, const struct sm_profile_opts *opts, struct sm_profile **out)
{
	struct sm_profile *p = calloc(1, sizeof(*p));

	*out = p;
	if (!p)
		return sm_error_nomem();
	p->priv = calloc(1, sizeof(*p->priv));
	if (!p->priv) {
		free(p);
		*out = NULL;
		return sm_error_nomem();
	}
	p->trace = trace;
	p->attr = opts->attr;
	p->by_stack = opts->by_stack || opts->attr == SM_ATTR_NONE;
	if (sm_trace_has_events(trace))
		p->attrs = sm_attr_set_bits(opts->attr, opts->attrs);
	return NULL;
}

struct sm_error *sm_profile_measure(struct sm_trace *trace, const struct sm_profile_opts *opts,
	struct meter *meter, struct sm_profile **out)
{
	struct counter c = {.trace = trace, .meter = meter};
	struct sm_profile_opts chosen = *opts;
	struct sm_error *err;
	struct sm_profile *p;

	*out = NULL;
	opts = &chosen;
	if (trace->text.kind && !trace->imported) {
		err = sm_check_text_choice(trace, &chosen);
		if (err)
			return err;
	}
	err = sm_profile_new(trace, opts, &p);
	if (err)
		return err;
	c.profile = p;
	sm_counter_reset(&c, opts);
	p->health.generation = trace->generation;
	p->health.map_drops = trace->map_stat.drops;
	p->health.truncated = trace->health.truncated;
	if (!err && sm_trace_has_events(trace))
		err = profile_pages(&c, opts);
	if (!err && sm_profile_takes_refs(trace, opts)) {
		p->known |= 1u << SM_M_REF_COUNT;
		err = sm_trace_has_events(trace) ? sm_counter_add_refs(&c) : sm_rows_of_map(p);
	}
	if (!err && trace->imported)
		err = sm_rows_imported(p, opts);
	if (!err && opts->keep_live && sm_trace_has_events(trace))
		err = sm_counter_keep_live(&c);
	if (!err && !p->rows)
		err = sm_rows_finish(p, c.epoch);
	sm_counter_release(&c);
	if (err) {
		sm_profile_free(p);
		return err;
	}
	*out = p;
	return NULL;
}

struct sm_error *sm_profile_build(
	struct sm_trace *trace, const struct sm_profile_opts *opts, struct sm_profile **out)
{
	return sm_profile_measure(trace, opts, NULL, out);
}

uint64_t sm_profile_window_ns(const struct sm_profile *p)
{
	if (p->trace->imported)
		return p->trace->imported->duration_ns;
	if (!p->health.has_window || !p->trace->clock_is_time || p->to <= p->from)
		return 0;
	return p->to - p->from;
}

void sm_profile_free(struct sm_profile *p)
{
	if (!p)
		return;
	sm_rows_release(&p->priv->rows);
	sm_attr_set_release(&p->priv->attrs);
	for (size_t s = 0; s < SM_ARRAY_SIZE(p->priv->live); s++)
		sm_live_release(&p->priv->live[s]);
	free(p->priv->row_of);
	free(p->priv);
	free(p->rows);
	free(p);
}
