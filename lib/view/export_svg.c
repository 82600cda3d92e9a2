/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A flame graph in one file, which any browser opens without the net: root at the bottom, wider is
 * more. Of a difference each frame's colour and sign tell by how much it grew or shrank.
 */
#include <stdlib.h>

#include "flame.h"
#include "flame_script.h"

#define WIDTH 1200
#define MARGIN 10
#define LINE 17   /* a frame's height */
#define LEAST 0.1 /* px: what is narrower isn't drawn */
#define THIN 1    /* px: what is narrower is no element of its own */
#define CHAR 7.25 /* px that a character of a frame's text takes, with some room */
#define SMALL_CHAR 6.7
#define SMALL_LINE 14
#define TITLE_Y 26
#define MAX_NOTES 64 /* lines */

struct svg {
	const struct sm_export *x;
	struct sm_out *out;
	struct export_stacks stacks;
	struct flame flame;
	enum sm_metric by;
	bool diff;
	unsigned bottom;  /* y below the root */
	uint32_t *number; /* per frame: in the data's list of names; 0 = not in it */
	uint32_t *named;  /* those that are in it */
	uint32_t nnamed;
	struct sm_buf label, value;
};

static void put_buf(struct sm_out *out, const struct sm_buf *b)
{
	if (b->len)
		sm_out_xml(out, b->data, b->len);
}

static void add_value(struct svg *s, uint64_t v, struct sm_buf *buf)
{
	if (sm_profile_is_bytes(s->x->now.profile, s->by))
		sm_human_bytes(v, buf);
	else
		sm_human_count(v, buf);
}

/* In percent, rounded half up to 1/places as the script does. */
static double percent(double part, double whole, double places)
{
	double v = whole > 0 ? 100 * part / whole * places : 0;

	return v < 1e15 ? (double)(uint64_t)(v + 0.5) / places : v / places;
}

/* "1.5 KiB -> 2.0 KiB (+512 B, +33.3%)" */
static void add_change(struct svg *s, uint64_t now, uint64_t old, struct sm_buf *buf)
{
	bool grown = now >= old;
	uint64_t delta = grown ? now - old : old - now;

	add_value(s, old, buf);
	sm_buf_adds(buf, " -> ");
	add_value(s, now, buf);
	sm_buf_adds(buf, grown ? " (+" : " (-");
	add_value(s, delta, buf);
	if (!old)
		sm_buf_adds(buf, now ? ", new)" : ")");
	else if (!now)
		sm_buf_adds(buf, ", gone)");
	else
		sm_buf_addf(buf, ", %c%.1f%%)", grown ? '+' : '-',
			percent((double)delta, (double)old, 10));
}

/* ---- colours: text on them has a contrast of 7 or more ---- */

static unsigned mix(unsigned from, unsigned to, double part)
{
	return (unsigned)((double)from + ((double)to - (double)from) * part + 0.5);
}

static void put_color(const struct svg *s, const struct export_frame *f,
	const struct flame_box *box, struct sm_out *out)
{
	static const unsigned KINDS[][2][3] = {
		{{255, 150, 80}, {255, 205, 120}},  /* the kernel's own functions */
		{{245, 215, 150}, {255, 240, 190}}, /* inlined */
		{{130, 200, 150}, {180, 230, 180}}, /* modules */
		{{200, 200, 200}, {225, 225, 225}}, /* no code, or unknown */
	};
	static const unsigned EVEN[3] = {240, 240, 240}, MORE[3] = {255, 120, 105},
			      LESS[3] = {120, 165, 255};
	const unsigned *from = EVEN, *to = EVEN;
	const char *name, *module;
	double part = 0;

	if (s->diff) {
		uint64_t most = box->now > box->old ? box->now : box->old;

		to = box->now >= box->old ? MORE : LESS;
		if (most)
			part = ((double)box->now - (double)box->old) / (double)most;
		if (part < 0)
			part = -part;
	} else {
		unsigned kind = 3;

		name = export_string(&s->stacks.frames, f->name);
		module = export_string(&s->stacks.frames, f->module);
		if (f->code && module && strcmp(module, "[unknown]"))
			kind = f->inlined ? 1 : *module == '[' ? 0 : 2;
		from = KINDS[kind][0];
		to = KINDS[kind][1];
		if (name)
			part = (double)(sm_fnv(SM_FNV_INIT, name, strlen(name)) >> 40) / (1 << 24);
	}
	sm_out_f(out, "#%02x%02x%02x", mix(from[0], to[0], part), mix(from[1], to[1], part),
		mix(from[2], to[2], part));
}

