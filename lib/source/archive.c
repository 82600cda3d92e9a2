/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes .tar.zst with frames of each member's own. */
#include "internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define BLOCK 512
#define CHUNK ((size_t)256 << 10)     /* of a member from memory, a frame */
#define OCTAL_MAX (UINT64_C(1) << 33) /* sizes from here on are base-256 */

struct sm_archive {
	int fd, level;
	char *path;
	void *cctx;
	size_t pad; /* zeros that are due after the member written last */
	uint64_t mtime;
	struct sm_buf plain, packed;
};

struct sm_error *sm_archive_new(int fd, const char *path, int level, struct sm_archive **out)
{
	struct sm_archive *ar = calloc(1, sizeof(*ar));

	if (ar)
		ar->path = strdup(path);
	if (!ar || !ar->path) {
		free(ar);
		return sm_error_nomem();
	}
	ar->fd = fd;
	ar->level = level;
	ar->mtime = (uint64_t)time(NULL) & (OCTAL_MAX - 1);
	*out = ar;
	return NULL;
}

void sm_archive_free(struct sm_archive *ar)
{
	if (!ar)
		return;
	sm_frame_release(&ar->cctx);
	sm_buf_release(&ar->plain);
	sm_buf_release(&ar->packed);
	free(ar->path);
	free(ar);
}

static struct sm_error *write_out(struct sm_archive *ar, const void *data, size_t len)
{
	const char *p = data;

	while (len) {
		ssize_t n = write(ar->fd, p, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return sm_error_errno(errno, ar->path, "cannot write", NULL);
		p += n;
		len -= (size_t)n;
	}
	return NULL;
}

/* Compresses to one frame behind what is in ar->packed. */
static struct sm_error *pack(struct sm_archive *ar, const void *data, size_t len)
{
	return sm_frame_compress(&ar->cctx, ar->level, data, len, &ar->packed);
}

static struct sm_error *write_packed(struct sm_archive *ar)
{
	struct sm_error *err = write_out(ar, ar->packed.data, ar->packed.len);

	sm_buf_reset(&ar->packed);
	return err;
}

static void add_zeros(struct sm_buf *b, size_t n)
{
	static const char zeros[BLOCK];

	for (; n > BLOCK; n -= BLOCK)
		sm_buf_add(b, zeros, BLOCK);
	sm_buf_add(b, zeros, n);
}

/* `digits` octal ones and a NUL; sizes that don't fit become base-256. */
static void put_number(uint8_t *field, size_t digits, uint64_t v)
{
	if (digits == 11 && v >= OCTAL_MAX) {
		for (size_t i = digits; i; i--, v >>= 8)
			field[i] = (uint8_t)v;
		field[0] = 0x80;
		return;
	}
	for (size_t i = digits; i; i--, v >>= 3)
		field[i - 1] = (uint8_t)('0' + (v & 7));
	field[digits] = 0;
}

/* Where to cut a name in two for the fields of 155 and 100 bytes; 0 = it fits the second alone,
 * -1 = it fits neither way. */
static ssize_t split_name(const char *name, size_t len)
{
	if (len <= 100)
		return 0;
	for (size_t i = len - 101; i < len - 1 && i <= 155; i++)
		if (i && name[i] == '/')
			return (ssize_t)i;
	return -1;
}

static void add_header(struct sm_buf *b, const char *name, char type, uint64_t size, uint64_t mtime)
{
	uint8_t h[BLOCK] = {0};
	size_t len = strlen(name), sum = 0;
	ssize_t cut = split_name(name, len);

	if (cut > 0) {
		memcpy(h + 345, name, (size_t)cut);
		name += cut + 1;
		len -= (size_t)cut + 1;
	}
	memcpy(h, name, len < 100 ? len : 100);
	put_number(h + 100, 7, 0644);
	put_number(h + 108, 7, 0);
	put_number(h + 116, 7, 0);
	put_number(h + 124, 11, size);
	put_number(h + 136, 11, mtime);
	memset(h + 148, ' ', 8);
	h[156] = (uint8_t)type;
	memcpy(h + 257,
		"ustar\0"
		"00",
		8);
	memcpy(h + 265, "root", 4);
	memcpy(h + 297, "root", 4);
	for (size_t i = 0; i < BLOCK; i++)
		sum += h[i];
	put_number(h + 148, 6, sum);
	h[155] = ' ';
	sm_buf_add(b, h, BLOCK);
}

/* "LEN path=NAME\n", where LEN counts its own digits. */
static void add_pax(struct sm_buf *b, const char *name, uint64_t mtime)
{
	size_t rest = strlen(" path=\n") + strlen(name), len = rest + 1;
	char digits[24];

	while (rest + (size_t)snprintf(digits, sizeof(digits), "%zu", len) != len)
		len++;
	add_header(b, "pax-header", 'x', len, mtime);
	sm_buf_addf(b, "%s path=%s\n", digits, name);
	add_zeros(b, -len & (BLOCK - 1));
}

/* A frame with the padding that is due and the member's header, into ar->packed. */
static struct sm_error *begin_member(struct sm_archive *ar, const char *name, uint64_t size)
{
	if (!sm_names_valid(name))
		return sm_error_new(
			SM_E_REFUSED, ar->path, "unsafe name for an archive member", "'%s'", name);
	sm_buf_reset(&ar->plain);
	add_zeros(&ar->plain, ar->pad);
	if (split_name(name, strlen(name)) < 0)
		add_pax(&ar->plain, name, ar->mtime);
	add_header(&ar->plain, name, '0', size, ar->mtime);
	ar->pad = (size_t)(-size & (BLOCK - 1));
	if (ar->plain.failed)
		return sm_error_nomem();
	return pack(ar, ar->plain.data, ar->plain.len);
}

struct sm_error *sm_archive_add(
	struct sm_archive *ar, const char *name, const void *data, size_t size)
{
	struct sm_error *err = begin_member(ar, name, size);
	const char *p = data;

