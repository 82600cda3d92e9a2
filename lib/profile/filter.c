/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which events are counted. */
#include <fnmatch.h>
#include <stdlib.h>

#include "internal.h"

static bool matches_any(const struct sm_patterns *p, const char *s)
{
	for (size_t i = 0; i < p->n; i++)
		if (fnmatch(p->items[i], s, 0) == 0)
			return true;
	return false;
}

static struct sm_error *choose_by_name(struct filter *f)
{
	const struct sm_patterns *p = &f->opts->events;

	for (size_t i = 0; i < p->n; i++) {
		bool any = false;

		for (size_t t = 0; t < f->trace->ntypes; t++) {
			if (!sm_event_type_matches(&f->trace->types[t], p->items[i]))
				continue;
			f->types[t] = true;
			any = true;
		}
		if (!any)
			return sm_error_new(SM_E_USAGE, NULL, "no such event in this capture",
				"'%s' matches none of its %zu formats; 'smtool info' lists the "
				"events",
				p->items[i], f->trace->ntypes);
	}
	return NULL;
}

static void choose_types(struct filter *f, enum sm_family family)
{
	for (size_t t = 0; t < f->trace->ntypes; t++) {
		enum sm_event_kind kind = f->trace->types[t].kind;

		f->types[t] =
			kind == (family == SM_FAMILY_PAGE ? SM_EV_PAGE_ALLOC : SM_EV_SLAB_ALLOC);
	}
}

/* The word is among those of "GFP_KERNEL|__GFP_ZERO". */
static bool holds_word(const char *names, const char *word, size_t len)
{
	while (*names) {
		size_t n = strcspn(names, "|");

		if (n == len && !memcmp(names, word, n))
			return true;
		names += n + (names[n] == '|');
	}
	return false;
}

/* Where the type has whole masks: which of them have all the names, in their text. False when none
 * has. */
static bool want_whole(
	const struct sm_event_type *type, const char *names, struct gfp_want *want, bool *failed)
{
	bool any = false;

	memset(want, 0, sizeof(*want));
	want->whole = calloc(type->ngfp + 1u, sizeof(*want->whole));
	if (!want->whole) {
		*failed = true;
		return false;
	}
	for (uint32_t i = 0; i < type->ngfp; i++) {
		bool all = *names != '\0';

		for (const char *p = names; all && *p;) {
			size_t n = strcspn(p, "|");

			all = holds_word(type->gfp[i].name, p, n);
			p += n + (p[n] == '|');
		}
		want->whole[i] = all;
		any |= all;
	}
	return any;
}

/* What "GFP_NOFS|__GFP_ZERO" asks of one type's events; false when a name isn't this kernel's. A
 * single bit (__GFP_...) must be set. A combination must be one that the kernel's own text would
 * show: the bits of GFP_NOFS are in GFP_KERNEL too, and yet nobody who asks for the one wants the
 * other. */
static bool want_gfp(const struct sm_event_type *type, const char *names, struct gfp_want *want)
{
	memset(want, 0, sizeof(*want));
	while (*names) {
		size_t len = strcspn(names, "|");
		uint32_t i = 0;

		while (i < type->ngfp &&
			(strncmp(type->gfp[i].name, names, len) != 0 || type->gfp[i].name[len]))
			i++;
		if (i >= type->ngfp || i >= 64 * SM_ARRAY_SIZE(want->shown))
			return false;
		if (strncmp(names, "__", 2) == 0)
			want->bits |= type->gfp[i].value;
		else
			want->shown[i / 64] |= UINT64_C(1) << i % 64;
		names += len + (names[len] == '|');
	}
	return true;
}

static struct sm_error *find_gfp_wants(struct filter *f)
{
	const struct sm_patterns *p = &f->opts->gfps;

	if (!p->n)
		return NULL;
	f->gfp_wants = calloc(f->trace->ntypes * p->n + 1, sizeof(*f->gfp_wants));
	if (!f->gfp_wants)
		return sm_error_nomem();
	for (size_t i = 0; i < p->n; i++) {
		bool known = false;

		for (size_t t = 0; t < f->trace->ntypes; t++) {
			struct gfp_want *want = &f->gfp_wants[t * p->n + i];
			const struct sm_event_type *type = &f->trace->types[t];
			bool failed = false;

			want->known = type->gfp_whole ? want_whole(type, p->items[i], want, &failed)
						      : want_gfp(type, p->items[i], want);
			if (failed)
				return sm_error_nomem();
			want->known &= *p->items[i] != '\0';
			known |= want->known;
		}
		if (!known)
			return sm_error_new(SM_E_USAGE, NULL, "unknown GFP name",
				f->trace->text.kind
					? "no page was allocated with '%s'"
					: "'%s' is not one that this kernel's formats name",
				p->items[i]);
	}
	return NULL;
}

struct sm_error *sm_filter_init(struct filter *f, struct sm_trace *trace,
	const struct sm_profile_opts *opts, enum sm_family family)
{
	struct sm_error *err;

	memset(f, 0, sizeof(*f));
	f->opts = opts;
	f->trace = trace;
	f->to = UINT64_MAX;
	f->ntypes = trace->ntypes;
	f->detailed = opts->npids || opts->ncpus || opts->comms.n || opts->gfps.n ||
		      opts->caches.n || opts->norders || opts->min_size || opts->max_size ||
		      opts->stacks;
	f->types = calloc(trace->ntypes + 1, sizeof(*f->types));
	if (!f->types)
		return sm_error_nomem();
	if (opts->events.n) {
		err = choose_by_name(f);
		if (err)
			return err;
	} else {
		choose_types(f, family);
	}
	for (size_t t = 0; t < trace->ntypes; t++) {
		f->follow_slab |= f->types[t] && trace->types[t].kind == SM_EV_SLAB_ALLOC;
		f->follow_page |= f->types[t] && trace->types[t].kind == SM_EV_PAGE_ALLOC;
	}
	return find_gfp_wants(f);
}

