/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <pthread.h>
#include <stdlib.h>

#include <smtool/merge.h>

#include "merge_frames.h"

#define ROW_NONE UINT32_MAX

struct merged_row {
	uint64_t m[SM_M_ADDITIVE];
	struct sm_spread spread;
	uint32_t stack;
};

struct sm_merge {
	pthread_mutex_t lock; /* of all that follows */
	struct sm_merge_opts opts;
	struct merge_frames frames;
	struct sm_stacks *stacks;
	uint32_t *row_of; /* by stack + 2: none and unresolved come first */
	size_t row_of_cap, nrow_of;
	struct merged_row *rows;
	size_t n, cap, unresolved_rows;
	struct sm_spread total;
	uint64_t machines, tables, duration_ns;
	uint32_t known;
	struct sm_health health;
	char *release; /* NULL = none yet */
	bool releases_differ;
	/* made by sm_merge_finish() */
	struct sm_frames *named;
	struct sm_stacks *ordered;
	struct sm_imported imported;
};

struct machine_row {
	uint32_t row;
	uint64_t m[SM_M_ADDITIVE];
};

struct sm_merge_machine {
	struct sm_merge *merge;
	struct machine_row *rows; /* of all its tables, one after the other */
	size_t n, cap;
	uint64_t total; /* of the metric whose spread is kept */
	bool counts;    /* has rows of its own, not only those of merged profiles */
};

struct sm_error *sm_merge_new(const struct sm_merge_opts *opts, struct sm_merge **out)
{
	struct sm_merge *m = calloc(1, sizeof(*m));
	struct sm_error *err;

	*out = NULL;
	if (!m)
		return sm_error_nomem();
	pthread_mutex_init(&m->lock, NULL);
	m->opts = *opts;
	m->known = (1u << SM_M_ADDITIVE) - 1;
	err = merge_frames_init(&m->frames);
	if (!err)
		err = sm_stacks_new(0, &m->stacks);
	if (err) {
		sm_merge_free(m);
		return err;
	}
	*out = m;
	return NULL;
}

void sm_merge_free(struct sm_merge *m)
{
	if (!m)
		return;
	for (size_t i = 0; i < m->n; i++)
		sm_spread_release(&m->rows[i].spread);
	sm_spread_release(&m->total);
	merge_frames_release(&m->frames);
	sm_stacks_free(m->stacks);
	sm_frames_free(m->named);
	sm_stacks_free(m->ordered);
	/* Their entries are those of `rows`. */
	free(m->imported.spreads);
	free(m->imported.rows);
	free(m->row_of);
	free(m->rows);
	free(m->release);
	pthread_mutex_destroy(&m->lock);
	free(m);
}

struct sm_error *sm_merge_machine_new(struct sm_merge *m, struct sm_merge_machine **machine)
{
	*machine = calloc(1, sizeof(**machine));
	if (!*machine)
		return sm_error_nomem();
	(*machine)->merge = m;
	return NULL;
}

/* The merged row of a stack; ROW_NONE when memory is short. */
static uint32_t row_of_stack(struct sm_merge *m, uint32_t stack)
{
	uint32_t at = stack + 2;

	if (at >= m->nrow_of) {
		if (!sm_grow(&m->row_of, &m->row_of_cap, (size_t)at + 1, sizeof(*m->row_of)))
			return ROW_NONE;
		while (m->nrow_of <= at)
			m->row_of[m->nrow_of++] = ROW_NONE;
	}
	if (m->row_of[at] != ROW_NONE)
		return m->row_of[at];
	if (m->n == ROW_NONE || !sm_grow(&m->rows, &m->cap, m->n + 1, sizeof(*m->rows)))
		return ROW_NONE;
	m->rows[m->n] = (struct merged_row){.stack = stack};
	m->row_of[at] = (uint32_t)m->n++;
	return m->row_of[at];
}

