/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Compressed sections, and files that are compressed as a whole. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include <cmocka.h>

#include "elf_open.h"
#include "scratch.h"

#define SIZE 300000

static struct ew *make_packed(unsigned bits, bool big_endian, enum ew_compression compression,
	const uint8_t *data, size_t len)
{
	struct ew *f = ew_new(bits, big_endian, ET_EXEC, bits == 64 ? EM_X86_64 : EM_386);

	ew_text(f, ".text", 0x81000000, 0x10);
	ew_put(ew_debug(f, ".debug_info"), data, len);
	ew_string(ew_debug(f, ".debug_str"), "a string");
	ew_compress(f, ".debug_info", compression);
	return f;
}

static void test_kinds(void **state)
{
	uint8_t *data = scratch_pattern(SIZE, 1);

	(void)state;
	for (enum ew_compression c = EW_PLAIN; c <= EW_ZDEBUG; c++) {
		for (unsigned kind = 0; kind < 4; kind++) {
			struct ew *f = make_packed(kind & 1 ? 32 : 64, kind & 2, c, data, SIZE);
			struct object *obj = elf_open(f);
			const struct object_section *s = sm_object_section(obj, ".debug_info");
			const uint8_t *first, *again;
			size_t len;

			assert_non_null(s);
			assert_string_equal(
				s->name, c == EW_ZDEBUG ? ".zdebug_info" : ".debug_info");
			elf_data_is(obj, ".debug_info", data, SIZE);
			elf_data_is(obj, ".debug_str", "a string", 9);
			/* Kept. */
			assert_null(sm_object_data(obj, s, &first, &len));
			assert_null(sm_object_data(obj, s, &again, &len));
			assert_ptr_equal(first, again);
			sm_object_free(obj);
			ew_free(f);
		}
	}
	free(data);
}

/* Much more comes out than is believed at first: the buffer grows. Nothing at all is fine too. */
static void test_ratio(void **state)
{
	uint8_t *zeros = calloc(1, 4 << 20);

	(void)state;
	for (enum ew_compression c = EW_PLAIN; c <= EW_ZDEBUG; c++) {
		struct ew *f = make_packed(64, false, c, zeros, 4 << 20);
		struct object *obj = elf_open(f);

		elf_data_is(obj, ".debug_info", zeros, 4 << 20);
		sm_object_free(obj);
		ew_free(f);
		f = make_packed(64, false, c, zeros, 0);
		obj = elf_open(f);
		elf_data_is(obj, ".debug_info", "", 0);
		sm_object_free(obj);
		ew_free(f);
	}
	free(zeros);
}

/* ---- lies ---- */

static struct sm_error *read_packed(const uint8_t *bytes, size_t len)
{
	struct object *obj = elf_open_bytes(bytes, len);
	const uint8_t *data;
	size_t data_len;
	struct sm_error *err =
		sm_object_data(obj, sm_object_section(obj, ".debug_info"), &data, &data_len);

	if (err) {
		assert_null(data);
		/* The fault stays, and the offset is one of the file. */
		if (err->has_offset)
			assert_true(err->offset <= len);
	}
	sm_object_free(obj);
	return err;
}

/* Where the size is that a compressed section says it has. */
static uint64_t claim_offset(const struct ew_section *s)
{
	return s->file_offset + (s->compression == EW_ZDEBUG ? 4 : offsetof(Elf64_Chdr, ch_size));
}

static void set_claim(uint8_t *bytes, const struct ew_section *s, uint64_t claim)
{
	bool big = s->compression == EW_ZDEBUG;

	for (unsigned i = 0; i < 8; i++)
		bytes[claim_offset(s) + (big ? 7 - i : i)] = (uint8_t)(claim >> 8 * i);
}