/* ---- frames ---- */

static const char *sign(const struct flame_box *box)
{
	return box->now > box->old ? "+ " : box->now < box->old ? "- " : "= ";
}

/* As much of the label as the width has room for, in whole characters. */
static void put_label(struct svg *s, double width)
{
	const char *p = s->label.data;
	double fits = (width - 6) / CHAR;
	size_t room = fits < 3 ? 0 : (size_t)fits, chars = 0, cut = 0;

	if (!room || s->label.failed)
		return;
	for (size_t i = 0; i < s->label.len; i++) {
		if ((p[i] & 0xc0) == 0x80)
			continue;
		if (chars++ == room - 2)
			cut = i;
	}
	if (chars <= room) {
		put_buf(s->out, &s->label);
		return;
	}
	sm_out_xml(s->out, p, cut);
	sm_out_str(s->out, "..");
}

/* Without the sign of a difference. */
static void add_label(const struct svg *s, const struct export_frame *f, struct sm_buf *b)
{
	const char *module = export_string(&s->stacks.frames, f->module);

	sm_buf_adds(b, f->name == SM_NO_STRING ? "all" : export_string(&s->stacks.frames, f->name));
	if (module && *module != '[')
		sm_buf_addf(b, " [%s]", module);
	if (f->inlined)
		sm_buf_adds(b, " (inlined)");
}

static void describe(struct svg *s, const struct export_frame *f, const struct flame_box *box)
{
	sm_buf_reset(&s->label);
	sm_buf_reset(&s->value);
	if (s->diff)
		sm_buf_adds(&s->label, sign(box));
	add_label(s, f, &s->label);
	if (s->diff) {
		add_change(s, box->now, box->old, &s->value);
	} else {
		add_value(s, box->now, &s->value);
		sm_buf_addf(&s->value, ", %.2f%%",
			percent((double)box->now, (double)s->stacks.totals[s->by], 100));
	}
}

static const struct export_frame *frame_of(const struct svg *s, const struct flame_box *box)
{
	static const struct export_frame WHOLE = {
		.name = SM_NO_STRING,
		.module = SM_NO_STRING,
		.file = SM_NO_STRING,
	};

	return box->depth ? &s->stacks.frames.items[box->frame] : &WHOLE;
}

static bool has_label(const struct flame_box *box)
{
	return box->width >= 6 + 3 * CHAR;
}

static unsigned y_of(const struct svg *s, const struct flame_box *box)
{
	return s->bottom - (box->depth + 1) * LINE;
}

/* Without the script the wide ones alone tell what they are. */
static void put_box(void *ctx, const struct flame_box *box)
{
	struct svg *s = ctx;
	const struct export_frame *f = frame_of(s, box);

	if (box->width < THIN)
		return;
	sm_out_f(s->out, "<rect x=\"%.3f\" y=\"%u\" width=\"%.3f\" height=\"%u\" fill=\"", box->x,
		y_of(s, box), box->width, LINE - 1);
	put_color(s, f, box, s->out);
	if (!has_label(box)) {
		sm_out_str(s->out, "\"/>\n");
		return;
	}
	describe(s, f, box);
	sm_out_str(s->out, "\"><title>");
	put_buf(s->out, &s->label);
	sm_out_str(s->out, ": ");
	put_buf(s->out, &s->value);
	sm_out_str(s->out, "</title></rect>\n");
}

