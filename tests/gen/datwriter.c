/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "datwriter.h"

#include <stdio.h>
#include <stdlib.h>
#include <zlib.h>
#include <zstd.h>

struct writer {
	const struct dw_file *f;
	struct sm_buf *out;
	struct dw_marks *marks;
	struct sm_buf strings;
	uint64_t sections[32]; /* where they are */
	uint64_t next;         /* where to write the offset of the next options */
};

/* What is being collected, before it is compressed. */
#define OUT struct sm_buf *b

static void die(const char *why)
{
	fprintf(stderr, "datwriter: %s\n", why);
	exit(1);
}

static void put(const struct writer *w, OUT, uint64_t v, unsigned size)
{
	for (unsigned i = 0; i < size; i++) {
		unsigned shift = 8 * (w->f->big_endian ? size - 1 - i : i);

		sm_buf_addc(b, (char)(v >> shift));
	}
}

static void patch(const struct writer *w, uint64_t at, uint64_t v)
{
	struct sm_buf b = {0};

	put(w, &b, v, 8);
	memcpy(w->out->data + at, b.data, 8);
	sm_buf_release(&b);
}

static void put_string(OUT, const char *s)
{
	sm_buf_add(b, s, strlen(s) + 1);
}

static void put_text(const struct writer *w, OUT, const struct dw_text *t, unsigned length_size)
{
	put(w, b, t->len, length_size);
	if (t->len)
		sm_buf_add(b, t->data, t->len);
}

static void mark(const struct writer *w, const char *what)
{
	struct dw_marks *m = w->marks;

	if (m && m->n < SM_ARRAY_SIZE(m->v))
		m->v[m->n++] = (struct dw_mark){what, w->out->len};
}

static void pad(const struct writer *w)
{
	while (w->out->len % w->f->page_size)
		sm_buf_addc(w->out, '\0');
}

/* The compressed length and the real one, then the data: a section's content, a chunk. */
static void put_packed(const struct writer *w, OUT, const void *data, size_t len)
{
	size_t bound = ZSTD_compressBound(len) + compressBound(len), n;
	void *packed = malloc(bound);

	if (!packed)
		die("out of memory");
	if (w->f->packing == DW_ZLIB) {
		uLongf size = bound;

		if (compress2(packed, &size, data, len, Z_BEST_COMPRESSION) != Z_OK)
			die("zlib failed");
		n = size;
	} else {
		ZSTD_CCtx *ctx = ZSTD_createCCtx();

		ZSTD_CCtx_setParameter(ctx, ZSTD_c_contentSizeFlag, 0);
		n = ZSTD_compress2(ctx, packed, bound, data, len);
		if (ZSTD_isError(n))
			die("zstd failed");
		ZSTD_freeCCtx(ctx);
	}
	put(w, b, n, 4);
	put(w, b, len, 4);
	sm_buf_add(b, packed, n);
	free(packed);
}

/* ---- what both versions have ---- */

static void put_headers(const struct writer *w, OUT)
{
	put_string(b, "header_page");
	put_text(w, b, &w->f->header_page, 8);
	put_string(b, "header_event");
	put_text(w, b, &w->f->header_event, 8);
}

static bool is_ftrace(const struct dw_format *f)
{
	return !strcmp(f->system, "ftrace");
}

static void put_ftrace_events(const struct writer *w, OUT)
{
	unsigned n = 0;

	for (size_t i = 0; i < w->f->nformats; i++)
		n += is_ftrace(&w->f->formats[i]);
	put(w, b, n, 4);
	for (size_t i = 0; i < w->f->nformats; i++)
		if (is_ftrace(&w->f->formats[i]))
			put_text(w, b, &w->f->formats[i].text, 8);
}

static size_t same_system(const struct writer *w, size_t i)
{
	size_t n = 1;

	while (i + n < w->f->nformats &&
		!strcmp(w->f->formats[i].system, w->f->formats[i + n].system))
		n++;
	return n;
}

