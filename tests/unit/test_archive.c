/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Our own archives, and compressed ones in general. */
#include "scratch.h"

#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#define CPU(n) SM_TRACING "/per_cpu/cpu" #n "/trace_pipe_raw"
#define X50 "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
#define FRAME 65536

static const struct file {
	const char *name;
	size_t size;
	bool frames; /* added as frames that are there already */
} files[] = {
	{"proc/version", 6, false},
	{"proc/empty", 0, false},
	{CPU(0), 1000000, true},
	{CPU(1), 512, true},
	{CPU(2), 0, true},
	{CPU(3), 4 * FRAME, true},
	{"proc/kallsyms", 600001, false},
	{"sys/" X50 "/" X50 "/" X50 "/x", 513, false},
	{"sys/" X50 X50 "/" X50 X50 "/" X50 X50, 511, false},
};

static void add_frames(const struct scratch *s, struct sm_archive *ar, const char *name,
	const uint8_t *data, size_t size)
{
	struct sm_buf packed = {0};
	void *cctx = NULL;
	int fd;

	for (size_t at = 0; at < size; at += FRAME)
		assert_null(sm_frame_compress(
			&cctx, 1, data + at, size - at < FRAME ? size - at : FRAME, &packed));
	sm_frame_release(&cctx);
	scratch_write(s, "spool", packed.data ? packed.data : "", packed.len);
	fd = open(scratch_path(s, "spool"), O_RDONLY);
	assert_true(fd >= 0);
	assert_null(sm_archive_add_frames(ar, name, size, fd, packed.len));
	close(fd);
	sm_buf_release(&packed);
}

static void write_archive(const struct scratch *s, const char *name)
{
	int fd = open(scratch_path(s, name), O_WRONLY | O_CREAT | O_TRUNC, 0644);
	struct sm_archive *ar;

	assert_true(fd >= 0);
	assert_null(sm_archive_new(fd, name, 3, &ar));
	for (size_t i = 0; i < SM_ARRAY_SIZE(files); i++) {
		uint8_t *data = scratch_pattern(files[i].size, (unsigned)i);

		if (files[i].frames)
			add_frames(s, ar, files[i].name, data, files[i].size);
		else
			assert_null(sm_archive_add(ar, files[i].name, data, files[i].size));
		free(data);
	}
	scratch_expect(sm_archive_add(ar, "../x", "", 0), SM_E_REFUSED, "../x");
	scratch_expect(sm_archive_add(ar, "/x", "", 0), SM_E_REFUSED, "/x");
	assert_null(sm_archive_finish(ar));
	close(fd);
}

static void test_round_trip(void **state)
{
	struct scratch *s = *state;
	struct sm_source *src;

	write_archive(s, "a");
	src = scratch_open(s, "a");
	assert_int_equal(sm_source_kind(src), SM_SOURCE_TAR_ZST);
	assert_null(sm_source_damage(src));
	for (size_t i = 0; i < SM_ARRAY_SIZE(files); i++) {
		uint8_t *data = scratch_pattern(files[i].size, (unsigned)i);

		scratch_member_is(src, files[i].name, data, files[i].size);
		free(data);
	}
	scratch_list_is(src, SM_TRACING "/per_cpu", "cpu0 cpu1 cpu2 cpu3");
	sm_source_free(src);
}

static void test_read_by_tar(void **state)
{
	struct scratch *s = *state;

	if (!scratch_has_program("zstd"))
		skip();
	write_archive(s, "a");
	scratch_run(s, "zstd -qt a && tar --zstd -tvf a >list && mkdir x && tar --zstd -C x -xf a");
	scratch_run(s, "test \"$(wc -l <list)\" -eq %zu", SM_ARRAY_SIZE(files));
	for (size_t i = 0; i < SM_ARRAY_SIZE(files); i++) {
		uint8_t *want = scratch_pattern(files[i].size, (unsigned)i), *have;
		struct sm_buf name = {0};
		size_t len;

		sm_buf_addf(&name, "x/%s", files[i].name);
		have = scratch_load(s, name.data, &len);
		assert_int_equal(len, files[i].size);
		assert_memory_equal(have, want, len);
		sm_buf_release(&name);
		free(have);
		free(want);
	}
}

