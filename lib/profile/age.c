/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How old what is live at the window's end is. */
#include "internal.h"

#define MS UINT64_C(1000000)
#define S (1000 * MS)

const uint64_t sm_age_bounds[SM_AGES - 1] = {
	MS, 10 * MS, 100 * MS, S, 10 * S, 60 * S, 600 * S, 3600 * S};

static unsigned bucket_of(uint64_t age)
{
	unsigned k = 0;

	while (k < SM_AGES - 1 && age >= sm_age_bounds[k])
		k++;
	return k;
}

bool sm_profile_ages(const struct sm_profile *p, const uint8_t *rows, struct sm_age ages[SM_AGES],
	uint64_t *oldest_ns)
{
	const struct sm_profile_private *priv = p->priv;

	memset(ages, 0, SM_AGES * sizeof(*ages));
	*oldest_ns = 0;
	if (!priv->row_of || !p->trace->clock_is_time ||
		(p->trace->text.kind && !p->trace->text.has_time))
		return false;
	for (size_t s = 0; s < SM_ARRAY_SIZE(priv->live); s++) {
		const struct live_set *set = &priv->live[s];

		for (size_t i = 0; i < set->nslots; i++) {
			const struct live_object *o = &set->slots[i];
			uint64_t age = o->ts < p->to ? p->to - o->ts : 0;
			uint32_t row;

			if (o->ptr == LIVE_FREE || o->row == ROW_NONE)
				continue;
			row = priv->row_of[o->row];
			if (row == ROW_NONE || (rows && !rows[row]))
				continue;
			ages[bucket_of(age)].bytes += o->bytes;
			ages[bucket_of(age)].count++;
			*oldest_ns = age > *oldest_ns ? age : *oldest_ns;
		}
	}
	return true;
}
