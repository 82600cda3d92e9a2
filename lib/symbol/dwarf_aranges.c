/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From addresses to units: .debug_aranges, and where that says nothing the units' root DIEs. */
#include <dwarf.h>
#include <stdlib.h>

#include "dwarf_die.h"

/* ---- sorting ---- */

static int compare_ranges(const void *a, const void *b)
{
	const struct unit_range *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->end != y->end)
		return x->end > y->end ? -1 : 1;
	/* The last has it: of equal ones that is the first unit, as in a code map. */
	return x->unit > y->unit ? -1 : x->unit < y->unit;
}

static bool add_range(struct unit_ranges *list, uint64_t start, uint64_t end, uint32_t unit)
{
	struct unit_range *last = list->n ? &list->items[list->n - 1] : NULL;

	if (start >= end)
		return true;
	if (last && last->unit == unit && last->end == start) {
		last->end = end;
		return true;
	}
	if (!sm_grow(&list->items, &list->cap, list->n + 1, sizeof(*list->items)))
		return false;
	list->items[list->n++] = (struct unit_range){.start = start, .end = end, .unit = unit};
	return true;
}

/* Makes sorted ranges disjoint: of those that hold an address the one that begins last has it.
 * `open` has room for all: those around the place that was reached, the innermost last. */
static bool flatten_into(
	const struct unit_ranges *in, const struct unit_range **open, struct unit_ranges *out)
{
	uint64_t done = 0; /* up to here all is in `out` */
	size_t depth = 0;

	for (size_t i = 0; i <= in->n; i++) {
		uint64_t start = i < in->n ? in->items[i].start : UINT64_MAX;

		while (depth) {
			const struct unit_range *top = open[depth - 1];
			uint64_t end = top->end < start ? top->end : start;

			if (done < end) {
				if (!add_range(out, done, end, top->unit))
					return false;
				done = end;
			}
			if (top->end > start)
				break;
			depth--;
		}
		if (i < in->n) {
			done = start;
			open[depth++] = &in->items[i];
		}
	}
	return true;
}

static bool overlap(const struct unit_ranges *list)
{
	for (size_t i = 1; i < list->n; i++)
		if (list->items[i].start < list->items[i - 1].end)
			return true;
	return false;
}

static struct sm_error *flatten(struct unit_ranges *list)
{
	const struct unit_range **open;
	struct unit_ranges out = {0};
	bool fine;

	if (!list->n)
		return NULL;
	qsort(list->items, list->n, sizeof(*list->items), compare_ranges);
	if (!overlap(list))
		return NULL;
	open = calloc(list->n, sizeof(const struct unit_range *));
	fine = open && flatten_into(list, open, &out);
	free(open);
	free(list->items);
	*list = out;
	return fine ? NULL : sm_error_nomem();
}

/* ---- .debug_aranges ---- */

struct arange_set {
	struct dwarf_bytes b; /* what follows the header, up to the set's end */
	uint64_t info;        /* offset of the unit */
	unsigned addr_size;
	bool usable;
};

/* Takes the next set off `b`; false at the end. */
static bool next_set(struct dwarf_bytes *b, struct arange_set *set)
{
	const uint8_t *start = b->p;
	unsigned offset_size = 4;
	uint64_t length = dwarf_u(b, 4);
	size_t used;

	if (length == UINT32_MAX) {
		length = dwarf_u(b, 8);
		offset_size = 8;
	}
	if (b->bad || length > (uint64_t)(b->end - b->p))
		return false;
	set->b = (struct dwarf_bytes){.p = b->p, .end = b->p + length, .swap = b->swap};
	b->p += length;
	set->usable = dwarf_u(&set->b, 2) == 2;
	set->info = dwarf_u(&set->b, offset_size);
	set->addr_size = (unsigned)dwarf_u(&set->b, 1);
	if (dwarf_u(&set->b, 1))
		set->usable = false;
	if (set->addr_size != 4 && set->addr_size != 8)
		set->usable = false;
	if (!set->usable || set->b.bad)
		return true;
	/* Pairs are aligned, seen from the set's start. */
	used = (size_t)(set->b.p - start) % (2 * set->addr_size);
	while (used && used++ < 2 * set->addr_size)
		dwarf_u(&set->b, 1);
	return true;
}

static struct dwarf_bytes all_sets(const struct dwarf_file *file)
{
	const struct dwarf_section *s = &file->aranges;

	return (struct dwarf_bytes){
		.p = s->data, .end = s->data ? s->data + s->len : NULL, .swap = file->swap};
}

