/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a recording sets in tracefs before it starts. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "recording.h"

#define NAME_CHARS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-"
#define COMMS 4096 /* names that the kernel should remember; some remember 128 */

/* *_node: until 6.0. mm_page_free_batched would count pages twice. */
static const struct {
	const char *name;
	bool page, optional;
} kmem_events[] = {
	{"kmem:kmalloc", false, false},
	{"kmem:kmem_cache_alloc", false, false},
	{"kmem:kfree", false, false},
	{"kmem:kmem_cache_free", false, false},
	{"kmem:kmalloc_node", false, true},
	{"kmem:kmem_cache_alloc_node", false, true},
	{"kmem:mm_page_alloc", true, false},
	{"kmem:mm_page_free", true, false},
};

static struct sm_error *add_event(struct sm_recorder *rec, const char *pattern, bool optional)
{
	struct sm_error *err;
	size_t matches;

	err = sm_event_refs_add(&rec->events, rec->tracefs, pattern, &matches);
	if (!err && !matches && !optional)
		err = sm_error_new(SM_E_MISSING, NULL, "no such event",
			"'%s'; this kernel's are in %s/available_events", pattern, rec->tracefs);
	return err;
}

struct sm_error *sm_recorder_choose_events(struct sm_recorder *rec)
{
	const struct sm_recorder_opts *o = &rec->opts;
	bool slab = o->slab || (!o->page && !o->nevents);
	struct sm_error *err = NULL;
	size_t i;

	for (i = 0; i < SM_ARRAY_SIZE(kmem_events) && !err; i++)
		if (kmem_events[i].page ? o->page : slab)
			err = add_event(rec, kmem_events[i].name, kmem_events[i].optional);
	for (i = 0; i < o->nevents && !err; i++)
		err = add_event(rec, o->events[i], false);
	return err;
}

/* Below tracefs, the file `name` of the buffer that is used. */
static void buffer_path(const struct sm_recorder *rec, char *path, const char *name)
{
	sm_path_set(path, "%s/%s", rec->dir, name);
}

/* What to write to get back what `path` says now. */
static int former_value(const char *path, char *value, size_t size)
{
	char clock[32], *expanded;
	int errnum = sm_file_line(path, value, size);

	if (errnum)
		return errnum;
	expanded = strstr(value, " (expanded: ");
	sm_clock_current(value, clock, sizeof(clock));
	if (!strcmp(value, "0*") || !strcmp(value, "1*")) /* with a trigger besides */
		value[1] = '\0';
	else if (expanded) /* "7 (expanded: 1408)": what its first use would have made it */
		snprintf(value, size, "%lu", strtoul(expanded + 12, NULL, 10));
	else if (*clock && strstr(path, "/trace_clock"))
		snprintf(value, size, "%s", clock);
	return 0;
}

static struct sm_error *set_noted(struct sm_recorder *rec, const char *name, const char *value)
{
	struct sm_error *err;
	char path[PATH_MAX], former[4096];
	int errnum;

	sm_path_set(path, "%s/%s", rec->tracefs, name);
	errnum = former_value(path, former, sizeof(former));
	if (errnum)
		return sm_tracefs_error(rec->root, errnum, path, "cannot read a tracing setting");
	if (!strcmp(former, value))
		return NULL;
	err = sm_undo_set(&rec->undo, name, former);
	if (err)
		return err;
	errnum = sm_file_write(path, value);
	return errnum ? sm_tracefs_error(rec->root, errnum, path, "cannot change a tracing setting")
		      : NULL;
}

struct sm_error *sm_recorder_set(struct sm_recorder *rec, const char *name, const char *value)
{
	char path[PATH_MAX];
	int errnum;

	/* tracing_on is switched often; noted once, by sm_recorder_configure(). */
	if (!rec->name && strcmp(name, "tracing_on"))
		return set_noted(rec, name, value);
	buffer_path(rec, path, name);
	errnum = sm_file_write(path, value);
	return errnum ? sm_tracefs_error(rec->root, errnum, path, "cannot change a tracing setting")
		      : NULL;
}

