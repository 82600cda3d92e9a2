/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * At which slide a capture's addresses follow calls. Slides are tried where some address of the
 * capture lies in the object's code then, and is a return address there; all others would score no
 * better than what calls are by chance.
 */
#include "call_site.h"

#include <stdlib.h>

#define MIB (UINT64_C(1) << 20)

/* Where an x86-64 kernel can be. Modules come after it. */
#define X86_LOW UINT64_C(0xffffffff80000000)
#define X86_HIGH UINT64_C(0xffffffffc0000000)
#define ARM64_LOW (UINT64_C(1) << 63)
/* Error numbers and markers are no addresses. */
#define ARM64_HIGH UINT64_C(0xfffffffffffff000)

/* Addresses whose slides are tried; those that a slide is scored by; positions that say how dense
 * calls are; the best by these are counted by all addresses. */
#define SEEDS 64
#define SAMPLE 1024
#define DENSITY_PROBES 4096
#define FINALISTS 4
#define RANGES_MAX 64
/* Of slides for seeds: a kernel of 64 MB at steps of 64 KiB takes 65,536. What is made to harm ends
 * here. */
#define TRIES_MAX ((size_t)1 << 20)

/* The chance that a believed slide is none, at most. */
#define CHANCE 0.001

/* An executable section. */
struct code_range {
	const struct object_section *section;
	const uint8_t *data;
	size_t len;
};

struct candidate {
	uint64_t slide;
	size_t follow; /* of the sample */
};

struct slides {
	struct object *obj;
	uint64_t step, low, high;
	struct code_range ranges[RANGES_MAX];
	size_t nranges;
	size_t code_bytes;
	uint64_t *ips; /* distinct, sorted */
	size_t nips;
	uint64_t sample[SAMPLE];
	size_t nsample;
	double density; /* of ends of calls in the code */
	struct candidate *candidates;
	size_t ncandidates, cap;
	size_t tries; /* slides that were looked at, also those where the seed isn't one */
};

static int compare_u64(const void *a, const void *b)
{
	uint64_t x, y;

	memcpy(&x, a, sizeof(x));
	memcpy(&y, b, sizeof(y));
	return (x > y) - (x < y);
}

static int compare_slides(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	return (x->slide > y->slide) - (x->slide < y->slide);
}

/* The most follow first; of equals one at a multiple of 2 MiB, where most kernels are, then the
 * least. */
static int compare_scores(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;
	bool fine_x = x->slide & (2 * MIB - 1), fine_y = y->slide & (2 * MIB - 1);

	if (x->follow != y->follow)
		return x->follow < y->follow ? 1 : -1;
	return fine_x != fine_y ? fine_x - fine_y : compare_slides(a, b);
}

static struct sm_error *find_code(struct slides *t)
{
	for (size_t i = 0; i < t->obj->nsections && t->nranges < RANGES_MAX; i++) {
		const struct object_section *s = &t->obj->sections[i];
		struct code_range *r = &t->ranges[t->nranges];
		struct sm_error *err;

		if (!(s->flags & SHF_ALLOC) || !(s->flags & SHF_EXECINSTR))
			continue;
		r->section = s;
		err = sm_object_data(t->obj, s, &r->data, &r->len);
		if (err)
			return err;
		if (!r->data || !r->len)
			continue;
		t->code_bytes += r->len;
		t->nranges++;
	}
	return NULL;
}

static struct sm_error *take_addresses(struct slides *t, const uint64_t *ips, size_t n)
{
	size_t kept = 0;

	t->ips = n <= SIZE_MAX / sizeof(*ips) ? malloc(n ? n * sizeof(*ips) : 1) : NULL;
	if (!t->ips)
		return sm_error_nomem();
	for (size_t i = 0; i < n; i++) {
		if (ips[i] >= t->low && ips[i] < t->high)
			t->ips[kept++] = ips[i];
	}
	qsort(t->ips, kept, sizeof(*t->ips), compare_u64);
	for (size_t i = 0; i < kept; i++) {
		if (!i || t->ips[i] != t->ips[i - 1])
			t->ips[t->nips++] = t->ips[i];
	}
	t->nsample = t->nips < SAMPLE ? t->nips : SAMPLE;
	for (size_t i = 0; i < t->nsample; i++)
		t->sample[i] = t->ips[(uint64_t)i * t->nips / t->nsample];
	return NULL;
}

