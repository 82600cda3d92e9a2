/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The bytes of sections: as they are in the file, or decompressed, or relocated. */
#include "object_file.h"

#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

/* A size up to this many times the compressed one is believed enough to ask for all of it at once:
 * what isn't touched costs nothing. */
#define RATIO_USUAL 32
#define GROW_LEAST ((uint64_t)64 << 10)

/* Of one section: where its compressed bytes are, and what came of them. */
struct unpacking {
	const struct object *obj;
	const uint8_t *in;
	size_t in_len;
	uint64_t claim; /* bytes that it says it has */
	uint8_t *out;
	size_t out_len, cap;
};

static uint64_t unpacked_offset(const struct unpacking *u, size_t consumed)
{
	return (uint64_t)(u->in - u->obj->priv->data) + consumed;
}

void sm_section_packing(const struct object *obj, struct object_section *section)
{
	const struct object_private *p = obj->priv;
	struct section_file *f = section->priv;
	struct elf_reader r = {.swap = obj->swap, .wide = obj->addr_size == 8};
	size_t head = ELF_SIZE(r.wide, Chdr);

	if (section->type == SHT_NOBITS || (section->flags & SHF_ALLOC))
		return;
	if (section->flags & SHF_COMPRESSED) {
		f->packing = PACKING_UNKNOWN;
		section->size = 0;
		if (f->size < head || !sm_object_within(obj, f->offset, f->size))
			return;
		r.data = p->data + f->offset;
		section->size = ELF_WORD(&r, Chdr, ch_size);
		f->skip = head;
		switch (ELF_U32(&r, Chdr, ch_type)) {
		case ELFCOMPRESS_ZLIB:
			f->packing = PACKING_ZLIB;
			break;
		case 2: /* ELFCOMPRESS_ZSTD, which older headers lack */
			f->packing = PACKING_ZSTD;
			break;
		}
	} else if (strncmp(section->name, ".zdebug_", 8) == 0 && f->size >= 12 &&
		   sm_object_within(obj, f->offset, f->size) &&
		   memcmp(p->data + f->offset, "ZLIB", 4) == 0) {
		f->packing = PACKING_ZLIB;
		f->skip = 12;
		section->size = sm_load64(p->data + f->offset + 4, !sm_host_big_endian());
	}
}

/* Makes room for more output, up to what is claimed. False = there is no memory. */
static bool grow(struct unpacking *u)
{
	uint64_t cap = u->cap ? (uint64_t)u->cap * 2 : (uint64_t)u->in_len * RATIO_USUAL;
	uint8_t *out;

	if (cap < GROW_LEAST)
		cap = GROW_LEAST;
	if (cap > u->claim)
		cap = u->claim;
	if (cap > SIZE_MAX)
		return false;
	if (u->out) {
		out = realloc(u->out, (size_t)cap);
	} else {
		out = sm_table_alloc(cap ? (size_t)cap : 1);
	}
	if (!out)
		return false;
	u->out = out;
	u->cap = (size_t)cap;
	return true;
}

static struct sm_error *more_than_claimed(const struct unpacking *u, size_t consumed)
{
	return sm_object_fault(u->obj, unpacked_offset(u, consumed),
		"compressed section larger than it says", "it says %llu bytes",
		(unsigned long long)u->claim);
}

static struct sm_error *damaged(const struct unpacking *u, size_t consumed, const char *why)
{
	return sm_object_fault(
		u->obj, unpacked_offset(u, consumed), "damaged compressed section", "%s", why);
}

static struct sm_error *inflate_all(struct unpacking *u)
{
	struct sm_error *err = NULL;
	z_stream z = {.next_in = (Bytef *)(uintptr_t)u->in};
	size_t fed = 0;
	int ret = inflateInit(&z);

	if (ret != Z_OK)
		return sm_error_nomem();
	if (!grow(u)) {
		inflateEnd(&z);
		return sm_error_nomem();
	}
	/* Its counters are 32 bits wide. */
	while (ret != Z_STREAM_END && !err) {
		size_t in_before, out_before;

		if (!z.avail_in && fed < u->in_len) {
			z.avail_in =
				u->in_len - fed > INT32_MAX ? INT32_MAX : (uInt)(u->in_len - fed);
			fed += z.avail_in;
		}
		if (u->out_len == u->cap && u->cap < u->claim && !grow(u)) {
			err = sm_error_nomem();
			break;
		}
		z.next_out = u->out + u->out_len;
		z.avail_out =
			u->cap - u->out_len > INT32_MAX ? INT32_MAX : (uInt)(u->cap - u->out_len);
		in_before = z.avail_in;
		out_before = z.avail_out;
		ret = inflate(&z, Z_NO_FLUSH);
		u->out_len += out_before - z.avail_out;
		if (ret == Z_MEM_ERROR)
			err = sm_error_nomem();
		else if (ret != Z_OK && ret != Z_STREAM_END && ret != Z_BUF_ERROR)
			err = damaged(u, fed - z.avail_in, z.msg ? z.msg : "no zlib data");
		else if (ret != Z_STREAM_END && in_before == z.avail_in &&
			 out_before == z.avail_out)
			err = u->out_len == u->claim ? more_than_claimed(u, fed - z.avail_in)
						     : damaged(u, fed, "cut short");
	}
	inflateEnd(&z);
	return err;
}

static struct sm_error *zstd_all(struct unpacking *u)
{
	ZSTD_inBuffer in = {u->in, u->in_len, 0};
	struct sm_error *err = NULL;
	ZSTD_DCtx *z = ZSTD_createDCtx();
	size_t ret = 1;

