/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <sched.h>
#include <time.h>

#include <smtool/base.h>

uint64_t sm_now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

unsigned sm_cpu_count(void)
{
	/* The kernel refuses a set smaller than its own. */
	for (unsigned max = 1024; max <= 1u << 20; max *= 4) {
		size_t size = CPU_ALLOC_SIZE(max);
		cpu_set_t *set = CPU_ALLOC(max);
		int n = 0, errnum = 0;

		if (!set)
			break;
		if (sched_getaffinity(0, size, set))
			errnum = errno;
		else
			n = CPU_COUNT_S(size, set);
		CPU_FREE(set);
		if (n > 0)
			return (unsigned)n;
		if (errnum != EINVAL)
			break;
	}
	return 1;
}
