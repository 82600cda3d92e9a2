/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How a sub-buffer is laid out, and in which byte order: events/header_page and what else tells. */
#include <stdio.h>
#include <stdlib.h>

#include "internal.h"

/* Sub-buffers are at most 64 pages of 64 KiB; anything near that is already odd. */
#define MAX_PAGE_SIZE (64u << 20)
#define SMALL_FILE (1u << 20)

static struct sm_error *parse_header_page(struct sm_trace *trace, const struct sm_blob *blob)
{
	struct sm_layout *l = &trace->layout;
	const char *pos = (const char *)blob->data, *end = pos + blob->size;
	bool has_time = false, has_commit = false, has_data = false;
	uint32_t size = 0;

	while (pos < end) {
		const char *nl = memchr(pos, '\n', (size_t)(end - pos));
		size_t n = (size_t)((nl ? nl : end) - pos);
		struct sm_field f;

		if (sm_field_parse(&trace->priv->arena, pos, n, &f)) {
			if (strcmp(f.name, "timestamp") == 0 && f.size == 8) {
				l->time_offset = f.offset;
				has_time = true;
			} else if (strcmp(f.name, "commit") == 0 && (f.size == 4 || f.size == 8)) {
				l->commit_offset = f.offset;
				l->long_size = (uint8_t)f.size;
				has_commit = true;
			} else if (strcmp(f.name, "data") == 0) {
				l->data_offset = f.offset;
				has_data = true;
				size = f.size;
			}
		}
		pos += n + 1;
	}
	if (!has_time || !has_commit || !has_data || size < 16 || size > MAX_PAGE_SIZE ||
		l->data_offset < l->time_offset + 8u ||
		l->data_offset < (uint32_t)l->commit_offset + l->long_size)
		return sm_error_at(SM_E_FORMAT, blob->path, 0, "not a ring buffer's header_page",
			"timestamp, commit or data is missing or makes no sense; "
			"copy the file again");
	l->page_size = l->data_offset + size;
	return NULL;
}

/* The commit word of a page in `swap` order makes sense. */
static bool plausible(const struct sm_layout *l, const uint8_t *page, bool swap)
{
	uint32_t commit = l->long_size == 8 ? (uint32_t)sm_load64(page + l->commit_offset, swap)
					    : sm_load32(page + l->commit_offset, swap);
	uint32_t len = commit & ((UINT32_C(1) << 27) - 1);

	return len != 0 && len <= l->page_size - l->data_offset;
}

/* By the first page that only makes sense in one order. */
static bool order_of_pages(const struct sm_trace *trace, bool *swap)
{
	const struct sm_layout *l = &trace->layout;

	if (sm_source_kind(trace->src) == SM_SOURCE_LIVE)
		return false;
	for (size_t i = 0; i < trace->ncpus; i++) {
		struct sm_stream *stream;
		const uint8_t *page;
		size_t len;
		struct sm_error *err = sm_source_stream(trace->src, trace->cpus[i].member, &stream);

		if (err) {
			sm_error_free(err);
			continue;
		}
		for (int k = 0; k < 64; k++) {
			bool as_is, swapped;

			err = sm_stream_take(stream, l->page_size, &page, &len);
			sm_error_free(err);
			if (err || len < l->data_offset)
				break;
			as_is = plausible(l, page, false);
			swapped = plausible(l, page, true);
			if (as_is == swapped)
				continue;
			*swap = swapped;
			sm_stream_free(stream);
			return true;
		}
		sm_stream_free(stream);
	}
	return false;
}

/* By the first note's name length, which is small in the right order only. */
static bool order_of_notes(const struct sm_trace *trace, bool *swap)
{
	struct sm_blob blob = {0};
	struct sm_error *err = sm_source_read(trace->src, "sys/kernel/notes", SMALL_FILE, &blob);
	bool known = false;

	if (err) {
		sm_error_free(err);
		return false;
	}
	if (blob.size >= 12) {
		uint32_t as_is = sm_load32(blob.data, false), swapped = sm_load32(blob.data, true);

		known = (as_is < 256) != (swapped < 256);
		*swap = swapped < 256;
	}
	sm_blob_release(&blob);
	return known;
}

static void find_byte_order(struct sm_trace *trace, const char *stated)
{
	bool *swap = &trace->layout.swap;

	if (sm_source_kind(trace->src) == SM_SOURCE_LIVE)
		*swap = false;
	else if (stated && (strcmp(stated, "little") == 0 || strcmp(stated, "big") == 0))
		*swap = (strcmp(stated, "big") == 0) != sm_host_big_endian();
	else if (trace->map)
		*swap = trace->map->big_endian != sm_host_big_endian();
	else if (!order_of_notes(trace, swap) && !order_of_pages(trace, swap))
		*swap = false;
}

struct sm_error *sm_layout_load(struct sm_trace *trace, const char *byte_order, uint64_t page_size)
{
	struct sm_blob blob = {0};
	struct sm_error *err;
	char *name = NULL;

	if (asprintf(&name, "%s/events/header_page", trace->tracing) < 0)
		return sm_error_nomem();
	if (!sm_source_has(trace->src, name)) {
		free(name);
		if (asprintf(&name, "%s/events/header_page", SM_TRACING) < 0)
			return sm_error_nomem();
	}
	err = sm_source_read(trace->src, name, SMALL_FILE, &blob);
	free(name);
	if (err) {
		sm_error_free(err);
		return sm_error_new(SM_E_MISSING, sm_source_path(trace->src),
			"no events/header_page",
			"pages can't be read without it; add the file "
			"of the kernel that wrote them");
	}
	err = parse_header_page(trace, &blob);
	sm_blob_release(&blob);
	if (err)
		return err;
	find_byte_order(trace, byte_order);
	/* What mm_page_alloc counts in: the sub-buffer is one page unless somebody enlarged it. */
	trace->kernel_page_size = trace->layout.page_size;
	if (page_size >= 1024 && page_size <= (1u << 20) && (page_size & (page_size - 1)) == 0)
		trace->kernel_page_size = (uint32_t)page_size;
	return NULL;
}