static bool setting_exists(const struct sm_recorder *rec, const char *name)
{
	char path[PATH_MAX];

	buffer_path(rec, path, name);
	return sm_file_exists(path);
}

static struct sm_error *set_if_there(struct sm_recorder *rec, const char *name, const char *value)
{
	return setting_exists(rec, name) ? sm_recorder_set(rec, name, value) : NULL;
}

/* Somebody has events enabled, or a tracer, in the global buffer. */
static bool global_is_used(const struct sm_recorder *rec)
{
	char path[PATH_MAX], line[256];

	sm_path_set(path, "%s/set_event", rec->tracefs);
	if (sm_file_line(path, line, sizeof(line)) == 0 && *line)
		return true;
	sm_path_set(path, "%s/current_tracer", rec->tracefs);
	return sm_file_line(path, line, sizeof(line)) == 0 && *line && strcmp(line, "nop");
}

/* For names of tasks the top level is what counts, also for an instance. */
static struct sm_error *set_comms(struct sm_recorder *rec)
{
	struct sm_error *err = NULL;
	char path[PATH_MAX], line[64], text[16];

	sm_path_set(path, "%s/options/record-cmd", rec->tracefs);
	if (sm_file_exists(path))
		err = set_noted(rec, "options/record-cmd", "1");
	sm_path_set(path, "%s/saved_cmdlines_size", rec->tracefs);
	if (!err && sm_file_line(path, line, sizeof(line)) == 0 &&
		strtoul(line, NULL, 10) < COMMS) {
		snprintf(text, sizeof(text), "%d", COMMS);
		err = set_noted(rec, "saved_cmdlines_size", text);
	}
	return err;
}

static struct sm_error *choose_name(struct sm_recorder *rec)
{
	const char *want = rec->opts.instance;
	char name[64];

	if (want) {
		if (!*want || *want == '.' || want[strspn(want, NAME_CHARS)] || strlen(want) > 64)
			return sm_error_new(SM_E_USAGE, NULL, "invalid instance name",
				"'%s': want letters, digits, '_', '-' and '.'", want);
	} else {
		snprintf(name, sizeof(name), "smtool-%ld-%llu", (long)getpid(),
			(unsigned long long)sm_process_start(rec->root, getpid()));
	}
	rec->name = strdup(want ? want : name);
	return rec->name ? NULL : sm_error_nomem();
}

static struct sm_error *make_instance(struct sm_recorder *rec)
{
	struct sm_error *err;
	char path[PATH_MAX];

	err = choose_name(rec);
	if (err)
		return err;
	sm_path_set(path, "%s/instances/%s", rec->tracefs, rec->name);
	if (sm_file_exists(path))
		return sm_error_new(SM_E_REFUSED, path, "the tracing instance exists already",
			"choose another name, or remove it with rmdir");
	err = set_comms(rec); /* an instance takes over record-cmd as it is when it is made */
	if (!err)
		err = sm_undo_remove(&rec->undo, rec->name);
	if (err)
		return err;
	if (mkdir(path, 0700))
		return sm_tracefs_error(rec->root, errno, path, "cannot make a tracing instance");
	rec->dir = strdup(path);
	return rec->dir ? NULL : sm_error_nomem();
}

/* Whether the stack map has another user, whose ids a reset would void. */
static bool map_is_used(const struct sm_recorder *rec)
{
	char path[PATH_MAX], on[16], option[16];

	sm_path_set(path, "%s/tracing_on", rec->tracefs);
	if (sm_file_line(path, on, sizeof(on)))
		return false;
	sm_path_set(path, "%s/options/stackmap", rec->tracefs);
	if (sm_file_line(path, option, sizeof(option)))
		return false;
	return !strcmp(on, "1") && !strcmp(option, "1") && global_is_used(rec);
}

static struct sm_error *open_map(struct sm_recorder *rec)
{
	char path[PATH_MAX];
	int errnum;

