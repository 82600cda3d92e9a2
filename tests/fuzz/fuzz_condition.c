/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a user writes for a comparison: conditions, and files of suppressions. Both are texts of any
 * kind; what is understood can be asked.
 */
#include <stdlib.h>

#include "lib/table/suppression.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void condition(const char *text, bool series)
{
	struct sm_diff_input inputs[3] = {{.total = 10}, {.total = 7}, {.total = UINT64_MAX}};
	struct sm_diff d = {.inputs = inputs, .ninputs = series ? 3 : 2, .is_bytes = true};
	struct sm_condition c;
	struct sm_error *err = sm_condition_parse(text, series, &c);
	struct sm_buf why = {0};

	d.of_status[SM_DIFF_NEW] = (struct sm_diff_sum){1, 5, 0, 5};
	if (!err) {
		bool holds = sm_condition_holds(&c, &d, &why);

		/* Says the same when it is asked again. */
		if (holds != sm_condition_holds(&c, &d, &why) || !why.len)
			abort();
	} else if (err->code != SM_E_USAGE) {
		abort();
	}
	sm_error_free(err);
	sm_buf_release(&why);
}

static void suppressions(const char *text, size_t size)
{
	struct sm_suppressions *s;
	struct sm_error *err = sm_suppressions_parse("file", text, size, &s);
	unsigned line = 0;
	bool *used;
	size_t n;

	if (err) {
		if (s || err->code != SM_E_USAGE)
			abort();
		sm_error_free(err);
		return;
	}
	n = sm_suppressions_count(s);
	used = calloc(n + 1, sizeof(*used));
	for (size_t i = 0; i < n; i++) {
		const struct sm_suppression *x = sm_suppressions_get(s, i);

		if (x->line <= line || !*x->pattern || *x->pattern == '#' ||
			strchr(x->pattern, '\n'))
			abort();
		line = x->line;
	}
	if (used && n <= 64) {
		size_t first = sm_suppressions_match(s, "do_work [testmod]", used);

		if (first != SIZE_MAX && !used[first])
			abort();
	}
	free(used);
	sm_suppressions_free(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* In memory of its own: who reads behind it is found. */
	char *text = malloc(size + 1);

	if (!text)
		abort();
	memcpy(text, data, size);
	text[size] = '\0';
	condition(text, false);
	condition(text, true);
	/* Bounds multiply in the C library's expressions, which isn't what is tested here. */
	if (!memchr(text, '{', size)) {
		char *exact = malloc(size ? size : 1);

		if (!exact)
			abort();
		memcpy(exact, data, size);
		suppressions(exact, size);
		free(exact);
	}
	free(text);
	return 0;
}
