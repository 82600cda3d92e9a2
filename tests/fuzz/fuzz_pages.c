/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pages of the ring buffer, decoded, joined and profiled, in a capture that is made once per
 * layout.
 *
 *   byte 0   bit 0: big endian, bit 1: 32-bit longs, bit 2: larger pages, bit 3: a second CPU has
 * the same pages, bit 4: without a stack map, bit 5: clock local byte 1   whether metrics are of
 * slab or page events, and what rows are
 *   ...      the pages; of 256 bytes, or 1024 where bit 2 is set
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <smtool/profile.h>

#define LAYOUTS 8
#define TRACING_DIR SM_TRACING
#define CPU_FILE(n) TRACING_DIR "/per_cpu/cpu" n "/trace_pipe_raw"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void write_file(const char *root, const char *name, const void *data, size_t len)
{
	char path[512];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", root, name);
	for (char *p = strchr(path + strlen(root) + 1, '/'); p; p = strchr(p + 1, '/')) {
		*p = '\0';
		mkdir(path, 0700);
		*p = '/';
	}
	/* Cut afterwards: some file systems flush what is truncated first to the disk. */
	fd = open(path, O_WRONLY | O_CREAT, 0600);
	if (fd < 0 || write(fd, data, len) != (ssize_t)len || ftruncate(fd, (off_t)len) ||
		close(fd))
		abort();
}

/* Fields are "DECL", "SIZE" or "L" for a long, then whether it is signed. */
struct field {
	const char *decl;
	char size; /* '1'..'8', 'L' */
};

static void add_field(struct sm_buf *b, const struct field *f, unsigned word, unsigned *at)
{
	unsigned size = f->size == 'L' ? word : (unsigned)(f->size - '0');

	*at = (*at + size - 1) / size * size;
	sm_buf_addf(b, "\tfield:%s;\toffset:%u;\tsize:%u;\tsigned:0;\n", f->decl, *at, size);
	*at += size;
}

static void write_format(const char *root, const char *name, unsigned id, unsigned word,
	const struct field *fields, size_t n)
{
	static const struct field common[] = {{"unsigned short common_type", '2'},
		{"unsigned char common_flags", '1'}, {"unsigned char common_preempt_count", '1'},
		{"int common_pid", '4'}};
	struct sm_buf b = {0};
	char path[256];
	unsigned at = 0;

	sm_buf_addf(&b, "name: %s\nID: %u\nformat:\n", strchr(name, '/') + 1, id);
	for (size_t i = 0; i < SM_ARRAY_SIZE(common); i++)
		add_field(&b, &common[i], word, &at);
	sm_buf_adds(&b, "\n");
	for (size_t i = 0; i < n; i++)
		add_field(&b, &fields[i], word, &at);
	sm_buf_adds(&b, "\nprint fmt: \"%s\", __print_flags(REC->gfp_flags, \"|\", {0xcc0u, "
			"\"GFP_KERNEL\"}, {0x100u, \"__GFP_ZERO\"})\n");
	snprintf(path, sizeof(path), TRACING_DIR "/events/%s/format", name);
	write_file(root, path, b.data, b.len);
	sm_buf_release(&b);
}

