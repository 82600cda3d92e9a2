// SPDX-License-Identifier: GPL-2.0-or-later
/* repeater: makes a capture long by repeating its pages, each copy later than the one before. */
#define _XOPEN_SOURCE 700
#include "gen.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TIME_MASK ((UINT64_C(1) << 59) - 1)
#define GAP_NS 1000000u

struct trace_file {
	char *path; /* below the directories */
	uint8_t *data;
	size_t len;
	uint32_t page_size;
};

struct repeater {
	const char *from, *to;
	uint32_t page_size, data_offset, commit_size;
	bool big_endian, order_known;
	struct trace_file *files;
	size_t nfiles, cap;
	uint64_t first, last; /* times of all files */
	uint64_t total, copies;
};

static uint64_t get(const struct repeater *r, const uint8_t *p, unsigned size)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < size; i++)
		v |= (uint64_t)p[r->big_endian ? size - 1 - i : i] << 8 * i;
	return v;
}

static void put(const struct repeater *r, uint8_t *p, unsigned size, uint64_t v)
{
	for (unsigned i = 0; i < size; i++)
		p[r->big_endian ? size - 1 - i : i] = (uint8_t)(v >> 8 * i);
}

static uint8_t *read_all(const char *path, size_t *len)
{
	size_t cap = 0;
	uint8_t *data = NULL;
	FILE *f = fopen(path, "rb");

	*len = 0;
	if (!f)
		gen_die(NULL, "cannot open '%s': %s", path, strerror(errno));
	for (;;) {
		size_t n;

		gen_grow(NULL, &data, &cap, *len + 65536, 1);
		n = fread(data + *len, 1, cap - *len - 1, f);
		*len += n;
		if (!n)
			break;
	}
	data[*len] = 0;
	fclose(f);
	return data;
}

static void join(char *out, size_t size, const char *dir, const char *name)
{
	if ((size_t)snprintf(out, size, "%s%s%s", dir, *dir && *name ? "/" : "", name) >= size)
		gen_die(NULL, "the path '%s' is too long", name);
}

/* Reads PREFIX/events/header_page, PREFIX ending in a slash. */
static void read_layout(struct repeater *r, const char *prefix)
{
	char path[4096], name[4200];
	unsigned size;
	size_t len;
	char *text, *s;

	snprintf(name, sizeof(name), "%sevents/header_page", prefix);
	join(path, sizeof(path), r->from, name);
	text = (char *)read_all(path, &len);
	s = strstr(text, "commit;");
	if (!s || sscanf(s, "commit; offset:%*u; size:%u", &r->commit_size) != 1)
		gen_die(NULL, "'%s' has no commit field", path);
	s = strstr(text, "data;");
	if (!s || sscanf(s, "data; offset:%u; size:%u", &r->data_offset, &size) != 2)
		gen_die(NULL, "'%s' has no data field", path);
	r->page_size = r->data_offset + size;
	if (r->data_offset < 12 || r->data_offset > 64 || size > 1u << 24 || r->commit_size > 8)
		gen_die(NULL, "'%s' makes no sense", path);
	free(text);
}

/* An instance whose sub-buffers differ has a layout of its own. */
static void find_layout(struct repeater *r, const char *pages)
{
	const char *end = strstr(pages, "per_cpu/");
	char prefix[4096], name[4200], path[4096];

	snprintf(prefix, sizeof(prefix), "%.*s", end ? (int)(end - pages) : 0, pages);
	snprintf(name, sizeof(name), "%sevents/header_page", prefix);
	join(path, sizeof(path), r->from, name);
	read_layout(r, access(path, R_OK) ? TRACING "/" : prefix);
}

/* Walks a page: its last time into *end. Absolute times are moved by `shift`. True when there are
 * records and all of them are sound. */
static bool walk(
	const struct repeater *r, uint8_t *page, uint32_t page_size, uint64_t shift, uint64_t *end)
{
	uint64_t time = get(r, page, 8);
	uint64_t used = get(r, page + 8, r->commit_size) & 0x7ffffff;
	uint8_t *p = page + r->data_offset, *stop;

	if (used > page_size - r->data_offset)
		used = 0;
	stop = p + used;
	while (stop - p >= 4) {
		uint32_t w = (uint32_t)get(r, p, 4);
		uint32_t type = r->big_endian ? w >> 27 : w & 31;
		uint32_t delta = r->big_endian ? w & 0x7ffffff : w >> 5;
		uint64_t array = stop - p >= 8 ? get(r, p + 4, 4) : 0;
		uint64_t len = 4 + 4 * (uint64_t)type;

		if (type == 0 || type == 29)
			len = 4 + array;
		else if (type >= 30)
			len = 8;
		if (len > (uint64_t)(stop - p) || len < 8 || (type == 29 && !delta))
			break;
		if (type == 31) {
			uint64_t t = (array << 27) + delta;

			time = (time & ~TIME_MASK) + t +
			       (t < (time & TIME_MASK) ? TIME_MASK + 1 : 0);
			t = (t + shift) & TIME_MASK;
			put(r, p + 4, 4, t >> 27);
			delta = (uint32_t)(t & 0x7ffffff);
			put(r, p, 4, r->big_endian ? type << 27 | delta : type | delta << 5);
		} else if (type == 30) {
			time += (array << 27) + delta;
		} else if (type != 29 || delta != 1) {
			time += delta;
		}
		p += len;
	}
	*end = time;
	return used && p == stop;
}

/* The order in which the records of a page fill it exactly. */
static void find_order(struct repeater *r, const struct trace_file *f)
{
	for (size_t at = 0; at < f->len && !r->order_known; at += f->page_size) {
		for (int big = 0; big < 2 && !r->order_known; big++) {
			uint64_t end;

			r->big_endian = big;
			r->order_known = walk(r, f->data + at, f->page_size, 0, &end);
		}
	}
}

