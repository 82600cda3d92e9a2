/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The small files of a capture. What can change or go away is read into memory at its moment:
 * layouts and formats before the start, the rest when tracing is off and the buffers are drained.
 * See smtool-capture(5).
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "recording.h"

#define TRIES 5 /* to read a stack map that is being reset */

/* Takes `data` over. */
static struct sm_error *add_data(struct sm_recorder *rec, const char *name, struct sm_buf *data)
{
	struct sm_member *m;

	if (data->failed || !sm_grow(&rec->members, &rec->members_cap, rec->nmembers + 1,
				    sizeof(*rec->members))) {
		sm_buf_release(data);
		return sm_error_nomem();
	}
	m = &rec->members[rec->nmembers];
	m->name = strdup(name);
	if (!m->name) {
		sm_buf_release(data);
		return sm_error_nomem();
	}
	m->data = *data;
	memset(data, 0, sizeof(*data));
	rec->nmembers++;
	return NULL;
}

/* Adds the file at `path` as `member` if it can be read; a capture does without any of them. */
static struct sm_error *add_file(struct sm_recorder *rec, const char *path, const char *member)
{
	struct sm_buf data = {0};
	int errnum = sm_file_read(path, &data);

	if (!errnum)
		return add_data(rec, member, &data);
	sm_buf_release(&data);
	if (errnum == ENOMEM)
		return sm_error_nomem();
	sm_log(rec->opts.log, errnum == ENOENT ? SM_DEBUG : SM_INFO, "left out '%s': %s", path,
		strerror(errnum));
	return NULL;
}

static struct sm_error *add_system(struct sm_recorder *rec, const char *name)
{
	char path[PATH_MAX];

	sm_path_set(path, "%s/%s", rec->root, name);
	return add_file(rec, path, name);
}

/* `name` below tracefs. Its member's name is the same wherever tracefs is mounted. */
static struct sm_error *add_tracing(struct sm_recorder *rec, const char *name)
{
	char path[PATH_MAX], member[PATH_MAX];

	sm_path_set(path, "%s/%s", rec->tracefs, name);
	sm_path_set(member, SM_TRACING "/%s", name);
	return add_file(rec, path, member);
}

static struct sm_error *add_of_buffer(struct sm_recorder *rec, const char *name)
{
	char full[PATH_MAX];

	if (!rec->name)
		return add_tracing(rec, name);
	sm_path_set(full, "instances/%s/%s", rec->name, name);
	return add_tracing(rec, full);
}

const struct sm_buf *sm_recorder_member(const struct sm_recorder *rec, const char *name)
{
	size_t i;

	for (i = 0; i < rec->nmembers; i++)
		if (!strcmp(rec->members[i].name, name))
			return &rec->members[i].data;
	return NULL;
}

static const struct sm_buf *find_header_page(const struct sm_recorder *rec)
{
	const struct sm_buf *data = NULL;
	char name[PATH_MAX];

	if (rec->name) {
		sm_path_set(name, SM_TRACING "/instances/%s/events/header_page", rec->name);
		data = sm_recorder_member(rec, name);
	}
	return data ? data : sm_recorder_member(rec, SM_TRACING "/events/header_page");
}

static struct sm_error *add_format(struct sm_recorder *rec, const char *system, const char *event)
{
	char name[PATH_MAX];

	sm_path_set(name, "events/%s/%s/format", system, event);
	return add_tracing(rec, name);
}

/* Formats of what can be in the buffer: the events, and ftrace's own records. */
static struct sm_error *add_formats(struct sm_recorder *rec)
{
	struct sm_error *err = NULL;
	struct sm_names own;
	char path[PATH_MAX];
	size_t i;

	for (i = 0; i < rec->events.n && !err; i++)
		err = add_format(rec, rec->events.items[i].system, rec->events.items[i].name);
	sm_path_set(path, "%s/events/ftrace", rec->tracefs);
	if (err || sm_dir_names(path, &own))
		return err;
	for (i = 0; i < own.n && !err; i++)
		err = add_format(rec, "ftrace", own.names[i]);
	sm_names_release(&own);
	return err;
}

static struct sm_error *make_layout(struct sm_recorder *rec)
{
	static const char *const stacks[] = {"kernel_stack", "stack_id", "user_stack"};
	const struct sm_buf *data = find_header_page(rec);
	struct sm_error *err;
	char name[PATH_MAX];
	size_t i;

