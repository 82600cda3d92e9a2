/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tar: finds the members of ustar, pax and GNU archives in bytes that come in pieces of any size.
 */
#include "internal.h"

#include <stdlib.h>

#define NAME_OFF 0
#define NAME_LEN 100
#define SIZE_OFF 124
#define SIZE_LEN 12
#define SUM_OFF 148
#define SUM_LEN 8
#define TYPE_OFF 156
#define MAGIC_OFF 257
#define PREFIX_OFF 345
#define PREFIX_LEN 155

/* Bounds on what headers make us keep: a path, a pax header, members of one archive. */
#define PATH_LIMIT 4096
#define META_LIMIT (1 << 20)
#define MEMBER_LIMIT (1 << 20)

void sm_tar_init(struct tar *t, struct sm_source *src)
{
	*t = (struct tar){.src = src};
}

static void attrs_release(struct tar_attrs *a)
{
	free(a->path);
	*a = (struct tar_attrs){0};
}

void sm_tar_release(struct tar *t)
{
	attrs_release(&t->local);
	attrs_release(&t->global);
	free(t->long_name);
	sm_buf_release(&t->meta);
}

struct sm_error *sm_tar_fault(
	const struct tar *t, enum sm_code code, const char *what, const char *detail_fmt, ...)
{
	struct sm_buf b = {0};
	struct sm_error *err;
	va_list ap;

	va_start(ap, detail_fmt);
	sm_buf_vaddf(&b, detail_fmt, ap);
	va_end(ap);
	if (t->compressed)
		sm_buf_addf(&b, " (byte %llu of the decompressed archive)",
			(unsigned long long)t->header_pos);
	err = b.failed ? sm_error_nomem()
		       : sm_error_at(code, t->src->path,
				 t->compressed ? t->frame_off : t->header_pos, what, "%s", b.data);
	sm_buf_release(&b);
	return err;
}

bool sm_tar_number(const uint8_t *field, size_t len, uint64_t *v)
{
	size_t i = 0;

	*v = 0;
	if (field[0] & 0x80) {
		if (field[0] != 0x80)
			return false;
		for (i = 1; i < len; i++) {
			if (*v >> 54)
				return false;
			*v = *v << 8 | field[i];
		}
		return true;
	}
	while (i < len && field[i] == ' ')
		i++;
	for (; i < len && field[i] >= '0' && field[i] <= '7'; i++)
		*v = *v << 3 | (uint64_t)(field[i] - '0');
	return i == len || field[i] == ' ' || !field[i];
}

bool sm_tar_header_valid(const uint8_t block[512])
{
	uint64_t want, sum = 0;
	int64_t signed_sum = 0; /* as some old tars added them up */

	if (!sm_tar_number(block + SUM_OFF, SUM_LEN, &want))
		return false;
	for (size_t i = 0; i < 512; i++) {
		uint8_t c = i - SUM_OFF < SUM_LEN ? ' ' : block[i];

		sum += c;
		signed_sum += (int8_t)c;
	}
	return want == sum || (int64_t)want == signed_sum;
}

bool sm_tar_header_ustar(const uint8_t block[512])
{
	return !memcmp(block + MAGIC_OFF, "ustar", 5);
}

static bool all_zero(const uint8_t *p, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (p[i])
			return false;
	return true;
}

/* The member's path as the header and those before it give it; owned. NULL = memory is short. */
static char *header_path(const struct tar *t)
{
	const char *name = (const char *)t->block + NAME_OFF;
	const char *prefix = (const char *)t->block + PREFIX_OFF;
	size_t name_len = strnlen(name, NAME_LEN), prefix_len = 0;
	char *path;

	if (t->local.path)
		return strdup(t->local.path);
	if (t->long_name)
		return strdup(t->long_name);
	if (t->global.path)
		return strdup(t->global.path);
	/* GNU's old format has "ustar  " there, and other things in the place of the prefix. */
	if (!memcmp(t->block + MAGIC_OFF, "ustar\0", 6))
		prefix_len = strnlen(prefix, PREFIX_LEN);
	path = malloc(prefix_len + 1 + name_len + 1);
	if (!path)
		return NULL;
	memcpy(path, prefix, prefix_len);
	path[prefix_len] = '/';
	memcpy(path + prefix_len + !!prefix_len, name, name_len);
	path[prefix_len + !!prefix_len + name_len] = '\0';
	return path;
}

static void begin_skip(struct tar *t, uint64_t size)
{
	t->data_left = size;
	t->left = (size + 511) & ~UINT64_C(511);
	t->state = t->left ? TAR_SKIP : TAR_HEADER;
}

static const char *type_noun(char type)
{
	switch (type) {
	case '1':
		return "hard link";
	case '2':
		return "symbolic link";
	case '3':
	case '4':
		return "device";
	case '6':
		return "fifo";
	}
	return "member of an unknown type";
}

static struct sm_error *add_member(struct tar *t, char *path, char type, uint64_t size)
{
	struct member at = {.offset = t->pos, .size = size};
	size_t len = strlen(path);
	bool folder = type == '5' || type == 'D' || (len && path[len - 1] == '/');

