/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>

#include "internal.h"
#include "saved.h"

#define MAX_METRICS 64
#define MAX_TEXT (1u << 16)

struct reader {
	struct sm_cursor in;
	struct sm_trace *trace;
	struct sm_imported *imported;
	const char **texts; /* in the arena; each is NUL-terminated */
	size_t ntexts, texts_cap;
	size_t nframes;
	uint64_t *ips; /* scratch of a stack */
	size_t ips_cap;
	/* By number in the file: the metric, SM_M_NR = one that is unknown here. */
	enum sm_metric metrics[MAX_METRICS];
	size_t nmetrics;
	struct sm_arena arena;
};

static struct sm_error *take(struct reader *r, const char *what, uint64_t *v)
{
	uint64_t value = 0;

	for (unsigned shift = 0; shift < 64; shift += 7) {
		uint8_t byte;
		struct sm_error *err = sm_cursor_u8(&r->in, what, &byte);

		if (err)
			return err;
		if (shift == 63 && byte > 1)
			break;
		value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80)) {
			*v = value;
			return NULL;
		}
	}
	return sm_error_at(SM_E_FORMAT, r->in.path, sm_cursor_offset(&r->in), what,
		"number of more than 64 bits; the profile is damaged");
}

static struct sm_error *beyond(
	const struct reader *r, const char *what, uint64_t value, uint64_t bound)
{
	return sm_error_at(SM_E_FORMAT, r->in.path, sm_cursor_offset(&r->in), what,
		"%llu, where less than %llu would make sense; the profile is damaged",
		(unsigned long long)value, (unsigned long long)bound);
}

static struct sm_error *take_below(struct reader *r, const char *what, uint64_t bound, uint64_t *v)
{
	struct sm_error *err = take(r, what, v);

	return !err && *v >= bound ? beyond(r, what, *v, bound) : err;
}

/* A text of its own length; lives in the arena. */
static struct sm_error *take_text(struct reader *r, const char *what, const char **text)
{
	const uint8_t *bytes;
	uint64_t len;
	struct sm_error *err = take_below(r, what, MAX_TEXT, &len);

	if (!err)
		err = sm_cursor_bytes(&r->in, what, (size_t)len, &bytes);
	if (err)
		return err;
	*text = sm_arena_strndup(&r->arena, (const char *)bytes, (size_t)len);
	return *text ? NULL : sm_error_nomem();
}

/* A text by its number, 0 = NULL. */
static struct sm_error *take_ref(struct reader *r, const char *what, const char **text)
{
	uint64_t id;
	struct sm_error *err = take_below(r, what, r->ntexts + 1, &id);

	if (!err)
		*text = id ? r->texts[id - 1] : NULL;
	return err;
}

static struct sm_error *read_health(struct reader *r)
{
	struct sm_health *h = &r->trace->health;
	uint64_t n, value;
	struct sm_error *err = take(r, "number of counters", &n);

	for (uint64_t i = 0; !err && i < n; i++) {
		const char *name;

		err = take_text(r, "counter's name", &name);
		if (!err)
			err = take(r, "counter", &value);
		for (size_t k = 0; !err && k < sm_health_ncounters; k++)
			if (strcmp(sm_health_counters[k].name, name) == 0)
				*sm_health_counter(h, k) = value;
	}
	return err;
}

static struct sm_error *read_texts(struct reader *r)
{
	uint64_t n;
	struct sm_error *err = take(r, "number of texts", &n);

	for (uint64_t i = 0; !err && i < n; i++) {
		if (!sm_grow(&r->texts, &r->texts_cap, r->ntexts + 1, sizeof(*r->texts)))
			return sm_error_nomem();
		err = take_text(r, "text", &r->texts[r->ntexts]);
		r->ntexts += !err;
	}
	return err;
}

static struct sm_error *read_lines(struct reader *r, uint64_t n, struct sm_line **lines)
{
	struct sm_error *err = NULL;
	size_t cap = 0;

	for (uint64_t i = 0; !err && i < n; i++) {
		struct sm_line *line;
		uint64_t number = 0;

		if (!sm_grow(lines, &cap, i + 1, sizeof(**lines)))
			return sm_error_nomem();
		line = &(*lines)[i];
		err = take_ref(r, "line's function", &line->function);
		if (!err)
			err = take_ref(r, "line's file", &line->file);
		if (!err)
			err = take_below(r, "line", UINT64_C(1) << 32, &number);
		line->line = (uint32_t)number;
	}
	return err;
}

static struct sm_error *read_frame(struct reader *r)
{
	struct sm_line *lines = NULL;
	struct sm_frame f = {0};
	uint64_t nlines = 0, ip;
	struct sm_error *err = take_ref(r, "frame's symbol", &f.symbol);

