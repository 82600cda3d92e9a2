/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counts events in pages as they come from the running kernel, for the status line and for the
 * recorder's own share. Only in this machine's byte order; everything else about pages is read in
 * the room `record`.
 */
#include <stdio.h>
#include <stdlib.h>
#include "recording.h"

/* The numbers of "field: TYPE NAME; offset:N; size:N;". */
static bool field_find(const char *text, const char *name, unsigned *offset, unsigned *size)
{
	char key[64];
	const char *p;

	snprintf(key, sizeof(key), " %s;", name);
	p = strstr(text, key);
	return p && sscanf(p + strlen(key), " offset:%u; size:%u;", offset, size) == 2;
}

struct sm_error *sm_tally_layout_parse(
	struct sm_tally_layout *l, const char *path, const char *header_page)
{
	unsigned data, data_size, commit, commit_size, time, time_size;

	if (!header_page || !field_find(header_page, "data", &data, &data_size) ||
		!field_find(header_page, "commit", &commit, &commit_size) ||
		!field_find(header_page, "timestamp", &time, &time_size) || time_size != 8 ||
		time > 4096 || time + time_size > data || data > 4096 || data_size < 64 ||
		data_size > (1U << 28) || commit > 4096 || commit + commit_size > data ||
		(commit_size != 4 && commit_size != 8))
		return sm_error_new(SM_E_FORMAT, path, "cannot make out the layout of pages", NULL);
	l->data_offset = data;
	l->page_size = data + data_size;
	l->long_size = commit_size;
	l->time_offset = time;
	/* The low 32 bits are what counts. */
	l->commit_offset = commit + (sm_host_big_endian() ? commit_size - 4 : 0);
	return NULL;
}

bool sm_tally_common_parse(struct sm_tally_layout *l, const char *format)
{
	unsigned type, type_size, pid, pid_size;

	if (!field_find(format, "common_type", &type, &type_size) ||
		!field_find(format, "common_pid", &pid, &pid_size) || type_size != 2 ||
		pid_size != 4 || type > 64 || pid > 64)
		return false;
	l->type_offset = type;
	l->pid_offset = pid;
	return true;
}

int32_t sm_tally_event_id(const char *format)
{
	const char *p = strstr(format, "ID: ");
	unsigned id;

	return p && sscanf(p, "ID: %u", &id) == 1 && id <= UINT16_MAX ? (int32_t)id : -1;
}

static void tally_record(const struct sm_tally_layout *l, const uint8_t *payload, uint32_t len,
	const int32_t *pids, size_t npids, struct sm_tally *t)
{
	int32_t type, pid;
	size_t i;

	t->records++;
	if (len < l->type_offset + 2 || len < l->pid_offset + 4)
		return;
	type = sm_load16(payload + l->type_offset, false);
	if (type == l->stack_types[0] || type == l->stack_types[1] || type == l->stack_types[2])
		return;
	t->events++;
	pid = (int32_t)sm_load32(payload + l->pid_offset, false);
	for (i = 0; i < npids; i++)
		if (pids[i] == pid) {
			t->own++;
			break;
		}
}

static void tally_page(const struct sm_tally_layout *l, const uint8_t *page, const int32_t *pids,
	size_t npids, struct sm_tally *t)
{
	const uint8_t *data = page + l->data_offset;
	uint32_t left = sm_load32(page + l->commit_offset, false) & 0x7ffffff;
	uint32_t word, type_len, delta, skip, payload;

	if (left > l->page_size - l->data_offset)
		return;
	while (left >= 4) {
		word = sm_load32(data, false);
		type_len = sm_host_big_endian() ? word >> 27 : word & 31;
		delta = sm_host_big_endian() ? word & 0x7ffffff : word >> 5;
		payload = 0;
		if (type_len >= 1 && type_len <= 28) {
			payload = 4;
			skip = 4 + 4 * type_len;
		} else if (type_len == 29 && !delta) {
			return;
		} else if (left < 8) {
			return;
		} else if (type_len == 0 || type_len == 29) {
			skip = sm_load32(data + 4, false);
			if (skip < 4 || skip > left)
				return;
			skip += 4;
			payload = type_len ? 0 : 8;
		} else {
			skip = 8; /* a time */
		}
		if (skip > left)
			return;
		if (payload)
			tally_record(l, data + payload, skip - payload, pids, npids, t);
		data += skip;
		left -= skip;
	}
}

void sm_tally_pages(const struct sm_tally_layout *l, const uint8_t *pages, size_t len,
	const int32_t *pids, size_t npids, struct sm_tally *t)
{
	for (; len >= l->page_size; pages += l->page_size, len -= l->page_size)
		tally_page(l, pages, pids, npids, t);
}

#define COMMIT_LOST (UINT32_C(1) << 31)
#define COMMIT_LOST_STORED (UINT32_C(1) << 30)

void sm_loss_page(const struct sm_tally_layout *l, uint64_t time, uint64_t records, uint8_t *page)
{
	const uint32_t commit = COMMIT_LOST | COMMIT_LOST_STORED;
	uint32_t low = records < UINT32_MAX ? (uint32_t)records : UINT32_MAX - 1;

	memset(page, 0, l->page_size);
	memcpy(page + l->time_offset, &time, sizeof(time));
	memcpy(page + l->commit_offset, &commit, sizeof(commit));
	/* The kernel's flags are those of an int that was made longer. */
	if (l->long_size == 8)
		memset(page + l->commit_offset + (sm_host_big_endian() ? -4 : 4), 0xff, 4);
	if (l->long_size == 8)
		memcpy(page + l->data_offset, &records, sizeof(records));
	else
		memcpy(page + l->data_offset, &low, sizeof(low));
}
