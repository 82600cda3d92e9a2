/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the names of a capture come from. */
#include "info.h"

/* As the JSON form has it; NULL = unknown. */
static const char *origin_of(enum sm_slide_from from)
{
	switch (from) {
	case SM_SLIDE_KALLSYMS:
		return "kallsyms";
	case SM_SLIDE_OPTION:
		return "option";
	case SM_SLIDE_CALL_SITES:
		return "call sites";
	default:
		return NULL;
	}
}

void info_write_symbols(const struct info *info, struct sm_out *out)
{
	const struct sm_symbols_facts *f = &info->facts;
	const char *from = origin_of(f->slide_from);
	struct sm_buf b = {0};

	if (!f->vmlinux)
		return;
	info_text_line(out, "vmlinux", f->vmlinux);
	info_text_line(out, "  build id", f->build_id);
	info_text_line(out, "  lines",
		f->from_index  ? "from the index"
		: f->has_lines ? "from its debug information"
			       : "none: it has no debug information");
	if (from) {
		belonging_add_slide(f->slide, &b);
		sm_buf_addf(&b, ", from %s", from);
	} else {
		sm_buf_adds(&b, "unknown");
	}
	if (f->inferred.checked)
		sm_buf_addf(&b, " (%zu of %zu addresses follow a call, %zu at the next best)",
			f->inferred.follow, f->inferred.checked, f->inferred_second);
	info_text_line(out, "  slide", b.data);
	for (size_t i = 0; i < info->belonging.n; i++) {
		const struct belonging_part *part = &info->belonging.parts[i];

		if (!part->sites.checked && !part->path)
			continue;
		info_label(out, part->module ? "module" : "  call sites");
		if (part->module) {
			sm_out_visible(out, part->module, strlen(part->module));
			sm_out_str(out, ": ");
			if (part->path)
				sm_out_visible(out, part->path, strlen(part->path));
			else
				sm_out_str(out, "no file");
			sm_out_str(out, "; ");
		}
		sm_buf_reset(&b);
		belonging_add_share(&part->sites, &b);
		sm_out_f(out, "%s addresses follow a call\n", b.data ? b.data : "?");
	}
	sm_buf_release(&b);
}

void info_write_json_slide(struct sm_json *j, const struct info *info)
{
	struct sm_buf text = {0};

	if (info->facts.slide_from != SM_SLIDE_UNKNOWN)
		belonging_add_slide(info->facts.slide, &text);
	sm_json_str(j, "slide", text.data);
	sm_buf_release(&text);
}

static void json_call_sites(struct sm_json *j, const char *key, const struct sm_call_sites *sites)
{
	sm_json_object(j, key);
	sm_json_u64(j, "checked", sites->checked);
	sm_json_u64(j, "follow", sites->follow);
	sm_json_u64(j, "unchecked", sites->unchecked);
	sm_json_object_end(j);
}

void info_write_json_symbols(struct sm_json *j, const struct info *info)
{
	const struct sm_symbols_facts *f = &info->facts;
	const struct belonging *b = &info->belonging;

	if (!info->in.syms) {
		sm_json_null(j, "symbols");
		return;
	}
	sm_json_object(j, "symbols");
	sm_json_u64(j, "kallsyms", sm_symbols_count(info->in.syms));
	sm_json_str(j, "vmlinux", f->vmlinux);
	sm_json_str(j, "vmlinux_build_id", f->build_id);
	sm_json_bool(j, "has_lines", f->has_lines);
	sm_json_bool(j, "from_index", f->from_index);
	sm_json_str(j, "slide_from", origin_of(f->slide_from));
	if (f->inferred.checked) {
		sm_json_object(j, "inferred");
		sm_json_u64(j, "checked", f->inferred.checked);
		sm_json_u64(j, "follow", f->inferred.follow);
		sm_json_u64(j, "second", f->inferred_second);
		sm_json_object_end(j);
	} else {
		sm_json_null(j, "inferred");
	}
	if (b->n && !b->parts[0].module)
		json_call_sites(j, "call_sites", &b->parts[0].sites);
	else
		sm_json_null(j, "call_sites");
	sm_json_array(j, "modules");
	for (size_t i = 0; i < b->n; i++) {
		if (!b->parts[i].module)
			continue;
		sm_json_object(j, NULL);
		sm_json_str(j, "name", b->parts[i].module);
		sm_json_str(j, "path", b->parts[i].path);
		json_call_sites(j, "call_sites", &b->parts[i].sites);
		sm_json_object_end(j);
	}
	sm_json_array_end(j);
	sm_json_object_end(j);
}