static void add_pages(struct repeater *r, const char *full, const char *path)
{
	struct trace_file *f;

	gen_grow(NULL, &r->files, &r->cap, r->nfiles + 1, sizeof(*r->files));
	find_layout(r, path);
	f = &r->files[r->nfiles++];
	f->path = gen_strdup(NULL, path, strlen(path));
	f->data = read_all(full, &f->len);
	f->page_size = r->page_size;
	f->len -= f->len % f->page_size;
	find_order(r, f);
	r->total += f->len;
}

/* Counts of a stats file grow with the pages. */
static void copy_stats(const struct repeater *r, const char *from, FILE *out)
{
	char line[256];
	FILE *f = fopen(from, "r");

	while (f && fgets(line, sizeof(line), f)) {
		char *colon = strchr(line, ':');
		bool scaled = !strncmp(line, "entries:", 8) || !strncmp(line, "bytes:", 6) ||
			      !strncmp(line, "read events:", 12);

		if (colon && scaled)
			fprintf(out, "%.*s %llu\n", (int)(colon - line + 1), line,
				strtoull(colon + 1, NULL, 10) * (unsigned long long)r->copies);
		else
			fputs(line, out);
	}
	if (f)
		fclose(f);
}

static void copy_file(const struct repeater *r, const char *from, const char *to, bool stats)
{
	size_t len;
	uint8_t *data;
	FILE *out;

	unlink(to);
	if (!make_parents(to))
		gen_die(NULL, "cannot create the directories of '%s'", to);
	if (!stats && !link(from, to))
		return;
	out = fopen(to, "wb");
	if (!out)
		gen_die(NULL, "cannot create '%s': %s", to, strerror(errno));
	if (stats) {
		copy_stats(r, from, out);
	} else {
		data = read_all(from, &len);
		fwrite(data, 1, len, out);
		free(data);
	}
	if (ferror(out) | fclose(out))
		gen_die(NULL, "cannot write '%s'", to);
}

/* With `copy` false collects the pages, else copies everything but them. */
static void visit(struct repeater *r, const char *path, bool copy)
{
	char full[4096], child[4096], to[4096];
	struct dirent *d;
	DIR *dir;

	join(full, sizeof(full), r->from, path);
	dir = opendir(full);
	if (!dir)
		gen_die(NULL, "cannot read '%s': %s", full, strerror(errno));
	while ((d = readdir(dir))) {
		bool pages = !strcmp(d->d_name, "trace_pipe_raw");
		struct stat st;

		if (!strcmp(d->d_name, ".") || !strcmp(d->d_name, ".."))
			continue;
		join(child, sizeof(child), path, d->d_name);
		join(full, sizeof(full), r->from, child);
		if (lstat(full, &st))
			gen_die(NULL, "cannot read '%s': %s", full, strerror(errno));
		if (S_ISDIR(st.st_mode)) {
			visit(r, child, copy);
		} else if (!copy && pages) {
			add_pages(r, full, child);
		} else if (copy && !pages && S_ISREG(st.st_mode)) {
			join(to, sizeof(to), r->to, child);
			copy_file(r, full, to, !strcmp(d->d_name, "stats"));
		}
	}
	closedir(dir);
}

static void find_span(struct repeater *r)
{
	r->first = UINT64_MAX;
	for (size_t i = 0; i < r->nfiles; i++)
		for (size_t at = 0; at < r->files[i].len; at += r->files[i].page_size) {
			uint8_t *page = r->files[i].data + at;
			uint64_t start = get(r, page, 8), end;

			walk(r, page, r->files[i].page_size, 0, &end);
			r->first = start < r->first ? start : r->first;
			r->last = end > r->last ? end : r->last;
		}
}

static void write_pages(const struct repeater *r, const struct trace_file *f, uint64_t span)
{
	char to[4096];
	FILE *out;

	join(to, sizeof(to), r->to, f->path);
	out = make_parents(to) ? fopen(to, "wb") : NULL;
	if (!out)
		gen_die(NULL, "cannot create '%s': %s", to, strerror(errno));
	for (uint64_t k = 0; k < r->copies; k++) {
		if (fwrite(f->data, 1, f->len, out) != f->len)
			break;
		for (size_t at = 0; at < f->len; at += f->page_size) {
			uint8_t *page = f->data + at;
			uint64_t end;

			walk(r, page, f->page_size, span, &end);
			put(r, page, 8, get(r, page, 8) + span);
		}
	}
	if (ferror(out) | fclose(out))
		gen_die(NULL, "cannot write '%s'", to);
}

int repeat_capture(const char *dir, const char *outdir, const char *mb)
{
	struct repeater r = {.from = dir, .to = outdir};
	char *rest;
	uint64_t want = strtoull(mb, &rest, 10) * 1000000;

	if (!*mb || *rest)
		gen_die(NULL, "'%s' is no number of megabytes", mb);
	visit(&r, "", false);
	if (!r.total)
		gen_die(NULL, "'%s' has no pages", dir);
	find_span(&r);
	r.copies = (want + r.total - 1) / r.total;
	r.copies += !r.copies;
	visit(&r, "", true);
	for (size_t i = 0; i < r.nfiles; i++) {
		write_pages(&r, &r.files[i], r.last - r.first + GAP_NS);
		free(r.files[i].data);
		free(r.files[i].path);
	}
	free(r.files);
	fprintf(stderr, "%llu copies, %llu bytes of pages, %llu ns apart\n",
		(unsigned long long)r.copies, (unsigned long long)(r.copies * r.total),
		(unsigned long long)(r.last - r.first + GAP_NS));
	return 0;
}