static void put_sliver(void *ctx, const struct flame_box *box)
{
	struct svg *s = ctx;

	if (box->width < THIN)
		sm_out_f(s->out, "M%.2f %uh%.2fv%uh-%.2fz", box->x, y_of(s, box), box->width,
			LINE - 1, box->width);
}

/* ---- the script's data ---- */

static void count_name(void *ctx, const struct flame_box *box)
{
	struct svg *s = ctx;

	if (!s->number[box->frame]) {
		s->named[s->nnamed++] = box->frame;
		s->number[box->frame] = s->nnamed;
	}
}

static void put_datum(void *ctx, const struct flame_box *box)
{
	struct svg *s = ctx;
	int64_t name = box->depth ? s->number[box->frame] : 0;

	sm_out_char(s->out, box->depth ? ',' : '[');
	sm_out_u64(s->out, box->depth);
	sm_out_char(s->out, ',');
	sm_out_i64(s->out, box->width < THIN ? ~name : name);
	sm_out_char(s->out, ',');
	sm_out_u64(s->out, (uint64_t)(box->x * 1000 + 0.5));
	sm_out_char(s->out, ',');
	sm_out_u64(s->out, box->weight);
	if (!s->diff)
		return;
	sm_out_char(s->out, ',');
	sm_out_u64(s->out, box->now);
	sm_out_char(s->out, ',');
	sm_out_u64(s->out, box->old);
}

/* A JSON string, within XML. */
static void put_name(struct svg *s, const struct export_frame *f)
{
	struct sm_buf json = {0};
	struct sm_out out;
	struct sm_error *err = sm_out_init_buf(&out, &json);

	sm_buf_reset(&s->label);
	add_label(s, f, &s->label);
	if (!err && s->label.len) {
		sm_out_json(&out, s->label.data, s->label.len);
		err = sm_out_finish(&out);
	}
	put_buf(s->out, &json);
	s->label.failed |= err != NULL;
	sm_error_free(err);
	sm_buf_release(&json);
}

static bool put_data(struct svg *s, const struct flame_box *whole)
{
	bool ok;

	sm_out_f(s->out,
		"<metadata id=\"data\">{&quot;bytes&quot;:%s,&quot;diff&quot;:%s,"
		"&quot;width&quot;:%u,&quot;bottom&quot;:%u,&quot;names&quot;:[",
		sm_profile_is_bytes(s->x->now.profile, s->by) ? "true" : "false",
		s->diff ? "true" : "false", WIDTH - 2 * MARGIN, s->bottom);
	put_name(s, frame_of(s, whole));
	for (uint32_t i = 0; i < s->nnamed && !sm_out_failed(s->out); i++) {
		sm_out_str(s->out, ",\n");
		put_name(s, &s->stacks.frames.items[s->named[i]]);
	}
	sm_out_str(s->out, "],&quot;colors&quot;:[");
	for (uint32_t i = 0; i <= s->nnamed && !s->diff; i++) {
		sm_out_str(s->out, i ? ",&quot;" : "&quot;");
		put_color(s, i ? &s->stacks.frames.items[s->named[i - 1]] : frame_of(s, whole),
			whole, s->out);
		sm_out_str(s->out, "&quot;");
	}
	sm_out_str(s->out, "],&quot;frames&quot;:");
	put_datum(s, whole);
	ok = flame_walk(&s->flame, whole->x, whole->width, LEAST, put_datum, s);
	sm_out_str(s->out, "]}</metadata>\n");
	return ok;
}

static void put_box_label(void *ctx, const struct flame_box *box)
{
	struct svg *s = ctx;

	if (!has_label(box))
		return;
	describe(s, frame_of(s, box), box);
	sm_out_f(s->out, "<text x=\"%.2f\" y=\"%.1f\">", box->x + 3, y_of(s, box) + 12.5);
	put_label(s, box->width);
	sm_out_str(s->out, "</text>\n");
}

