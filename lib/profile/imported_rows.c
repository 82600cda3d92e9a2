/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A profile of rows that were counted before. */
#include <stdlib.h>

#include "internal.h"

/* What a choice would need and rows don't have; NULL when they can be used as they are. */
static const char *unmet(const struct sm_profile_opts *opts)
{
	const struct {
		bool wanted;
		const char *option;
	} CHOICES[] = {
		{opts->family == SM_FAMILY_SLAB, "--slab"},
		{opts->attr != SM_ATTR_NONE, "--group-by"},
		{opts->events.n > 0, "--event"},
		{opts->comms.n > 0, "--comm"},
		{opts->caches.n > 0, "--cache"},
		{opts->gfps.n > 0, "--gfp"},
		{opts->npids > 0, "--pid"},
		{opts->ncpus > 0, "--cpu"},
		{opts->norders > 0, "--order"},
		{opts->min_size > 0, "--min-size"},
		{opts->max_size > 0, "--max-size"},
		{opts->older > 0, "--older"},
		{opts->from.kind != SM_MOMENT_NONE, "--time"},
		{opts->to.kind != SM_MOMENT_NONE, "--at or --time"},
	};

	for (size_t i = 0; i < SM_ARRAY_SIZE(CHOICES); i++)
		if (CHOICES[i].wanted)
			return CHOICES[i].option;
	return NULL;
}

struct sm_error *sm_rows_imported(struct sm_profile *p, const struct sm_profile_opts *opts)
{
	const struct sm_imported *in = p->trace->imported;
	const char *option = unmet(opts);

	if (option)
		return sm_error_new(SM_E_USAGE, sm_source_path(p->trace->src),
			"not told apart in this input",
			"%s needs events; %s %s has sums of each stack alone", option,
			sm_imported_article(in), in->kind);
	p->rows = calloc(in->nrows + 1, sizeof(*p->rows));
	if (!p->rows)
		return sm_error_nomem();
	for (size_t i = 0; i < in->nrows; i++) {
		struct sm_row *row = &p->rows[p->nrows++];

		row->stack = in->rows[i].stack;
		for (unsigned k = 0; k < SM_M_ADDITIVE; k++) {
			row->m[k] = in->rows[i].m[k];
			p->totals[k] += row->m[k];
		}
		if (!in->spreads)
			continue;
		row->m[SM_M_MACHINES] = in->spreads[i].total;
		row->m[SM_M_MEDIAN] = sm_spread_quantile(&in->spreads[i], 0.5);
		row->m[SM_M_P95] = sm_spread_quantile(&in->spreads[i], 0.95);
	}
	/* A row's machines among all, its median beside that of whole machines. */
	p->totals[SM_M_MACHINES] = in->machines;
	p->totals[SM_M_MEDIAN] = sm_spread_quantile(&in->total, 0.5);
	p->totals[SM_M_P95] = sm_spread_quantile(&in->total, 0.95);
	p->known |= in->known & ((1u << SM_M_ADDITIVE) - 1);
	if (in->spreads)
		p->known |= 1u << SM_M_MACHINES | 1u << SM_M_MEDIAN | 1u << SM_M_P95;
	p->health = p->trace->health;
	return NULL;
}

bool sm_profile_is_bytes(const struct sm_profile *profile, enum sm_metric m)
{
	if ((m == SM_M_MEDIAN || m == SM_M_P95) && profile->trace->imported)
		m = profile->trace->imported->spread_of;
	return m == SM_M_BYTES || m == SM_M_BYTES_REQ || m == SM_M_WASTE || m == SM_M_LIVE_BYTES ||
	       m == SM_M_PEAK_BYTES;
}