	if (len > PATH_LIMIT)
		return sm_tar_fault(t, SM_E_FORMAT, "path of an archive member too long",
			"%zu bytes, at most %d make sense", len, PATH_LIMIT);
	if (!sm_names_clean(path))
		return sm_error_new(SM_E_REFUSED, t->src->path, "unsafe path in the archive",
			"member '%s' lies outside; make the archive with relative paths", path);
	if (type == 'S' || type == 'M')
		return sm_error_new(SM_E_UNSUPPORTED, t->src->path,
			type == 'S' ? "sparse archive member" : "multi-volume archive",
			"member '%s'; make the archive without tar's %s option", path,
			type == 'S' ? "--sparse" : "--multi-volume");
	if (folder || type == 'V' || !*path)
		return NULL;
	if (type && type != '0' && type != '7') {
		sm_log(t->src->opts.log, SM_WARN, "'%s': member '%s' left out: a %s", t->src->path,
			path, type_noun(type));
		return NULL;
	}
	if (t->framed) {
		at.offset = t->frame_off;
		at.skip = t->pos - t->frame_pos;
	}
	if (t->src->members.n >= MEMBER_LIMIT)
		return sm_tar_fault(t, SM_E_FORMAT, "too many archive members",
			"more than %d make no sense in a capture", MEMBER_LIMIT);
	return sm_members_add(&t->src->members, path, &at) ? NULL : sm_error_nomem();
}

static struct sm_error *take_header(struct tar *t)
{
	char type = (char)t->block[TYPE_OFF], *path;
	uint64_t size;
	struct sm_error *err;

	if (all_zero(t->block, sizeof(t->block))) {
		if (t->zero)
			t->state = TAR_END;
		t->zero = true;
		return NULL;
	}
	if (t->zero) {
		/* tar itself stops here too. */
		sm_log(t->src->opts.log, SM_WARN, "'%s': a lone zero block ends the archive",
			t->src->path);
		t->state = TAR_END;
		return NULL;
	}
	if (!sm_tar_header_valid(t->block)) {
		t->not_tar = !t->header_pos && !sm_tar_header_ustar(t->block);
		return sm_tar_fault(t, SM_E_FORMAT, "damaged archive",
			"the checksum of a tar header is wrong; members up to here are sound");
	}
	if (!sm_tar_number(t->block + SIZE_OFF, SIZE_LEN, &size) || size >> 62)
		return sm_tar_fault(t, SM_E_FORMAT, "damaged archive",
			"a tar header's size makes no sense; members up to here are sound");
	if (type == 'x' || type == 'X' || type == 'g' || type == 'L' || type == 'K') {
		if (size > META_LIMIT)
			return sm_tar_fault(t, SM_E_FORMAT, "damaged archive",
				"an extended tar header of %llu bytes makes no sense",
				(unsigned long long)size);
		t->meta_type = type;
		t->meta_size = size;
		sm_buf_reset(&t->meta);
		begin_skip(t, size);
		if (t->left)
			t->state = TAR_META;
		return NULL;
	}
	path = header_path(t);
	if (!path)
		return sm_error_nomem();
	if (t->local.has_size)
		size = t->local.size;
	else if (t->global.has_size)
		size = t->global.size;
	if (type == '1') /* whatever its size field says, no data follows */
		size = 0;
	err = add_member(t, path, type, size);
	free(path);
	attrs_release(&t->local);
	free(t->long_name);
	t->long_name = NULL;
	begin_skip(t, size);
	return err;
}

static struct sm_error *take_meta(struct tar *t)
{
	t->state = TAR_HEADER;
	if (t->meta.failed)
		return sm_error_nomem();
	switch (t->meta_type) {
	case 'g':
		return sm_pax_parse(t, t->meta.data, (size_t)t->meta_size, &t->global);
	case 'x':
	case 'X':
		attrs_release(&t->local);
		return sm_pax_parse(t, t->meta.data, (size_t)t->meta_size, &t->local);
	case 'L':
		free(t->long_name);
		t->long_name = strndup(t->meta.data, (size_t)t->meta_size);
		return t->long_name ? NULL : sm_error_nomem();
	}
	return NULL; /* 'K': the target of a link, which is left out */
}

struct sm_error *sm_tar_feed(struct tar *t, const uint8_t *data, size_t len)
{
	struct sm_error *err = NULL;
	size_t n;

	for (; len && !err && t->state != TAR_END; data += n, len -= n) {
		n = len;
		switch (t->state) {
		case TAR_HEADER:
			if (n > sizeof(t->block) - t->fill)
				n = sizeof(t->block) - t->fill;
			if (!t->fill)
				t->header_pos = t->pos;
			memcpy(t->block + t->fill, data, n);
			t->fill += n;
			t->pos += n;
			if (t->fill == sizeof(t->block)) {
				t->fill = 0;
				err = take_header(t);
			}
			break;
		case TAR_META:
			if (n > t->left)
				n = (size_t)t->left;
			sm_buf_add(&t->meta, data, n);
			t->pos += n;
			t->left -= n;
			if (!t->left)
				err = take_meta(t);
			break;
		case TAR_SKIP:
			if (n > t->left)
				n = (size_t)t->left;
			sm_tar_skip(t, n);
			break;
		case TAR_END:
			break;
		}
	}
	return err;
}

uint64_t sm_tar_skippable(const struct tar *t)
{
	return t->state == TAR_SKIP ? t->left : 0;
}

void sm_tar_skip(struct tar *t, uint64_t n)
{
	if (t->state != TAR_SKIP)
		return;
	t->pos += n;
	t->left -= n;
	t->data_left -= n < t->data_left ? n : t->data_left;
	if (!t->left)
		t->state = TAR_HEADER;
}

struct sm_error *sm_tar_eof(struct tar *t, uint64_t offset)
{
	const char *where = "in a tar header";

	if (t->state == TAR_END || (t->state == TAR_HEADER && !t->fill && !t->local.path &&
					   !t->local.has_size && !t->long_name))
		return NULL;
	if (t->state == TAR_SKIP)
		where = t->data_left ? "in a member's data" : "in the padding after a member";
	return sm_error_at(SM_E_TRUNCATED, t->src->path, offset, "archive cut short",
		"it ends %s; what comes before is sound", where);
}
