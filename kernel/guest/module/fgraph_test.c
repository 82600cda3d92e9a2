// SPDX-License-Identifier: GPL-2.0
/*
 * Looks at the shadow stacks of all tasks. The parameter "tasks" reads as four numbers: how many
 * tasks there are, how many of them have no shadow stack, how many have one that another task has as
 * well, and how many idle tasks of online processors have none. "missing" reads as the pids and names
 * of those without.
 */
#include <linux/cpu.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/sort.h>

static struct task_struct *(*fgraph_test_idle_task)(int cpu);

static int fgraph_test_compare(const void *a, const void *b)
{
	unsigned long *const *left = a, *const *right = b;

	return *left < *right ? -1 : *left > *right;
}

static unsigned int fgraph_test_idle(void)
{
	unsigned int missing = 0;
	int cpu;

	cpus_read_lock();
	for_each_online_cpu(cpu) {
		if (!fgraph_test_idle_task(cpu)->ret_stack)
			missing++;
	}
	cpus_read_unlock();
	return missing;
}

static int fgraph_test_get_tasks(char *buffer, const struct kernel_param *kp)
{
	unsigned int max = 1 << 20, total = 0, missing = 0, have = 0, shared = 0, i;
	unsigned long **stacks = kvmalloc_array(max, sizeof(*stacks), GFP_KERNEL);
	struct task_struct *g, *t;

	if (!stacks)
		return -ENOMEM;

	/* None of these is freed before the end of the walk, so no address is reused. */
	rcu_read_lock();
	for_each_process_thread(g, t) {
		total++;
		if (!READ_ONCE(t->ret_stack))
			missing++;
		else if (have < max)
			stacks[have++] = t->ret_stack;
	}
	rcu_read_unlock();

	sort(stacks, have, sizeof(*stacks), fgraph_test_compare, NULL);
	for (i = 1; i < have; i++)
		shared += stacks[i] == stacks[i - 1];
	kvfree(stacks);
	return sysfs_emit(buffer, "%u %u %u %u\n", total, missing, shared, fgraph_test_idle());
}

static int fgraph_test_get_missing(char *buffer, const struct kernel_param *kp)
{
	struct task_struct *g, *t;
	int len = 0;

	rcu_read_lock();
	for_each_process_thread(g, t) {
		if (!READ_ONCE(t->ret_stack))
			len += sysfs_emit_at(buffer, len, "%d %s\n", t->pid, t->comm);
	}
	rcu_read_unlock();
	return len;
}

static const struct kernel_param_ops fgraph_test_tasks_ops = {
	.get = fgraph_test_get_tasks,
};
module_param_cb(tasks, &fgraph_test_tasks_ops, NULL, 0400);

static const struct kernel_param_ops fgraph_test_missing_ops = {
	.get = fgraph_test_get_missing,
};
module_param_cb(missing, &fgraph_test_missing_ops, NULL, 0400);

/* idle_task() isn't exported, a probe knows where it is. */
static int __init fgraph_test_init(void)
{
	struct kprobe probe = { .symbol_name = "idle_task" };
	int ret = register_kprobe(&probe);

	if (ret)
		return ret;
	fgraph_test_idle_task = (void *)probe.addr;
	unregister_kprobe(&probe);
	return 0;
}
module_init(fgraph_test_init);

static void __exit fgraph_test_exit(void)
{
}
module_exit(fgraph_test_exit);

MODULE_DESCRIPTION("Which tasks have a shadow stack");
MODULE_LICENSE("GPL");
