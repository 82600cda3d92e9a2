/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which text of the kernel's there is, and what it means for a trace. */
#include <unistd.h>

#include "text.h"

#define USUAL_PAGE_SIZE 4096

static bool is_page_size(uint64_t size)
{
	return size >= 1024 && size <= UINT64_C(1) << 20 && (size & (size - 1)) == 0;
}

bool sm_text_load(struct sm_trace *trace, uint64_t page_size, struct sm_error **err)
{
	static const struct {
		const char *member;
		struct sm_error *(*read)(struct sm_trace *trace, const char *member);
	} TEXTS[] = {
		/* What tells more is first. */
		{SM_MEMBER_PAGE_OWNER, page_owner_read},
		{SM_MEMBER_SHOW_STACKS, page_owner_read},
		{SM_MEMBER_ALLOCINFO, allocinfo_read},
	};
	struct sm_text *text = &trace->text;
	size_t i = 0;

	while (i < SM_ARRAY_SIZE(TEXTS) && !sm_source_has(trace->src, TEXTS[i].member))
		i++;
	if (i == SM_ARRAY_SIZE(TEXTS))
		return false;
	if (!page_size && sm_source_kind(trace->src) == SM_SOURCE_LIVE)
		page_size = (uint64_t)sysconf(_SC_PAGESIZE);
	text->page_size_assumed = !is_page_size(page_size);
	trace->kernel_page_size = text->page_size_assumed ? USUAL_PAGE_SIZE : (uint32_t)page_size;
	trace->layout.long_size = 8;
	*err = sm_frames_new(&trace->frames);
	if (!*err)
		*err = TEXTS[i].read(trace, TEXTS[i].member);
	trace->health.bad_records = text->bad_blocks;
	trace->health.unknown_lines = text->unknown_lines;
	return true;
}