	err = sm_tally_layout_parse(
		&rec->layout, SM_TRACING "/events/header_page", data ? data->data : NULL);
	if (err)
		return err;
	for (i = 0; i < SM_ARRAY_SIZE(stacks); i++) {
		sm_path_set(name, SM_TRACING "/events/ftrace/%s/format", stacks[i]);
		data = sm_recorder_member(rec, name);
		rec->layout.stack_types[i] =
			data && data->data ? sm_tally_event_id(data->data) : -1;
		if (data && data->data && i == 0 &&
			!sm_tally_common_parse(&rec->layout, data->data))
			return sm_error_new(
				SM_E_FORMAT, name, "cannot make out the layout of events", NULL);
	}
	return NULL;
}

struct sm_error *sm_recorder_collect_first(struct sm_recorder *rec)
{
	struct sm_error *err;
	char path[PATH_MAX];

	err = add_tracing(rec, "events/header_page");
	if (!err)
		err = add_tracing(rec, "events/header_event");
	if (!err && rec->name)
		err = add_of_buffer(rec, "events/header_page");
	if (!err)
		err = add_formats(rec);
	if (!err)
		err = make_layout(rec);
	sm_path_set(path, "%s/sys/module", rec->root);
	if (!err && sm_dir_names(path, &rec->modules) == ENOMEM)
		err = sm_error_nomem();
	return err;
}

void sm_recorder_read_stats(struct sm_recorder *rec, struct sm_buffer_stats *stats)
{
	struct sm_buf text = {0};
	char path[PATH_MAX];
	size_t i;

	for (i = 0; i < rec->ncpus; i++) {
		sm_path_set(path, "%s/per_cpu/cpu%u/stats", rec->dir, rec->spools[i].cpu);
		sm_buf_reset(&text);
		if (sm_file_read(path, &text) == 0 && text.data)
			sm_buffer_stats_parse(text.data, &stats[i]);
	}
	sm_buf_release(&text);
}

/* One module's build id, and where its code lies. */
static struct sm_error *add_module(struct sm_recorder *rec, const char *module)
{
	struct sm_error *err;
	struct sm_names sections;
	char path[PATH_MAX];
	size_t i;

	sm_path_set(path, "%s/sys/module/%s/sections", rec->root, module);
	if (sm_dir_names_all(path, &sections))
		return NULL; /* built in */
	sm_path_set(path, "sys/module/%s/notes/.note.gnu.build-id", module);
	err = add_system(rec, path);
	for (i = 0; i < sections.n && !err; i++) {
		if (!strstr(sections.names[i], "text"))
			continue;
		sm_path_set(path, "sys/module/%s/sections/%s", module, sections.names[i]);
		err = add_system(rec, path);
	}
	sm_names_release(&sections);
	return err;
}

static bool names_have(const struct sm_names *names, const char *name)
{
	size_t i;

	for (i = 0; i < names->n; i++)
		if (!strcmp(names->names[i], name))
			return true;
	return false;
}

static struct sm_error *add_modules(struct sm_recorder *rec)
{
	struct sm_error *err = NULL;
	struct sm_names now;
	char path[PATH_MAX];
	char **gone;
	size_t i;

	sm_path_set(path, "%s/sys/module", rec->root);
	if (sm_dir_names(path, &now))
		return NULL;
	for (i = 0; i < now.n && !err; i++)
		err = add_module(rec, now.names[i]);
	gone = rec->modules.n ? calloc(rec->modules.n, sizeof(*gone)) : NULL;
	for (i = 0; gone && i < rec->modules.n && !err; i++) {
		if (names_have(&now, rec->modules.names[i]))
			continue;
		sm_log(rec->opts.log, SM_WARN,
			"module '%s' was unloaded during the capture: its functions have no names",
			rec->modules.names[i]);
		gone[rec->unloaded.n] = strdup(rec->modules.names[i]);
		if (!gone[rec->unloaded.n])
			err = sm_error_nomem();
		else
			rec->unloaded.n++;
	}
	rec->unloaded.names = gone;
	sm_names_release(&now);
	return err;
}

/* Some symbols really are at 0 (per-CPU ones on x86-64): only a table of nothing else hides them.
 */
