/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The stack map's binary export, ABI version 1: see stack_map_bin(5). */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include <smtool/record.h>

#define HEADER_SIZE 16
#define RECORD_HEADER_SIZE 16
/* Written, with version 2, by the series before its ABI settled. */
#define PRERELEASE_MAGIC UINT32_C(0x464D5342)
#define STALE_RETRIES 5
#define PREFETCH 8 /* records */

struct map_reader {
	struct sm_map *map;
	const uint8_t *data;
	size_t size;
	const char *path;
	bool swap, lenient;
	size_t cap;
	uint64_t *seen; /* bitmap of ids */
};

/* What to do about a fault in the records. */
static const char *hint(const struct map_reader *r)
{
	return r->lenient ? "the records before it are used"
			  : "copy the file again, or use --lenient for what is before it";
}

static struct sm_error *parse_header(struct map_reader *r)
{
	struct sm_map *map = r->map;
	uint32_t magic;

	if (r->size < HEADER_SIZE)
		return sm_error_at(SM_E_TRUNCATED, r->path, 0, "stack map header cut short",
			"needs %d bytes, %zu are there; copy the file again", HEADER_SIZE, r->size);
	magic = sm_load32(r->data, false);
	r->swap = magic == __builtin_bswap32(SM_MAP_MAGIC) ||
		  magic == __builtin_bswap32(PRERELEASE_MAGIC);
	magic = sm_load32(r->data, r->swap);
	map->version = sm_load32(r->data + 4, r->swap);
	map->big_endian = sm_host_big_endian() != r->swap;
	map->claimed = sm_load32(r->data + 8, r->swap);
	map->reserved = sm_load32(r->data + 12, r->swap);
	if (magic == PRERELEASE_MAGIC)
		return sm_error_at(SM_E_UNSUPPORTED, r->path, 0,
			"stack map written by a pre-release revision of the kernel patches",
			"magic 0x%08x, version %u; version 1 is read: update the kernel", magic,
			map->version);
	if (magic != SM_MAP_MAGIC)
		return sm_error_at(SM_E_FORMAT, r->path, 0, "not a stack map",
			"magic 0x%08x in neither byte order is 0x%08x", sm_load32(r->data, false),
			SM_MAP_MAGIC);
	if (map->version != 1)
		return sm_error_at(SM_E_UNSUPPORTED, r->path, 4, "unsupported stack map version",
			"version %u; version 1 is read", map->version);
	return NULL;
}

/* Checks the record at `at` and adds it; *next is where the following one starts. */
static struct sm_error *parse_record(struct map_reader *r, size_t at, size_t *next)
{
	struct sm_map *map = r->map;
	size_t left = r->size - at;
	struct sm_map_record *rec;
	const uint8_t *p = r->data + at;
	uint32_t id, nr;

	if (left < RECORD_HEADER_SIZE) {
		if (left == 0)
			return sm_error_at(SM_E_TRUNCATED, r->path, at,
				"stack map has fewer records than its header says",
				"%zu of %u are there; %s", map->n, map->claimed, hint(r));
		return sm_error_at(SM_E_TRUNCATED, r->path, at, "stack map record cut short",
			"its header needs %d bytes, %zu are left; %s", RECORD_HEADER_SIZE, left,
			hint(r));
	}
	id = sm_load32(p, r->swap);
	nr = sm_load32(p + 4, r->swap);
	if (nr == 0 || nr > SM_MAP_MAX_DEPTH)
		return sm_error_at(SM_E_FORMAT, r->path, at + 4,
			"stack map record with a bad depth",
			"depth %u of stack_id %u is not within 1..%d; %s", nr, id, SM_MAP_MAX_DEPTH,
			hint(r));
	if (id >= SM_MAP_MAX_IDS)
		return sm_error_at(SM_E_FORMAT, r->path, at, "stack_id out of range",
			"stack_id %u is not below %u; %s", id, SM_MAP_MAX_IDS, hint(r));
	if (r->seen[id / 64] & (UINT64_C(1) << id % 64))
		return sm_error_at(SM_E_FORMAT, r->path, at, "stack_id repeated",
			"stack_id %u occurs twice; %s", id, hint(r));
	if (left - RECORD_HEADER_SIZE < (size_t)nr * 8)
		return sm_error_at(SM_E_TRUNCATED, r->path, at, "stack map record cut short",
			"%u address%s need%s %u bytes, %zu are left; %s", nr, nr == 1 ? "" : "es",
			nr == 1 ? "s" : "", nr * 8, left - RECORD_HEADER_SIZE, hint(r));
	if (!sm_grow(&map->records, &r->cap, map->n + 1, sizeof(*map->records)))
		return sm_error_nomem();
	/* Nothing but the headers is read here: each would be a cache miss of its own. The records
	 * ahead are probably as long as this one. */
	if (left / PREFETCH > RECORD_HEADER_SIZE + (size_t)nr * 8)
		__builtin_prefetch(p + PREFETCH * (RECORD_HEADER_SIZE + (size_t)nr * 8));
	r->seen[id / 64] |= UINT64_C(1) << id % 64;
	rec = &map->records[map->n++];
	rec->id = id;
	rec->depth = nr;
	rec->ref_count = sm_load32(p + 8, r->swap);
	rec->reserved = sm_load32(p + 12, r->swap);
	rec->ips = (const uint64_t *)(const void *)(p + RECORD_HEADER_SIZE);
	*next = at + RECORD_HEADER_SIZE + (size_t)nr * 8;
	return NULL;
}