static void test_lies(void **state)
{
	/* The second shrinks so much that the buffer grows. */
	uint8_t *datas[] = {scratch_pattern(SIZE, 2), calloc(1, SIZE * 4)};
	size_t sizes[] = {SIZE, SIZE * 4};

	(void)state;
	for (enum ew_compression c = EW_ZLIB; c <= EW_ZDEBUG; c++) {
		for (size_t i = 0; i < SM_ARRAY_SIZE(datas); i++) {
			struct ew *f = make_packed(64, false, c, datas[i], sizes[i]);
			const char *name = c == EW_ZDEBUG ? ".zdebug_info" : ".debug_info";
			struct ew_section *s;
			uint8_t *bytes;
			size_t len;

			bytes = ew_finish(f, &len);
			s = ew_find(f, name);
			assert_non_null(s);
			assert_null(read_packed(bytes, len));
			set_claim(bytes, s, sizes[i] - 1);
			scratch_expect(read_packed(bytes, len), SM_E_FORMAT,
				"compressed section larger than it says");
			set_claim(bytes, s, 0);
			scratch_expect(read_packed(bytes, len), SM_E_FORMAT,
				"compressed section larger than it says");
			set_claim(bytes, s, sizes[i] + 1);
			scratch_expect(read_packed(bytes, len), SM_E_FORMAT,
				"compressed section smaller than it says");
			set_claim(bytes, s, UINT64_MAX);
			scratch_expect(read_packed(bytes, len), SM_E_FORMAT,
				"section too large for its file");
			set_claim(bytes, s, sizes[i]);
			/* Its end is missing. */
			bytes[s->header_offset + offsetof(Elf64_Shdr, sh_size)] ^= 1;
			if (s->file_size & 1)
				scratch_expect(
					read_packed(bytes, len), SM_E_FORMAT, "compressed section");
			bytes[s->header_offset + offsetof(Elf64_Shdr, sh_size)] ^= 1;
			memset(bytes + s->file_offset + 30, 0xa5, 6);
			scratch_expect(read_packed(bytes, len), SM_E_FORMAT, "compressed section");
			free(bytes);
			ew_free(f);
		}
	}
	for (size_t i = 0; i < SM_ARRAY_SIZE(datas); i++)
		free(datas[i]);
}

static void test_cut_sections(void **state)
{
	uint8_t *data = scratch_pattern(SIZE, 3);

	(void)state;
	for (enum ew_compression c = EW_ZLIB; c <= EW_ZDEBUG; c++) {
		struct ew *f = make_packed(64, false, c, data, SIZE);
		size_t len;
		uint8_t *bytes = ew_finish(f, &len);
		struct ew_section *s = ew_find(f, c == EW_ZDEBUG ? ".zdebug_info" : ".debug_info");

		for (uint64_t size = 0; size < s->file_size; size += 1 + s->file_size / 50) {
			struct sm_error *err;

			for (unsigned i = 0; i < 8; i++)
				bytes[s->header_offset + offsetof(Elf64_Shdr, sh_size) + i] =
					(uint8_t)(size >> 8 * i);
			err = read_packed(bytes, len);
			/* Without the magic, .zdebug_X is a section like others. */
			if (c == EW_ZDEBUG && size < 12) {
				assert_null(err);
				continue;
			}
			scratch_expect(err, SM_E_FORMAT, "section");
		}
		free(bytes);
		ew_free(f);
	}
	free(data);
}

static void test_unknown(void **state)
{
	struct ew *f = make_packed(64, false, EW_ZLIB, (const uint8_t *)"abc", 3);
	size_t len;
	uint8_t *bytes = ew_finish(f, &len);

	(void)state;
	bytes[ew_find(f, ".debug_info")->file_offset] = 77;
	scratch_expect(
		read_packed(bytes, len), SM_E_FORMAT, "section compressed in an unknown way");
	free(bytes);
	ew_free(f);
}

/* ---- whole files ---- */

static size_t pack_xz(uint8_t *out, size_t cap, const uint8_t *in, size_t len)
{
	size_t n = 0;

	assert_int_equal(
		lzma_easy_buffer_encode(6, LZMA_CHECK_CRC32, NULL, in, len, out, &n, cap), LZMA_OK);
	return n;
}