struct reader {
	const struct sm_source *src;
	size_t file;
	bool good;
};

static void *read_one(void *arg)
{
	struct reader *r = arg;
	size_t size = files[r->file].size;
	uint8_t *data = scratch_pattern(size, (unsigned)r->file);

	r->good = true;
	for (int round = 0; round < 5; round++) {
		struct sm_stream *stream;
		const uint8_t *p;
		size_t at = 0, n = 0;

		if (sm_source_stream(r->src, files[r->file].name, &stream))
			r->good = false;
		if (!r->good)
			break;
		do {
			r->good &= !sm_stream_take(stream, 4096, &p, &n) && at + n <= size &&
				   !memcmp(p, data + at, n);
			at += n;
		} while (n && r->good);
		r->good &= at == size;
		sm_stream_free(stream);
	}
	free(data);
	return NULL;
}

static void test_threads(void **state)
{
	static const size_t which[] = {2, 5, 6, 2};
	struct scratch *s = *state;
	struct reader readers[SM_ARRAY_SIZE(which)];
	pthread_t threads[SM_ARRAY_SIZE(which)];

	write_archive(s, "a");
	for (int packed = 1; packed >= 0; packed--) {
		struct sm_source *src;

		if (!packed && !scratch_has_program("zstd"))
			break;
		if (!packed)
			scratch_run(s, "zstd -qdf <a >b; mv b a");
		src = scratch_open(s, "a");
		for (size_t i = 0; i < SM_ARRAY_SIZE(which); i++) {
			readers[i] = (struct reader){.src = src, .file = which[i]};
			assert_int_equal(
				pthread_create(&threads[i], NULL, read_one, &readers[i]), 0);
		}
		for (size_t i = 0; i < SM_ARRAY_SIZE(which); i++) {
			pthread_join(threads[i], NULL);
			assert_true(readers[i].good);
		}
		sm_source_free(src);
	}
}

/* ---- damage ---- */

/* Two members and what an archive says of them when its file isn't whole. Returns how many bytes of
 * them are there. */
static size_t sound_bytes(const struct scratch *s, const char *file, const uint8_t *one,
	const uint8_t *two, size_t size, bool *damaged)
{
	struct sm_source_opts opts = {.tmpdir = s->dir};
	const uint8_t *want[] = {one, two};
	const char *const names[] = {CPU(0), CPU(1)};
	struct sm_source *src;
	struct sm_error *err = sm_source_open(scratch_path(s, file), &opts, &src);
	size_t sum = 0;

	*damaged = err != NULL;
	sm_error_free(err);
	if (*damaged)
		return 0;
	*damaged = sm_source_damage(src) != NULL;
	if (*damaged)
		assert_true(sm_source_damage(src)->has_offset);
	for (int i = 0; i < 2; i++) {
		struct sm_blob blob;

		if (!sm_source_has(src, names[i]))
			continue;
		assert_null(sm_source_read(src, names[i], 0, &blob));
		assert_true(blob.size <= size);
		if (memcmp(blob.data, want[i], blob.size))
			fail_msg("wrong bytes in %s", names[i]);
		*damaged |= blob.damage != NULL;
		if (blob.size < size)
			assert_non_null(blob.damage);
		sum += blob.size;
		sm_blob_release(&blob);
	}
	sm_source_free(src);
	return sum;
}

static void check_cuts(const struct scratch *s, const char *file, const uint8_t *one,
	const uint8_t *two, size_t size)
{
	size_t total, last = 0, sound = 0;
	uint8_t *all = scratch_load(s, file, &total);
	bool damaged = false;

	for (size_t cut = 1, step; cut <= total; cut += step) {
		/* Small steps at the start and towards the end, which is reached. */
		step = 1 + (cut < total - cut ? cut / 8 : (total - cut) / 16);
		scratch_write(s, "cut", all, cut);
		sound = sound_bytes(s, "cut", one, two, size, &damaged);
		/* A longer file never gives less. */
		assert_true(sound >= last);
		last = sound;
	}
	assert_int_equal(sound, 2 * size);
	assert_false(damaged);
	free(all);
}