static struct sm_error *parse_records(struct map_reader *r)
{
	/* What the header claims, as far as the file has room for it. */
	size_t fits = (r->size - HEADER_SIZE) / (RECORD_HEADER_SIZE + 8);
	size_t expected = r->map->claimed < fits ? r->map->claimed : fits;
	size_t at = HEADER_SIZE;
	struct sm_error *err;

	if (!sm_grow(&r->map->records, &r->cap, expected, sizeof(*r->map->records)))
		return sm_error_nomem();
	while (r->map->n < r->map->claimed) {
		err = parse_record(r, at, &at);
		if (err)
			return err;
	}
	if (at < r->size)
		return sm_error_at(SM_E_FORMAT, r->path, at,
			"bytes after the last stack map record",
			"%zu byte%s after the %u records that the header names; %s", r->size - at,
			r->size - at == 1 ? "" : "s", r->map->claimed, hint(r));
	return NULL;
}

/* Addresses that can't be used where they lie are brought into host order and alignment. */
static struct sm_error *own_ips(struct map_reader *r)
{
	struct sm_map *map = r->map;
	size_t total = 0, at = 0;

	if (!r->swap && ((uintptr_t)r->data & 7) == 0)
		return NULL;
	for (size_t i = 0; i < map->n; i++)
		total += map->records[i].depth;
	map->swapped = malloc((total ? total : 1) * sizeof(*map->swapped));
	if (!map->swapped)
		return sm_error_nomem();
	for (size_t i = 0; i < map->n; i++) {
		struct sm_map_record *rec = &map->records[i];

		for (uint32_t k = 0; k < rec->depth; k++)
			map->swapped[at + k] =
				sm_load64((const uint8_t *)rec->ips + (size_t)k * 8, r->swap);
		rec->ips = map->swapped + at;
		at += rec->depth;
	}
	return NULL;
}

struct sm_error *sm_map_parse(struct sm_blob *blob, bool lenient, struct sm_map **out)
{
	struct sm_map *map = calloc(1, sizeof(*map));
	struct map_reader r = {.map = map, .lenient = lenient};
	struct sm_error *err;

	*out = NULL;
	if (!map) {
		sm_blob_release(blob);
		return sm_error_nomem();
	}
	map->blob = *blob;
	memset(blob, 0, sizeof(*blob));
	r.data = map->blob.data;
	r.size = map->blob.size;
	r.path = map->blob.path;
	err = parse_header(&r);
	if (!err) {
		r.seen = calloc(SM_MAP_MAX_IDS / 64, sizeof(*r.seen));
		err = r.seen ? parse_records(&r) : sm_error_nomem();
		if (err && lenient && err->code != SM_E_NOMEM) {
			map->damage = err;
			err = NULL;
		}
		free(r.seen);
	}
	if (!err)
		err = own_ips(&r);
	if (err) {
		sm_map_free(map);
		return err;
	}
	*out = map;
	return NULL;
}

struct sm_error *sm_map_load(
	const struct sm_source *src, const char *member, bool lenient, struct sm_map **map)
{
	struct sm_error *err = NULL;

	*map = NULL;
	for (int i = 0; i < STALE_RETRIES; i++) {
		struct sm_blob blob = {0};

		sm_error_free(err);
		err = sm_source_read(src, member, 0, &blob);
		if (!err)
			return sm_map_parse(&blob, lenient, map);
		if (err->code != SM_E_STALE)
			break;
	}
	return err;
}

void sm_map_free(struct sm_map *map)
{
	if (!map)
		return;
	free(map->records);
	free(map->swapped);
	sm_error_free(map->damage);
	sm_blob_release(&map->blob);
	free(map);
}

void sm_map_stat_parse(const char *text, size_t len, struct sm_map_stat *stat)
{
	const char *end = text + len;

	memset(stat, 0, sizeof(*stat));
	for (const char *line = text; line < end;) {
		const char *nl = memchr(line, '\n', (size_t)(end - line));
		size_t n = (size_t)((nl ? nl : end) - line);
		char buf[128];
		unsigned long long a, b;

		snprintf(buf, sizeof(buf), "%.*s", (int)(n < 127 ? n : 127), line);
		if (sscanf(buf, "entries: %llu / %llu", &a, &b) == 2) {
			stat->entries = a;
			stat->capacity = b;
			stat->present = true;
		} else if (sscanf(buf, "table_size: %llu", &a) == 1) {
			stat->slots = a;
		} else if (sscanf(buf, "successes: %llu", &a) == 1) {
			stat->successes = a;
		} else if (sscanf(buf, "drops: %llu", &a) == 1) {
			stat->drops = a;
		}
		line += n + 1;
	}
}
