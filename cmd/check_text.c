/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Is a text of the kernel's sound? */
#include "check.h"

void check_text(struct check *c)
{
	const struct sm_text *text = &c->trace->text;
	const char *path = sm_source_path(c->src);
	const struct sm_finding *bad;
	size_t n;

	if (c->trace->damage) {
		report_take(&c->report, SEVERITY_ERROR, c->trace->damage);
		c->trace->damage = NULL;
	}
	bad = sm_trace_findings(c->trace, &n);
	for (size_t i = 0; i < n; i++)
		report_take(&c->report, SEVERITY_ERROR,
			sm_error_at(SM_E_FORMAT, bad[i].path, bad[i].offset, bad[i].what, "%s",
				bad[i].detail ? bad[i].detail : ""));
	if (text->bad_blocks > n)
		report_add(&c->report, SEVERITY_ERROR, path, "more that makes no sense",
			"%llu in all, %zu are listed", (unsigned long long)text->bad_blocks, n);
	if (text->unknown_lines)
		report_add(&c->report, SEVERITY_NOTE, path, "lines that aren't understood",
			"%llu; the first is line %llu", (unsigned long long)text->unknown_lines,
			(unsigned long long)text->unknown_line);
	if (text->inaccurate)
		report_add(&c->report, SEVERITY_WARNING, path, "inaccurate figures",
			"the kernel says so of %llu places", (unsigned long long)text->inaccurate);
	if (c->trace->health.no_stack)
		report_add(&c->report, SEVERITY_NOTE, path, "pages without a stack", "%llu of %llu",
			(unsigned long long)c->trace->health.no_stack,
			(unsigned long long)text->blocks);
	if (text->pages && text->page_size_assumed)
		report_add(&c->report, SEVERITY_NOTE, path, "size of pages not told",
			"4 KiB is assumed; --page-size of top and others says what it is");
	report_add(&c->report, SEVERITY_NOTE, path, text->kind, "%llu block%s",
		(unsigned long long)text->blocks, text->blocks == 1 ? "" : "s");
}
