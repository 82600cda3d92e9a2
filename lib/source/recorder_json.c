/* SPDX-License-Identifier: GPL-2.0-or-later */
/* smtool.json: what no file of a capture says. See smtool-capture(5). */
#include <stdio.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>
#include "recording.h"

static void put_time(struct sm_json *j, const char *key, int64_t t)
{
	time_t seconds = (time_t)t;
	char text[32];
	struct tm tm;

	if (gmtime_r(&seconds, &tm) && strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &tm))
		sm_json_str(j, key, text);
	else
		sm_json_null(j, key);
}

static void put_system(const struct sm_recorder *rec, struct sm_json *j)
{
	char path[PATH_MAX], boot_id[64];
	struct utsname u;
	bool named = uname(&u) == 0;

	sm_json_str(j, "kernel_release", named ? u.release : NULL);
	sm_json_str(j, "machine", named ? u.machine : NULL);
	sm_json_str(j, "byte_order", sm_host_big_endian() ? "big" : "little");
	/* The kernel's, which a 32-bit smtool need not share: commit is a long. */
	sm_json_u64(j, "long_size", rec->layout.long_size);
	sm_json_u64(j, "page_size", rec->layout.page_size);
	sm_path_set(path, "%s/proc/sys/kernel/random/boot_id", rec->root);
	if (sm_file_line(path, boot_id, sizeof(boot_id)))
		sm_json_null(j, "boot_id");
	else
		sm_json_str(j, "boot_id", boot_id);
}

/* Where the clock is one that programs can read, too, the window's ends are in its time. */
static void put_window(const struct sm_recorder *rec, struct sm_json *j)
{
	bool mono = !strcmp(rec->clock, "mono");

	sm_json_object(j, "window");
	put_time(j, "start", rec->start_time);
	sm_json_u64(j, "duration_ns", rec->stop_ns - rec->start_ns);
	if (mono) {
		sm_json_u64(j, "start_ns", rec->start_ns);
		sm_json_u64(j, "end_ns", rec->stop_ns);
	} else {
		sm_json_null(j, "start_ns");
		sm_json_null(j, "end_ns");
	}
	sm_json_object_end(j);
}

static void put_options(const struct sm_recorder *rec, struct sm_json *j)
{
	static const char *const maps[] = {"auto", "yes", "no"};
	const struct sm_recorder_opts *o = &rec->opts;
	size_t i;

	sm_json_object(j, "options");
	sm_json_array(j, "event");
	for (i = 0; i < o->nevents; i++)
		sm_json_str(j, NULL, o->events[i]);
	sm_json_array_end(j);
	sm_json_bool(j, "slab", o->slab);
	sm_json_bool(j, "page", o->page);
	sm_json_u64(j, "buffer_kb", o->buffer_kb ? o->buffer_kb : SM_RECORDER_BUFFER_KB);
	sm_json_u64(j, "size_limit", o->size_limit);
	sm_json_str(j, "stackmap", maps[o->stackmap]);
	sm_json_str(j, "command", o->command);
	sm_json_object_end(j);
}

static void put_stats_before(const struct sm_recorder *rec, struct sm_json *j)
{
	size_t i;

	sm_json_array(j, "stats_before");
	for (i = 0; i < rec->ncpus; i++) {
		sm_json_object(j, NULL);
		sm_json_u64(j, "cpu", rec->spools[i].cpu);
		sm_json_u64(j, "entries", rec->before[i].entries);
		sm_json_u64(j, "overrun", rec->before[i].overrun);
		sm_json_u64(j, "commit_overrun", rec->before[i].commit_overrun);
		sm_json_u64(j, "dropped_events", rec->before[i].dropped);
		sm_json_u64(j, "read_events", rec->before[i].read);
		sm_json_object_end(j);
	}
	sm_json_array_end(j);
}

struct sm_error *sm_recorder_describe(struct sm_recorder *rec, struct sm_buf *buf)
{
	struct sm_error *err;
	char name[128];
	struct sm_json j;
	struct sm_out out;
	size_t i;

	err = sm_out_init_buf(&out, buf);
	if (err)
		return err;
	sm_json_init(&j, &out, true);
	sm_json_object(&j, NULL);
	sm_json_str(&j, "format", "smtool-capture");
	sm_json_u64(&j, "version", 1);
	put_time(&j, "created", (int64_t)time(NULL));
	put_system(rec, &j);
	sm_json_str(&j, "instance", rec->name);
	sm_json_array(&j, "events");
	for (i = 0; i < rec->events.n; i++) {
		snprintf(name, sizeof(name), "%s:%s", rec->events.items[i].system,
			rec->events.items[i].name);
		sm_json_str(&j, NULL, name);
	}
	sm_json_array_end(&j);
	sm_json_str(&j, "clock", rec->clock);
	put_window(rec, &j);
	put_options(rec, &j);
	sm_json_str(&j, "map_generation", rec->generation);
	sm_json_bool(&j, "map_reset_at_start", rec->map_was_reset);
	sm_json_array(&j, "modules_unloaded");
	for (i = 0; i < rec->unloaded.n; i++)
		sm_json_str(&j, NULL, rec->unloaded.names[i]);
	sm_json_array_end(&j);
	/* The recorder's own threads are recorded like all others: leaving them out would lose
	 * frees. */
	sm_json_object(&j, "counts");
	sm_json_u64(&j, "records", rec->last.saved_records);
	sm_json_u64(&j, "events", rec->last.events);
	sm_json_u64(&j, "own_events", rec->last.own_events);
	sm_json_u64(&j, "lost_records", rec->last.lost);
	sm_json_object_end(&j);
	put_stats_before(rec, &j);
	sm_json_object_end(&j);
	sm_out_char(&out, '\n');
	return sm_out_finish(&out);
}