static size_t pack_gzip(uint8_t *out, size_t cap, const uint8_t *in, size_t len)
{
	z_stream z = {0};

	assert_int_equal(
		deflateInit2(&z, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
	z.next_in = (Bytef *)(uintptr_t)in;
	z.avail_in = (uInt)len;
	z.next_out = out;
	z.avail_out = (uInt)cap;
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	deflateEnd(&z);
	return cap - z.avail_out;
}

static size_t pack_zstd(uint8_t *out, size_t cap, const uint8_t *in, size_t len)
{
	ZSTD_CCtx *z = ZSTD_createCCtx();
	size_t n;

	assert_non_null(z);
	ZSTD_CCtx_setParameter(z, ZSTD_c_checksumFlag, 1);
	n = ZSTD_compress2(z, out, cap, in, len);
	ZSTD_freeCCtx(z);
	assert_false(ZSTD_isError(n));
	return n;
}

static const struct packer {
	const char *name;
	size_t (*pack)(uint8_t *out, size_t cap, const uint8_t *in, size_t len);
} packers[] = {{"x.ko.xz", pack_xz}, {"x.ko.gz", pack_gzip}, {"x.ko", pack_zstd}};

static void test_wrappers(void **state)
{
	const struct scratch *s = *state;
	uint8_t *data = scratch_pattern(SIZE, 4);
	struct ew *f = make_packed(64, false, EW_ZLIB, data, SIZE);
	size_t len, cap, n;
	uint8_t *bytes = ew_finish(f, &len), *out;

	cap = 2 * len + 4096;
	out = malloc(cap);
	for (size_t i = 0; i < SM_ARRAY_SIZE(packers); i++) {
		const struct packer *p = &packers[i];
		struct object *obj;

		n = p->pack(out, cap, bytes, len);
		scratch_write(s, p->name, out, n);
		assert_null(sm_object_open(scratch_path(s, p->name), NULL, &obj));
		elf_data_is(obj, ".debug_info", data, SIZE);
		sm_object_free(obj);
		/* Several of them behind each other */
		n = p->pack(out, cap, bytes, 1000);
		n += p->pack(out + n, cap - n, bytes + 1000, len - 1000);
		obj = elf_open_bytes(out, n);
		elf_data_is(obj, ".debug_info", data, SIZE);
		sm_object_free(obj);
		/* Of a fault in the file inside, the offset is one inside. */
		n = p->pack(out, cap, bytes, 20);
		scratch_expect(sm_object_from_memory("x", out, n, NULL, &obj), SM_E_FORMAT,
			"the offset is in what the file decompresses to");
		assert_null(obj);
	}
	free(out);
	free(bytes);
	free(data);
	ew_free(f);
}

static void test_damaged_wrappers(void **state)
{
	uint8_t *data = scratch_pattern(SIZE, 5), *out = malloc(2 * SIZE);
	struct object *obj;
	size_t n;

	(void)state;
	memcpy(data,
		"\x7f"
		"ELF",
		4);
	for (size_t i = 0; i < SM_ARRAY_SIZE(packers); i++) {
		n = packers[i].pack(out, 2 * SIZE, data, SIZE);
		for (size_t len = 6; len < n; len += 1 + n / 50) {
			uint8_t *copy = malloc(len);

			memcpy(copy, out, len);
			scratch_expect(sm_object_from_memory("x", copy, len, NULL, &obj),
				SM_E_TRUNCATED, "compressed file cut short");
			free(copy);
		}
		memset(out + n / 2, 0xa5, 64);
		scratch_expect(
			sm_object_from_memory("x", out, n, NULL, &obj), SM_E_FORMAT, "damaged");
	}
	free(out);
	free(data);
}

/* A small file that becomes huge */
static void test_bomb(void **state)
{
	size_t size = (size_t)400 << 20, cap = 1 << 20, n;
	uint8_t *zeros = calloc(1, size), *out = malloc(cap);
	struct object *obj;

	(void)state;
	n = ZSTD_compress(out, cap, zeros, size, 1);
	assert_false(ZSTD_isError(n));
	assert_true(n * 1024 + (16 << 20) < size);
	scratch_expect(sm_object_from_memory("x", out, n, NULL, &obj), SM_E_FORMAT,
		"decompresses to too much");
	free(zeros);
	free(out);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_ratio),
		cmocka_unit_test(test_lies),
		cmocka_unit_test(test_cut_sections),
		cmocka_unit_test(test_unknown),
		cmocka_unit_test_setup_teardown(test_wrappers, scratch_setup, scratch_teardown),
		cmocka_unit_test(test_damaged_wrappers),
		cmocka_unit_test(test_bomb),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
