/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's image and its slide, and the modules that were asked for. */
#include "address_space.h"

#include <stdio.h>
#include <stdlib.h>

#include "placement.h"

struct address_space {
	struct address_space_opts opts;
	struct image *kernel;
	uint64_t slide;
	enum sm_slide_from from;
	struct call_score score;
	bool compared; /* with kallsyms, if that is there */
	bool inferred;
	uint64_t text; /* an address of the kernel's text, once text_read; 0 = unknown */
	bool text_read;
	struct placed_module **modules;
	size_t nmodules, cap;
};

static struct sm_error *parse_kaslr(struct address_space *space, const char *text)
{
	const char *p = text;
	bool negative = *p == '-';
	const char *end;
	uint64_t v;

	if (!strcmp(text, "none")) {
		space->slide = 0;
		space->from = SM_SLIDE_OPTION;
		return NULL;
	}
	p += negative;
	if (!strncmp(p, "0x", 2) || !strncmp(p, "0X", 2))
		p += 2;
	end = p + strlen(p);
	if (!sm_take_address(&p, end, &v) || p != end)
		return sm_error_new(SM_E_USAGE, NULL, "option '--kaslr' makes no sense",
			"'%s' is neither auto, none nor a hexadecimal offset", text);
	space->slide = negative ? 0 - v : v;
	space->from = SM_SLIDE_OPTION;
	return NULL;
}

/* By a symbol that kallsyms and the file have; once, and not before it is needed, since the file's
 * symbols are read for it. */
static void compare_kallsyms(struct address_space *space)
{
	static const char *const marks[] = {"_stext", "_text", "_etext"};
	const struct kallsyms *k = space->opts.kallsyms;
	uint64_t linked;

	if (space->compared || space->from || !space->kernel)
		return;
	space->compared = true;
	for (size_t i = 0; i < SM_ARRAY_SIZE(marks); i++) {
		uint64_t runs = i ? sm_kallsyms_address(k, marks[i]) : k->stext;

		if (!runs || !sm_image_address(space->kernel, marks[i], &linked) || !linked)
			continue;
		space->slide = runs - linked;
		space->from = SM_SLIDE_KALLSYMS;
		return;
	}
}

static struct sm_error *open_kernel(struct address_space *space)
{
	struct object_set set = {0};
	struct sm_error *err;

	space->opts.search.trees = sm_module_trees_new();
	if (!space->opts.search.trees)
		return sm_error_nomem();
	/* Without a capture there is nothing that the file could differ from. */
	if (!space->opts.src && space->opts.search.vmlinux)
		err = sm_search_file(&space->opts.search, space->opts.search.vmlinux, &set);
	else
		err = sm_search_vmlinux(&space->opts.search, space->opts.build_id, &set);
	if (err)
		return err;
	if (!set.code && !set.debug) {
		sm_object_set_release(&set);
		return NULL;
	}
	return sm_image_new(&set, &space->opts.image, &space->kernel);
}

struct sm_error *sm_address_space_open(
	const struct address_space_opts *opts, struct address_space **result)
{
	struct address_space *space = calloc(1, sizeof(*space));
	struct sm_error *err = NULL;
	bool infer;

	*result = NULL;
	if (!space)
		return sm_error_nomem();
	space->opts = *opts;
	infer = opts->kaslr && !strcmp(opts->kaslr, "infer");
	space->compared = infer;
	if (opts->kaslr && strcmp(opts->kaslr, "auto") != 0 && !infer)
		err = parse_kaslr(space, opts->kaslr);
	if (!err)
		err = open_kernel(space);
	/* Without a capture addresses are those of the file. */
	if (!err && !space->from && !opts->src && !opts->kallsyms->n && !infer)
		space->from = SM_SLIDE_OPTION;
	if (err) {
		sm_address_space_free(space);
		return err;
	}
	*result = space;
	return NULL;
}

void sm_address_space_free(struct address_space *space)
{
	if (!space)
		return;
	for (size_t i = 0; i < space->nmodules; i++)
		sm_placed_module_free(space->modules[i]);
	free(space->modules);
	sm_module_trees_free(space->opts.search.trees);
	sm_image_free(space->kernel);
	free(space);
}

struct image *sm_address_space_kernel(const struct address_space *space)
{
	return space->kernel;
}

enum sm_slide_from sm_address_space_slide(struct address_space *space, uint64_t *slide)
{
	compare_kallsyms(space);
	*slide = space->slide;
	return space->from;
}