/* The merged row of a table's. */
static struct sm_error *find_row(
	struct sm_merge *m, struct frame_map *map, const struct sm_table_row *row, uint32_t *found)
{
	uint32_t stack = SM_STACK_NONE;
	size_t known = m->n;
	bool unresolved = false;

	if (row->depth) {
		const uint64_t *ips = frame_map_stack(map, row->ips, row->depth, &unresolved);

		stack = ips ? sm_stacks_add(m->stacks, ips, row->depth, false) : SM_STACK_NONE;
		if (stack == SM_STACK_NONE)
			return sm_error_nomem();
	} else if (row->label && strcmp(row->label, "[unresolved id]") == 0) {
		stack = SM_STACK_UNRESOLVED;
	}
	*found = row_of_stack(m, stack);
	if (*found == ROW_NONE)
		return sm_error_nomem();
	m->unresolved_rows += unresolved && m->n > known;
	return NULL;
}

static enum sm_metric choose_metric(uint32_t known)
{
	static const enum sm_metric CHOICE[] = {SM_M_LIVE_BYTES, SM_M_BYTES, SM_M_REF_COUNT};

	for (size_t i = 0; i < SM_ARRAY_SIZE(CHOICE); i++)
		if (known & (1u << CHOICE[i]))
			return CHOICE[i];
	return SM_M_NR;
}

/* Whether the table can be merged; settles which metric's spread is kept. */
static struct sm_error *check(struct sm_merge *m, const struct sm_table *table)
{
	const struct sm_imported *in = table->profile->trace->imported;
	const char *path = sm_source_path(table->profile->trace->src);
	bool spreads = in && in->spreads;
	enum sm_metric of = m->opts.spread_of;

	if (of == SM_M_NR)
		of = spreads ? in->spread_of : choose_metric(table->known);
	if (of == SM_M_NR || !(table->known & (1u << of)))
		return sm_error_new(SM_E_USAGE, path, "cannot be merged with the others",
			"'%s' isn't known of it, whose spread over machines is kept",
			of == SM_M_NR ? "live_bytes" : sm_metric_name(of));
	if (spreads && !(table->known & (1u << SM_M_MACHINES)))
		return sm_error_new(SM_E_USAGE, path, "cannot be merged with the others",
			"its stacks are fewer once frames are dropped, and spreads don't add up: "
			"merge the captures themselves");
	if (spreads && in->spread_of != of)
		return sm_error_new(SM_E_USAGE, path, "cannot be merged with the others",
			"it has the spread of '%s', not that of '%s'",
			sm_metric_name(in->spread_of), sm_metric_name(of));
	m->opts.spread_of = of;
	return NULL;
}

static void add_health(struct sm_merge *m, const struct sm_profile *p)
{
	sm_health_add(&m->health, &p->health);
	m->duration_ns += sm_profile_window_ns(p);
}

static bool note_release(struct sm_merge *m, const char *release)
{
	if (!release || m->releases_differ)
		return true;
	if (m->release) {
		m->releases_differ = strcmp(m->release, release) != 0;
		return true;
	}
	m->release = strdup(release);
	return m->release != NULL;
}

static bool add_row(struct sm_merge_machine *machine, const struct sm_table_row *row, uint32_t at)
{
	struct machine_row *part;

	if (!sm_grow(&machine->rows, &machine->cap, machine->n + 1, sizeof(*machine->rows)))
		return false;
	part = &machine->rows[machine->n++];
	part->row = at;
	memcpy(part->m, row->m, sizeof(part->m));
	machine->total += row->m[machine->merge->opts.spread_of];
	return true;
}

/* A row of a merged profile: its machines are others than this one. */
static bool add_merged_row(struct sm_merge *m, const struct sm_table *table, size_t i, uint32_t at)
{
	const struct sm_imported *in = table->profile->trace->imported;
	const struct sm_table_row *row = &table->rows[i];

	for (unsigned k = 0; k < SM_M_ADDITIVE; k++)
		m->rows[at].m[k] += row->m[k];
	return sm_spread_merge(&m->rows[at].spread, &in->spreads[row->profile_row]);
}