	if (map_is_used(rec)) {
		sm_log(rec->opts.log, SM_WARN,
			"the stack map is in use and keeps what it holds: its counts began before "
			"this capture");
	} else {
		sm_path_set(path, "%s/stack_map", rec->tracefs);
		errnum = sm_file_write(path, "reset");
		if (errnum)
			return sm_tracefs_error(
				rec->root, errnum, path, "cannot reset the stack map");
		rec->map_was_reset = true;
	}
	sm_path_set(path, "%s/stack_map_bin", rec->tracefs);
	rec->map_fd = open(path, O_RDONLY | O_CLOEXEC);
	if (rec->map_fd < 0)
		return sm_tracefs_error(rec->root, errno, path, "cannot open the stack map");
	rec->dir = strdup(rec->tracefs);
	return rec->dir ? NULL : sm_error_nomem();
}

struct sm_error *sm_recorder_choose_buffer(struct sm_recorder *rec)
{
	enum sm_recorder_map want = rec->opts.stackmap;
	char bin[PATH_MAX], option[PATH_MAX];
	bool has_map;

	sm_path_set(bin, "%s/stack_map_bin", rec->tracefs);
	sm_path_set(option, "%s/options/stackmap", rec->tracefs);
	has_map = sm_file_exists(bin) && sm_file_exists(option);
	if (want == SM_RECORDER_MAP_YES) {
		if (!has_map)
			return sm_error_new(SM_E_UNSUPPORTED, NULL, "this kernel has no stack map",
				"it lacks the patches or CONFIG_FTRACE_STACKMAP; leave out "
				"--stackmap=yes to record full stacks");
		if (rec->opts.instance)
			return sm_error_new(SM_E_USAGE, NULL,
				"the stack map belongs to the global buffer, not to an instance",
				NULL);
		return open_map(rec);
	}
	if (want == SM_RECORDER_MAP_AUTO && has_map && !rec->opts.instance) {
		if (!global_is_used(rec))
			return open_map(rec);
		sm_log(rec->opts.log, SM_WARN,
			"the global trace buffer is in use: recording full stacks in an instance "
			"instead of stack ids (--stackmap=yes takes the buffer over)");
	}
	return make_instance(rec);
}

/* The buffer is ours for a while: what others have enabled in it goes off, and on again at the end.
 */
static struct sm_error *clear_global(struct sm_recorder *rec)
{
	char path[PATH_MAX], line[256];
	struct sm_buf enabled = {0};
	struct sm_error *err;
	char *event, *name, *rest = NULL;

	buffer_path(rec, path, "set_event_pid");
	if (sm_file_line(path, line, sizeof(line)) == 0 && *line && strcmp(line, "no pid"))
		sm_log(rec->opts.log, SM_WARN, "'%s' stays set: only some tasks are recorded",
			path);
	/* Noted even where it is off already: it doesn't stay so. Noted first, it is restored last.
	 */
	buffer_path(rec, path, "tracing_on");
	if (sm_file_line(path, line, sizeof(line)))
		strcpy(line, "1");
	err = sm_undo_set(&rec->undo, "tracing_on", line);
	if (!err)
		err = sm_recorder_set(rec, "tracing_on", "0");
	if (!err)
		err = set_if_there(rec, "current_tracer", "nop");
	buffer_path(rec, path, "set_event");
	if (!err && sm_file_read(path, &enabled) == 0 && enabled.data) {
		for (event = strtok_r(enabled.data, "\n", &rest); event && !err;
			event = strtok_r(NULL, "\n", &rest)) {
			name = strchr(event, ':');
			if (!name)
				continue;
			*name++ = '\0';
			sm_path_set(path, "events/%s/%s/enable", event, name);
			err = set_if_there(rec, path, "0");
		}
	}
	sm_buf_release(&enabled);
	if (!err)
		err = set_comms(rec);
	return err;
}

/* A size per CPU, where they differ, comes back by the files of each CPU. */
static struct sm_error *set_size(struct sm_recorder *rec)
{
	uint64_t kb = rec->opts.buffer_kb ? rec->opts.buffer_kb : SM_RECORDER_BUFFER_KB;
	char path[PATH_MAX], line[64], text[32], name[64];
	struct sm_error *err = NULL;
	struct sm_names cpus;
	size_t i;