static void write_formats(const char *root, unsigned word)
{
	static const struct field kmalloc[] = {{"unsigned long call_site", 'L'},
		{"const void * ptr", 'L'}, {"size_t bytes_req", 'L'}, {"size_t bytes_alloc", 'L'},
		{"unsigned long gfp_flags", 'L'}, {"int node", '4'}};
	static const struct field cache[] = {{"unsigned long call_site", 'L'},
		{"const void * ptr", 'L'}, {"__data_loc char[] name", '4'},
		{"size_t bytes_req", 'L'}, {"size_t bytes_alloc", 'L'},
		{"unsigned long gfp_flags", 'L'}};
	static const struct field release[] = {
		{"unsigned long call_site", 'L'}, {"const void * ptr", 'L'}};
	static const struct field page[] = {{"unsigned long pfn", 'L'}, {"unsigned int order", '4'},
		{"unsigned long gfp_flags", 'L'}};
	static const struct field stack[] = {{"int size", '4'}, {"unsigned long caller[1]", 'L'}};
	static const struct field id[] = {{"int stack_id", '4'}};

	write_format(root, "kmem/kmalloc", 10, word, kmalloc, SM_ARRAY_SIZE(kmalloc));
	write_format(root, "kmem/kmem_cache_alloc", 11, word, cache, SM_ARRAY_SIZE(cache));
	write_format(root, "kmem/kfree", 12, word, release, SM_ARRAY_SIZE(release));
	write_format(root, "kmem/mm_page_alloc", 13, word, page, SM_ARRAY_SIZE(page));
	write_format(root, "kmem/mm_page_free", 14, word, page, SM_ARRAY_SIZE(page));
	write_format(root, "ftrace/kernel_stack", 4, word, stack, SM_ARRAY_SIZE(stack));
	write_format(root, "ftrace/stack_id", 5, word, id, SM_ARRAY_SIZE(id));
}

static void put(struct sm_buf *b, uint64_t v, unsigned size, bool big)
{
	for (unsigned i = 0; i < size; i++)
		sm_buf_addc(b, (char)(v >> 8 * (big ? size - 1 - i : i)));
}

/* Two stacks, ids 1 and 2. */
static void write_map(const char *root, bool big)
{
	static const uint32_t words[] = {SM_MAP_MAGIC, 1, 2, 0};
	struct sm_buf b = {0};

	for (unsigned i = 0; i < 4; i++)
		put(&b, words[i], 4, big);
	for (unsigned id = 1; id <= 2; id++) {
		put(&b, id, 4, big);
		put(&b, id, 4, big);
		put(&b, 7, 8, big);
		for (unsigned i = 0; i < id; i++)
			put(&b, 0x1000 + i, 8, big);
	}
	write_file(root, SM_MEMBER_MAP, b.data, b.len);
	sm_buf_release(&b);
}

/* Opening a trace costs far more than to read a few pages: each stays open for some inputs, of
 * which it keeps the distinct stacks. */
#define MAX_USES 500

static struct kept {
	struct sm_source *src;
	struct sm_trace *trace;
	unsigned uses;
} kept[64]; /* by byte 0 */

static void drop(struct kept *k)
{
	sm_trace_free(k->trace);
	sm_source_free(k->src);
	memset(k, 0, sizeof(*k));
}

static char roots[LAYOUTS][32];

static void remove_roots(void)
{
	for (unsigned i = 0; i < SM_ARRAY_SIZE(kept); i++)
		drop(&kept[i]);
	for (unsigned i = 0; i < LAYOUTS; i++) {
		char command[512];

		snprintf(command, sizeof(command), "rm -rf '%s'", roots[i]);
		if (*roots[i] && system(command))
			fprintf(stderr, "'%s' is left over\n", roots[i]);
	}
}

static const char *root_of(unsigned how)
{
	bool big = how & 1;
	unsigned word = how & 2 ? 4 : 8, size = how & 4 ? 1024 : 256;
	char *root = roots[how % LAYOUTS], text[512];

	if (*root)
		return root;
	if (!**roots)
		atexit(remove_roots);
	snprintf(root, sizeof(roots[0]), "/tmp/smtool-fuzz-XXXXXX");
	if (!mkdtemp(root))
		abort();
	snprintf(text, sizeof(text),
		"\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
		"\tfield: local_t commit;\toffset:8;\tsize:%u;\tsigned:1;\n"
		"\tfield: char data;\toffset:%u;\tsize:%u;\tsigned:0;\n",
		word, 8 + word, size - 8 - word);
	write_file(root, TRACING_DIR "/events/header_page", text, strlen(text));
	snprintf(text, sizeof(text), "{\"byte_order\": \"%s\"}", big ? "big" : "little");
	write_file(root, "smtool.json", text, strlen(text));
	write_file(root, TRACING_DIR "/saved_cmdlines", "1 init\n", 7);
	write_formats(root, word);
	write_map(root, big);
	return root;
}

