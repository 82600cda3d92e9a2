/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Text with addresses in it: the filter only adds, what it finds lies in the text, and the reader
 * of lists of addresses takes all of any text.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/view/mention.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char KALLSYMS[] = "ffffffff81000000 T _stext\n"
			       "ffffffff81001000 t do_work\n"
			       "ffffffff81002000 t do_work\n"
			       "ffffffff81002040 T next.cold\n"
			       "ffffffff81004000 T _etext\n"
			       "ffffffffc0001000 t open\t[some]\n";

static struct sm_symbols *open_symbols(void)
{
	struct sm_symbols_opts opts = {.no_debug = true};
	int fd = memfd_create("kallsyms", 0);
	struct sm_symbols *syms = NULL;
	char path[64];

	if (fd < 0 || write(fd, KALLSYMS, sizeof(KALLSYMS) - 1) != sizeof(KALLSYMS) - 1)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	opts.kallsyms = path;
	if (sm_symbols_open(NULL, &opts, &syms))
		abort();
	close(fd);
	return syms;
}

static void filter(const struct sm_symbols *syms, const char *text, size_t len, bool escape)
{
	const struct sm_filter_opts opts = {.escape = escape};
	struct sm_buf have = {0};
	struct sm_filter *f;
	struct sm_out out;
	size_t at = 0;

	sm_error_free(sm_out_init_buf(&out, &have));
	f = sm_filter_new(syms, &opts, &out);
	if (!f)
		abort();
	/* In two pieces, of which the second begins anywhere. */
	sm_filter_write(f, text, len / 2);
	sm_filter_write(f, text + len / 2, len - len / 2);
	sm_filter_free(f);
	sm_error_free(sm_out_finish(&out));
	for (size_t i = 0; i < have.len && !escape; i++)
		at += at < len && have.data[i] == text[at];
	if (!escape && at != len)
		abort();
	for (size_t i = 0; i < have.len && escape; i++)
		if ((unsigned char)have.data[i] < ' ' && !strchr("\t\r\n", have.data[i]))
			abort();
	sm_buf_release(&have);
}

static void find(const char *text, size_t len)
{
	size_t pos = 0, from = 0;
	struct sm_mention m;

	while (mention_next(text, len, &pos, &m)) {
		if (m.text < text + from || m.text + m.len != text + pos || !m.len)
			abort();
		if (m.module && (m.module < m.text || m.module + m.module_len > m.text + m.len))
			abort();
		if (m.name && (m.name != m.text || m.name_len > m.len))
			abort();
		mention_is_exact(text, from, (size_t)(m.text - text));
		from = pos;
	}
	if (pos != len)
		abort();
}

static void take(const struct sm_symbols *syms, const char *text, size_t len)
{
	const char *p = text, *end = text + len;
	struct sm_mention m;
	bool found = true;

	while (found) {
		const char *before = p;
		struct sm_error *err = sm_mention_take(&p, end, &m, &found);
		uint64_t ip = 0;

		if (p > end || (found && (p == before || m.text + m.len != p)))
			abort();
		if (!err && found)
			sm_mention_resolve(syms, &m, true, &ip);
		sm_error_free(err);
	}
	if (p != end)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct sm_symbols *syms;
	/* In memory of its own: who reads behind it is found. */
	char *text = malloc(size ? size : 1);

	if (!syms)
		syms = open_symbols();
	if (!text)
		abort();
	memcpy(text, data, size);
	find(text, size);
	take(syms, text, size);
	filter(syms, text, size, false);
	filter(syms, text, size, true);
	free(text);
	return 0;
}
