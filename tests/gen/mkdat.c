/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mkdat: a trace.dat from any capture. See README.md. */
#include "datwriter.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <smtool/record.h>

#include "gen.h"

#define MAX_FORMATS 512
#define MAX_BUFFERS 8
#define MAX_CPUS 256

struct maker {
	struct sm_source *src;
	struct dw_file file;
	struct dw_format formats[MAX_FORMATS];
	struct dw_buffer buffers[MAX_BUFFERS];
	struct dw_cpu cpus[MAX_BUFFERS][MAX_CPUS];
	/* What the file refers to until it is written. */
	struct sm_arena arena;
	struct sm_names systems, instances;
	struct sm_trace *traces[MAX_BUFFERS + 1];
	size_t ntraces;
	struct sm_buf uname;
};

static void check(struct sm_error *err)
{
	struct sm_buf b = {0};

	if (!err)
		return;
	sm_error_format(err, &b);
	gen_die(NULL, "%s", b.data);
}

/* A member that is kept until the end; empty where there is none. */
static struct dw_text load(struct maker *m, const char *name)
{
	struct sm_blob blob;
	size_t len;
	char *copy;

	if (!sm_source_has(m->src, name))
		return (struct dw_text){0};
	check(sm_source_read(m->src, name, 0, &blob));
	copy = sm_arena_strndup(&m->arena, (const char *)blob.data, blob.size);
	if (!copy)
		gen_die(NULL, "out of memory");
	len = blob.size;
	sm_blob_release(&blob);
	return (struct dw_text){copy, len};
}

static struct dw_text load_below(struct maker *m, const char *dir, const char *name)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return load(m, path);
}

static void load_formats(struct maker *m)
{
	const struct sm_names *systems = &m->systems;
	struct sm_names names;

	check(sm_source_list(m->src, SM_TRACING "/events", &m->systems));
	for (size_t i = 0; i < systems->n; i++) {
		char dir[256];

		snprintf(dir, sizeof(dir), SM_TRACING "/events/%s", systems->names[i]);
		check(sm_source_list(m->src, dir, &names));
		for (size_t k = 0; k < names.n && m->file.nformats < MAX_FORMATS; k++) {
			struct dw_format *f = &m->formats[m->file.nformats];
			char format[128];

			snprintf(format, sizeof(format), "%s/format", names.names[k]);
			f->text = load_below(m, dir, format);
			f->system = systems->names[i];
			m->file.nformats += f->text.len > 0;
		}
		sm_names_release(&names);
	}
	m->file.formats = m->formats;
}

/* The pages that `instance` (NULL = the top level) has. */
static struct sm_trace *load_buffer(struct maker *m, const char *instance)
{
	const struct sm_trace_opts opts = {.instance = instance, .no_map = true};
	struct dw_buffer *b = &m->buffers[m->file.nbuffers];
	struct dw_cpu *cpus = m->cpus[m->file.nbuffers];
	struct sm_trace *trace;

	check(sm_trace_open(m->src, &opts, &trace));
	m->traces[m->ntraces++] = trace;
	b->name = instance ? instance : "";
	b->clock = *trace->clock ? trace->clock : "local";
	b->page_size = trace->layout.page_size;
	b->cpus = cpus;
	for (size_t i = 0; i < trace->ncpus; i++) {
		unsigned cpu = m->file.version < 7 ? trace->cpus[i].cpu : (unsigned)i;
		char stats[64];

		if (cpu >= MAX_CPUS)
			gen_die(NULL, "too many CPUs");
		/* Version 6 has no numbers: those that aren't there are empty. */
		while (b->n < cpu) {
			cpus[b->n].cpu = (unsigned)b->n;
			b->n++;
		}
		cpus[cpu].cpu = trace->cpus[i].cpu;
		cpus[cpu].pages = load(m, trace->cpus[i].member);
		snprintf(stats, sizeof(stats), "per_cpu/cpu%u/stats", trace->cpus[i].cpu);
		cpus[cpu].stats = load_below(m, trace->tracing, stats).data;
		b->n = cpu + 1;
	}
	m->file.nbuffers++;
	return trace;
}

/* A top buffer without pages. */
static void load_nothing(struct maker *m)
{
	struct dw_buffer *b = &m->buffers[m->file.nbuffers];

	*b = (struct dw_buffer){.name = "", .clock = "local", .cpus = m->cpus[m->file.nbuffers]};
	for (size_t i = 0; i < m->file.nbuffers; i++)
		b->n = m->buffers[i].n > b->n ? m->buffers[i].n : b->n;
	for (size_t i = 0; i < b->n; i++)
		m->cpus[m->file.nbuffers][i].cpu = (unsigned)i;
	m->file.nbuffers++;
}

