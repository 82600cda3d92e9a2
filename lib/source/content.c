/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a file is, by its first bytes; its name says nothing. */
#include "internal.h"

#define MAP_MAGIC 0x46534d42
#define MAP_MAGIC_OLD 0x464d5342 /* pre-release: the record room says what is wrong with it */

#define DAT_MAGIC "\x17\x08\x44tracing"
#define ZSTD_MAGIC 0xfd2fb528
#define ZSTD_SKIPPABLE 0x184d2a50 /* and the 15 after it */

#define WANT "want a capture (a directory, .tar or .tar.zst), a trace.dat or a stack_map_bin"

struct known {
	const char *magic;
	size_t len;
	enum sm_code code;
	const char *what, *hint;
};

static const struct known others[] = {
	{"\x7f"
	 "ELF",
		4, SM_E_FORMAT, "an ELF file", WANT},
	{"\x1f\x8b", 2, SM_E_FORMAT, "gzip data", "decompress it first: gzip -d"},
	{"\xfd"
	 "7zXZ",
		6, SM_E_FORMAT, "xz data", "decompress it first: xz -d"},
	{"BZh", 3, SM_E_FORMAT, "bzip2 data", "decompress it first: bzip2 -d"},
	{"\x04\x22\x4d\x18", 4, SM_E_FORMAT, "lz4 data", "decompress it first: lz4 -d"},
	{"PK\x03\x04", 4, SM_E_FORMAT, "a zip archive", "unpack it, and name the directory"},
	{"PERFILE2", 8, SM_E_FORMAT, "a perf.data file", "perf report reads it"},
	{"stack_id ", 9, SM_E_FORMAT, "the text form of a stack map",
		"smtool reads the binary one: " SM_MEMBER_MAP},
};

static bool is_text(const uint8_t *head, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if ((head[i] < ' ' && !strchr("\t\n\r\f\x1b", head[i])) || !head[i] ||
			head[i] == 0x7f)
			return false;
	return true;
}

static struct sm_error *none(
	enum sm_code code, const char *path, const char *what, const char *hint)
{
	return sm_error_new(code, path, what, "%s", hint);
}

struct sm_error *sm_content_detect(
	const uint8_t *head, size_t len, const char *path, enum content *content)
{
	static const char want[] = WANT;
	uint32_t magic;

	*content = CONTENT_NONE;
	if (!len)
		return none(SM_E_FORMAT, path, "empty file", want);
	for (size_t i = 0; i < SM_ARRAY_SIZE(others); i++) {
		const struct known *k = &others[i];

		if (len >= k->len && !memcmp(head, k->magic, k->len))
			return none(k->code, path, k->what, k->hint);
	}
	if (len >= sizeof(DAT_MAGIC) - 1 && !memcmp(head, DAT_MAGIC, sizeof(DAT_MAGIC) - 1)) {
		*content = CONTENT_DAT;
		return NULL;
	}
	if (len >= 512 && (sm_tar_header_valid(head) || sm_tar_header_ustar(head))) {
		*content = CONTENT_TAR;
		return NULL;
	}
	if (len < sizeof(magic))
		return sm_error_new(SM_E_FORMAT, path, "not a capture",
			"only %zu bytes long, too short to be anything; %s", len, want);
	magic = sm_load32(head, sm_host_big_endian());
	if (magic == ZSTD_MAGIC || (magic & ~UINT32_C(15)) == ZSTD_SKIPPABLE)
		*content = CONTENT_ZSTD;
	for (int swap = 0; swap < 2; swap++) {
		magic = sm_load32(head, swap);
		if (magic == MAP_MAGIC || magic == MAP_MAGIC_OLD)
			*content = CONTENT_MAP;
	}
	if (*content != CONTENT_NONE)
		return NULL;
	if (sm_kernel_text_member(head, len)) {
		*content = CONTENT_TEXT;
		return NULL;
	}
	if (is_text(head, len))
		return none(SM_E_FORMAT, path, "a text file", want);
	return none(SM_E_FORMAT, path, "not a capture", want);
}
