/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>

#include "row_text.h"
#include "top.h"

void row_text_color(struct row_text *t, const char *sgr)
{
	if (t->style->color)
		sm_out_f(t->out, "\033[%sm", sgr);
}

void row_text_cell(struct row_text *t, size_t width)
{
	const struct sm_buf *b = &t->scratch;

	if (b->len < width)
		sm_out_pad(t->out, ' ', width - b->len);
	sm_out_bytes(t->out, b->data, b->len);
	sm_buf_reset(&t->scratch);
}

void row_text_value(struct row_text *t, bool bytes, uint64_t value)
{
	if (bytes)
		sm_human_bytes(value, &t->scratch);
	else
		sm_human_count(value, &t->scratch);
}

void row_text_percent(struct row_text *t, uint64_t part, uint64_t whole)
{
	if (whole)
		sm_buf_addf(&t->scratch, "%.1f%%", 100.0 * (double)part / (double)whole);
	else
		sm_buf_addc(&t->scratch, '-');
}

/* The lines of a frame, each but the first of the row indented. */
static void write_frame(struct row_text *t, const struct fragment *frame, size_t indent, bool first)
{
	const char *p = frame->text, *end = p + frame->len;

	while (p < end) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));
		const char *next = nl ? nl + 1 : end;

		if (!first)
			sm_out_pad(t->out, ' ', indent);
		first = false;
		sm_out_bytes(t->out, p, (size_t)(next - p));
		p = next;
	}
}

void row_text_frames(struct row_text *t, struct fragments *fragments, const uint64_t *ips,
	uint32_t depth, size_t indent)
{
	const struct fragment *frames = NULL;

	if (fragments)
		frames = fragments_of(fragments, ips, depth);
	if (!frames && !t->out->errnum)
		t->out->errnum = ENOMEM;
	for (uint32_t i = 0; frames && i < depth; i++)
		write_frame(t, &frames[i], indent, i == 0);
}

void row_text_label(struct row_text *t, struct fragments *fragments, const char *label,
	uint64_t call_site, size_t indent)
{
	const struct fragment *frame = NULL;

	if (call_site && fragments)
		frame = fragments_of(fragments, &call_site, 1);
	if (frame) {
		write_frame(t, frame, indent, true);
		return;
	}
	sm_out_visible(t->out, label, strlen(label));
	sm_out_char(t->out, '\n');
}

const char *row_text_group(enum sm_group group, enum sm_attr attr)
{
	switch (group) {
	case SM_GROUP_FUNCTION:
		return "function";
	case SM_GROUP_CALLER:
		return "call site";
	case SM_GROUP_MODULE:
		return "module";
	case SM_GROUP_ATTR:
		return sm_attr_name(attr);
	default:
		return "call path, innermost frame first";
	}
}

void row_text_honesty(struct row_text *t, const struct sm_profile *profile, enum sm_metric by)
{
	const struct sm_health *h = &profile->health;

	sm_honesty_text(profile, by, &t->scratch);
	if (h->lost_events || h->lost_unknown || h->dropped || h->corrupt_pages || h->truncated)
		row_text_color(t, "31");
	row_text_cell(t, 0);
	row_text_color(t, "0");
	sm_out_char(t->out, '\n');
}

void row_text_release(struct row_text *t)
{
	sm_buf_release(&t->scratch);
}
