// SPDX-License-Identifier: GPL-2.0-or-later
/* mapwriter: stack_map_bin and stack_map_stat, sound ones and broken ones. */
#include "gen.h"

#include <stdlib.h>
#include <string.h>

#define MAP_MAGIC UINT32_C(0x46534D42)
#define HEADER_SIZE 16u

void map_record(
	struct gen *g, uint32_t id, uint32_t ref, uint32_t nr, const uint64_t *ips, size_t nips)
{
	uint8_t *p;

	gen_grow(g, &g->map_data, &g->map_cap, g->map_len + 16 + 8 * nips, 1);
	p = g->map_data + g->map_len;
	put_number(&g->k, p, 4, id);
	put_number(&g->k, p + 4, 4, nr);
	put_number(&g->k, p + 8, 4, ref);
	put_number(&g->k, p + 12, 4, 0);
	for (size_t i = 0; i < nips; i++)
		put_number(&g->k, p + 16 + 8 * i, 8, ips[i]);
	g->map_len += 16 + 8 * nips;
	g->map_records++;
}

void map_write(struct gen *g, FILE *out)
{
	const struct map_opts *m = &g->map;
	uint64_t total = HEADER_SIZE + g->map_len + m->extra.len;
	uint8_t *p = gen_alloc(g, total);
	int64_t cut = m->cut;

	put_number(&g->k, p, 4, m->has_magic ? m->magic : MAP_MAGIC);
	put_number(&g->k, p + 4, 4, m->has_version ? m->version : 1);
	put_number(&g->k, p + 8, 4, m->has_nr ? m->nr : g->map_records);
	put_number(&g->k, p + 12, 4, m->reserved);
	if (g->map_len)
		memcpy(p + HEADER_SIZE, g->map_data, g->map_len);
	if (m->extra.len)
		memcpy(p + HEADER_SIZE + g->map_len, m->extra.s, m->extra.len);
	if (m->has_cut) {
		if (cut < 0)
			cut += (int64_t)total;
		if (cut < 0 || (uint64_t)cut > total)
			gen_die(NULL, "map-cut is beyond the map's %llu bytes",
				(unsigned long long)total);
		total = (uint64_t)cut;
	}
	if (fwrite(p, 1, total, out) != total)
		gen_die(NULL, "cannot write the stack map");
}

void map_stat_write(const struct gen *g, FILE *out)
{
	const uint64_t *v = g->map.stat;

	fprintf(out,
		"entries:      %llu / %llu\ntable_size:   %llu\nsuccesses:    %llu\n"
		"drops:        %llu\n",
		(unsigned long long)v[0], (unsigned long long)v[1], (unsigned long long)v[2],
		(unsigned long long)v[3], (unsigned long long)v[4]);
	if (v[3] || v[4])
		fprintf(out, "success_rate: %u%%\n",
			(unsigned)((__uint128_t)v[3] * 100 / ((__uint128_t)v[3] + v[4])));
}

static uint64_t mix(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

/* An address inside one of 40,000 functions, the same few call sites of each again and again. */
static uint64_t random_ip(uint64_t *state)
{
	uint64_t r = mix(state);

	return UINT64_C(0xffffffff81000000) + (r % 40000) * 432 + 5 + (r >> 40) % 6 * 61;
}

static uint64_t parse(const char *s, uint64_t min, uint64_t max)
{
	char *end;
	uint64_t v = strtoull(s, &end, 0);

	if (!*s || *end || v < min || v > max)
		gen_die(NULL, "'%s' is not between %llu and %llu", s, (unsigned long long)min,
			(unsigned long long)max);
	return v;
}

int big_map(const char *n, const char *depth, const char *seed, const char *path)
{
	uint32_t count = (uint32_t)parse(n, 0, 1u << 18);
	uint32_t frames = (uint32_t)parse(depth, 1, 64);
	uint64_t state = parse(seed, 0, UINT64_MAX);
	uint32_t header[4] = {MAP_MAGIC, 1, count, 0};
	uint64_t ips[64];
	FILE *f = fopen(path, "wb");

	if (!f)
		gen_die(NULL, "cannot create '%s'", path);
	setvbuf(f, NULL, _IOFBF, 1 << 20);
	fwrite(header, sizeof(header), 1, f);
	for (uint32_t k = 0; k < frames; k++)
		ips[k] = random_ip(&state);
	for (uint32_t i = 0; i < count; i++) {
		uint64_t r = mix(&state);
		/* two slots a stack, so that ids are unique, in slot order, and have gaps */
		uint32_t record[4] = {2 * i + (uint32_t)(r & 1), frames, 0, 0};
		/* most stacks differ from the one before in a few inner frames, some in all */
		uint32_t fresh = r >> 8 & 63 ? 1 + (uint32_t)(r >> 16) % 12 : frames;

		record[2] = 1 + (uint32_t)((r >> 32 & 0xffff) >> (r >> 48 & 15));
		for (uint32_t k = 0; k < fresh && k < frames; k++)
			ips[k] = random_ip(&state);
		fwrite(record, sizeof(record), 1, f);
		fwrite(ips, sizeof(ips[0]), frames, f);
	}
	if (ferror(f) | fclose(f))
		gen_die(NULL, "cannot write '%s'", path);
	return 0;
}