static void put_events(const struct writer *w, OUT)
{
	unsigned systems = 0;

	for (size_t i = 0; i < w->f->nformats; i += same_system(w, i))
		systems += !is_ftrace(&w->f->formats[i]);
	put(w, b, systems, 4);
	for (size_t i = 0; i < w->f->nformats; i += same_system(w, i)) {
		if (is_ftrace(&w->f->formats[i]))
			continue;
		put_string(b, w->f->formats[i].system);
		put(w, b, same_system(w, i), 4);
		for (size_t k = 0; k < same_system(w, i); k++)
			put_text(w, b, &w->f->formats[i + k].text, 8);
	}
}

static void put_option(const struct writer *w, OUT, unsigned id, const void *data, size_t len)
{
	put(w, b, id, 2);
	put(w, b, len, 4);
	sm_buf_add(b, data, len);
}

static void put_option_text(const struct writer *w, OUT, unsigned id, const char *text)
{
	if (text)
		put_option(w, b, id, text, strlen(text) + 1);
}

static void put_stats(const struct writer *w, OUT, const struct dw_buffer *buffer)
{
	struct sm_buf line = {0};
	bool named = false;

	for (size_t i = 0; i < buffer->n; i++) {
		if (!buffer->cpus[i].stats)
			continue;
		sm_buf_reset(&line);
		if (*buffer->name && !named)
			sm_buf_addf(&line, "\nBuffer: %s\n\n", buffer->name);
		if (line.len)
			put_option_text(w, b, 2, line.data);
		named = true;
		sm_buf_reset(&line);
		sm_buf_addf(&line, "CPU: %u\n%s", buffer->cpus[i].cpu, buffer->cpus[i].stats);
		put_option_text(w, b, 2, line.data);
	}
	sm_buf_release(&line);
}

static void put_options(const struct writer *w, OUT)
{
	const struct dw_file *f = w->f;
	struct sm_buf data = {0};

	put_option_text(w, b, 1, f->date);
	put_option_text(w, b, 7, f->offset);
	put_option_text(w, b, 4, f->clocks);
	put_option_text(w, b, 5, f->uname);
	put_option_text(w, b, 9, f->recorder);
	put(w, &data, UINT64_C(0x123456789abcdef0), 8);
	put_option(w, b, 11, data.data, data.len);
	if (f->multiplier) {
		sm_buf_reset(&data);
		put(w, &data, f->multiplier, 4);
		put(w, &data, f->shift, 4);
		put(w, &data, 0, 8);
		put_option(w, b, 14, data.data, data.len);
	}
	/* trace-cmd has the top buffer's first. */
	if (f->nbuffers)
		put_stats(w, b, &f->buffers[f->nbuffers - 1]);
	for (size_t i = 0; i + 1 < f->nbuffers; i++)
		put_stats(w, b, &f->buffers[i]);
	for (size_t i = 0; i < f->noptions; i++)
		sm_buf_add(b, f->options[i].data, f->options[i].len);
	sm_buf_release(&data);
}

/* ---- version 6 ---- */

/* The table of where pages are, then the pages. */
static void write_buffer(struct writer *w, const struct dw_buffer *buffer)
{
	uint64_t table;

	mark(w, "kind of data");
	if (buffer->text) {
		put_string(w->out, "latency  ");
		sm_buf_adds(w->out, buffer->text);
		return;
	}
	put_string(w->out, "flyrecord");
	mark(w, "table of CPUs");
	table = w->out->len;
	for (size_t i = 0; i < 2 * buffer->n; i++)
		put(w, w->out, 0, 8);
	if (w->f->clocks) {
		put(w, w->out, strlen(buffer->clock) + 2, 8);
		sm_buf_addf(w->out, "[%s]", buffer->clock);
	}
	for (size_t i = 0; i < buffer->n; i++) {
		pad(w);
		mark(w, "pages");
		patch(w, table + 16 * i, w->out->len);
		patch(w, table + 16 * i + 8, buffer->cpus[i].pages.len);
		if (buffer->cpus[i].pages.len)
			sm_buf_add(w->out, buffer->cpus[i].pages.data, buffer->cpus[i].pages.len);
	}
}

