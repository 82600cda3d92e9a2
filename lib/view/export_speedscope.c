/* SPDX-License-Identifier: GPL-2.0-or-later */
/* speedscope's own format: a `sampled` profile for each metric, over shared frames. */
#include "export.h"

static void write_frames(const struct export_stacks *s, struct sm_json *j)
{
	sm_json_object(j, "shared");
	sm_json_array(j, "frames");
	for (size_t i = 0; i < s->frames.keys.n && !sm_out_failed(j->out); i++) {
		const struct export_frame *f = &s->frames.items[i];
		const char *module = export_string(&s->frames, f->module);

		sm_json_object(j, NULL);
		sm_json_str(j, "name", export_string(&s->frames, f->name));
		/* Without a source file the module is the file, as for other tools' profiles. */
		if (f->file != SM_NO_STRING)
			sm_json_str(j, "file", export_string(&s->frames, f->file));
		else if (module && *module != '[')
			sm_json_str(j, "file", module);
		if (f->file != SM_NO_STRING && f->line)
			sm_json_u64(j, "line", f->line);
		sm_json_object_end(j);
	}
	sm_json_array_end(j);
	sm_json_object_end(j);
}

static void write_profile(const struct export_stacks *s, enum sm_metric m, struct sm_json *j)
{
	sm_json_object(j, NULL);
	sm_json_str(j, "type", "sampled");
	sm_json_str(j, "name", sm_metric_name(m));
	sm_json_str(j, "unit", sm_profile_is_bytes(s->x->now.profile, m) ? "bytes" : "none");
	sm_json_u64(j, "startValue", 0);
	sm_json_u64(j, "endValue", s->totals[m]);
	sm_json_array(j, "samples");
	for (size_t i = 0; i < s->n && !sm_out_failed(j->out); i++) {
		const struct export_stack *e = &s->items[i];

		if (!e->m[m])
			continue;
		sm_json_array(j, NULL);
		for (uint32_t k = 0; k < e->n; k++)
			sm_json_u64(j, NULL, s->ids[e->first + k]);
		sm_json_array_end(j);
	}
	sm_json_array_end(j);
	sm_json_array(j, "weights");
	for (size_t i = 0; i < s->n && !sm_out_failed(j->out); i++)
		if (s->items[i].m[m])
			sm_json_u64(j, NULL, s->items[i].m[m]);
	sm_json_array_end(j);
	sm_json_object_end(j);
}

struct sm_error *export_speedscope(const struct sm_export *x, struct sm_out *out)
{
	const struct sm_profile *p = x->now.profile;
	struct export_stacks s;
	struct sm_error *err;
	struct sm_json j;
	uint64_t active = 0;

	err = export_stacks_build(&s, x, EXPORT_BY_MODULE | EXPORT_BY_FILE, true);
	if (!err) {
		export_stacks_sort(&s, false);
		sm_json_init(&j, out, false);
		sm_json_object(&j, NULL);
		sm_json_str(&j, "$schema", "https://www.speedscope.app/file-format-schema.json");
		sm_json_str(&j, "exporter", "smtool");
		sm_json_str(&j, "name", sm_source_path(p->trace->src));
		for (unsigned m = 0; m < x->opts->by; m++)
			active += p->known >> m & 1;
		sm_json_u64(&j, "activeProfileIndex", active);
		write_frames(&s, &j);
		sm_json_array(&j, "profiles");
		for (unsigned m = 0; m < SM_M_ADDITIVE; m++)
			if (p->known & (1u << m))
				write_profile(&s, (enum sm_metric)m, &j);
		sm_json_array_end(&j);
		sm_json_object_end(&j);
		sm_out_char(out, '\n');
	}
	export_stacks_release(&s);
	return err;
}