void sm_filter_release(struct filter *f)
{
	for (size_t i = 0; f->gfp_wants && i < f->ntypes * f->opts->gfps.n; i++)
		free(f->gfp_wants[i].whole);
	free(f->types);
	free(f->gfp_wants);
	free(f->caches);
	memset(f, 0, sizeof(*f));
}

static bool contains(const int64_t *list, size_t n, int64_t v)
{
	for (size_t i = 0; i < n; i++)
		if (list[i] == v)
			return true;
	return false;
}

static bool is_alloc(const struct sm_event *ev)
{
	return ev->kind == SM_EV_SLAB_ALLOC || ev->kind == SM_EV_PAGE_ALLOC;
}

/* The names that the kernel's text would show of these flags include all that are wanted. */
static bool shows(const struct sm_event_type *type, const struct gfp_want *want, uint64_t gfp)
{
	uint64_t missing[SM_ARRAY_SIZE(want->shown)];

	memcpy(missing, want->shown, sizeof(missing));
	for (uint32_t i = 0; i < type->ngfp && i < 64 * SM_ARRAY_SIZE(missing); i++) {
		uint64_t v = type->gfp[i].value;

		if (!v || (gfp & v) != v)
			continue;
		missing[i / 64] &= ~(UINT64_C(1) << i % 64);
		gfp &= ~v;
	}
	for (size_t i = 0; i < SM_ARRAY_SIZE(missing); i++)
		if (missing[i])
			return false;
	return true;
}

static bool gfp_matches(const struct filter *f, const struct sm_event *ev)
{
	size_t n = f->opts->gfps.n;

	for (size_t i = 0; i < n && is_alloc(ev); i++) {
		const struct gfp_want *want = &f->gfp_wants[ev->type * n + i];

		if (want->known && want->whole) {
			uint32_t mask = sm_gfp_whole_find(&f->trace->types[ev->type], ev->gfp);

			if (mask != UINT32_MAX && want->whole[mask])
				return true;
			continue;
		}
		if (want->known && (ev->gfp & want->bits) == want->bits &&
			shows(&f->trace->types[ev->type], want, ev->gfp))
			return true;
	}
	return false;
}

static bool cache_name_matches(const struct filter *f, const char *name)
{
	return name && matches_any(&f->opts->caches, name);
}

static bool cache_matches(struct filter *f, const struct sm_event *ev)
{
	struct sm_buf name = {0};
	bool match;

	if (ev->cache != SM_NO_STRING) {
		size_t n = f->ncaches;

		if (ev->cache < n && f->caches[ev->cache])
			return f->caches[ev->cache] == 1;
		match = cache_name_matches(f, sm_trace_cache(f->trace, ev->cache));
		if (!sm_grow(&f->caches, &f->ncaches, (size_t)ev->cache + 1, 1))
			return match; /* it only remembers */
		memset(f->caches + n, 0, f->ncaches - n);
		f->caches[ev->cache] = match ? 1 : 2;
		return match;
	}
	if (ev->kind != SM_EV_SLAB_ALLOC ||
		strncmp(f->trace->types[ev->type].name, "kmalloc", 7) != 0)
		return false;
	sm_kmalloc_cache_name(ev->bytes_alloc, &name);
	match = cache_name_matches(f, name.data);
	sm_buf_release(&name);
	return match;
}

static bool stack_matches(const struct sm_profile_opts *o, uint32_t stack)
{
	if (stack == SM_STACK_UNRESOLVED)
		return o->stacks[o->nstacks];
	if (stack == SM_STACK_NONE)
		return o->stacks[o->nstacks + 1];
	return stack < o->nstacks && o->stacks[stack];
}

bool sm_filter_details(struct filter *f, const struct sm_event *ev)
{
	const struct sm_profile_opts *o = f->opts;

	if (o->stacks && !stack_matches(o, ev->stack))
		return false;
	if (o->npids && !contains(o->pids, o->npids, ev->pid))
		return false;
	if (o->ncpus && !contains(o->cpus, o->ncpus, ev->cpu))
		return false;
	if (o->comms.n) {
		const char *comm = sm_event_comm(f->trace, ev);

		if (!matches_any(&o->comms, comm ? comm : "<...>"))
			return false;
	}
	if (o->gfps.n && !gfp_matches(f, ev))
		return false;
	if (o->caches.n && !cache_matches(f, ev))
		return false;
	if (o->norders && !(ev->kind == SM_EV_PAGE_ALLOC || ev->kind == SM_EV_PAGE_FREE))
		return false;
	if (o->norders && !contains(o->orders, o->norders, ev->order))
		return false;
	if ((o->min_size || o->max_size) && !is_alloc(ev))
		return false;
	if (ev->bytes_alloc < o->min_size || (o->max_size && ev->bytes_alloc > o->max_size))
		return false;
	return true;
}