static void write_linear(struct writer *w)
{
	const struct dw_file *f = w->f;
	size_t n = f->nbuffers;
	uint64_t offsets[16] = {0};
	struct sm_buf data = {0};

	mark(w, "headers");
	put_headers(w, w->out);
	mark(w, "ftrace's formats");
	put_ftrace_events(w, w->out);
	mark(w, "formats");
	put_events(w, w->out);
	mark(w, "kallsyms");
	put_text(w, w->out, &f->kallsyms, 4);
	mark(w, "printk formats");
	put_text(w, w->out, &f->printk, 4);
	mark(w, "cmdlines");
	put_text(w, w->out, &f->cmdlines, 8);
	mark(w, "number of CPUs");
	put(w, w->out, n ? f->buffers[n - 1].n : 0, 4);
	mark(w, "options");
	put_string(w->out, "options  ");
	put_options(w, w->out);
	for (size_t i = 0; i + 1 < n && i < 16; i++) {
		sm_buf_reset(&data);
		put(w, &data, 0, 8);
		put_string(&data, f->buffers[i].name);
		offsets[i] = w->out->len + 6;
		put_option(w, w->out, 3, data.data, data.len);
		if (f->buffers[i].n == f->buffers[n - 1].n)
			continue;
		sm_buf_reset(&data);
		put(w, &data, f->buffers[i].n, 4);
		put_option(w, w->out, 8, data.data, data.len);
	}
	put(w, w->out, 0, 2);
	if (n)
		write_buffer(w, &f->buffers[n - 1]);
	for (size_t i = 0; i + 1 < n && i < 16; i++) {
		patch(w, offsets[i], w->out->len);
		write_buffer(w, &f->buffers[i]);
	}
	sm_buf_release(&data);
}

/* ---- version 7 ---- */

static uint64_t begin_section(struct writer *w, unsigned id, const char *name, bool packed)
{
	mark(w, name);
	w->sections[id] = w->out->len;
	put(w, w->out, id, 2);
	put(w, w->out, packed, 2);
	put(w, w->out, w->strings.len, 4);
	put_string(&w->strings, name);
	put(w, w->out, 0, 8);
	return w->out->len;
}

static void end_section(struct writer *w, uint64_t data)
{
	patch(w, data - 8, w->out->len - data);
}

static void write_section(
	struct writer *w, unsigned id, const char *name, const struct sm_buf *content)
{
	bool packed = w->f->packing != DW_NONE;
	uint64_t data = begin_section(w, id, name, packed);

	if (packed)
		put_packed(w, w->out, content->data, content->len);
	else
		sm_buf_add(w->out, content->data, content->len);
	end_section(w, data);
}

/* Options are never compressed: the last is changed when more follow. */
static void write_options(struct writer *w, const struct sm_buf *options)
{
	uint64_t data;

	patch(w, w->next, w->out->len);
	data = begin_section(w, 0, "options", false);
	sm_buf_add(w->out, options->data, options->len);
	put(w, w->out, 0, 2);
	put(w, w->out, 8, 4);
	w->next = w->out->len;
	put(w, w->out, 0, 8);
	end_section(w, data);
}

static void put_chunks(const struct writer *w, OUT, const struct dw_text *pages)
{
	size_t step = (size_t)w->f->page_size * (w->f->pages_a_chunk ? w->f->pages_a_chunk : 10);

	put(w, b, w->f->no_count ? 0 : (pages->len + step - 1) / step, 4);
	for (size_t at = 0; at < pages->len; at += step) {
		size_t n = pages->len - at < step ? pages->len - at : step;

		put_packed(w, b, (const char *)pages->data + at, n);
	}
}