static bool has_addresses(const struct sm_buf *kallsyms)
{
	for (const char *line = kallsyms->data; line && *line;) {
		if (line[strspn(line, "0")] != ' ')
			return true;
		line = strchr(line, '\n');
		if (line)
			line++;
	}
	return false;
}

/* Without addresses a table of symbols is worth nothing. */
static void check_kallsyms(const struct sm_recorder *rec)
{
	const struct sm_buf *data = sm_recorder_member(rec, "proc/kallsyms");

	if (data && data->data && has_addresses(data))
		return;
	sm_log(rec->opts.log, SM_WARN, "kallsyms %s: functions will have no names",
		data && data->len ? "hides addresses (see kernel.kptr_restrict)" : "is missing");
}

/* ESTALE from the descriptor that was held open proves a reset since. */
static void check_generation(struct sm_recorder *rec)
{
	char chunk[4096];
	ssize_t n;

	do
		n = read(rec->map_fd, chunk, sizeof(chunk));
	while (n < 0 && errno == EINTR);
	if (n >= 0)
		rec->generation = "intact";
	else if (errno == ESTALE)
		rec->generation = "reset during capture";
	if (n < 0 && errno == ESTALE)
		sm_log(rec->opts.log, SM_WARN,
			"the stack map was reset during the capture: ids may "
			"mean other stacks");
}

static struct sm_error *add_map(struct sm_recorder *rec)
{
	struct sm_error *err;
	char path[PATH_MAX];
	struct sm_buf data = {0};
	int errnum = ESTALE, tries;

	check_generation(rec);
	sm_path_set(path, "%s/stack_map_bin", rec->tracefs);
	for (tries = 0; tries < TRIES && errnum == ESTALE; tries++) {
		sm_buf_reset(&data);
		errnum = sm_file_read(path, &data);
	}
	if (errnum) {
		sm_buf_release(&data);
		return sm_tracefs_error(rec->root, errnum, path, "cannot read the stack map");
	}
	err = add_data(rec, SM_MEMBER_MAP, &data);
	if (!err)
		err = add_tracing(rec, "stack_map_stat");
	if (!err)
		err = add_tracing(rec, "stack_map");
	return err;
}

struct sm_error *sm_recorder_collect_last(struct sm_recorder *rec)
{
	static const char *const system[] = {
		"proc/kallsyms",
		"proc/modules",
		"proc/version",
		"proc/sys/kernel/random/boot_id",
		"sys/kernel/notes",
	};
	static const char *const tracing[] = {"saved_cmdlines", "saved_tgids"};
	struct sm_error *err = NULL;
	char name[64];
	size_t i;

	/* Names of tasks first: the kernel forgets them. */
	for (i = 0; i < SM_ARRAY_SIZE(tracing) && !err; i++)
		err = add_tracing(rec, tracing[i]);
	for (i = 0; i < rec->ncpus && !err; i++) {
		snprintf(name, sizeof(name), "per_cpu/cpu%u/stats", rec->spools[i].cpu);
		err = add_of_buffer(rec, name);
	}
	if (!err)
		err = add_of_buffer(rec, "trace_clock");
	if (!err && rec->map_fd >= 0)
		err = add_map(rec);
	for (i = 0; i < SM_ARRAY_SIZE(system) && !err; i++)
		err = add_system(rec, system[i]);
	if (!err)
		err = add_modules(rec);
	if (!err)
		check_kallsyms(rec);
	return err;
}

void sm_recorder_forget_last(struct sm_recorder *rec, size_t n)
{
	while (rec->nmembers > n) {
		struct sm_member *m = &rec->members[--rec->nmembers];

		free(m->name);
		sm_buf_release(&m->data);
	}
	sm_names_release(&rec->unloaded);
}

struct sm_error *sm_recorder_write_members(struct sm_recorder *rec, struct sm_archive *ar)
{
	struct sm_buf json = {0};
	struct sm_error *err;
	size_t i;

	err = sm_recorder_describe(rec, &json);
	if (!err)
		err = sm_archive_add(ar, "smtool.json", json.data, json.len);
	for (i = 0; i < rec->nmembers && !err; i++)
		err = sm_archive_add(ar, rec->members[i].name, rec->members[i].data.data,
			rec->members[i].data.len);
	sm_buf_release(&json);
	return err;
}
