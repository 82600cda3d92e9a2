/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text in which a kernel tells who holds its memory, known by its first lines. */
#include "internal.h"

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool begins(const char *p, const char *end, const char *with)
{
	size_t n = strlen(with);

	return (size_t)(end - p) >= n && !memcmp(p, with, n);
}

static const char *skip(const char *p, const char *end, bool (*is)(char))
{
	while (p < end && is(*p))
		p++;
	return p;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* "12 times, 34 pages:", or as older kernels' page_owner_sort has it, "12 times:". */
static bool is_sorted(const char *p, const char *end)
{
	const char *digits = skip(p, end, is_digit);

	return digits > p && (begins(digits, end, " times:") || begins(digits, end, " times, "));
}

/* "    4096        1 mm/slub.c:123 func:alloc_slab_page" */
static bool is_allocation_tag(const char *p, const char *end)
{
	for (int i = 0; i < 2; i++) {
		const char *digits;

		p = skip(p, end, is_blank);
		p += p < end && *p == '-';
		digits = skip(p, end, is_digit);
		if (digits == p)
			return false;
		p = digits;
		if (p == end || *p != ' ')
			return false;
	}
	return memmem(p, (size_t)(end - p), " func:", 6) != NULL;
}

/* " post_alloc_hook+0xc1/0x1a0" */
static bool is_frame(const char *p, const char *end)
{
	const char *name = skip(p, end, is_blank);

	return name > p && (begins(name, end, "0x") || begins(name, end, "[<") ||
				   memmem(name, (size_t)(end - name), "+0x", 3));
}

const char *sm_kernel_text_member(const uint8_t *head, size_t len)
{
	const char *p = (const char *)head, *end = p + len;

	while (p < end) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));
		const char *stop = nl ? nl : end;

		if (begins(p, stop, "Page allocated via order ") || is_sorted(p, stop))
			return SM_MEMBER_PAGE_OWNER;
		if (begins(p, stop, "allocinfo - version: ") || is_allocation_tag(p, stop))
			return SM_MEMBER_ALLOCINFO;
		if (is_frame(p, stop) || begins(p, stop, "handle: ") ||
			begins(p, stop, "nr_base_pages: "))
			return SM_MEMBER_SHOW_STACKS;
		/* Nothing else comes before: a header that was sorted away from its place, or
		 * what is left of a block. */
		if (skip(p, stop, is_blank) < stop && *p != '#' && !begins(p, stop, "PFN "))
			return NULL;
		p = stop + 1;
	}
	return NULL;
}
