/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dat_sample.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

void make_sample(struct sample *s)
{
	static const struct dw_format formats[] = {
		{"ftrace", TEXT("name: kernel_stack\nID: 4\n")},
		{"kmem", TEXT("name: kmalloc\nID: 300\n")},
		{"kmem", TEXT("name: kfree\nID: 301\n")},
		{"sched", TEXT("name: sched_switch\nID: 302\n")},
	};
	static const char stats[] = "entries: 0\noverrun: 0\nread events: 7\n";

	memset(s, 0, sizeof(*s));
	memcpy(s->formats, formats, sizeof(formats));
	for (size_t i = 0; i + 64 < sizeof(s->kallsyms); i += 64)
		snprintf(s->kallsyms + i, 65, "%016zx T function_%-34zu\n", i, i);
	for (unsigned i = 0; i < 3; i++)
		s->pages[i] = scratch_pattern(PAGES, i);
	s->top[0] = (struct dw_cpu){0, {s->pages[0], PAGES}, stats};
	s->top[1] = (struct dw_cpu){1, {NULL, 0}, "entries: 0\nread events: 0\n"};
	s->top[2] = (struct dw_cpu){2, {s->pages[1], 3 * 4096}, stats};
	s->other[0] = (struct dw_cpu){0, {s->pages[2], 4096}, stats};
	s->other[1] = (struct dw_cpu){1, {NULL, 0}, NULL};
	s->buffers[0] =
		(struct dw_buffer){.name = "other", .clock = "mono", .cpus = s->other, .n = 2};
	s->buffers[1] = (struct dw_buffer){.name = "", .clock = "global", .cpus = s->top, .n = 3};
	s->file = (struct dw_file){
		.version = 7,
		.packing = DW_ZSTD,
		.long_size = 4,
		.page_size = 4096,
		.header_page = TEXT(HEADER_PAGE),
		.header_event = TEXT("# compressed entry header\n"),
		.formats = s->formats,
		.nformats = 4,
		.kallsyms = {s->kallsyms, strlen(s->kallsyms)},
		.printk = TEXT("0xffffffff82000000 : \"hello\\n\"\n"),
		.cmdlines = TEXT("1 init\n2 kthreadd\n"),
		.clocks = "local [global] counter\n",
		.uname = "Linux some host 6.1.0-44-amd64 x86_64",
		.recorder = "3.1.6 not-a-git-repo",
		.buffers = s->buffers,
		.nbuffers = 2,
	};
}

void make_small(struct sample *s)
{
	make_sample(s);
	s->file.kallsyms.len = 640;
	s->top[0].pages.len = 4096;
	s->top[2].pages.len = 4096;
	s->file.pages_a_chunk = 1;
}

void drop_sample(struct sample *s)
{
	for (unsigned i = 0; i < 3; i++)
		free(s->pages[i]);
}

void rewrite_sample(const struct sample *s, struct sm_buf *out, struct dw_marks *marks)
{
	sm_buf_reset(out);
	dw_write(&s->file, out, marks);
}

void write_sample(const struct scratch *dir, const struct sample *s, struct sm_buf *out,
	struct dw_marks *marks)
{
	rewrite_sample(s, out, marks);
	scratch_write(dir, "trace.dat", out->data, out->len);
}

bool next_variant(struct sample *s, unsigned i)
{
	if (i >= 16)
		return false;
	s->file.big_endian = i & 1;
	s->file.version = i & 2 ? 7 : 6;
	s->file.packing = s->file.version < 7 ? DW_NONE : (enum dw_packing)(i / 4 % 3);
	s->file.no_count = i & 8;
	s->file.old_buffers = i & 8;
	return true;
}

void has_text(const struct sm_source *src, const char *name, const char *text)
{
	scratch_member_is(src, name, text, strlen(text));
}

void damage_is(const struct scratch *dir, const char *text)
{
	struct sm_source *src = scratch_open(dir, "trace.dat");
	const struct sm_error *damage = sm_source_damage(src);
	struct sm_buf line = {0};

	assert_non_null(damage);
	sm_error_format(damage, &line);
	if (!strstr(line.data, text))
		fail_msg("no '%s' in %s", text, line.data);
	sm_buf_release(&line);
	sm_source_free(src);
}