static int compare_offsets(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

void sm_dwarf_sets_read(const struct dwarf_file *file, struct unit_sets *sets)
{
	struct dwarf_bytes b = all_sets(file);
	struct arange_set set;

	if (sets->read)
		return;
	sets->read = true;
	while (next_set(&b, &set)) {
		if (!set.usable || set.b.bad)
			continue;
		if (!sm_grow(&sets->offsets, &sets->cap, sets->n + 1, sizeof(*sets->offsets)))
			break;
		sets->offsets[sets->n++] = set.info;
	}
	if (sets->n)
		qsort(sets->offsets, sets->n, sizeof(*sets->offsets), compare_offsets);
}

/* Sets come in the order of their units: `guess` is nearly always right. */
static uint32_t unit_at(struct dwarf *d, uint64_t offset, size_t guess)
{
	struct dwarf_unit *u;

	if (guess < d->nunits && d->units[guess].offset == offset)
		return (uint32_t)guess;
	if (offset >= d->main.info.len)
		return DWARF_NONE;
	for (size_t low = 0, high = d->nunits; low < high;) {
		size_t mid = low + (high - low) / 2;

		u = &d->units[mid];
		if (u->offset == offset)
			return (uint32_t)mid;
		if (u->offset < offset)
			low = mid + 1;
		else
			high = mid;
	}
	return DWARF_NONE;
}

static struct sm_error *read_aranges(struct dwarf *d)
{
	struct unit_ranges *list = &d->priv->aranges;
	struct dwarf_bytes b = all_sets(&d->main);
	struct arange_set set;
	size_t guess = 0;

	d->priv->listed = calloc(d->nunits ? d->nunits : 1, sizeof(bool));
	if (!d->priv->listed)
		return sm_error_nomem();
	while (next_set(&b, &set)) {
		uint32_t unit = set.usable ? unit_at(d, set.info, guess) : DWARF_NONE;

		if (unit == DWARF_NONE)
			continue;
		guess = (size_t)unit + 1;
		while (set.b.p < set.b.end) {
			uint64_t start = dwarf_u(&set.b, set.addr_size);
			uint64_t end = start + dwarf_u(&set.b, set.addr_size);

			if (set.b.bad)
				break;
			if (start < d->priv->code_start || start >= d->priv->code_end)
				continue;
			if (!add_range(list, start, end, unit))
				return sm_error_nomem();
			d->priv->listed[unit] = true;
		}
	}
	return flatten(list);
}

/* ---- the units' own ranges ---- */

static struct sm_error *read_unit_ranges(
	struct dwarf *d, uint32_t i, size_t *budget, struct dwarf_scopes *ranges)
{
	struct dwarf_unit *u = &d->units[i];
	struct sm_error *err = NULL;
	bool fine = true;

	ranges->nranges = 0;
	if (u->has_ranges)
		err = sm_dwarf_ranges_read(d, u, u->ranges, budget, ranges);
	else if (u->has_low_pc)
		fine = sm_dwarf_range_add(d, u->low_pc, u->high_pc, ranges);
	/* What was read of a damaged list is taken. */
	for (size_t k = 0; fine && k < ranges->nranges; k++)
		fine = add_range(&d->priv->own, ranges->ranges[k].start, ranges->ranges[k].end, i);
	if (err && err->code == SM_E_NOMEM)
		return err;
	sm_error_free(err);
	return fine ? NULL : sm_error_nomem();
}

/* Of the units that .debug_aranges doesn't list. It may lack some, as where compilers differ; but a
 * unit that it lists, it lists whole. */
static struct sm_error *read_own(struct dwarf *d)
{
	/* Each list belongs to one unit. */
	size_t budget = d->main.ranges.len + d->main.rnglists.len;
	struct dwarf_scopes ranges = {0};
	struct sm_error *err = NULL;

	for (size_t i = 0; !err && i < d->nunits; i++) {
		if (d->priv->listed[i])
			continue;
		err = sm_dwarf_unit_load(d, &d->units[i]);
		if (!err) {
			err = read_unit_ranges(d, (uint32_t)i, &budget, &ranges);
		} else if (err->code != SM_E_NOMEM) {
			sm_error_free(err);
			err = NULL;
		}
	}
	sm_dwarf_scopes_release(&ranges);
	return err ? err : flatten(&d->priv->own);
}

/* ---- looking up ---- */

/* Looks up what has no unit yet. Returns how many are still without. */
static size_t find_in(
	const struct unit_ranges *list, const uint64_t *addrs, size_t n, uint32_t *units)
{
	size_t missing = 0, next = 0; /* `next`: the first range that begins after the address */

	for (size_t i = 0; i < n; i++) {
		size_t high = list->n;

		if (units[i] != DWARF_NONE)
			continue;
		/* Neighbours are mostly in the same range or the next. */
		if (next < list->n && list->items[next].start <= addrs[i])
			next++;
		if (next < list->n && list->items[next].start <= addrs[i])
			while (next < high) {
				size_t mid = next + (high - next) / 2;

				if (list->items[mid].start <= addrs[i])
					next = mid + 1;
				else
					high = mid;
			}
		if (next && addrs[i] < list->items[next - 1].end)
			units[i] = list->items[next - 1].unit;
		else
			missing++;
	}
	return missing;
}

/* Makes one of the lists, once. */
static struct sm_error *need(
	struct dwarf *d, bool *there, struct sm_error *(*read)(struct dwarf *d))
{
	struct sm_error *err = NULL;

	pthread_mutex_lock(&d->priv->lock);
	if (!*there) {
		err = read(d);
		*there = !err;
	}
	pthread_mutex_unlock(&d->priv->lock);
	return err;
}

struct sm_error *sm_dwarf_find_units(
	struct dwarf *d, const uint64_t *addrs, size_t n, uint32_t *units)
{
	struct sm_error *err = need(d, &d->priv->has_aranges, read_aranges);

	memset(units, 0xff, n * sizeof(*units));
	if (err || !find_in(&d->priv->aranges, addrs, n, units))
		return err;
	err = need(d, &d->priv->has_own, read_own);
	if (!err)
		find_in(&d->priv->own, addrs, n, units);
	return err;
}

/* ---- the top of the source tree ---- */

/* Shortens `top`, which ends in '/', to what it shares with a path; NULL takes over that. */
static bool share(char **top, const char *path, size_t len)
{
	size_t n = 0;

	if (!*top) {
		*top = malloc(len + 2);
		if (!*top)
			return false;
		memcpy(*top, path, len);
		memcpy(*top + len, "/", 2);
		return true;
	}
	while (n < len && (*top)[n] == path[n])
		n++;
	/* "/a/b" and "/a/bc" share "/a/". */
	if (n == len && (*top)[n] == '/')
		n++;
	while (n && (*top)[n - 1] != '/')
		n--;
	(*top)[n] = '\0';
	return true;
}

static bool share_unit(struct dwarf_private *p, const struct dwarf_unit *u)
{
	const char *slash;
	size_t len;

	if (u->comp_dir && *u->comp_dir) {
		bool absolute = *u->comp_dir == '/';

		len = strlen(u->comp_dir);
		while (len && u->comp_dir[len - 1] == '/')
			len--;
		if (!share(&p->build[absolute], u->comp_dir, len) ||
			(absolute && !share(&p->top, u->comp_dir, len)))
			return false;
	}
	if (!u->name || *u->name != '/')
		return true;
	slash = strrchr(u->name, '/');
	return share(&p->top, u->name, (size_t)(slash - u->name));
}

static struct sm_error *read_top(struct dwarf *d)
{
	const struct dwarf_unit *last = NULL;
	struct dwarf_private *p = d->priv;

	for (size_t i = 0; i < d->nunits; i++) {
		struct dwarf_unit *u = &d->units[i];
		struct sm_error *err = sm_dwarf_unit_load(d, u);

		if (err && err->code == SM_E_NOMEM)
			return err;
		if (err) {
			sm_error_free(err);
			continue;
		}
		/* Nearly all have the same directory, by the same string. */
		if (last && last->comp_dir == u->comp_dir && (!u->name || *u->name != '/'))
			continue;
		last = u;
		if (!share_unit(p, u))
			return sm_error_nomem();
	}
	if (p->top && !strcmp(p->top, "/"))
		*p->top = '\0';
	if (p->build[1] && !strcmp(p->build[1], "/"))
		*p->build[1] = '\0';
	return NULL;
}

const char *sm_dwarf_root(struct dwarf *d)
{
	sm_error_free(need(d, &d->priv->has_root, read_top));
	return d->priv->top ? d->priv->top : "";
}

const char *sm_dwarf_build_root(struct dwarf *d, bool absolute)
{
	sm_error_free(need(d, &d->priv->has_root, read_top));
	return d->priv->build[absolute] ? d->priv->build[absolute] : "";
}