/* The machine's: that of sub-buffers of the top level, which nobody has enlarged. */
static uint32_t page_size(const struct maker *m)
{
	const char *line = m->file.header_page.data, *data = line ? strstr(line, " data;") : NULL;
	unsigned offset, size;

	if (!data || sscanf(data, " data; offset:%u; size:%u;", &offset, &size) != 2)
		gen_die(NULL, "no header_page");
	return offset + size;
}

static void load_buffers(struct maker *m)
{
	const struct sm_names *instances = &m->instances;
	struct sm_trace *trace;
	struct sm_names names;
	bool top;

	check(sm_source_list(m->src, SM_TRACING "/per_cpu", &names));
	top = names.n > 0;
	sm_names_release(&names);
	check(sm_source_list(m->src, SM_TRACING "/instances", &m->instances));
	for (size_t i = 0; i < instances->n && i < MAX_BUFFERS - 1; i++)
		load_buffer(m, instances->names[i]);
	if (top || !instances->n) {
		trace = load_buffer(m, NULL);
	} else {
		trace = m->traces[0];
		load_nothing(m);
	}
	m->file.buffers = m->buffers;
	m->file.big_endian = trace->layout.swap != sm_host_big_endian();
	m->file.long_size = trace->layout.long_size;
	m->file.page_size = page_size(m);
	if (trace->kernel_release) {
		sm_buf_addf(&m->uname, "Linux host %s %s", trace->kernel_release,
			trace->machine ? trace->machine : "unknown");
		m->file.uname = m->uname.data;
	}
}

static void make(struct maker *m, const char *from, const char *to)
{
	struct sm_buf out = {0};
	FILE *f = stdout;

	check(sm_source_open(from, NULL, &m->src));
	m->file.header_page = load(m, SM_TRACING "/events/header_page");
	m->file.header_event = load(m, SM_TRACING "/events/header_event");
	m->file.kallsyms = load(m, "proc/kallsyms");
	m->file.printk = load(m, SM_TRACING "/printk_formats");
	m->file.cmdlines = load(m, SM_TRACING "/saved_cmdlines");
	m->file.clocks = load(m, SM_TRACING "/trace_clock").data;
	m->file.recorder = "3.1.6 (mkdat)";
	load_formats(m);
	load_buffers(m);
	dw_write(&m->file, &out, NULL);
	if (strcmp(to, "-"))
		f = fopen(to, "wb");
	if (!f || fwrite(out.data, 1, out.len, f) != out.len || fflush(f))
		gen_die(NULL, "cannot write '%s'", to);
	if (f != stdout)
		fclose(f);
	sm_buf_release(&out);
}

static void release(struct maker *m)
{
	for (size_t i = 0; i < m->ntraces; i++)
		sm_trace_free(m->traces[i]);
	sm_names_release(&m->systems);
	sm_names_release(&m->instances);
	sm_source_free(m->src);
	sm_buf_release(&m->uname);
	sm_arena_release(&m->arena);
	free(m);
}

static int usage(void)
{
	fputs("usage: mkdat [-6] [-p none|zstd|zlib] [-c PAGES] [-n] [-b] [-o OFFSET] [-d DATE] "
	      "[-t MULT:SHIFT] CAPTURE OUT\n",
		stderr);
	return 2;
}

int main(int argc, char **argv)
{
	struct maker *m = gen_alloc(NULL, sizeof(*m));
	int opt;

	m->file.version = 7;
	while ((opt = getopt(argc, argv, "6p:c:nbo:d:t:")) != -1) {
		switch (opt) {
		case '6':
			m->file.version = 6;
			break;
		case 'p':
			m->file.packing = !strcmp(optarg, "zstd")   ? DW_ZSTD
					  : !strcmp(optarg, "zlib") ? DW_ZLIB
								    : DW_NONE;
			break;
		case 'c':
			m->file.pages_a_chunk = (unsigned)strtoul(optarg, NULL, 10);
			break;
		case 'n':
			m->file.no_count = true;
			break;
		case 'b':
			m->file.old_buffers = true;
			break;
		case 'o':
			m->file.offset = optarg;
			break;
		case 'd':
			m->file.date = optarg;
			break;
		case 't':
			if (sscanf(optarg, "%u:%u", &m->file.multiplier, &m->file.shift) != 2)
				return usage();
			break;
		default:
			return usage();
		}
	}
	if (argc - optind != 2)
		return usage();
	make(m, argv[optind], argv[optind + 1]);
	release(m);
	return 0;
}