	if (!z || !grow(u)) {
		ZSTD_freeDCtx(z);
		return sm_error_nomem();
	}
	/* Straight into the buffer, without a window of its own. */
	if (u->cap == u->claim) {
		ret = ZSTD_decompressDCtx(z, u->out, u->cap, u->in, u->in_len);
		if (!ZSTD_isError(ret))
			u->out_len = ret;
		else if (ZSTD_getErrorCode(ret) == ZSTD_error_dstSize_tooSmall)
			err = more_than_claimed(u, 0);
		else
			err = damaged(u, 0, ZSTD_getErrorName(ret));
		ZSTD_freeDCtx(z);
		return err;
	}
	while (in.pos < in.size && !err) {
		ZSTD_outBuffer out;
		size_t before = in.pos;

		if (u->out_len == u->cap && u->cap < u->claim && !grow(u)) {
			err = sm_error_nomem();
			break;
		}
		out = (ZSTD_outBuffer){u->out, u->cap, u->out_len};
		ret = ZSTD_decompressStream(z, &out, &in);
		if (ZSTD_isError(ret))
			err = damaged(u, in.pos, ZSTD_getErrorName(ret));
		else if (out.pos == u->out_len && in.pos == before)
			err = more_than_claimed(u, in.pos);
		u->out_len = out.pos;
	}
	if (!err && ret != 0)
		err = u->out_len == u->claim ? more_than_claimed(u, in.pos)
					     : damaged(u, in.pos, "cut short");
	ZSTD_freeDCtx(z);
	return err;
}

static struct sm_error *unpack(
	struct object *obj, const struct object_section *section, const uint8_t *in, size_t in_len)
{
	struct section_file *f = section->priv;
	struct unpacking u = {
		.obj = obj,
		.in = in + f->skip,
		.in_len = in_len - (size_t)f->skip,
		.claim = section->size,
	};
	struct sm_error *err = f->packing == PACKING_ZLIB ? inflate_all(&u) : zstd_all(&u);

	if (!err && u.out_len != u.claim)
		err = sm_object_fault(obj, f->offset, "compressed section smaller than it says",
			"'%s' has %zu bytes instead of %llu", section->name, u.out_len,
			(unsigned long long)u.claim);
	if (err) {
		free(u.out);
		return err;
	}
	f->own = u.out;
	f->data = u.out;
	f->len = u.out_len;
	return NULL;
}

/* Takes memory for a section from what the file's size allows. */
static struct sm_error *spend(struct object *obj, const struct object_section *section)
{
	struct object_private *p = obj->priv;
	const struct section_file *f = section->priv;
	uint64_t limit = sm_unpack_limit(p->len);

	if (section->size > limit || p->spent > limit - section->size)
		return sm_object_fault(obj, f->offset, "section too large for its file",
			"'%s' says that it has %llu bytes, the file has %zu", section->name,
			(unsigned long long)section->size, p->len);
	p->spent += section->size;
	return NULL;
}

static struct sm_error *read_section(struct object *obj, const struct object_section *section)
{
	struct section_file *f = section->priv;
	const uint8_t *in;
	struct sm_error *err;

	if (!sm_object_within(obj, f->offset, f->size))
		return sm_object_fault(obj, f->offset, "section beyond the end",
			"'%s' has %llu bytes, the file %zu; is it cut short?", section->name,
			(unsigned long long)f->size, obj->priv->len);
	in = obj->priv->data + f->offset;
	if (f->packing == PACKING_UNKNOWN)
		return sm_object_fault(obj, f->offset, "section compressed in an unknown way",
			"'%s': zlib and zstd are known", section->name);
	if (f->packing == PACKING_NONE && !f->relocated) {
		f->data = in;
		f->len = (size_t)f->size;
		return NULL;
	}
	err = spend(obj, section);
	if (err)
		return err;
	if (f->packing != PACKING_NONE) {
		err = unpack(obj, section, in, (size_t)f->size);
		if (err)
			return err;
	} else {
		f->own = sm_table_alloc(f->size ? (size_t)f->size : 1);
		if (!f->own)
			return sm_error_nomem();
		memcpy(f->own, in, (size_t)f->size);
		f->data = f->own;
		f->len = (size_t)f->size;
	}
	return f->relocated ? sm_section_relocate(obj, section, f->own, f->len) : NULL;
}

struct sm_error *sm_object_data(
	struct object *obj, const struct object_section *section, const uint8_t **data, size_t *len)
{
	struct section_file *f = section->priv;
	struct sm_error *err = NULL;

	*data = NULL;
	*len = 0;
	if (section->type == SHT_NOBITS || section->type == SHT_NULL)
		return NULL;
	if (!f->data) {
		err = read_section(obj, section);
		if (err) {
			free(f->own);
			f->own = NULL;
			f->data = NULL;
			return err;
		}
	}
	*data = f->data;
	*len = f->len;
	return NULL;
}

bool sm_object_copy(const struct object *obj, const uint8_t *from, size_t len, void *to)
{
	const struct object_private *p = obj->priv;
	uintptr_t at = (uintptr_t)from - (uintptr_t)p->data;

	return p->fd >= 0 && at <= p->len && len <= p->len - at &&
	       pread(p->fd, to, len, (off_t)at) == (ssize_t)len;
}

const uint8_t *sm_object_code(struct object *obj, uint64_t addr, size_t *len)
{
	const struct object_section *s = sm_object_section_at(obj, addr);
	const struct section_file *f = s ? s->priv : NULL;

	*len = 0;
	if (!f || s->type == SHT_NOBITS || !sm_object_within(obj, f->offset, f->size))
		return NULL;
	*len = (size_t)(f->size - (addr - s->addr));
	return obj->priv->data + f->offset + (addr - s->addr);
}