static void write_two(const struct scratch *s, const char *file, const uint8_t *one,
	const uint8_t *two, size_t size)
{
	int fd = open(scratch_path(s, file), O_WRONLY | O_CREAT | O_TRUNC, 0644);
	struct sm_archive *ar;

	assert_true(fd >= 0);
	assert_null(sm_archive_new(fd, "two", 1, &ar));
	add_frames(s, ar, CPU(0), one, size);
	add_frames(s, ar, CPU(1), two, size);
	assert_null(sm_archive_finish(ar));
	close(fd);
}

static void test_truncated(void **state)
{
	struct scratch *s = *state;
	size_t size = 3 * FRAME + 700;
	uint8_t *one = scratch_pattern(size, 1), *two = scratch_pattern(size, 2);

	write_two(s, "a", one, two, size);
	check_cuts(s, "a", one, two, size);
	if (scratch_has_program("zstd")) {
		/* One frame: spooled when it is large, read from its start when it is small. */
		scratch_run(s, "zstd -qdf <a >a.tar; zstd -qf a.tar -o b; tar -xf a.tar; "
			       "tar --zstd -cf c sys");
		check_cuts(s, "b", one, two, size);
		check_cuts(s, "c", one, two, size);
		scratch_write(s, CPU(0), one, 5000);
		scratch_write(s, CPU(1), two, 5000);
		scratch_run(s, "tar --zstd -cf d sys");
		check_cuts(s, "d", one, two, 5000);
	}
	free(one);
	free(two);
}

static void test_flipped(void **state)
{
	struct scratch *s = *state;
	size_t size = 2 * FRAME, total, sound;
	uint8_t *one = scratch_pattern(size, 1), *two = scratch_pattern(size, 2), *all;
	bool damaged;

	write_two(s, "a", one, two, size);
	all = scratch_load(s, "a", &total);
	for (size_t at = 4; at < total; at += at < 300 ? 3 : 4001) {
		all[at] ^= 0x10;
		scratch_write(s, "b", all, total);
		/* Where nothing is reported nothing is wrong, and what is given is right. */
		sound = sound_bytes(s, "b", one, two, size, &damaged);
		assert_true(damaged || sound == 2 * size);
		if (at > total / 2 + 300)
			assert_true(sound >= size);
		all[at] ^= 0x10;
	}
	free(one);
	free(two);
	free(all);
}

/* ---- frames that lie ---- */

/* A tar of one member `size` bytes long, its header in a frame of its own, then `frame`, then the
 * end. */
static void write_with_frame(
	const struct scratch *s, const char *file, size_t size, const struct sm_buf *frame)
{
	int fd = open(scratch_path(s, file), O_RDWR | O_CREAT | O_TRUNC, 0644), spool;
	struct sm_archive *ar;

	assert_true(fd >= 0);
	scratch_write(s, "spool", frame->data, frame->len);
	spool = open(scratch_path(s, "spool"), O_RDONLY);
	assert_true(spool >= 0);
	assert_null(sm_archive_new(fd, file, 1, &ar));
	assert_null(sm_archive_add(ar, "proc/version", "good", 4));
	assert_null(sm_archive_add_frames(ar, CPU(0), size, spool, frame->len));
	assert_null(sm_archive_add(ar, "proc/modules", "good", 4));
	assert_null(sm_archive_finish(ar));
	close(spool);
	close(fd);
}

/* Makes the frame claim `claim` bytes; its header has a content size of 4 bytes. */
static void lie(struct sm_buf *frame, uint32_t claim)
{
	int at = 5;

	assert_int_equal((uint8_t)frame->data[4] >> 6, 2);
	at += !(frame->data[4] & 0x20); /* a window's size */
	for (int i = 0; i < 4; i++)
		frame->data[at + i] = (char)(claim >> 8 * i);
}