static struct sm_error *add_rows(struct sm_merge_machine *machine, const struct sm_table *table)
{
	const struct sm_imported *in = table->profile->trace->imported;
	struct sm_merge *m = machine->merge;
	struct frame_map map;
	struct sm_error *err = NULL;

	frame_map_init(&map, &m->frames, table->syms);
	for (size_t i = 0; !err && i < table->nrows; i++) {
		uint32_t at;

		err = find_row(m, &map, &table->rows[i], &at);
		if (err)
			break;
		if (!(in && in->spreads ? add_merged_row(m, table, i, at)
					: add_row(machine, &table->rows[i], at)))
			err = sm_error_nomem();
	}
	frame_map_release(&map);
	if (!err && in && in->spreads) {
		m->machines += in->machines;
		if (!sm_spread_merge(&m->total, &in->total))
			err = sm_error_nomem();
	} else {
		machine->counts = true;
	}
	return err;
}

struct sm_error *sm_merge_add(struct sm_merge_machine *machine, const struct sm_table *table)
{
	struct sm_merge *m = machine->merge;
	struct sm_preparation p;
	struct sm_error *err;

	/* Reading lines takes long, and needs nobody else. */
	sm_preparation_init(&p, table->syms, true);
	for (size_t i = 0; i < table->nrows; i++)
		if (table->rows[i].depth &&
			!sm_preparation_add(&p, table->rows[i].ips, table->rows[i].depth))
			break;
	err = sm_preparation_finish(&p);
	if (err)
		return err;
	pthread_mutex_lock(&m->lock);
	err = check(m, table);
	if (!err && !note_release(m, table->profile->trace->kernel_release))
		err = sm_error_nomem();
	if (!err) {
		m->known &= table->known;
		m->tables++;
		add_health(m, table->profile);
		err = add_rows(machine, table);
	}
	pthread_mutex_unlock(&m->lock);
	return err;
}

static int compare_parts(const void *a, const void *b)
{
	uint32_t x = ((const struct machine_row *)a)->row, y = ((const struct machine_row *)b)->row;

	return x < y ? -1 : x > y;
}

struct sm_error *sm_merge_machine_end(struct sm_merge_machine *machine)
{
	struct sm_merge *m = machine->merge;
	bool ok = true;

	if (machine->n)
		qsort(machine->rows, machine->n, sizeof(*machine->rows), compare_parts);
	pthread_mutex_lock(&m->lock);
	for (size_t i = 0; ok && i < machine->n;) {
		struct merged_row *row = &m->rows[machine->rows[i].row];
		uint32_t at = machine->rows[i].row;
		uint64_t value = 0;

		for (; i < machine->n && machine->rows[i].row == at; i++) {
			for (unsigned k = 0; k < SM_M_ADDITIVE; k++)
				row->m[k] += machine->rows[i].m[k];
			value += machine->rows[i].m[m->opts.spread_of];
		}
		if (value)
			ok = sm_spread_add(&row->spread, value, 1);
	}
	if (machine->counts) {
		m->machines++;
		ok = ok && sm_spread_add(&m->total, machine->total, 1);
	}
	pthread_mutex_unlock(&m->lock);
	free(machine->rows);
	free(machine);
	return ok ? NULL : sm_error_nomem();
}

static int compare_stacks(const struct sm_merge *m, uint32_t a, uint32_t b)
{
	struct sm_stack x, y;

	if (a >= SM_STACK_MAX || b >= SM_STACK_MAX)
		return a < b ? -1 : a > b;
	x = sm_stacks_get(m->stacks, a);
	y = sm_stacks_get(m->stacks, b);
	for (uint32_t i = 0; i < x.depth && i < y.depth; i++) {
		int c = x.ips[i] == y.ips[i] ? 0
					     : merge_frames_compare(&m->frames, x.ips[i], y.ips[i]);

		if (c)
			return c;
	}
	return x.depth < y.depth ? -1 : x.depth > y.depth;
}

