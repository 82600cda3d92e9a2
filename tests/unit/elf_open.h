/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files of tests/gen/elfwriter.h, opened as objects. Include cmocka.h first. */
#ifndef UNIT_ELF_OPEN_H
#define UNIT_ELF_OPEN_H

#include <stdlib.h>

#include "gen/elfwriter.h"
#include "lib/symbol/object.h"

/* The bytes in memory of their own size, so that a sanitizer sees what is read behind them. */
static inline struct object *elf_open_bytes(const uint8_t *bytes, size_t len)
{
	struct object *obj;

	assert_null(sm_object_from_memory("x.ko", bytes, len, NULL, &obj));
	return obj;
}

/* Finishes `f`, which may be looked at until it is freed. */
static inline struct object *elf_open(struct ew *f)
{
	size_t len;
	uint8_t *bytes = ew_finish(f, &len);
	struct object *obj = elf_open_bytes(bytes, len);

	free(bytes);
	return obj;
}

/* The same, and frees the writer. */
static inline struct object *elf_finish(struct ew *f)
{
	struct object *obj = elf_open(f);

	ew_free(f);
	return obj;
}

static inline void elf_data_is(
	struct object *obj, const char *section, const void *want, size_t want_len)
{
	const struct object_section *s = sm_object_section(obj, section);
	const uint8_t *data;
	size_t len;

	assert_non_null(s);
	assert_null(sm_object_data(obj, s, &data, &len));
	assert_int_equal(len, want_len);
	assert_int_equal(s->size, want_len);
	assert_memory_equal(data, want, len);
}

/* A number of 4 or 8 bytes in a section. */
static inline uint64_t elf_number(
	struct object *obj, const char *section, size_t offset, unsigned size)
{
	const struct object_section *s = sm_object_section(obj, section);
	const uint8_t *data;
	size_t len;

	assert_non_null(s);
	assert_null(sm_object_data(obj, s, &data, &len));
	assert_true(offset + size <= len);
	return size == 8 ? sm_load64(data + offset, obj->swap)
			 : sm_load32(data + offset, obj->swap);
}

#endif
