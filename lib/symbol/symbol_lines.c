/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What only files with debug information and code can tell: lines, call sites, and where they come
 * from. */
#include "symbols.h"

#include <stdlib.h>

#include <smtool/record.h>

bool sm_symbols_locate(const struct sm_symbols *syms, uint64_t ip, struct location *where)
{
	const struct kallsyms *k = &syms->kallsyms;
	struct sm_symbol sym = {0};

	if ((k->n || k->nmods) && !sm_kallsyms_holds(k, ip)) {
		if (!sm_modules_find(&syms->modules, k, ip, &sym))
			return false;
		/* Programs of bpf, and pages of ftrace and kprobes, are in no file. */
		if (!sm_modules_get(&syms->modules, sym.module))
			return false;
	}
	return sm_address_space_locate(syms->space, ip, sym.module, where);
}

/* The place that is meant by an address of a stack: that of the call before it, but its own where
 * the code shows that there is none: an exception, or a frame made by hand. */
static bool locate_kind(
	const struct sm_symbols *syms, uint64_t ip, enum sm_address kind, struct location *where)
{
	struct object *code;

	if (!syms->space || !ip || ip == SM_TRAMPOLINE || sm_is_named(ip))
		return false;
	ip = sm_symbols_strip(syms, ip);
	if (kind == SM_ADDRESS_EXACT)
		return sm_symbols_locate(syms, ip, where);
	if (!sm_symbols_locate(syms, ip - 1, where))
		return false;
	code = sm_image_code(where->image);
	if (code && sm_call_site(code, where->addr + 1) == CALL_NONE)
		return sm_symbols_locate(syms, ip, where);
	return true;
}

size_t sm_symbols_lines(const struct sm_symbols *syms, uint64_t ip, enum sm_address kind,
	const struct sm_line **lines)
{
	struct location where;
	size_t n;

	*lines = NULL;
	if (sm_is_named(ip))
		return sm_named_lines(syms, ip, lines);
	if (!locate_kind(syms, ip, kind, &where))
		return 0;
	n = sm_image_lines(where.image, where.addr, lines);
	if (!syms->no_inlines || n < 2)
		return n;
	*lines += n - 1;
	return 1;
}

bool sm_symbols_no_inlines(const struct sm_symbols *syms)
{
	return syms->no_inlines;
}

struct asked {
	struct image *image;
	uint64_t addr;
};

static int compare_asked(const void *a, const void *b)
{
	const struct asked *x = a, *y = b;

	if (x->image != y->image)
		return (uintptr_t)x->image < (uintptr_t)y->image ? -1 : 1;
	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

static struct sm_error *prepare_images(struct asked *asked, size_t n)
{
	uint64_t *addrs = malloc((n + 1) * sizeof(*addrs));
	struct sm_error *err = addrs ? NULL : sm_error_nomem();
	size_t count = 0;

	for (size_t i = 0; i < n && !err; i++) {
		addrs[count++] = asked[i].addr;
		if (i + 1 < n && asked[i + 1].image == asked[i].image)
			continue;
		err = sm_image_prepare(asked[i].image, addrs, count);
		count = 0;
	}
	free(addrs);
	return err;
}

struct sm_error *sm_symbols_prepare(
	const struct sm_symbols *syms, const uint64_t *ips, size_t n, enum sm_address kind)
{
	struct asked *asked;
	struct sm_error *err;
	size_t found = 0;

	if (!syms->space || !n)
		return NULL;
	err = sm_address_space_infer(syms->space, ips, n);
	if (err)
		return err;
	asked = malloc(n * sizeof(*asked));
	if (!asked)
		return sm_error_nomem();
	for (size_t i = 0; i < n; i++) {
		struct location where;

		if (locate_kind(syms, ips[i], kind, &where))
			asked[found++] = (struct asked){where.image, where.addr};
	}
	if (found)
		qsort(asked, found, sizeof(*asked), compare_asked);
	err = prepare_images(asked, found);
	free(asked);
	return err;
}

void sm_symbols_facts(const struct sm_symbols *syms, struct sm_symbols_facts *facts)
{
	const struct call_score *score;
	struct image *kernel;

	*facts = (struct sm_symbols_facts){0};
	kernel = syms->space ? sm_address_space_kernel(syms->space) : NULL;
	if (!kernel)
		return;
	facts->vmlinux = sm_image_object(kernel)->path;
	facts->build_id = sm_image_object(kernel)->build_id;
	facts->has_lines = sm_image_has_lines(kernel);
	facts->from_index = sm_image_from_index(kernel);
	facts->slide_from = sm_address_space_slide(syms->space, &facts->slide);
	score = sm_address_space_score(syms->space);
	if (score) {
		facts->inferred = (struct sm_call_sites){
			.checked = score->addresses, .follow = score->follow};
		facts->inferred_second = score->second;
	}
}

const char *sm_symbols_unindexed(const struct sm_symbols *syms)
{
	struct image *kernel = syms->space ? sm_address_space_kernel(syms->space) : NULL;

	return kernel && sm_image_lacks_index(kernel) ? sm_image_object(kernel)->path : NULL;
}

const char *sm_symbols_module(const struct sm_symbols *syms, size_t i, const char **path)
{
	*path = NULL;
	return syms->space ? sm_address_space_module(syms->space, i, path) : NULL;
}

static bool same_module(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

void sm_symbols_verify(const struct sm_symbols *syms, const char *module, const uint64_t *ips,
	size_t n, struct sm_call_sites *sites)
{
	*sites = (struct sm_call_sites){0};
	for (size_t i = 0; syms->space && i < n; i++) {
		enum call_site site = CALL_UNKNOWN;
		struct location where;
		uint64_t ip = sm_symbols_strip(syms, ips[i]);

		if (!ip || ip == SM_TRAMPOLINE || !sm_symbols_locate(syms, ip - 1, &where) ||
			!same_module(where.module, module))
			continue;
		if (sm_image_code(where.image))
			site = sm_call_site(sm_image_code(where.image), where.addr + 1);
		sites->unchecked += site == CALL_UNKNOWN;
		sites->checked += site != CALL_UNKNOWN;
		sites->follow += site == CALL_FOUND;
	}
}
