/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An index of any bytes: as it is, and with its checksums made right, so that what they keep out is
 * looked up too. Whatever is found lies in the file and ends.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/symbol/index_layout.h"

#define ID "0123456789abcdef"
#define CHAIN 16
#define SEED_MAX 8192

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void put_file(const char *path, const uint8_t *data, size_t size)
{
	FILE *f = fopen(path, "wb");

	if (!f || fwrite(data, 1, size, f) != size || fclose(f) != 0 || chmod(path, 0600) != 0)
		abort();
}

static uint64_t look_up(const struct code_map *map, uint64_t addr)
{
	struct sm_line lines[CHAIN];
	size_t n = sm_code_map_find(map, addr, lines, CHAIN);
	uint64_t sum = n;

	if (n > CHAIN)
		abort();
	while (n--) {
		sum += lines[n].line;
		sum += lines[n].function ? strlen(lines[n].function) : 0;
		sum += lines[n].file ? strlen(lines[n].file) : 0;
	}
	return sum;
}

static void use(const char *dir)
{
	struct index *index = NULL;
	const struct code_map *map;
	uint64_t sum = 0;

	if (sm_index_open(dir, ID, NULL, &index))
		abort();
	if (!index)
		return;
	map = sm_index_map(index);
	for (size_t i = 0; i < 64 && i < map->nsegments; i++) {
		sum += look_up(map, map->base + map->segments[i].start);
		sum += look_up(map, map->base + map->segments[map->nsegments - 1 - i].start + 1);
	}
	for (uint64_t addr = 1; addr; addr <<= 1) {
		sum += look_up(map, addr);
		sum += look_up(map, map->base + addr);
	}
	/* Keeps the reads. */
	if (sum == 1)
		free(malloc(1));
	sm_index_close(index);
}

/* Where the header's counts fit the file, or can be made to. Returns the new size. */
static size_t make_sound(uint8_t *data, size_t size)
{
	struct index_layout l;
	struct index_header h;

	if (size < INDEX_BLOCK)
		return size;
	memcpy(&h, data, sizeof(h));
	memcpy(h.magic, INDEX_MAGIC, sizeof(h.magic));
	memset(h.build_id, 0, sizeof(h.build_id));
	memcpy(h.build_id, ID, strlen(ID));
	h.byte_order = INDEX_BYTE_ORDER;
	h.version = INDEX_VERSION;
	h.nsegments %= size;
	h.nscopes %= size;
	h.strings_len %= size;
	if (!sm_index_layout(&h, &l) || l.size > size)
		return size;
	h.file_size = l.size;
	for (uint64_t block = 0; block < l.nblocks; block++) {
		uint64_t start = (block + 1) * INDEX_BLOCK, end = start + INDEX_BLOCK, sum;
		const uint64_t ends[] = {l.segments + l.segments_len, l.scopes + l.scopes_len,
			l.strings + l.strings_len};

		for (size_t i = 0; i < SM_ARRAY_SIZE(ends); i++) {
			if (start < ends[i] && ends[i] < end)
				end = ends[i];
		}
		sum = sm_index_block_sum(&h, block, data + start, (size_t)(end - start));
		memcpy(data + l.sums + block * sizeof(sum), &sum, sizeof(sum));
	}
	h.sums = sm_hash(data + l.sums, (size_t)l.sums_len, 0);
	h.marks = sm_hash(data + l.marks, (size_t)l.marks_len, 0);
	h.checksum = sm_index_header_sum(&h);
	memcpy(data, &h, sizeof(h));
	return (size_t)l.size;
}

/* Seeds leave out what fills blocks: 0xff N stands for N * 16 zeros, 0xff 0 for 0xff. */
static uint8_t *expand(const uint8_t *data, size_t size, size_t *len)
{
	uint8_t *out = malloc(size * 255 * 16 + 1);
	size_t n = 0;

	if (!out)
		abort();
	for (size_t i = 0; i < size; i++) {
		if (data[i] == 0xff && i + 1 < size) {
			size_t zeros = (size_t)data[++i] * 16;

			if (!zeros)
				out[n++] = 0xff;
			memset(out + n, 0, zeros);
			n += zeros;
		} else {
			out[n++] = data[i];
		}
	}
	*len = n;
	return out;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char dir[] = "fuzz-index-XXXXXX", path[64];
	uint8_t *bytes;
	size_t len;

	if (size > SEED_MAX || !mkdtemp(dir))
		return 0;
	snprintf(path, sizeof(path), "%s/" ID "-%d.index", dir, INDEX_VERSION);
	bytes = expand(data, size, &len);
	put_file(path, bytes, len);
	use(dir);
	len = make_sound(bytes, len);
	put_file(path, bytes, len);
	use(dir);
	free(bytes);
	unlink(path);
	rmdir(dir);
	return 0;
}