static void write_section_buffer(struct writer *w, const struct dw_buffer *buffer)
{
	const struct dw_text text = {buffer->text, buffer->text ? strlen(buffer->text) : 0};
	bool packed = w->f->packing != DW_NONE;
	struct sm_buf option = {0}, all = {0};
	uint64_t start = w->out->len, data;
	unsigned n = 0;

	data = begin_section(w, buffer->text ? 22 : 3, "buffer", packed);
	put(w, &option, start, 8);
	put_string(&option, buffer->name);
	put_string(&option, buffer->clock);
	for (size_t i = 0; i < buffer->n; i++)
		n += buffer->cpus[i].pages.len > 0;
	if (!buffer->text) {
		if (!w->f->old_buffers)
			put(w, &option, buffer->page_size ? buffer->page_size : w->f->page_size, 4);
		put(w, &option, n, 4);
	} else if (packed) {
		put_chunks(w, w->out, &text);
	} else {
		sm_buf_adds(w->out, buffer->text);
	}
	for (size_t i = 0; i < buffer->n && !buffer->text; i++) {
		const struct dw_cpu *cpu = &buffer->cpus[i];
		uint64_t at;

		if (!cpu->pages.len)
			continue;
		pad(w);
		mark(w, "pages");
		at = w->out->len;
		if (packed)
			put_chunks(w, w->out, &cpu->pages);
		else
			sm_buf_add(w->out, cpu->pages.data, cpu->pages.len);
		put(w, &option, cpu->cpu, 4);
		put(w, &option, at, 8);
		/* As trace-cmd counts them: without the number of chunks. */
		put(w, &option, w->out->len - at - (packed ? 4 : 0), 8);
	}
	end_section(w, data);
	put_option(w, &all, buffer->text ? 22 : 3, option.data, option.len);
	write_options(w, &all);
	sm_buf_release(&option);
	sm_buf_release(&all);
}

static void write_sections(struct writer *w)
{
	static const char *const names[] = {"zlib", "zstd"};
	const struct dw_file *f = w->f;
	struct sm_buf b = {0}, options = {0};
	const struct {
		unsigned id, length_size;
		const char *name;
		const struct dw_text *text;
	} texts[] = {{19, 4, "kallsyms", &f->kallsyms}, {20, 4, "printk", &f->printk},
		{21, 8, "cmdlines", &f->cmdlines}};

	put_string(w->out, f->packing_name ? f->packing_name
			   : f->packing    ? names[f->packing == DW_ZSTD]
					   : "none");
	put_string(w->out, f->packing ? "1.0" : "");
	w->next = w->out->len;
	put(w, w->out, 0, 8);
	put_headers(w, &b);
	write_section(w, 16, "headers", &b);
	sm_buf_reset(&b);
	put_ftrace_events(w, &b);
	write_section(w, 17, "ftrace's formats", &b);
	sm_buf_reset(&b);
	put_events(w, &b);
	write_section(w, 18, "formats", &b);
	for (size_t i = 0; i < SM_ARRAY_SIZE(texts); i++) {
		if (!texts[i].text->len)
			continue;
		sm_buf_reset(&b);
		put_text(w, &b, texts[i].text, texts[i].length_size);
		write_section(w, texts[i].id, texts[i].name, &b);
	}
	for (unsigned id = 16; id <= 21; id++) {
		if (!w->sections[id])
			continue;
		sm_buf_reset(&b);
		put(w, &b, w->sections[id], 8);
		put_option(w, &options, id, b.data, b.len);
	}
	put_options(w, &options);
	write_options(w, &options);
	for (size_t i = f->nbuffers; i--;)
		write_section_buffer(w, &f->buffers[i]);
	write_section(w, 15, "strings", &w->strings);
	sm_buf_release(&b);
	sm_buf_release(&options);
}

void dw_write(const struct dw_file *f, struct sm_buf *out, struct dw_marks *marks)
{
	struct writer w = {.f = f, .out = out, .marks = marks};

	if (marks)
		marks->n = 0;
	sm_buf_add(out, "\x17\x08\x44tracing", 10);
	sm_buf_addf(out, "%u", f->version);
	sm_buf_addc(out, '\0');
	sm_buf_addc(out, f->big_endian);
	sm_buf_addc(out, (char)f->long_size);
	put(&w, out, f->page_size, 4);
	if (f->version < 7)
		write_linear(&w);
	else
		write_sections(&w);
	mark(&w, "end");
	if (out->failed || w.strings.failed)
		die("out of memory");
	sm_buf_release(&w.strings);
}