static int compare_rows(const void *a, const void *b, void *ctx)
{
	const struct merged_row *x = a, *y = b;
	const struct sm_merge *m = ctx;
	unsigned by = m->opts.spread_of;

	if (x->m[by] != y->m[by])
		return x->m[by] > y->m[by] ? -1 : 1;
	return compare_stacks(m, x->stack, y->stack);
}

/* Frames and stacks by the rows' order, so that the same inputs make the same file, however many
 * threads there were. */
static struct sm_error *renumber(struct sm_merge *m)
{
	uint64_t *ips = NULL;
	size_t cap = 0;
	struct sm_error *err = sm_frames_new(&m->named);

	if (!err)
		err = sm_stacks_new((uint32_t)m->n, &m->ordered);
	for (size_t i = 0; !err && i < m->n; i++) {
		struct sm_stack stack;

		if (m->rows[i].stack >= SM_STACK_MAX)
			continue;
		stack = sm_stacks_get(m->stacks, m->rows[i].stack);
		if (!sm_grow(&ips, &cap, stack.depth, sizeof(*ips)))
			err = sm_error_nomem();
		for (uint32_t k = 0; !err && k < stack.depth; k++) {
			ips[k] = merge_frames_name(&m->frames, stack.ips[k], m->named);
			if (!ips[k])
				err = sm_error_nomem();
		}
		if (err)
			break;
		m->rows[i].stack = sm_stacks_add(m->ordered, ips, stack.depth, false);
		if (m->rows[i].stack == SM_STACK_NONE)
			err = sm_error_nomem();
	}
	free(ips);
	return err;
}

struct sm_error *sm_merge_finish(struct sm_merge *m, struct sm_saved *saved)
{
	struct sm_imported *in = &m->imported;
	struct sm_error *err;

	if (m->opts.spread_of == SM_M_NR)
		return sm_error_new(SM_E_MISSING, NULL, "nothing to merge", "no input was read");
	if (m->n)
		qsort_r(m->rows, m->n, sizeof(*m->rows), compare_rows, m);
	err = renumber(m);
	if (err)
		return err;
	in->kind = "profile";
	in->known = m->known;
	in->machines = m->machines;
	in->spread_of = m->opts.spread_of;
	in->total = m->total;
	in->duration_ns = m->duration_ns;
	in->trimmed = !m->opts.no_skip;
	in->rows = malloc((m->n + 1) * sizeof(*in->rows));
	in->spreads = malloc((m->n + 1) * sizeof(*in->spreads));
	if (!in->rows || !in->spreads)
		return sm_error_nomem();
	for (size_t i = 0; i < m->n; i++) {
		struct sm_imported_row *row = &in->rows[in->nrows];

		row->stack = m->rows[i].stack;
		memcpy(row->m, m->rows[i].m, sizeof(row->m));
		in->spreads[in->nrows++] = m->rows[i].spread;
	}
	*saved = (struct sm_saved){
		.imported = in,
		.frames = m->named,
		.stacks = m->ordered,
		.health = &m->health,
		.kernel_release = m->releases_differ ? NULL : m->release,
	};
	return NULL;
}

void sm_merge_totals(const struct sm_merge *m, struct sm_merge_totals *t)
{
	*t = (struct sm_merge_totals){
		.machines = m->machines,
		.tables = m->tables,
		.rows = m->n,
		.unresolved_rows = m->unresolved_rows,
		.spread_of = m->opts.spread_of,
		.known = m->known,
	};
	for (size_t i = 0; i < m->n; i++)
		for (unsigned k = 0; k < SM_M_ADDITIVE; k++)
			t->totals[k] += m->rows[i].m[k];
}
