/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A stack_map_bin, strictly and leniently. The first byte shifts it off alignment. */
#include <stdlib.h>

#include <smtool/record.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct sm_map *parse(const uint8_t *data, size_t size, size_t shift, bool lenient)
{
	struct sm_blob blob = {.size = size};
	uint8_t *copy = malloc(size + shift + 1);
	struct sm_error *err;
	struct sm_map *map;

	if (!copy)
		abort();
	memcpy(copy + shift, data, size);
	blob.data = copy + shift;
	blob.owned = copy;
	blob.path = strdup("map");
	err = sm_map_parse(&blob, lenient, &map);
	if (err) {
		struct sm_buf text = {0};

		if (map || err->offset > size)
			abort();
		sm_error_format(err, &text);
		sm_buf_release(&text);
		sm_error_free(err);
	}
	return map;
}

static void check(const struct sm_map *map)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < map->n; i++) {
		const struct sm_map_record *r = &map->records[i];

		if (r->id >= SM_MAP_MAX_IDS || !r->depth || r->depth > SM_MAP_MAX_DEPTH)
			abort();
		for (uint32_t k = 0; k < r->depth; k++)
			sum += r->ips[k];
	}
	/* Keeps the reads. */
	if (sum == 1)
		free(malloc(1));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t shift = size ? data[0] % 8 : 0;
	struct sm_map *strict, *lenient;
	struct sm_map_stat st;

	if (size) {
		data++;
		size--;
	}
	strict = parse(data, size, shift, false);
	lenient = parse(data, size, shift, true);
	if (strict)
		check(strict);
	if (lenient)
		check(lenient);
	/* What is sound, lenient reading reads alike. */
	if (strict && (!lenient || lenient->damage || lenient->n != strict->n))
		abort();
	if (strict && strict->n != strict->claimed)
		abort();
	sm_map_free(strict);
	sm_map_free(lenient);
	sm_map_stat_parse((const char *)data, size, &st);
	return 0;
}