	snprintf(text, sizeof(text), "%llu", (unsigned long long)kb);
	buffer_path(rec, path, "buffer_size_kb");
	if (rec->name || sm_file_line(path, line, sizeof(line)) || line[0] != 'X')
		return sm_recorder_set(rec, "buffer_size_kb", text);
	buffer_path(rec, path, "per_cpu");
	if (sm_dir_names(path, &cpus))
		return NULL;
	for (i = 0; i < cpus.n && !err; i++) {
		snprintf(name, sizeof(name), "per_cpu/%.32s/buffer_size_kb", cpus.names[i]);
		err = set_noted(rec, name, text);
	}
	sm_names_release(&cpus);
	return err;
}

static struct sm_error *set_clock(struct sm_recorder *rec)
{
	const char *want = rec->opts.clock, *clock;
	struct sm_buf offered = {0};
	struct sm_error *err = NULL;
	char path[PATH_MAX];
	int errnum;

	buffer_path(rec, path, "trace_clock");
	errnum = sm_file_read(path, &offered);
	if (errnum || !offered.data) {
		sm_buf_release(&offered);
		return sm_tracefs_error(
			rec->root, errnum ? errnum : EIO, path, "cannot read a tracing setting");
	}
	clock = sm_clock_choose(offered.data, want, sm_clock_source_is_slow(rec->root));
	if (!clock) {
		offered.data[strcspn(offered.data, "\n")] = '\0';
		err = sm_error_new(SM_E_USAGE, NULL, "no such trace clock",
			"'%s'; this kernel has %s", want ? want : "mono", offered.data);
	} else {
		snprintf(rec->clock, sizeof(rec->clock), "%s", clock);
		err = sm_recorder_set(rec, "trace_clock", clock);
	}
	sm_buf_release(&offered);
	return err;
}

static struct sm_error *set_options(struct sm_recorder *rec)
{
	/* irq-info: the context bits that join a stack to its event. overwrite: loss is then told
	 * where it happened, in the pages. */
	static const struct {
		const char *name, *value;
	} options[] = {
		{"options/overwrite", "1"},
		{"options/irq-info", "1"},
		{"options/stacktrace", "1"},
		{"options/userstacktrace", "0"},
		{"options/record-tgid", "0"},
	};
	struct sm_error *err = NULL;
	size_t i;

	for (i = 0; i < SM_ARRAY_SIZE(options) && !err; i++)
		err = set_if_there(rec, options[i].name, options[i].value);
	if (!err && !rec->name)
		err = sm_recorder_set(rec, "options/stackmap", "1");
	return err;
}

static struct sm_error *enable_events(struct sm_recorder *rec)
{
	struct sm_error *err = NULL;
	char name[PATH_MAX], path[PATH_MAX], line[256];
	const struct sm_event_ref *ref;
	size_t i;

	for (i = 0; i < rec->events.n && !err; i++) {
		ref = &rec->events.items[i];
		sm_path_set(name, "events/%s/%s/filter", ref->system, ref->name);
		buffer_path(rec, path, name);
		if (!rec->name && sm_file_line(path, line, sizeof(line)) == 0 && *line &&
			strcmp(line, "none"))
			err = set_noted(rec, name, "0");
		if (err)
			break;
		sm_path_set(name, "events/%s/%s/enable", ref->system, ref->name);
		err = sm_recorder_set(rec, name, "1");
	}
	return err;
}

struct sm_error *sm_recorder_configure(struct sm_recorder *rec)
{
	char percent[16], path[PATH_MAX];
	struct sm_error *err;
	int errnum = 0;

	err = rec->name ? sm_recorder_set(rec, "tracing_on", "0") : clear_global(rec);
	if (!err)
		err = set_clock(rec);
	if (!err)
		err = set_options(rec);
	if (!err)
		err = set_size(rec);
	snprintf(percent, sizeof(percent), "%d", SM_DRAIN_PERCENT);
	if (!err)
		err = set_if_there(rec, "buffer_percent", percent);
	buffer_path(rec, path, "trace");
	if (!err && !rec->name) /* opening it to write empties the buffer */
		errnum = sm_file_write(path, "");
	if (errnum)
		err = sm_tracefs_error(rec->root, errnum, path, "cannot empty the trace buffer");
	if (!err)
		err = enable_events(rec);
	return err;
}
