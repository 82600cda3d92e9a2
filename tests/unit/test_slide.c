/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The slide from call sites alone, on code made here: random bytes (words on arm64) with calls in
 * between, as dense as in a kernel. With the arguments FILE SLIDE it is a tool instead, which
 * scores addresses (hexadecimal, on standard input) and random subsets of them against a real
 * vmlinux.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "elf_open.h"
#include "lib/symbol/call_site.h"

#define X86_TEXT UINT64_C(0xffffffff81000000)
#define X86_MODULES UINT64_C(0xffffffffc0000000)
#define ARM64_TEXT UINT64_C(0xffff800008010000)
#define KIB(n) ((uint64_t)(n) << 10)
#define MIB(n) ((uint64_t)(n) << 20)

#define TEXT_SIZE MIB(6)
#define CALLS 100000
#define MOST 4096

struct kernel {
	struct object *obj;
	uint64_t text;
	uint64_t *returns; /* image addresses */
	size_t n;
};

/* xorshift: the same in each run. */
static uint64_t next(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

static void make_kernel(struct kernel *k, uint16_t machine, bool big_endian, uint64_t seed)
{
	struct ew *f = ew_new(64, big_endian, ET_EXEC, machine);
	struct ew_section *text;

	k->text = machine == EM_AARCH64 ? ARM64_TEXT : X86_TEXT;
	k->returns = malloc(CALLS * sizeof(*k->returns));
	assert_non_null(k->returns);
	k->n = 0;
	text = ew_text(f, ".text", k->text, TEXT_SIZE);
	ew_text(f, ".init.text", k->text + MIB(16), KIB(64));
	for (size_t i = 0; i + 8 <= TEXT_SIZE; i += 8) {
		uint64_t v = next(&seed);

		memcpy(text->data + i, &v, 8);
	}
	for (size_t i = 0; i < CALLS; i++) {
		size_t at = i * (TEXT_SIZE / CALLS) + next(&seed) % (TEXT_SIZE / CALLS - 8);

		at &= machine == EM_AARCH64 ? ~(size_t)3 : ~(size_t)0;
		ew_call(text, at, k->text + (next(&seed) % TEXT_SIZE & ~UINT64_C(15)));
		k->returns[k->n++] = k->text + at + (machine == EM_AARCH64 ? 4 : 5);
	}
	k->obj = elf_finish(f);
}

static void drop_kernel(struct kernel *k)
{
	sm_object_free(k->obj);
	free(k->returns);
}

/* n addresses of which some percent are nowhere special, near the others and far away in turns. */
static void draw(const struct kernel *k, uint64_t slide, unsigned noise, uint64_t *seed,
	uint64_t *ips, size_t n)
{
	size_t bad = n * noise / 100;

	for (size_t i = 0; i < n; i++)
		ips[i] = k->returns[next(seed) % k->n] + slide;
	for (size_t i = 0; i < bad; i++)
		ips[i * n / (bad ? bad : 1)] =
			i % 2 ? k->text + slide + next(seed) % TEXT_SIZE
			      : UINT64_C(0xffffffff80000000) + next(seed) % MIB(1024);
}

static struct call_score infer(const struct kernel *k, const uint64_t *ips, size_t n, bool *found)
{
	struct call_score score;

	assert_null(sm_slide_infer(k->obj, ips, n, &score, found));
	return score;
}

static void expect_slide(const struct kernel *k, const uint64_t *ips, size_t n, uint64_t slide)
{
	bool found;
	struct call_score score = infer(k, ips, n, &found);

	if (score.slide != slide || !found)
		fail_msg("slide 0x%llx, want 0x%llx, found %d: %zu of %zu, second %zu",
			(unsigned long long)score.slide, (unsigned long long)slide, found,
			score.follow, score.addresses, score.second);
}

/* Three at any slide, ten with noise in them, thousands. */
static void test_x86(void **state)
{
	struct kernel k;
	uint64_t seed = 42, ips[MOST];
	bool found;
	struct call_score score;

	(void)state;
	make_kernel(&k, EM_X86_64, false, 1);
	for (uint64_t slide = 0; slide <= MIB(960); slide += MIB(2)) {
		draw(&k, slide, 0, &seed, ips, 3);
		expect_slide(&k, ips, 3, slide);
	}
	for (unsigned i = 0; i < 300; i++) {
		uint64_t slide = MIB(2) * (next(&seed) % 400);

		draw(&k, slide, 30, &seed, ips, 10);
		expect_slide(&k, ips, 10, slide);
	}
	draw(&k, MIB(222), 0, &seed, ips, MOST);
	score = infer(&k, ips, MOST, &found);
	assert_true(found);
	assert_int_equal(score.slide, MIB(222));
	assert_int_equal(score.follow, score.addresses);
	assert_true(score.addresses > MOST - MOST / 10); /* distinct ones */
	assert_true(score.second < score.follow / 8);
	draw(&k, MIB(222), 60, &seed, ips, MOST);
	expect_slide(&k, ips, MOST, MIB(222));
	drop_kernel(&k);
}

/* A negative one: a kernel that was linked higher than where it runs. */
static void test_negative(void **state)
{
	struct kernel k;
	uint64_t seed = 1, ips[20];

	(void)state;
	make_kernel(&k, EM_X86_64, false, 2);
	draw(&k, 0 - MIB(14), 0, &seed, ips, 20);
	expect_slide(&k, ips, 20, 0 - MIB(14));
	drop_kernel(&k);
}

static void test_counts(void **state)
{
	struct kernel k;
	uint64_t ips[40], seed = 3;
	struct call_score score;
	bool found;

	(void)state;
	make_kernel(&k, EM_X86_64, false, 3);
	/* Each twice, modules and what is no address at all */
	for (size_t i = 0; i < 10; i++) {
		ips[i] = ips[10 + i] = k.returns[i * 1000] + MIB(32);
		ips[20 + i] = X86_MODULES + i * 0x1234;
		ips[30 + i] = i % 2 ? UINT64_MAX : i;
	}
	ips[0] = ips[10] = k.returns[0] + MIB(32) + 1;
	score = infer(&k, ips, 40, &found);
	assert_true(found);
	assert_int_equal(score.slide, MIB(32));
	assert_int_equal(score.addresses, 10);
	assert_int_equal(score.follow, 9);
	assert_true(score.second <= 2);
	/* Not enough */
	for (size_t n = 0; n < 3; n++) {
		draw(&k, MIB(4), 0, &seed, ips, n);
		score = infer(&k, ips, n, &found);
		assert_false(found);
		assert_int_equal(score.addresses, n);
		assert_int_equal(score.follow, n);
	}
	draw(&k, MIB(4), 0, &seed, ips, 1);
	for (size_t i = 1; i < 40; i++)
		ips[i] = ips[0];
	score = infer(&k, ips, 40, &found);
	assert_false(found);
	assert_int_equal(score.addresses, 1);
	score = infer(&k, NULL, 0, &found);
	assert_false(found);
	assert_int_equal(score.addresses, 0);
	drop_kernel(&k);
}

/* Another kernel's addresses: none is believed, and the score is low. */
static void check_wrong(uint16_t machine)
{
	static const size_t sizes[] = {3, 10, 100, 1000, MOST};
	struct kernel k, other;
	uint64_t seed = 7, ips[MOST];

	make_kernel(&k, machine, false, 4);
	make_kernel(&other, machine, false, 5);
	for (size_t i = 0; i < SM_ARRAY_SIZE(sizes); i++) {
		unsigned trials = sizes[i] < 1000 ? 200 : 4, believed = 0;

		for (unsigned j = 0; j < trials; j++) {
			struct call_score score;
			bool found;

			draw(&other, MIB(2) * (next(&seed) % 100), 0, &seed, ips, sizes[i]);
			score = infer(&k, ips, sizes[i], &found);
			believed += found;
			if (sizes[i] >= 100)
				assert_true(score.follow < score.addresses / 4);
		}
		assert_int_equal(believed, 0);
	}
	drop_kernel(&k);
	drop_kernel(&other);
}

static void test_wrong(void **state)
{
	(void)state;
	check_wrong(EM_X86_64);
	check_wrong(EM_AARCH64);
}

/* Steps of 64 KiB over terabytes. */
static void check_arm64(bool big_endian)
{
	struct kernel k;
	uint64_t seed = 11, ips[MOST];
	struct call_score score;
	bool found;

	make_kernel(&k, EM_AARCH64, big_endian, 6);
	for (unsigned i = 0; i < 100; i++) {
		uint64_t slide = KIB(64) * (next(&seed) & 0x3fffffff); /* 64 TiB */

		draw(&k, slide, 0, &seed, ips, 6);
		expect_slide(&k, ips, 6, slide);
		draw(&k, slide, 30, &seed, ips, 10);
		expect_slide(&k, ips, 10, slide);
		/* As it is in most kernels: then fewer do. */
		slide &= ~(MIB(2) - 1);
		draw(&k, slide, 0, &seed, ips, 4);
		expect_slide(&k, ips, 4, slide);
	}
	/* Modules near it, more of them than its own */
	draw(&k, MIB(1234), 0, &seed, ips, 400);
	for (size_t i = 100; i < 400; i++)
		ips[i] = k.text + MIB(1234) - MIB(64) + next(&seed) % MIB(60);
	score = infer(&k, ips, 400, &found);
	assert_true(found);
	assert_int_equal(score.slide, MIB(1234));
	assert_int_equal(score.addresses, 100);
	assert_int_equal(score.follow, 100);
	drop_kernel(&k);
}

static void test_arm64(void **state)
{
	(void)state;
	check_arm64(false);
	check_arm64(true);
}

static void test_no_kernel(void **state)
{
	static const struct {
		uint16_t type, machine;
		bool hollow;
	} kinds[] = {
		{ET_REL, EM_X86_64, false}, {ET_EXEC, EM_S390, false}, {ET_EXEC, EM_X86_64, true}};
	uint64_t ips[] = {X86_TEXT + 0x15, X86_TEXT + 0x25, X86_TEXT + 0x35, X86_TEXT + 0x45};
	struct call_score score;
	bool found = true;

	(void)state;
	for (size_t i = 0; i < SM_ARRAY_SIZE(kinds); i++) {
		struct ew *f = ew_new(64, false, kinds[i].type, kinds[i].machine);
		struct ew_section *text = ew_text(f, ".text", X86_TEXT, 0x1000);
		struct kernel k;

		if (kinds[i].hollow)
			ew_hollow(text);
		k.obj = elf_finish(f);
		score = infer(&k, ips, SM_ARRAY_SIZE(ips), &found);
		assert_false(found);
		assert_int_equal(score.addresses, 0);
		assert_int_equal(score.follow, 0);
		sm_object_free(k.obj);
	}
}

/* Headers that lie: code that wraps around the end of the address space, or lies at 0, many
 * sections of the same. It ends, and nothing outside is read. */
static void test_hostile(void **state)
{
	static const uint64_t places[] = {0, 1, UINT64_MAX - 0x100, UINT64_C(1) << 63, X86_TEXT + 3,
		UINT64_C(0xffffffffbffffff0)};
	uint64_t ips[300], seed = 5;

	(void)state;
	for (size_t i = 0; i < SM_ARRAY_SIZE(ips); i++)
		ips[i] = UINT64_C(0xffffffff80000000) + next(&seed) % MIB(1024);
	ips[0] = UINT64_C(0xffffffff80000000);
	ips[1] = UINT64_C(0xffffffffbfffffff);
	for (size_t i = 0; i < SM_ARRAY_SIZE(places); i++) {
		for (unsigned arm64 = 0; arm64 < 2; arm64++) {
			struct ew *f = ew_new(64, false, ET_EXEC, arm64 ? EM_AARCH64 : EM_X86_64);
			struct kernel k;
			bool found;

			for (unsigned j = 0; j < 100; j++) {
				struct ew_section *text = ew_text(f, ".text", places[i], 0x1000);

				memset(text->data, j % 2 ? 0xff : 0xe8, text->len);
				text->align = 1;
			}
			k.obj = elf_finish(f);
			infer(&k, ips, SM_ARRAY_SIZE(ips), &found);
			assert_false(found);
			sm_object_free(k.obj);
		}
	}
}

/* ---- on a real kernel ---- */

static void score_subsets(struct object *obj, const uint64_t *ips, size_t n, uint64_t slide)
{
	static const size_t sizes[] = {3, 5, 10, 30, 100};
	uint64_t seed = 1, part[100];

	for (unsigned noise = 0; noise <= 60; noise += 30) {
		for (size_t i = 0; i < SM_ARRAY_SIZE(sizes); i++) {
			unsigned right = 0, believed = 0, wrong = 0, trials = 1000;
			double share = 0, second = 0;

			for (unsigned j = 0; j < trials; j++) {
				struct call_score score;
				bool found;

				for (size_t m = 0; m < sizes[i]; m++) {
					part[m] = ips[next(&seed) % n];
					if (next(&seed) % 100 < noise)
						part[m] ^= next(&seed) % MIB(8) & ~UINT64_C(3);
				}
				sm_error_free(sm_slide_infer(obj, part, sizes[i], &score, &found));
				right += score.slide == slide;
				believed += found && score.slide == slide;
				wrong += found && score.slide != slide;
				share += (double)score.follow /
					 (double)(score.addresses + !score.addresses);
				second += (double)score.second /
					  (double)(score.addresses + !score.addresses);
			}
			printf("noise %2u %%, %3zu addresses: right %5.1f %%, believed %5.1f %%, "
			       "believed wrong %.1f %%, score %.3f, second %.3f\n",
				noise, sizes[i], 100.0 * right / trials, 100.0 * believed / trials,
				100.0 * wrong / trials, share / trials, second / trials);
		}
	}
}

static int score_file(const char *path, const char *slide)
{
	size_t n = 0, cap = 0;
	uint64_t *ips = NULL, begin;
	unsigned long long ip;
	struct call_score score;
	struct object *obj;
	struct sm_buf text = {0};
	bool found;
	struct sm_error *err = sm_object_open(path, NULL, &obj);

	while (!err && scanf("%llx", &ip) == 1) {
		if (!sm_grow(&ips, &cap, n + 1, sizeof(*ips)))
			return 1;
		ips[n++] = ip;
	}
	begin = sm_now_ns();
	if (!err)
		err = sm_slide_infer(obj, ips, n, &score, &found);
	if (err) {
		sm_error_format(err, &text);
		fprintf(stderr, "%s\n", text.data);
		return 1;
	}
	printf("slide 0x%llx, %s: %zu of %zu, second %zu, in %.1f ms\n",
		(unsigned long long)score.slide, found ? "believed" : "not believed", score.follow,
		score.addresses, score.second, (double)(sm_now_ns() - begin) / 1e6);
	if (n)
		score_subsets(obj, ips, n, strtoull(slide, NULL, 0));
	free(ips);
	sm_object_free(obj);
	return 0;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_x86),
		cmocka_unit_test(test_negative),
		cmocka_unit_test(test_counts),
		cmocka_unit_test(test_wrong),
		cmocka_unit_test(test_arm64),
		cmocka_unit_test(test_no_kernel),
		cmocka_unit_test(test_hostile),
	};

	if (argc == 3)
		return score_file(argv[1], argv[2]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
