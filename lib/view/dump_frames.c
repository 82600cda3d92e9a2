/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Addresses in the forms of dump, each rendered once and copied from then on. */
#include <errno.h>

#include "dump.h"
#include "places.h"

void dump_no_memory(struct sm_out *out)
{
	if (!out->errnum)
		out->errnum = ENOMEM;
}

void dump_take_error(struct sm_out *out, struct sm_error *err)
{
	if (err)
		dump_no_memory(out);
	sm_error_free(err);
}

static void add_hex(struct sm_buf *buf, uint64_t v)
{
	sm_buf_addf(buf, "0x%llx", (unsigned long long)v);
}

void dump_render_json(
	const struct sm_symbols *syms, uint64_t ip, struct sm_buf *buf, uint32_t part[3])
{
	/* Where all addresses differ this runs for each: an output without an allocation. */
	char space[1024];
	struct sm_out out = {.buf = space, .cap = sizeof(space), .fd = -1, .sink = buf};
	uint64_t shown = sm_symbols_shown_address(syms, ip);
	struct sm_buf name = {0};
	struct sm_json json;

	frame_text(syms, ip, &name);
	if (!ip || shown) {
		sm_out_str(&out, ",\"");
		sm_out_hex(&out, shown);
		sm_out_char(&out, '"');
	} else {
		sm_out_str(&out, ",null");
	}
	part[0] = (uint32_t)(out.written + out.len);
	sm_out_char(&out, ',');
	sm_out_json(&out, name.data ? name.data : "", name.len);
	part[1] = (uint32_t)(out.written + out.len);
	sm_out_char(&out, ',');
	sm_json_init(&json, &out, false);
	sm_frame_json(&json, syms, ip);
	sm_error_free(sm_out_flush(&out));
	part[2] = (uint32_t)buf->len;
	if (name.failed)
		buf->failed = true;
	sm_buf_release(&name);
}

static void render_line(const struct sm_symbols *syms, uint64_t ip, const char *indent,
	struct sm_buf *buf, uint32_t part[3])
{
	part[0] = (uint32_t)places_add_frame(syms, ip, indent, frame_text, buf);
	sm_buf_addc(buf, '\n');
}

void dump_render_line(
	const struct sm_symbols *syms, uint64_t ip, struct sm_buf *buf, uint32_t part[3])
{
	/* Below the name that follows "  [0] ". */
	render_line(syms, ip, "      ", buf, part);
}

void dump_render_event_line(
	const struct sm_symbols *syms, uint64_t ip, struct sm_buf *buf, uint32_t part[3])
{
	/* " => " */
	render_line(syms, ip, "    ", buf, part);
}

/* Inside a quoted field, where semicolons stand between items. */
static void add_csv_item(const char *text, size_t len, struct sm_buf *buf)
{
	sm_buf_addc(buf, ';');
	for (size_t i = 0; i < len; i++) {
		if (text[i] == '"')
			sm_buf_addc(buf, '"');
		sm_buf_addc(buf, text[i] == ';' ? ':' : text[i]);
	}
}

void dump_render_csv(
	const struct sm_symbols *syms, uint64_t ip, struct sm_buf *buf, uint32_t part[3])
{
	uint64_t shown = sm_symbols_shown_address(syms, ip);
	struct sm_buf name = {0};

	sm_buf_addc(buf, ';');
	if (!ip || shown)
		add_hex(buf, shown);
	part[0] = (uint32_t)buf->len;
	frame_text(syms, ip, &name);
	add_csv_item(name.data, name.len, buf);
	part[1] = (uint32_t)buf->len;
	if (name.failed)
		buf->failed = true;
	sm_buf_release(&name);
}

void dump_render_event_csv(
	const struct sm_symbols *syms, uint64_t ip, struct sm_buf *buf, uint32_t part[3])
{
	struct sm_buf name = {0};
	size_t start = 0;

	places_add_frame(syms, ip, "", frame_text, &name);
	for (size_t i = 0; i <= name.len; i++) {
		if (i < name.len && name.data[i] != '\n')
			continue;
		add_csv_item(name.data + start, i - start, buf);
		start = i + 1;
	}
	part[0] = (uint32_t)buf->len;
	if (name.failed)
		buf->failed = true;
	sm_buf_release(&name);
}

void dump_render_folded(
	const struct sm_symbols *syms, uint64_t ip, struct sm_buf *buf, uint32_t part[3])
{
	const struct sm_line *lines;
	size_t n, start;

	sm_buf_addc(buf, ';');
	start = buf->len;
	frame_function(syms, ip, buf);
	n = places_of(syms, ip, &lines);
	/* Root first. */
	for (size_t i = n ? n - 1 : 0; i-- > 0;) {
		const char *name = lines[i].function;

		sm_buf_addc(buf, '\n');
		if (!name)
			name = "??";
		sm_buf_add_visible(buf, name, strlen(name));
	}
	/* The one space of a line comes before its number. */
	for (size_t i = start; i < buf->len; i++) {
		if (buf->data[i] == ';')
			buf->data[i] = ':';
		else if (buf->data[i] == ' ')
			buf->data[i] = '_';
		else if (buf->data[i] == '\n')
			buf->data[i] = ';';
	}
	part[0] = (uint32_t)buf->len;
}

void dump_put_parts(struct sm_out *out, const struct fragment *list, uint32_t depth, unsigned k)
{
	for (uint32_t i = 0; i < depth; i++) {
		uint32_t from = k ? list[i].part[k - 1] : 0;

		from += i == 0;
		sm_out_bytes(out, list[i].text + from, list[i].part[k] - from);
	}
}