/* ---- around them ---- */

static void add_title(struct svg *s, struct sm_buf *b)
{
	const struct sm_profile *p = s->x->now.profile;
	const char *release = p->trace->kernel_release;

	sm_buf_addf(b, "%s: ", sm_metric_name(s->by));
	if (s->diff)
		add_change(s, s->stacks.totals[s->by], s->stacks.old_total, b);
	else
		add_value(s, s->stacks.totals[s->by], b);
	if (!s->diff && p->health.has_window && p->trace->clock_is_time && p->to > p->from) {
		sm_buf_adds(b, " in ");
		sm_human_ns(p->to - p->from, b);
	}
	if (release) {
		sm_buf_adds(b, ", kernel ");
		sm_buf_add_visible(b, release, strlen(release));
	}
}

/* Breaks a line of text at blanks, into lines that fit; returns how many there are, each of them a
 * string that ends with a NUL. */
static unsigned break_lines(char *text, const char *lines[], unsigned max)
{
	const size_t room = (size_t)((WIDTH - 2 * MARGIN) / SMALL_CHAR);
	unsigned n = 0;

	while (*text && n < max) {
		size_t len = strlen(text), cut = len;

		lines[n++] = text;
		if (len > room) {
			cut = room;
			while (cut && text[cut] != ' ')
				cut--;
			if (!cut)
				cut = strcspn(text, " ");
		}
		text += cut;
		if (*text)
			*text++ = '\0';
	}
	return n;
}

/* How far the figures can be trusted. */
static unsigned add_notes(struct svg *s, struct sm_buf notes[2], const char *lines[])
{
	unsigned n;

	sm_honesty_text(s->x->now.profile, s->by, &notes[0]);
	if (s->flame.cut) {
		sm_buf_adds(&notes[0], "; ");
		sm_human_count(s->flame.cut, &notes[0]);
		sm_buf_adds(&notes[0], s->flame.cut == 1 ? " frame too narrow to draw"
							 : " frames too narrow to draw");
	}
	if (s->x->scale != 1)
		sm_buf_addf(&notes[0], "; the base's values times %.4g", s->x->scale);
	n = notes[0].failed ? 0 : break_lines(notes[0].data, lines, MAX_NOTES);
	if (!s->diff)
		return n;
	sm_buf_adds(&notes[1], "base: ");
	sm_honesty_text(s->x->base.profile, s->by, &notes[1]);
	return notes[1].failed ? n : n + break_lines(notes[1].data, lines + n, MAX_NOTES - n);
}

static void put_line(struct svg *s, const char *attributes, double y, const char *text)
{
	sm_out_f(s->out, "<text x=\"%u\" y=\"%.1f\" %s>", MARGIN, y, attributes);
	sm_out_xml(s->out, text, strlen(text));
	sm_out_str(s->out, "</text>\n");
}

