/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Folded stacks: a line is "root;...;leaf VALUE", of a difference "root;...;leaf OLD NEW". */
#include <stdlib.h>

#include "export.h"

/* The name of each frame as it stands in a line, by the frame's number. False when memory is short.
 */
static bool make_names(const struct export_stacks *s, struct sm_strings *texts, uint32_t *names)
{
	struct sm_buf b = {0};
	bool ok = true;

	for (size_t i = 0; ok && i < s->frames.keys.n; i++) {
		const struct export_frame *f = &s->frames.items[i];

		sm_buf_adds(&b, export_string(&s->frames, f->name));
		for (size_t k = 0; k < b.len; k++) {
			if (b.data[k] == ';')
				b.data[k] = ':';
			else if (b.data[k] == ' ')
				b.data[k] = '_';
		}
		if (s->x->annotate && f->code)
			sm_buf_adds(&b, f->inlined ? "_[i]" : "_[k]");
		names[i] =
			b.failed ? SM_NO_STRING : sm_strings_add(texts, b.len ? b.data : "", b.len);
		ok = names[i] != SM_NO_STRING;
		sm_buf_reset(&b);
	}
	sm_buf_release(&b);
	return ok;
}

static void put_stack(const struct export_stacks *s, const struct export_stack *e,
	const struct sm_strings *texts, const uint32_t *names, struct sm_out *out)
{
	for (uint32_t k = 0; k < e->n; k++) {
		const struct sm_string *text = &texts->items[names[s->ids[e->first + k]]];
		/* A line that begins so is a comment to some. */
		size_t skip = !k && text->len && *text->data == '#';

		sm_out_str(out, k ? ";" : skip ? "_" : "");
		sm_out_bytes(out, text->data + skip, text->len - skip);
	}
	if (s->x->base.profile) {
		sm_out_char(out, ' ');
		sm_out_u64(out, e->old);
	}
	sm_out_char(out, ' ');
	sm_out_u64(out, e->m[s->x->opts->by]);
	sm_out_char(out, '\n');
}

struct sm_error *export_folded(const struct sm_export *x, struct sm_out *out)
{
	struct export_stacks s;
	struct sm_strings texts = {0};
	uint32_t *names = NULL;
	struct sm_error *err;

	err = export_stacks_build(&s, x, x->annotate ? EXPORT_BY_INLINED : 0, false);
	if (!err) {
		export_stacks_sort(&s, false);
		names = malloc((s.frames.keys.n + 1) * sizeof(*names));
		if (!names || !make_names(&s, &texts, names))
			err = sm_error_nomem();
	}
	for (size_t i = 0; !err && i < s.n && !sm_out_failed(out); i++)
		put_stack(&s, &s.items[i], &texts, names, out);
	free(names);
	sm_strings_release(&texts);
	export_stacks_release(&s);
	return err;
}
