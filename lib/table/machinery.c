/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of the frames on top of a stack that say nothing about who allocates. Slab events carry
 * their call site, which is exact; this list serves the page allocator's and other events, and
 * stacks of a map alone.
 */
#include <fnmatch.h>

#include "internal.h"

/* Patterns, sorted by what they belong to. `_noprof` is how 6.10 and later name the allocators
 * proper. */
static const char *const MACHINERY[] = {
	/* tracing */
	"trace_event_raw_event_*",
	"trace_event_buffer_commit",
	"trace_buffer_unlock_commit_regs",
	"__ftrace_trace_stack",
	"ftrace_trace_stack",
	"__trace_stack",
	"__traceiter_*",
	"perf_trace_*",
	"__bpf_trace_*",
	"stack_trace_save",
	"save_stack",
	"set_page_owner",
	"__set_page_owner*",
	"trace_event_raw_event*",
	"do_trace_event_raw_event_*",
	"__do_trace_*",
	"__probestub_*",
	"ftrace_stackmap_get_id",
	/* slab */
	"kmem_cache_alloc",
	"kmem_cache_alloc_*",
	"__kmem_cache_alloc_*",
	"slab_alloc*",
	"__kmalloc",
	"__kmalloc_*",
	"kmalloc_*",
	"__do_kmalloc_node",
	"kmalloc_trace",
	"__kmalloc_large_node*",
	"___kmalloc_large_node*",
	"kmem_cache_free",
	"kfree",
	"trace_kmalloc",
	"trace_kmem_cache_alloc",
	"__trace_kmalloc",
	"__slab_alloc*",
	"___slab_alloc*",
	"new_slab",
	"allocate_slab",
	"alloc_slab_page*",
	"alloc_from_pcs*",
	"__pcs_replace_empty_main*",
	"refill_sheaf*",
	"refill_objects*",
	"__refill_objects_*",
	/* pages */
	"post_alloc_hook",
	"prep_new_page",
	"get_page_from_freelist",
	"__alloc_pages",
	"__alloc_pages_*",
	"__alloc_frozen_pages_*",
	"alloc_frozen_pages_*",
	"alloc_pages",
	"alloc_pages_*",
	"__folio_alloc*",
	"folio_alloc",
	"folio_alloc_*",
	"vma_alloc_folio*",
	"__get_free_pages",
	"get_free_pages_*",
	"get_zeroed_page*",
	"free_unref_*",
	"__free_pages*",
	"free_pages*",
	"__free_frozen_pages",
	"free_frozen_pages*",
	"___free_pages*",
	"__folio_put",
	"free_the_page",
	"trace_mm_page_*",
};

bool sm_is_machinery(const char *function)
{
	for (size_t i = 0; i < SM_ARRAY_SIZE(MACHINERY); i++)
		if (fnmatch(MACHINERY[i], function, 0) == 0)
			return true;
	return false;
}
