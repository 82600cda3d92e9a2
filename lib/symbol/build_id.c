/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Build ids in ELF notes. */
#include "internal.h"

#define NT_GNU_BUILD_ID 3
/* Real ones have 8 to 20 bytes; --build-id=0x... can make any. */
#define BUILD_ID_MAX 64

static void add_hex(struct sm_buf *hex, const uint8_t *id, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		sm_buf_addc(hex, "0123456789abcdef"[id[i] >> 4]);
		sm_buf_addc(hex, "0123456789abcdef"[id[i] & 15]);
	}
}

bool sm_build_id_parse(const void *data, size_t len, bool swap, struct sm_buf *hex)
{
	const uint8_t *p = data;

	while (len >= 12) {
		uint64_t name_len = sm_load32(p, swap), desc_len = sm_load32(p + 4, swap);
		/* 64 bits: neither sum wraps. */
		uint64_t desc = 12 + ((name_len + 3) & ~UINT64_C(3));
		uint64_t next = desc + ((desc_len + 3) & ~UINT64_C(3));

		if (desc > len || desc_len > len - desc)
			return false;
		if (sm_load32(p + 8, swap) == NT_GNU_BUILD_ID && name_len == 4 &&
			memcmp(p + 12, "GNU", 4) == 0 && desc_len && desc_len <= BUILD_ID_MAX) {
			add_hex(hex, p + desc, (size_t)desc_len);
			return true;
		}
		if (next >= len)
			return false;
		p += next;
		len -= (size_t)next;
	}
	return false;
}

struct sm_error *sm_build_id_read(const struct sm_source *src, const char *member, char **id)
{
	struct sm_blob blob = {0};
	struct sm_buf hex = {0};
	struct sm_error *err;

	*id = NULL;
	if (!sm_source_has(src, member))
		return NULL;
	err = sm_source_read(src, member, NOTES_MAX, &blob);
	if (err) {
		/* One id less: a module may just have been unloaded. */
		if (err->code == SM_E_NOMEM)
			return err;
		sm_error_free(err);
		return NULL;
	}
	if ((sm_build_id_parse(blob.data, blob.size, false, &hex) ||
		    sm_build_id_parse(blob.data, blob.size, true, &hex)) &&
		!hex.failed) {
		*id = hex.data;
		hex = (struct sm_buf){0};
	} else if (hex.failed) {
		err = sm_error_nomem();
	}
	sm_buf_release(&hex);
	sm_blob_release(&blob);
	return err;
}