	if (!err)
		err = take_ref(r, "frame's module", &f.module);
	if (!err)
		err = take_ref(r, "frame's build id", &f.build_id);
	if (!err)
		err = take(r, "frame's address", &f.address);
	if (!err)
		err = take(r, "frame's offset", &f.offset);
	if (!err)
		err = take(r, "frame's size", &f.size);
	if (!err)
		err = take_ref(r, "frame's caller", &f.caller);
	if (!err)
		err = take(r, "frame's caller", &f.caller_offset);
	if (!err)
		err = take(r, "frame's caller", &f.caller_size);
	if (!err)
		err = take(r, "frame's number of lines", &nlines);
	if (!err)
		err = read_lines(r, nlines, &lines);
	f.lines = lines;
	f.nlines = (size_t)nlines;
	if (!err) {
		ip = sm_frames_add(r->trace->frames, &f);
		if (!ip)
			err = sm_error_nomem();
		else if (ip != (SM_FRAME_TAG | r->nframes))
			err = sm_error_at(SM_E_FORMAT, r->in.path, sm_cursor_offset(&r->in),
				"frame twice", "the profile is damaged");
		r->nframes++;
	}
	free(lines);
	return err;
}

/* The trampoline's marker stands for itself everywhere. */
static uint64_t address_of(const struct reader *r, uint64_t ip)
{
	const struct sm_frame *f = sm_frames_get(r->trace->frames, ip);

	return !f->symbol && f->address == SM_TRAMPOLINE ? SM_TRAMPOLINE : ip;
}

static struct sm_error *read_stack(struct reader *r, uint32_t index)
{
	uint64_t depth, frame;
	struct sm_error *err = take_below(r, "stack's depth", SAVED_MAX_DEPTH + 1, &depth);
	uint32_t got;

	if (!err && !depth)
		return beyond(r, "stack's depth", 0, 1);
	for (uint64_t k = 0; !err && k < depth; k++) {
		if (!sm_grow(&r->ips, &r->ips_cap, k + 1, sizeof(*r->ips)))
			return sm_error_nomem();
		err = take_below(r, "stack's frame", r->nframes, &frame);
		if (!err)
			r->ips[k] = address_of(r, SM_FRAME_TAG | frame);
	}
	if (err)
		return err;
	got = sm_stacks_add(r->trace->stacks, r->ips, (uint32_t)depth, false);
	if (got == SM_STACK_NONE)
		return sm_error_nomem();
	if (got != index)
		return sm_error_at(SM_E_FORMAT, r->in.path, sm_cursor_offset(&r->in), "stack twice",
			"the profile is damaged");
	if (r->imported->trimmed)
		sm_stacks_note_call_site(r->trace->stacks, index, r->ips[0]);
	return NULL;
}

static struct sm_error *read_metrics(struct reader *r)
{
	uint64_t n;
	struct sm_error *err = take_below(r, "number of metrics", MAX_METRICS, &n);

	for (uint64_t i = 0; !err && i < n; i++) {
		const char *name;

		err = take_text(r, "metric's name", &name);
		if (err)
			break;
		r->metrics[i] = sm_metric_find(name);
		if (r->metrics[i] < SM_M_ADDITIVE)
			r->imported->known |= 1u << r->metrics[i];
		else
			r->metrics[i] = SM_M_NR;
		r->nmetrics++;
	}
	return err;
}

static struct sm_error *read_spread(struct reader *r, struct sm_spread *s)
{
	uint64_t bits, n, value = 0;
	struct sm_error *err = take_below(r, "spread's precision", 65, &bits);

	if (!err)
		err = take_below(r, "spread's size", SM_SPREAD_MAX + 1, &n);
	if (err)
		return err;
	s->bits = (uint8_t)bits;
	for (uint64_t i = 0; !err && i < n; i++) {
		uint64_t delta, count;

		err = take(r, "spread's value", &delta);
		if (!err)
			err = take(r, "spread's count", &count);
		if (err)
			break;
		if (delta > UINT64_MAX - value || count > UINT64_MAX - s->total)
			return beyond(r, "spread's value", delta, UINT64_MAX - value);
		value += delta;
		if (!sm_spread_add(s, value, count))
			return sm_error_nomem();
	}
	return err;
}

static struct sm_error *read_row(struct reader *r, size_t *cap, size_t *spreads_cap)
{
	struct sm_imported *in = r->imported;
	struct sm_imported_row row = {0};
	uint64_t stack;
	struct sm_error *err = take_below(
		r, "row's stack", (uint64_t)sm_stacks_count(r->trace->stacks) + 2, &stack);