static void put_head(struct svg *s, const struct sm_buf *title, const char *lines[], unsigned n)
{
	unsigned height = s->bottom + 2 * LINE;
	struct sm_out *out = s->out;

	sm_out_str(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
	sm_out_f(out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" width=\"%u\" "
		"height=\"%u\" viewBox=\"0 0 %u %u\" role=\"group\" aria-label=\"",
		WIDTH, height, WIDTH, height);
	put_buf(out, title);
	sm_out_str(out, "\">\n<style>");
	sm_out_str(out, FLAME_STYLE);
	sm_out_f(
		out, "</style>\n<rect width=\"%u\" height=\"%u\" fill=\"#fff\"/>\n", WIDTH, height);
	put_line(s, "class=\"title\"", TITLE_Y, title->data ? title->data : "");
	for (unsigned i = 0; i < n; i++)
		put_line(s, "class=\"small\"", TITLE_Y + 20 + i * SMALL_LINE, lines[i]);
	sm_out_f(out,
		"<text id=\"reset\" class=\"button hidden\" x=\"%u\" y=\"%u\">Reset zoom</text>\n",
		WIDTH - 190, TITLE_Y);
	sm_out_f(out,
		"<text id=\"search\" class=\"button hidden\" x=\"%u\" y=\"%u\">Search</text>\n",
		WIDTH - 100, TITLE_Y);
	sm_out_f(out, "<text id=\"details\" role=\"status\" x=\"%u\" y=\"%u\"></text>\n", MARGIN,
		s->bottom + LINE);
	sm_out_f(out,
		"<text id=\"matched\" role=\"status\" text-anchor=\"end\" x=\"%u\" "
		"y=\"%u\"></text>\n",
		WIDTH - MARGIN, s->bottom + LINE);
}

static struct sm_error *put_graph(struct svg *s)
{
	struct flame_box whole = {
		.x = MARGIN,
		.width = WIDTH - 2 * MARGIN,
		.now = s->stacks.totals[s->by],
		.old = s->stacks.old_total,
		.weight = s->flame.weight[s->stacks.n],
	};
	struct sm_buf title = {0}, notes[2] = {{0}};
	const char *lines[MAX_NOTES];
	size_t nframes = s->stacks.frames.keys.n;
	unsigned n;
	bool ok;

	s->number = calloc(2 * nframes + 1, sizeof(*s->number));
	if (!s->number)
		return sm_error_nomem();
	s->named = s->number + nframes;
	ok = flame_walk(&s->flame, whole.x, whole.width, LEAST, count_name, s);

	add_title(s, &title);
	n = add_notes(s, notes, lines);
	s->bottom = TITLE_Y + 20 + n * SMALL_LINE + (s->flame.drawn_depth + 1) * LINE;
	put_head(s, &title, lines, n);
	sm_out_str(s->out, "<path id=\"thin\" class=\"thin\" d=\"");
	ok = ok && flame_walk(&s->flame, whole.x, whole.width, LEAST, put_sliver, s);
	sm_out_str(s->out, "\"/>\n<g id=\"frames\" class=\"frames\">\n");
	put_box(s, &whole);
	ok = ok && flame_walk(&s->flame, whole.x, whole.width, THIN, put_box, s);
	sm_out_str(s->out, "</g>\n<g id=\"labels\" class=\"labels\">\n");
	put_box_label(s, &whole);
	ok = ok && flame_walk(&s->flame, whole.x, whole.width, 6 + 3 * CHAR, put_box_label, s);
	sm_out_str(s->out, "</g>\n<path id=\"thinhits\" class=\"thinhits\" d=\"\"/>\n");
	ok = ok && put_data(s, &whole);
	sm_out_str(s->out, "<script><![CDATA[\n");
	sm_out_str(s->out, FLAME_SCRIPT);
	sm_out_str(s->out, "]]></script>\n</svg>\n");
	ok = ok && !title.failed && !notes[0].failed && !notes[1].failed && !s->label.failed &&
	     !s->value.failed;
	sm_buf_release(&title);
	sm_buf_release(&notes[0]);
	sm_buf_release(&notes[1]);
	return ok ? NULL : sm_error_nomem();
}

struct sm_error *export_svg(const struct sm_export *x, struct sm_out *out)
{
	struct svg s = {
		.x = x,
		.out = out,
		.by = x->opts->by,
		.diff = x->base.profile != NULL,
	};
	struct sm_error *err =
		export_stacks_build(&s.stacks, x, EXPORT_BY_MODULE | EXPORT_BY_INLINED, false);

	if (!err) {
		export_stacks_sort(&s.stacks, true);
		err = flame_init(&s.flame, &s.stacks) ? put_graph(&s) : sm_error_nomem();
	}
	free(s.number);
	flame_release(&s.flame);
	export_stacks_release(&s.stacks);
	sm_buf_release(&s.label);
	sm_buf_release(&s.value);
	return err;
}