struct reader {
	const struct sm_trace *trace;
	uint64_t events, sum;
};

static struct sm_error *read_batch(void *ctx, const struct sm_batch *batch)
{
	struct reader *r = ctx;
	struct sm_buf text = {0};

	for (size_t i = 0; i < batch->n; i++) {
		const struct sm_event *ev = &batch->events[i];

		if (ev->stack < SM_STACK_MAX) {
			struct sm_stack stack = sm_stacks_get(r->trace->stacks, ev->stack);

			for (uint32_t k = 0; k < stack.depth; k++)
				r->sum += stack.ips[k];
		}
		if (ev->cache != SM_NO_STRING)
			r->sum += strlen(sm_trace_cache(r->trace, ev->cache));
		if (ev->type < r->trace->ntypes)
			sm_event_format_fields(r->trace, &r->trace->types[ev->type],
				batch->raw + ev->raw, ev->raw_len, &text);
		sm_buf_reset(&text);
	}
	r->events += batch->n;
	sm_buf_release(&text);
	return NULL;
}

static void profile(struct sm_trace *trace, uint8_t how)
{
	struct sm_profile_opts opts = {
		.family = how & 1 ? SM_FAMILY_PAGE : SM_FAMILY_SLAB,
		.attr = (enum sm_attr)((how >> 1) % (SM_ATTR_SIZE + 1)),
		.by_stack = how & 64,
		.threads = 1,
		.older = how & 32 ? 1000 : 0,
	};
	struct sm_profile *p;
	struct sm_error *err;
	uint64_t live = 0;

	if (how & 128)
		opts.to.kind = SM_MOMENT_PEAK;
	err = sm_profile_build(trace, &opts, &p);
	if (err)
		abort();
	for (size_t i = 0; i < p->nrows; i++) {
		struct sm_buf label = {0};

		live += p->rows[i].m[SM_M_LIVE_BYTES];
		sm_profile_label(p, p->rows[i].attr, &label);
		sm_buf_release(&label);
	}
	if (live != p->totals[SM_M_LIVE_BYTES])
		abort();
	sm_profile_free(p);
}

static struct sm_trace *open_trace(const char *root, uint8_t how)
{
	struct sm_trace_opts opts = {.no_map = how & 16};
	struct kept *k = &kept[how & 63];

	if (k->trace && k->uses++ < MAX_USES)
		return k->trace;
	drop(k);
	write_file(root, TRACING_DIR "/trace_clock", how & 32 ? "[local]" : "[mono] ", 7);
	if (sm_source_open(root, NULL, &k->src) || sm_trace_open(k->src, &opts, &k->trace))
		abort();
	return k->trace;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct reader one = {0}, two = {0};
	struct sm_trace *trace;
	const char *root;
	uint8_t how, what;

	if (size < 2)
		return 0;
	how = data[0];
	what = data[1];
	root = root_of(how & 7);
	write_file(root, CPU_FILE("0"), data + 2, size - 2);
	write_file(root, CPU_FILE("3"), data + 2, how & 8 ? size - 2 : 0);
	trace = open_trace(root, how);
	one.trace = two.trace = trace;
	if (sm_trace_run(trace, &(struct sm_run_opts){.threads = 1, .raw = true}, read_batch, &one))
		abort();
	if (one.events != trace->health.events)
		abort();
	if (how & 8) {
		struct sm_run_opts opts = {.threads = 2, .raw = true};

		if (sm_trace_run(trace, &opts, read_batch, &two))
			abort();
		if (one.events != two.events || one.sum != two.sum)
			abort();
	}
	profile(trace, what);
	return 0;
}