	for (size_t k = 0; !err && k < r->nmetrics; k++) {
		uint64_t value;

		err = take(r, "row's value", &value);
		if (!err && r->metrics[k] != SM_M_NR)
			row.m[r->metrics[k]] = value;
	}
	if (err)
		return err;
	row.stack = (uint32_t)stack - 2;
	if (!sm_grow(&in->rows, cap, in->nrows + 1, sizeof(*in->rows)))
		return sm_error_nomem();
	if (in->machines) {
		if (!sm_grow(&in->spreads, spreads_cap, in->nrows + 1, sizeof(*in->spreads)))
			return sm_error_nomem();
		in->spreads[in->nrows] = (struct sm_spread){0};
		err = read_spread(r, &in->spreads[in->nrows]);
		if (err) {
			sm_spread_release(&in->spreads[in->nrows]);
			return err;
		}
	}
	in->rows[in->nrows++] = row;
	return NULL;
}

static struct sm_error *read_rows(struct reader *r)
{
	size_t cap = 0, spreads_cap = 0;
	struct sm_imported *in = r->imported;
	const char *of = NULL;
	uint64_t n;
	struct sm_error *err = take(r, "number of machines", &in->machines);

	if (!err && in->machines) {
		err = take_text(r, "metric of the spreads", &of);
		if (!err)
			err = read_spread(r, &in->total);
		if (!err) {
			in->spread_of = sm_metric_find(of);
			if (in->spread_of >= SM_M_ADDITIVE)
				err = sm_error_at(SM_E_UNSUPPORTED, r->in.path,
					sm_cursor_offset(&r->in), "metric of the spreads",
					"this version doesn't know '%s'", of);
		}
	}
	if (!err)
		err = take(r, "number of rows", &n);
	for (uint64_t i = 0; !err && i < n; i++)
		err = read_row(r, &cap, &spreads_cap);
	return err;
}

/* What `err` says, where the rows before it are worth keeping. */
static struct sm_error *read_all(struct reader *r)
{
	uint64_t flags, n = 0;
	const char *release;
	const uint8_t *magic;
	struct sm_error *err = sm_cursor_bytes(&r->in, "profile", strlen(SAVED_MAGIC), &magic);

	if (err)
		return err;
	if (memcmp(magic, SAVED_MAGIC, strlen(SAVED_MAGIC)) != 0)
		return sm_error_at(SM_E_UNSUPPORTED, r->in.path, 0, "not a profile of this version",
			"want '%.16s'", SAVED_MAGIC);
	err = take(r, "flags", &flags);
	if (!err)
		err = take_text(r, "kernel release", &release);
	if (!err)
		err = take(r, "duration", &r->imported->duration_ns);
	if (err)
		return err;
	r->imported->trimmed = flags & SAVED_TRIMMED;
	if (*release && !r->trace->kernel_release) {
		r->trace->kernel_release = strdup(release);
		if (!r->trace->kernel_release)
			return sm_error_nomem();
	}
	err = read_health(r);
	if (!err)
		err = read_texts(r);
	if (!err)
		err = take_below(r, "number of frames", UINT32_MAX, &n);
	for (uint64_t i = 0; !err && i < n; i++)
		err = read_frame(r);
	if (!err)
		err = take_below(r, "number of stacks", SM_STACK_MAX, &n);
	for (uint32_t i = 0; !err && i < n; i++)
		err = read_stack(r, i);
	if (!err)
		err = read_metrics(r);
	if (!err)
		err = read_rows(r);
	return err;
}

static struct sm_error *check_sum(struct reader *r)
{
	size_t len = (size_t)(r->in.pos - r->in.start);
	uint64_t sum;
	struct sm_error *err;

	r->in.swap = sm_host_big_endian();
	err = sm_cursor_u64(&r->in, "checksum", &sum);
	if (!err && sum != sm_fnv(SM_FNV_INIT, r->in.start, len))
		err = sm_error_at(SM_E_FORMAT, r->in.path, len, "checksum differs",
			"something in the profile is wrong");
	return err;
}

struct sm_error *sm_saved_parse(
	struct sm_trace *trace, const void *data, size_t len, const char *path)
{
	struct reader r = {.trace = trace};
	struct sm_error *err;

	r.imported = calloc(1, sizeof(*r.imported));
	trace->imported = r.imported;
	if (!r.imported)
		return sm_error_nomem();
	r.imported->kind = "profile";
	err = sm_frames_new(&trace->frames);
	if (!err) {
		sm_cursor_init(&r.in, data, len, path, 0, false);
		err = read_all(&r);
		if (!err)
			err = check_sum(&r);
	}
	/* Rows that came before the fault are sound. */
	if (err && err->code != SM_E_NOMEM && r.imported->nrows) {
		trace->health.truncated = true;
		if (trace->damage)
			sm_error_free(err);
		else
			trace->damage = err;
		err = NULL;
	}
	free(r.texts);
	free(r.ips);
	sm_arena_release(&r.arena);
	return err;
}

struct sm_error *sm_saved_load(struct sm_trace *trace)
{
	struct sm_blob blob = {0};
	struct sm_error *err = sm_source_read(trace->src, SM_MEMBER_PROFILE, 0, &blob);

	if (!err)
		err = sm_saved_parse(trace, blob.data, blob.size, blob.path);
	sm_blob_release(&blob);
	return err;
}