static bool follows(const struct slides *t, uint64_t addr)
{
	for (size_t i = 0; i < t->nranges; i++) {
		const struct code_range *r = &t->ranges[i];
		uint64_t offset = addr - r->section->addr;

		/* The end of a section may be the start of the next. */
		if (offset <= r->len && sm_call_ends(t->obj, r->section, r->data, r->len, offset))
			return true;
	}
	return false;
}

static size_t count_follow(const struct slides *t, const uint64_t *ips, size_t n, uint64_t slide)
{
	size_t follow = 0;

	for (size_t i = 0; i < n; i++)
		follow += follows(t, ips[i] - slide);
	return follow;
}

/* Of all addresses, those that lie in the code. */
static size_t count_within(const struct slides *t, uint64_t slide)
{
	size_t within = 0;

	for (size_t i = 0; i < t->nips; i++) {
		for (size_t j = 0; j < t->nranges; j++) {
			const struct code_range *r = &t->ranges[j];

			if (t->ips[i] - slide - r->section->addr <= r->len) {
				within++;
				break;
			}
		}
	}
	return within;
}

static void measure_density(struct slides *t)
{
	size_t align = t->obj->machine == EM_AARCH64 ? 4 : 1, calls = 0, probes = 0;
	size_t stride = (t->code_bytes / DENSITY_PROBES / align + 1) * align;

	for (size_t i = 0; i < t->nranges; i++) {
		const struct code_range *r = &t->ranges[i];

		for (size_t at = align; at <= r->len; at += stride, probes++)
			calls += sm_call_ends(t->obj, r->section, r->data, r->len, at);
	}
	/* As if one more had been found, so that code with next to no calls proves nothing. */
	t->density = (double)(calls + 1) / (double)(probes + 1);
}

/* Adds the slides at which `seed` lies in `r` and is a return address. */
static struct sm_error *try_seed(struct slides *t, uint64_t seed, const struct code_range *r)
{
	uint64_t first = seed - r->section->addr - r->len, aligned;
	uint64_t left; /* how much greater than the first a slide may be */

	aligned = (first + t->step - 1) & ~(t->step - 1);
	if (aligned - first > r->len)
		return NULL;
	left = r->len - (aligned - first);
	for (uint64_t slide = aligned;; slide += t->step, left -= t->step) {
		if (t->tries++ >= TRIES_MAX)
			return NULL;
		if (sm_call_ends(t->obj, r->section, r->data, r->len,
			    (size_t)(seed - slide - r->section->addr))) {
			if (!sm_grow(&t->candidates, &t->cap, t->ncandidates + 1,
				    sizeof(*t->candidates)))
				return sm_error_nomem();
			t->candidates[t->ncandidates++] = (struct candidate){.slide = slide};
		}
		if (left < t->step)
			return NULL;
	}
}

static struct sm_error *find_candidates(struct slides *t)
{
	size_t seeds = t->nsample < SEEDS ? t->nsample : SEEDS, kept = 0;
	struct sm_error *err = NULL;

	for (size_t i = 0; i < seeds && !err; i++) {
		for (size_t j = 0; j < t->nranges && !err; j++)
			err = try_seed(t, t->sample[i * t->nsample / seeds], &t->ranges[j]);
	}
	if (err || !t->ncandidates)
		return err;
	qsort(t->candidates, t->ncandidates, sizeof(*t->candidates), compare_slides);
	for (size_t i = 0; i < t->ncandidates; i++) {
		if (!i || t->candidates[i].slide != t->candidates[i - 1].slide)
			t->candidates[kept++] = t->candidates[i];
	}
	t->ncandidates = kept;
	return NULL;
}

/* At most the chance that of n independent addresses `follow` or more follow a call, at the best
 * of `slides` slides: that of some `follow` of them all doing so. */
static double chance(size_t n, size_t follow, double density, size_t slides)
{
	double p = (double)slides;

	for (size_t i = 0; i < follow; i++)
		p *= density * (double)(n - i) / (double)(i + 1);
	return p;
}

