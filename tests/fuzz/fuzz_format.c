/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The text of an event's format, and behind NUL NUL NUL NUL a payload that is printed by it. Byte
 * order and word size come from the first byte.
 */
#include <stdlib.h>

#include <smtool/record.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void print(const struct sm_event_type *type, const uint8_t *payload, size_t len, bool swap)
{
	struct sm_trace trace = {.layout.swap = swap};
	uint8_t *copy = malloc(len ? len : 1);
	struct sm_buf text = {0};

	if (!copy)
		abort();
	memcpy(copy, payload, len);
	sm_event_format_fields(&trace, type, copy, len, &text);
	for (uint32_t i = 0; i < type->nfields; i++)
		sm_event_format_field(&trace, type, &type->fields[i], copy, len, &text);
	for (uint64_t gfp = 1; gfp; gfp <<= 7)
		sm_gfp_format(type->gfp, type->ngfp, gfp * 3, &text);
	sm_buf_release(&text);
	free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sm_arena arena = {0};
	struct sm_event_type type;
	const uint8_t *sep;
	struct sm_error *err;
	uint8_t how;
	char *text;
	size_t len;

	if (!size)
		return 0;
	how = *data++;
	size--;
	sep = memmem(data, size, "\0\0\0\0", 4);
	len = sep ? (size_t)(sep - data) : size;
	text = malloc(len ? len : 1);
	if (!text)
		abort();
	memcpy(text, data, len);
	err = sm_event_type_parse(
		&arena, "format", how & 4 ? "kmem" : "test", text, len, how & 1 ? 4 : 8, &type);
	free(text); /* nothing may refer to it any more */
	if (err) {
		sm_error_free(err);
	} else {
		if (!type.nfields || type.ncommon > type.nfields || !strlen(type.system))
			abort();
		print(&type, sep ? sep + 4 : data, sep ? size - len - 4 : 0, how & 2);
	}
	sm_arena_release(&arena);
	return 0;
}
