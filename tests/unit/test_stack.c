/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Interned stacks: one index for each list of addresses, whoever adds it. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include <smtool/record.h>

#define MANY (UINT32_C(150) * 1000) /* beyond 2^17 */
#define THREADS 4

static void test_intern(void **state)
{
	uint64_t a[] = {1, 2, 3, 4, 5}, b[] = {1, 2, 3, 4, 6}, copy[5];
	uint8_t raw[48];
	struct sm_stacks *s;
	struct sm_stack stack;
	uint32_t x, y;

	(void)state;
	assert_null(sm_stacks_new(0, &s));
	assert_int_equal(sm_stacks_count(s), 0);
	x = sm_stacks_add(s, a, 5, false);
	y = sm_stacks_add(s, b, 5, false);
	assert_int_equal(x, 0);
	assert_int_equal(y, 1);
	assert_int_equal(sm_stacks_add(s, a, 5, false), x);
	/* A prefix is another stack. */
	assert_int_equal(sm_stacks_add(s, a, 4, false), 2);
	assert_int_equal(sm_stacks_add(s, a, 1, false), 3);
	assert_int_equal(sm_stacks_add(s, b, 4, false), 2);
	assert_int_equal(sm_stacks_add(s, a, 0, false), SM_STACK_NONE);
	/* Anywhere in memory. */
	for (size_t shift = 0; shift < 8; shift++) {
		memcpy(raw + shift, a, sizeof(a));
		assert_int_equal(sm_stacks_add(s, raw + shift, 5, false), x);
	}
	/* A copy of its own: the caller's may change. */
	memcpy(copy, a, sizeof(a));
	memset(a, 0, sizeof(a));
	stack = sm_stacks_get(s, x);
	assert_int_equal(stack.depth, 5);
	assert_int_equal(stack.skip, SM_SKIP_UNKNOWN);
	assert_memory_equal(stack.ips, copy, sizeof(copy));
	assert_int_equal(sm_stacks_count(s), 4);
	assert_false(sm_stacks_failed(s));
	sm_stacks_free(s);
	sm_stacks_free(NULL);
}

static void test_borrow(void **state)
{
	uint64_t a[] = {10, 20, 30};
	struct sm_stacks *s;

	(void)state;
	assert_null(sm_stacks_new(100000, &s));
	assert_int_equal(sm_stacks_add(s, a, 3, true), 0);
	assert_ptr_equal(sm_stacks_get(s, 0).ips, a);
	assert_int_equal(sm_stacks_add(s, a, 3, false), 0);
	sm_stacks_free(s);
}

static void test_call_site(void **state)
{
	uint64_t a[] = {10, 20, 30, 20, 40};
	struct sm_stacks *s;

	(void)state;
	assert_null(sm_stacks_new(0, &s));
	assert_int_equal(sm_stacks_add(s, a, 5, false), 0);
	assert_false(sm_stacks_note_call_site(s, 0, 50));
	assert_int_equal(sm_stacks_get(s, 0).skip, SM_SKIP_UNKNOWN);
	assert_true(sm_stacks_note_call_site(s, 0, 40));
	assert_int_equal(sm_stacks_get(s, 0).skip, 4);
	/* The innermost of several, in whatever order they come. */
	assert_true(sm_stacks_note_call_site(s, 0, 20));
	assert_int_equal(sm_stacks_get(s, 0).skip, 1);
	assert_true(sm_stacks_note_call_site(s, 0, 30));
	assert_true(sm_stacks_note_call_site(s, 0, 20));
	assert_int_equal(sm_stacks_get(s, 0).skip, 1);
	assert_false(sm_stacks_note_call_site(s, 0, 11));
	assert_int_equal(sm_stacks_get(s, 0).skip, 1);
	sm_stacks_free(s);
}

/* Stack number `n`, of a depth that varies. */
static uint32_t make(uint32_t n, uint64_t *ips)
{
	uint32_t depth = 1 + n % 9;

	for (uint32_t i = 0; i < depth; i++)
		ips[i] = UINT64_C(0xffffffff81000000) + n * 16 + i * 7;
	return depth;
}

static void test_growth(void **state)
{
	struct sm_stacks *s;
	const uint64_t *first;
	uint64_t ips[16];

	(void)state;
	assert_null(sm_stacks_new(0, &s));
	for (uint32_t n = 0; n < MANY; n++)
		assert_int_equal(sm_stacks_add(s, ips, make(n, ips), false), n);
	first = sm_stacks_get(s, 0).ips;
	for (uint32_t n = 0; n < MANY; n++) {
		uint32_t depth = make(n, ips);
		struct sm_stack stack = sm_stacks_get(s, n);

		assert_int_equal(stack.depth, depth);
		assert_memory_equal(stack.ips, ips, depth * sizeof(*ips));
		assert_int_equal(sm_stacks_add(s, ips, depth, false), n);
	}
	assert_int_equal(sm_stacks_count(s), MANY);
	assert_ptr_equal(sm_stacks_get(s, 0).ips, first);
	sm_stacks_free(s);
}

struct adder {
	pthread_t thread;
	struct sm_stacks *stacks;
	uint32_t start, n;
	uint32_t *index; /* by stack number */
};

static void *add_all(void *arg)
{
	struct adder *a = arg;
	uint64_t ips[16];

	for (uint32_t i = 0; i < a->n; i++) {
		uint32_t n = (a->start + i * 7) % a->n, depth = make(n, ips);

		a->index[n] = sm_stacks_add(a->stacks, ips, depth, false);
		sm_stacks_note_call_site(a->stacks, a->index[n], ips[(n + a->start) % depth]);
	}
	return NULL;
}

/* Several threads add the same stacks at once, each in another order. */
static void test_threads(void **state)
{
	const uint32_t n = 40009; /* prime, so that steps of 7 meet all */
	struct adder adders[THREADS];
	struct sm_stacks *s;
	uint64_t ips[16];

	(void)state;
	assert_null(sm_stacks_new(0, &s));
	for (uint32_t t = 0; t < THREADS; t++) {
		struct adder *a = &adders[t];

		a->stacks = s;
		a->start = t * 1001;
		a->n = n;
		a->index = malloc(n * sizeof(*a->index));
		assert_non_null(a->index);
		assert_int_equal(pthread_create(&a->thread, NULL, add_all, a), 0);
	}
	for (uint32_t t = 0; t < THREADS; t++)
		pthread_join(adders[t].thread, NULL);
	assert_int_equal(sm_stacks_count(s), n);
	assert_false(sm_stacks_failed(s));
	for (uint32_t i = 0; i < n; i++) {
		struct sm_stack stack = sm_stacks_get(s, adders[0].index[i]);
		uint32_t depth = make(i, ips), innermost = depth;

		assert_int_equal(stack.depth, depth);
		assert_memory_equal(stack.ips, ips, depth * sizeof(*ips));
		for (uint32_t t = 0; t < THREADS; t++) {
			uint32_t site = (i + adders[t].start) % depth;

			assert_int_equal(adders[t].index[i], adders[0].index[i]);
			innermost = site < innermost ? site : innermost;
		}
		/* Which thread came first makes no difference. */
		assert_int_equal(stack.skip, innermost);
	}
	for (uint32_t t = 0; t < THREADS; t++)
		free(adders[t].index);
	sm_stacks_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_intern),
		cmocka_unit_test(test_borrow),
		cmocka_unit_test(test_call_site),
		cmocka_unit_test(test_growth),
		cmocka_unit_test(test_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