/* How many different slides were looked at, about: the spread of the seeds and the size of the
 * code, at most those that were tried. */
static size_t count_slides(const struct slides *t, uint64_t step)
{
	size_t most = t->tries / (size_t)(step / t->step) + 1;
	uint64_t low = UINT64_MAX, high = 0, reach;

	for (size_t i = 0; i < t->nranges; i++) {
		const struct object_section *s = t->ranges[i].section;

		low = s->addr < low ? s->addr : low;
		high = s->addr + t->ranges[i].len > high ? s->addr + t->ranges[i].len : high;
	}
	reach = (t->ips[t->nips - 1] - t->ips[0]) / step + (high - low) / step + 1;
	return reach < most ? (size_t)reach : most;
}

/* Is it more than chance that so many of all addresses follow a call? */
static bool is_significant(const struct slides *t, size_t follow, uint64_t step)
{
	/* Of the sample's size, so that nothing overflows */
	size_t n = t->nsample;

	follow = (size_t)((double)follow * (double)n / (double)t->nips);
	return chance(n, follow, t->density, count_slides(t, step)) < CHANCE;
}

/* Scores by all addresses the best of the candidates that are at a multiple of `step`. Believes the
 * best as call_site.h says. */
static bool choose(struct slides *t, uint64_t step, struct call_score *score)
{
	struct candidate finalists[FINALISTS];
	size_t n = 0;

	*score = (struct call_score){.addresses = t->nips};
	for (size_t i = 0; i < t->ncandidates && n < FINALISTS; i++) {
		if (t->candidates[i].slide & (step - 1))
			continue;
		finalists[n] = t->candidates[i];
		if (t->nips > t->nsample)
			finalists[n].follow = count_follow(t, t->ips, t->nips, finalists[n].slide);
		n++;
	}
	if (!n)
		return false;
	qsort(finalists, n, sizeof(*finalists), compare_scores);
	score->slide = finalists[0].slide;
	score->follow = finalists[0].follow;
	score->second = n > 1 ? finalists[1].follow : 0;
	/* Modules are near, so what lies beyond this code says nothing about it. */
	if (t->obj->machine == EM_AARCH64)
		score->addresses = count_within(t, score->slide);
	return score->addresses >= 3 && score->follow > score->addresses / 4 &&
	       score->follow > score->second && is_significant(t, score->follow, step) &&
	       (score->second <= score->follow / 2 || !is_significant(t, score->second, step));
}

static struct sm_error *infer(struct slides *t, struct call_score *score, bool *found)
{
	struct sm_error *err = find_candidates(t);
	struct call_score coarse;

	if (err || !t->ncandidates) {
		score->addresses = t->obj->machine == EM_AARCH64 ? 0 : t->nips;
		return err;
	}
	measure_density(t);
	for (size_t i = 0; i < t->ncandidates; i++)
		t->candidates[i].follow =
			count_follow(t, t->sample, t->nsample, t->candidates[i].slide);
	qsort(t->candidates, t->ncandidates, sizeof(*t->candidates), compare_scores);
	*found = choose(t, t->step, score);
	if (!*found && t->step < 2 * MIB && choose(t, 2 * MIB, &coarse)) {
		*score = coarse;
		*found = true;
	}
	return NULL;
}

struct sm_error *sm_slide_infer(
	struct object *obj, const uint64_t *ips, size_t n, struct call_score *score, bool *found)
{
	bool arm64 = obj->machine == EM_AARCH64;
	struct slides *t;
	struct sm_error *err;

	*score = (struct call_score){0};
	*found = false;
	if (!sm_call_site_machine(obj) || obj->type == ET_REL)
		return NULL;
	t = calloc(1, sizeof(*t));
	if (!t)
		return sm_error_nomem();
	t->obj = obj;
	t->step = arm64 ? UINT64_C(64) << 10 : 2 * MIB;
	t->low = arm64 ? ARM64_LOW : X86_LOW;
	t->high = arm64 ? ARM64_HIGH : X86_HIGH;
	err = find_code(t);
	if (!err)
		err = take_addresses(t, ips, n);
	if (!err && t->nranges && t->nips)
		err = infer(t, score, found);
	free(t->candidates);
	free(t->ips);
	free(t);
	return err;
}
