/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What can be asked of a page_owner: what its kernel's version tells of each page. */
#include "internal.h"

static struct sm_error *untold(const struct sm_trace *trace, const char *option, const char *what)
{
	return sm_error_new(SM_E_USAGE, sm_source_path(trace->src), "not told by a page_owner",
		"%s needs %s", option, what);
}

struct sm_error *sm_check_text_choice(const struct sm_trace *trace, struct sm_profile_opts *opts)
{
	const struct sm_text *text = &trace->text;
	enum sm_attr attr = opts->attr;
	const struct {
		bool wanted, told;
		const char *option, *what;
	} CHOICES[] = {
		{opts->family == SM_FAMILY_SLAB, false, "--slab", "slab objects: it has pages"},
		{opts->ncpus > 0, false, "--cpu", "CPUs"},
		{attr == SM_ATTR_CPU, false, "--group-by cpu", "CPUs"},
		{opts->caches.n > 0, false, "--cache", "slab objects: it has pages"},
		{attr == SM_ATTR_CACHE, false, "--group-by cache", "slab objects: it has pages"},
		{opts->comms.n > 0, text->has_comm, "--comm", "names of tasks (Linux 5.18)"},
		{attr == SM_ATTR_COMM, text->has_comm, "--group-by comm",
			"names of tasks (Linux 5.18)"},
		{opts->npids > 0, text->has_task, "--pid", "pids (Linux 5.11)"},
		{attr == SM_ATTR_PID, text->has_task, "--group-by pid", "pids (Linux 5.11)"},
		{opts->older > 0, text->has_time, "--older", "times (Linux 5.11)"},
		{opts->from.kind != SM_MOMENT_NONE || opts->to.kind != SM_MOMENT_NONE,
			text->has_time, "--time", "times (Linux 5.11)"},
		/* Whose share of a peak was freed since isn't there. */
		{opts->to.kind == SM_MOMENT_PEAK, false, "--at peak", "what was freed since"},
	};

	for (size_t i = 0; i < SM_ARRAY_SIZE(CHOICES); i++)
		if (CHOICES[i].wanted && !CHOICES[i].told)
			return untold(trace, CHOICES[i].option, CHOICES[i].what);
	opts->attrs &= ~(1u << SM_ATTR_CPU | 1u << SM_ATTR_CACHE);
	if (!text->has_comm)
		opts->attrs &= ~(1u << SM_ATTR_COMM);
	if (!text->has_task)
		opts->attrs &= ~(1u << SM_ATTR_PID);
	return NULL;
}
