/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pax extended headers: path and size; whatever else they say doesn't matter here. */
#include "internal.h"

#include <stdlib.h>

static struct sm_error *bad(const struct tar *t)
{
	return sm_tar_fault(t, SM_E_FORMAT, "damaged archive",
		"an extended tar header makes no sense; members up to here are sound");
}

static bool parse_decimal(const char *s, size_t len, uint64_t *v)
{
	*v = 0;
	for (size_t i = 0; i < len; i++) {
		if (s[i] < '0' || s[i] > '9' || *v >> 58)
			return false;
		*v = *v * 10 + (uint64_t)(s[i] - '0');
	}
	return len && !(*v >> 62);
}

static bool key_is(const char *key, size_t len, const char *want)
{
	return len == strlen(want) && !memcmp(key, want, len);
}

static struct sm_error *take(const struct tar *t, const char *key, size_t key_len,
	const char *value, size_t len, struct tar_attrs *attrs)
{
	if (key_is(key, key_len, "path")) {
		free(attrs->path);
		attrs->path = NULL;
		if (!len) /* takes back what a global header said */
			return NULL;
		if (memchr(value, '\0', len))
			return bad(t);
		attrs->path = strndup(value, len);
		return attrs->path ? NULL : sm_error_nomem();
	}
	if (key_is(key, key_len, "size")) {
		attrs->has_size = len > 0;
		if (len && !parse_decimal(value, len, &attrs->size))
			return bad(t);
		return NULL;
	}
	if (key_len > 11 && !memcmp(key, "GNU.sparse.", 11))
		return sm_tar_fault(t, SM_E_UNSUPPORTED, "sparse archive member",
			"make the archive without tar's --sparse option");
	return NULL;
}

struct sm_error *sm_pax_parse(struct tar *t, const char *data, size_t len, struct tar_attrs *attrs)
{
	while (len) {
		size_t digits = 0, record, key_len;
		const char *key, *eq;
		uint64_t v;
		struct sm_error *err;

		while (digits < len && digits < 8 && data[digits] != ' ')
			digits++;
		if (digits == len || !parse_decimal(data, digits, &v) || data[digits] != ' ' ||
			v > len || v < digits + 3 || data[v - 1] != '\n')
			return bad(t);
		record = (size_t)v;
		key = data + digits + 1;
		eq = memchr(key, '=', record - digits - 2);
		if (!eq)
			return bad(t);
		key_len = (size_t)(eq - key);
		err = take(t, key, key_len, eq + 1, record - digits - 1 - key_len - 2, attrs);
		if (err)
			return err;
		data += record;
		len -= record;
	}
	return NULL;
}
