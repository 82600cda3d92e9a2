/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables of several inputs: joined, compared, judged. */
#include <stdlib.h>

#include "diff_internal.h"

const char *sm_diff_status_name(enum sm_diff_status status)
{
	static const char *const NAMES[SM_DIFF_STATUS_NR] = {
		[SM_DIFF_NEW] = "new",
		[SM_DIFF_GONE] = "gone",
		[SM_DIFF_GROWN] = "grown",
		[SM_DIFF_SHRUNK] = "shrunk",
		[SM_DIFF_EQUAL] = "equal",
	};

	return NAMES[status];
}

double sm_diff_value(const struct sm_diff *d, size_t input, uint64_t value)
{
	return d->opts.normalize ? (double)value / d->inputs[input].window : (double)value;
}

double sm_diff_delta(const struct sm_diff *d)
{
	size_t last = d->ninputs - 1;

	return sm_diff_value(d, last, d->inputs[last].total) -
	       sm_diff_value(d, 0, d->inputs[0].total);
}

static uint64_t add_le64(uint64_t h, uint64_t v)
{
	if (sm_host_big_endian())
		v = __builtin_bswap64(v);
	return sm_fnv(h, &v, sizeof(v));
}

uint64_t sm_diff_key(const struct sm_diff *d, const struct sm_diff_row *row)
{
	const struct sm_symbols *syms = d->inputs[row->input].table->syms;
	const struct sm_table_row *r = row->row;
	uint64_t h = SM_FNV_INIT;

	if (d->opts.match == SM_MATCH_EXACT)
		return sm_stack_key(syms, r->ips, r->depth);
	for (uint32_t i = 0; i < r->depth; i++) {
		struct sm_symbol sym;

		if (!syms || !sm_symbols_find_caller(syms, r->ips[i], &sym)) {
			h = add_le64(sm_fnv(h, "?", 2), sm_symbols_shown_address(syms, r->ips[i]));
			continue;
		}
		h = sm_fnv(h, sym.name, sm_plain_name(sym.name, strlen(sym.name)));
		h = sm_fnv(h, "", 1);
		h = sm_fnv(
			h, sym.module ? sym.module : "", sym.module ? strlen(sym.module) + 1 : 1);
	}
	return h;
}

static struct sm_diff *new_diff(size_t n, const struct sm_diff_opts *opts)
{
	size_t suppressions = sm_suppressions_count(opts->suppressions);
	struct sm_diff *d = calloc(1, sizeof(*d));

	if (!d)
		return NULL;
	d->opts = *opts;
	d->ninputs = n;
	d->inputs = calloc(n, sizeof(*d->inputs));
	d->of_suppression = calloc(suppressions + 1, sizeof(*d->of_suppression));
	d->suppression_used = calloc(suppressions + 1, sizeof(*d->suppression_used));
	d->priv = calloc(1, sizeof(*d->priv));
	if (d->priv) {
		d->priv->join.ninputs = n;
		d->priv->join.ask = opts->stopped;
		d->priv->join.ask_ctx = opts->stopped_ctx;
		d->priv->join.identities.match = opts->match;
		d->priv->join.identities.suppressions = opts->suppressions;
		d->priv->join.identities.used = d->suppression_used;
		d->priv->numbers = calloc(n, sizeof(*d->priv->numbers));
		d->priv->times = calloc(n, sizeof(*d->priv->times));
		d->priv->scaled = calloc(n, sizeof(*d->priv->scaled));
	}
	if (d->inputs && d->of_suppression && d->suppression_used && d->priv && d->priv->numbers &&
		d->priv->times && d->priv->scaled)
		return d;
	sm_diff_free(d);
	return NULL;
}

static bool join(struct sm_diff *d)
{
	struct sm_diff_private *p = d->priv;

	for (size_t i = 0; i < d->ninputs; i++) {
		struct address_numbers *numbers = &p->numbers[i];

		numbers->syms = d->inputs[i].table->syms;
		if (!sm_join_add(&p->join, d->inputs[i].table, i, numbers))
			return false;
		d->inputs[i].addresses = numbers->n;
		d->inputs[i].unresolved = numbers->unresolved;
		free(numbers->slots);
		numbers->slots = NULL;
	}
	return true;
}

struct sm_error *sm_diff_build(const struct sm_table *const *tables, size_t n,
	const struct sm_diff_opts *opts, struct sm_diff **diff)
{
	struct sm_diff *d = new_diff(n, opts);
	struct sm_error *err;

	*diff = NULL;
	if (!d)
		return sm_error_nomem();
	err = sm_diff_describe(d, tables);
	if (!err && (!join(d) || !sm_diff_judge(d) || !sm_diff_note(d)))
		err = d->priv->join.stopped
			      ? sm_error_new(SM_E_STOPPED, NULL, "stopped before its end", NULL)
			      : sm_error_nomem();
	if (err) {
		sm_diff_free(d);
		return err;
	}
	d->opts.stopped = NULL;
	*diff = d;
	return NULL;
}

void sm_diff_free(struct sm_diff *d)
{
	if (!d)
		return;
	if (d->priv) {
		sm_join_release(&d->priv->join);
		for (size_t i = 0; d->priv->numbers && i < d->ninputs; i++)
			free(d->priv->numbers[i].slots);
		free(d->priv->numbers);
		free(d->priv->times);
		free(d->priv->scaled);
		free(d->priv->notes);
		sm_arena_release(&d->priv->arena);
		free(d->priv);
	}
	free(d->inputs);
	free(d->rows);
	free(d->suppressed);
	free(d->of_suppression);
	free(d->suppression_used);
	free(d);
}