static void test_lies(void **state)
{
	static const uint32_t claims[] = {
		100, FRAME, (2 << 20) - 1, (2 << 20) + 1, 100 << 20, 0xffffffff};
	struct scratch *s = *state;
	size_t size = 2 << 20;
	uint8_t *same = malloc(size);
	void *cctx = NULL;

	assert_non_null(same);
	memset(same, 'A', size);
	for (size_t i = 0; i < SM_ARRAY_SIZE(claims); i++) {
		struct sm_buf frame = {0};
		struct sm_source *src;
		struct sm_blob blob;

		assert_null(sm_frame_compress(&cctx, 1, same, size, &frame));
		lie(&frame, claims[i]);
		/* The member claims the same, so that the frame seems to lie within. */
		write_with_frame(s, "a", claims[i], &frame);
		src = scratch_open(s, "a");
		scratch_member_is(src, "proc/version", "good", 4);
		scratch_member_is(src, "proc/modules", "good", 4);
		assert_null(sm_source_read(src, CPU(0), 0, &blob));
		assert_true(blob.size <= size);
		scratch_expect(blob.damage, SM_E_FORMAT, "frame");
		blob.damage = NULL;
		sm_blob_release(&blob);
		if (claims[i] > FRAME) /* else not one block is taken for sound */
			scratch_expect(
				sm_source_read(src, CPU(0), 10, &blob), SM_E_REFUSED, "too large");
		sm_source_free(src);

		/* The member is shorter than the claim: the frame has to be looked into. */
		write_with_frame(s, "a", 50, &frame);
		src = scratch_open(s, "a");
		assert_non_null(sm_source_damage(src));
		scratch_member_is(src, "proc/version", "good", 4);
		sm_source_free(src);
		sm_buf_release(&frame);
	}
	sm_frame_release(&cctx);
	free(same);
}

static void test_skippable(void **state)
{
	static const char skippable[] = "\x53\x2a\x4d\x18\x05\0\0\0hello";
	struct scratch *s = *state;
	uint8_t *data = scratch_pattern(FRAME, 1), *all;
	struct sm_buf frame = {0};
	void *cctx = NULL;
	struct sm_source *src;
	size_t total;

	sm_buf_add(&frame, skippable, 13);
	assert_null(sm_frame_compress(&cctx, 1, data, FRAME / 2, &frame));
	sm_buf_add(&frame, skippable, 13);
	assert_null(sm_frame_compress(&cctx, 1, data, 0, &frame));
	assert_null(sm_frame_compress(&cctx, 1, data + FRAME / 2, FRAME / 2, &frame));
	sm_buf_add(&frame, skippable, 13);
	write_with_frame(s, "a", FRAME, &frame);
	all = scratch_load(s, "a", &total);
	sm_buf_reset(&frame);
	sm_buf_add(&frame, skippable, 13);
	sm_buf_add(&frame, all, total);
	scratch_write(s, "a", frame.data, frame.len);
	src = scratch_open(s, "a");
	assert_null(sm_source_damage(src));
	scratch_member_is(src, CPU(0), data, FRAME);
	scratch_member_is(src, "proc/modules", "good", 4);
	sm_source_free(src);
	sm_frame_release(&cctx);
	sm_buf_release(&frame);
	free(data);
	free(all);
}

static void test_not_a_tar(void **state)
{
	struct scratch *s = *state;
	uint8_t *data = scratch_pattern(FRAME, 1);
	struct sm_buf frame = {0};
	void *cctx = NULL;

	assert_null(sm_frame_compress(&cctx, 1, data, FRAME, &frame));
	scratch_write(s, "a", frame.data, frame.len);
	scratch_open_fails(s, "a", SM_E_UNSUPPORTED, "no tar archive");
	sm_frame_release(&cctx);
	sm_buf_release(&frame);
	free(data);
}

static void test_full_disk(void **state)
{
	int fd = open("/dev/full", O_WRONLY);
	struct sm_archive *ar;

	(void)state;
	if (fd < 0)
		skip();
	assert_null(sm_archive_new(fd, "out.tar.zst", 1, &ar));
	scratch_expect(sm_archive_add(ar, "proc/version", "x", 1), SM_E_IO, "out.tar.zst");
	sm_archive_free(ar);
	close(fd);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, scratch_setup, scratch_teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_round_trip),
		TEST(test_read_by_tar),
		TEST(test_threads),
		TEST(test_truncated),
		TEST(test_flipped),
		TEST(test_lies),
		TEST(test_skippable),
		TEST(test_not_a_tar),
		TEST(test_full_disk),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