const struct call_score *sm_address_space_score(const struct address_space *space)
{
	return space->inferred ? &space->score : NULL;
}

struct sm_error *sm_address_space_infer(struct address_space *space, const uint64_t *ips, size_t n)
{
	const struct sm_log *log = space->opts.image.log;
	struct sm_error *err;
	uint64_t *stripped;
	bool found = false;

	compare_kallsyms(space);
	if (!space->kernel || space->from || space->inferred || !n || !sm_image_code(space->kernel))
		return NULL;
	stripped = malloc(n * sizeof(*stripped));
	if (!stripped)
		return sm_error_nomem();
	for (size_t i = 0; i < n; i++)
		stripped[i] = sm_strip_pac(sm_address_space_text(space), ips[i]);
	err = sm_slide_infer(sm_image_code(space->kernel), stripped, n, &space->score, &found);
	free(stripped);
	if (err)
		return err;
	space->inferred = true;
	if (!found) {
		sm_log(log, SM_WARN,
			"no slide of '%s' fits the addresses (at the best "
			"%zu of %zu follow a call); --kaslr says where the kernel was",
			sm_image_object(space->kernel)->path, space->score.follow,
			space->score.addresses);
		return NULL;
	}
	space->slide = space->score.slide;
	space->from = SM_SLIDE_CALL_SITES;
	sm_log(log, SM_WARN,
		"names come from '%s' at slide 0x%llx, inferred: "
		"%zu of %zu addresses follow a call there, %zu at the next best",
		sm_image_object(space->kernel)->path, (unsigned long long)space->slide,
		space->score.follow, space->score.addresses, space->score.second);
	return NULL;
}

static unsigned leading_ones(uint64_t v)
{
	return ~v ? (unsigned)__builtin_clzll(~v) : 64;
}

uint64_t sm_strip_pac(uint64_t text, uint64_t ip)
{
	unsigned ones = leading_ones(text);
	uint64_t mask;

	if (ones < 12 || ones > 30)
		return ip;
	/* The last of them is the address's own: it tells text from the linear map. */
	mask = ~UINT64_C(0) << (65 - ones);
	return ip & UINT64_C(1) << 55 && (ip & mask) != mask ? ip | mask : ip;
}

uint64_t sm_address_space_text(struct address_space *space)
{
	if (space->text || space->text_read)
		return space->text;
	space->text_read = true;
	if (space->kernel && sm_image_object(space->kernel)->machine == EM_AARCH64 &&
		!sm_image_address(space->kernel, "_stext", &space->text))
		space->text = 0;
	return space->text;
}

static struct placed_module *get_module(struct address_space *space, const char *name)
{
	struct placed_module *mod;

	for (size_t i = 0; i < space->nmodules; i++) {
		if (!strcmp(sm_placed_module_name(space->modules[i]), name))
			return space->modules[i];
	}
	if (!sm_grow(&space->modules, &space->cap, space->nmodules + 1, sizeof(mod)))
		return NULL;
	mod = sm_placed_module_new(&space->opts, name);
	if (mod)
		space->modules[space->nmodules++] = mod;
	return mod;
}

static bool locate_in_kernel(struct address_space *space, uint64_t ip, struct location *where)
{
	struct object *obj;

	compare_kallsyms(space);
	if (!space->kernel || !space->from)
		return false;
	obj = sm_image_object(space->kernel);
	if (!sm_object_section_at(obj, ip - space->slide))
		return false;
	*where = (struct location){space->kernel, NULL, ip - space->slide, space->slide};
	return true;
}

bool sm_address_space_locate(
	struct address_space *space, uint64_t ip, const char *module, struct location *where)
{
	struct placed_module *mod;

	if (!module) {
		if (locate_in_kernel(space, ip, where))
			return true;
		module = sm_modules_at(space->opts.modules, ip);
	}
	mod = module ? get_module(space, module) : NULL;
	return mod && sm_placed_module_locate(mod, ip, where);
}

uint64_t sm_address_space_run_time(
	const struct address_space *space, const struct location *where, uint64_t addr)
{
	for (size_t i = 0; where->module && i < space->nmodules; i++) {
		if (!strcmp(sm_placed_module_name(space->modules[i]), where->module))
			return sm_placed_module_run_time(space->modules[i], where, addr);
	}
	return addr + where->slide;
}

const char *sm_address_space_module(const struct address_space *space, size_t i, const char **path)
{
	if (i >= space->nmodules)
		return NULL;
	*path = sm_placed_module_path(space->modules[i]);
	return sm_placed_module_name(space->modules[i]);
}
