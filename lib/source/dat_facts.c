/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A trace.dat's smtool.json: what its header and options say, and no file of a capture would. */
#include "dat.h"

#include <stdlib.h>

/* "Linux HOST RELEASE MACHINE", the last two words. */
static void put_system(const struct dat *d, struct sm_json *j)
{
	const char *uname = d->facts.uname, *machine, *release = NULL;
	size_t len = uname ? strcspn(uname, "\n") : 0, release_len = 0, machine_len = 0;

	machine = len ? memrchr(uname, ' ', len) : NULL;
	if (machine) {
		size_t before = (size_t)(machine - uname);

		machine++;
		machine_len = len - before - 1;
		release = before ? memrchr(uname, ' ', before) : NULL;
		if (release) {
			release++;
			release_len = before - (size_t)(release - uname);
		}
	}
	if (release_len && machine_len) {
		sm_json_strn(j, "kernel_release", release, release_len);
		sm_json_strn(j, "machine", machine, machine_len);
	} else {
		sm_json_null(j, "kernel_release");
		sm_json_null(j, "machine");
	}
	sm_json_str(j, "byte_order", d->big_endian ? "big" : "little");
	sm_json_u64(j, "long_size", d->facts.long_size ? d->facts.long_size : d->long_size);
	sm_json_u64(j, "page_size", d->page_size);
}

static void put_time(const struct dat *d, struct sm_json *j)
{
	if (!d->facts.multiplier && !d->facts.time_offset)
		return;
	sm_json_object(j, "time");
	if (d->facts.multiplier) {
		sm_json_u64(j, "multiplier", d->facts.multiplier);
		sm_json_u64(j, "shift", d->facts.shift);
	}
	sm_json_i64(j, "offset_ns", d->facts.time_offset);
	sm_json_object_end(j);
}

static void put_origin(const struct dat *d, struct sm_json *j)
{
	struct sm_buf recorder = {0};

	sm_buf_adds(&recorder, "trace-cmd");
	if (d->facts.recorder) {
		sm_buf_addc(&recorder, ' ');
		sm_buf_add(&recorder, d->facts.recorder, strcspn(d->facts.recorder, " \n"));
	}
	sm_json_str(j, "recorder", recorder.data);
	sm_json_u64(j, "trace_dat_version", d->version);
	if (d->facts.has_trace_id)
		sm_json_hex(j, "trace_id", d->facts.trace_id);
	sm_buf_release(&recorder);
}

struct sm_error *sm_dat_describe(struct dat *d)
{
	struct sm_buf buf = {0};
	struct sm_error *err;
	struct sm_json j;
	struct sm_out out;
	char *text;

	err = sm_out_init_buf(&out, &buf);
	if (err)
		return err;
	sm_json_init(&j, &out, true);
	sm_json_object(&j, NULL);
	sm_json_str(&j, "format", "smtool-capture");
	sm_json_u64(&j, "version", 1);
	put_origin(d, &j);
	put_system(d, &j);
	put_time(d, &j);
	sm_json_object_end(&j);
	sm_out_char(&out, '\n');
	err = sm_out_finish(&out);
	if (!err) {
		text = sm_arena_strndup(&d->arena, buf.data, buf.len);
		err = text ? sm_dat_add_text(d, text, buf.len, "smtool.json") : sm_error_nomem();
	}
	sm_buf_release(&buf);
	return err;
}
