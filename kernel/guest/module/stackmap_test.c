// SPDX-License-Identifier: GPL-2.0
/*
 * Allocates with stacks of a chosen depth, as many different ones as are asked for: each bit of a
 * number decides which of two functions calls the next. Write "DEPTH FIRST COUNT" to the parameter
 * "run": COUNT allocations and frees, at DEPTH calls, for the numbers from FIRST on; with "same" at
 * the end, all for FIRST.
 */
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>

static noinline int stackmap_test_zero(unsigned int depth, unsigned int bits);
static noinline int stackmap_test_one(unsigned int depth, unsigned int bits);

static noinline int stackmap_test_leaf(void)
{
	kfree(kmalloc(64, GFP_KERNEL));
	return 0;
}

/* Nothing may be merged, inlined, or become a jump: each call has a return address of its own. */
#define STACKMAP_TEST_CALL(depth, bits)					\
	(!(depth) ? stackmap_test_leaf() :				\
	 (bits) & 1 ? stackmap_test_one((depth) - 1, (bits) >> 1) :	\
	 stackmap_test_zero((depth) - 1, (bits) >> 1))

static noinline int stackmap_test_zero(unsigned int depth, unsigned int bits)
{
	int ret = STACKMAP_TEST_CALL(depth, bits);

	asm volatile("# zero" : "+r" (ret));
	return ret;
}

static noinline int stackmap_test_one(unsigned int depth, unsigned int bits)
{
	int ret = STACKMAP_TEST_CALL(depth, bits);

	asm volatile("# one" : "+r" (ret));
	return ret;
}

static int stackmap_test_run(const char *val, const struct kernel_param *kp)
{
	unsigned int depth, first, count, i;
	unsigned int step = strstr(val, "same") ? 0 : 1;

	/* 120 of these frames fit any stack. */
	if (sscanf(val, "%u %u %u", &depth, &first, &count) != 3 || depth > 120)
		return -EINVAL;

	for (i = 0; i < count; i++) {
		stackmap_test_zero(depth, first + i * step);
		cond_resched();
	}
	return 0;
}

static const struct kernel_param_ops stackmap_test_ops = {
	.set = stackmap_test_run,
};
module_param_cb(run, &stackmap_test_ops, NULL, 0200);

MODULE_DESCRIPTION("Stacks of any depth and number for the stackmap tests");
MODULE_LICENSE("GPL");