	while (!err && size) {
		size_t len = size < CHUNK ? size : CHUNK;

		err = pack(ar, p, len);
		p += len;
		size -= len;
		if (!err && ar->packed.len >= CHUNK)
			err = write_packed(ar);
	}
	return err ? err : write_packed(ar);
}

struct sm_error *sm_archive_begin_frames(struct sm_archive *ar, const char *name, uint64_t size)
{
	struct sm_error *err = begin_member(ar, name, size);

	return err ? err : write_packed(ar);
}

struct sm_error *sm_archive_put_frames(struct sm_archive *ar, const void *data, size_t len)
{
	return write_out(ar, data, len);
}

struct sm_error *sm_archive_add_frames(
	struct sm_archive *ar, const char *name, uint64_t size, int frames_fd, uint64_t frames_size)
{
	struct sm_error *err = sm_archive_begin_frames(ar, name, size);
	uint64_t off = 0;
	char *buf;

	if (err)
		return err;
	buf = malloc(CHUNK);
	if (!buf)
		return sm_error_nomem();
	while (!err && off < frames_size) {
		size_t len = frames_size - off < CHUNK ? (size_t)(frames_size - off) : CHUNK, got;

		if (!sm_spool_pread(frames_fd, buf, len, off, &got))
			err = sm_error_errno(errno, ar->path, "cannot read a temporary file", NULL);
		else if (!got)
			err = sm_error_new(
				SM_E_TRUNCATED, ar->path, "temporary file cut short", NULL);
		else
			err = write_out(ar, buf, got);
		off += got;
	}
	free(buf);
	return err;
}

struct sm_error *sm_archive_finish(struct sm_archive *ar)
{
	struct sm_error *err;

	sm_buf_reset(&ar->plain);
	add_zeros(&ar->plain, ar->pad + 2 * BLOCK);
	err = ar->plain.failed ? sm_error_nomem() : pack(ar, ar->plain.data, ar->plain.len);
	if (!err)
		err = write_packed(ar);
	sm_archive_free(ar);
	return err;
}
