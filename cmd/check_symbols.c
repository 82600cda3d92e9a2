/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Do these symbols belong to the capture? */
#include "check.h"

#include "belonging.h"
#include "input.h"

/* Addresses that are looked up to see whether the symbols are the right ones. */
#define MAX_PROBED 1000000
/* Addresses that tell the slide. */
#define MAX_INFERRED 20000

#define BELONG "symbols belong to the capture"
#define DONT_BELONG "symbols don't belong to the capture"

/* Return addresses lie in functions: where the symbols are another kernel's, most of them don't. */
static void probe_symbols(struct check *c, const char *path)
{
	uint32_t n = sm_stacks_count(c->trace->stacks);
	uint64_t total = 0, found = 0;

	for (uint32_t i = 0; i < n && total < MAX_PROBED; i++) {
		struct sm_stack s = sm_stacks_get(c->trace->stacks, i);

		for (uint32_t k = 0; k < s.depth; k++) {
			struct sm_symbol sym;

			if (s.ips[k] == SM_TRAMPOLINE)
				continue;
			total++;
			found += sm_symbols_find(c->syms, s.ips[k], &sym);
		}
	}
	if (total && found < total / 2)
		report_add(&c->report, SEVERITY_ERROR, path, "symbols don't belong to the capture",
			"%llu of %llu addresses lie in no function; give the captured kernel's own",
			(unsigned long long)(total - found), (unsigned long long)total);
	else if (found < total)
		report_add(&c->report,
			found < total - total / 10 ? SEVERITY_WARNING : SEVERITY_NOTE, path,
			"addresses without a symbol", "%llu of %llu",
			(unsigned long long)(total - found), (unsigned long long)total);
}

/* Symbols that were given must agree with the capture's own on where the kernel is. */
static struct sm_error *compare_symbols(struct check *c)
{
	static const char *const marks[] = {"_stext", "_etext"};
	struct sm_symbols_opts opts = {.no_debug = true};
	struct sm_symbols *own;
	struct sm_error *err;

	err = sm_symbols_open(c->src, &opts, &own);
	if (err)
		return err;
	for (size_t i = 0; i < SM_ARRAY_SIZE(marks); i++) {
		uint64_t given = sm_symbols_address(c->syms, marks[i]);
		uint64_t mine = sm_symbols_address(own, marks[i]);

		if (!given || !mine || given == mine)
			continue;
		report_add(&c->report, SEVERITY_ERROR, c->cli->symbols.kallsyms,
			"symbols don't belong to the capture",
			"%s is at 0x%llx there, at 0x%llx in the capture's kallsyms", marks[i],
			(unsigned long long)given, (unsigned long long)mine);
		break;
	}
	sm_symbols_free(own);
	return NULL;
}

static const char *origin_of(enum sm_slide_from from)
{
	switch (from) {
	case SM_SLIDE_KALLSYMS:
		return "by kallsyms";
	case SM_SLIDE_OPTION:
		return "by --kaslr";
	case SM_SLIDE_CALL_SITES:
		return "by call sites";
	default:
		return "unknown";
	}
}

/* Few addresses follow a call: is that the slide's fault? Appends the answer. */
static struct sm_error *add_better_slide(struct check *c, const struct belonging *b,
	const struct sm_symbols_facts *facts, struct sm_buf *buf)
{
	size_t n = b->addresses.n < MAX_INFERRED ? b->addresses.n : MAX_INFERRED;
	struct sm_symbols_facts better = {0};
	struct sm_symbols *syms = NULL;
	struct sm_symbols_opts opts;
	struct sm_error *err;

	err = input_symbols_opts(c->cli, &opts);
	opts.vmlinux = facts->vmlinux;
	opts.kallsyms = NULL;
	opts.kaslr = "infer";
	opts.force = true;
	opts.log = NULL;
	if (!err)
		err = sm_symbols_open(NULL, &opts, &syms);
	if (!err)
		err = sm_symbols_prepare(syms, b->addresses.items, n, SM_ADDRESS_RETURN);
	if (!err)
		sm_symbols_facts(syms, &better);
	if (!err && better.slide_from == SM_SLIDE_CALL_SITES && better.slide != facts->slide &&
		sm_call_sites_judge(&better.inferred) == SM_BELONGS) {
		sm_buf_adds(buf, "; wrong slide: at ");
		belonging_add_slide(better.slide, buf);
		sm_buf_adds(buf, " ");
		belonging_add_share(&better.inferred, buf);
		sm_buf_adds(buf, " do");
	} else {
		sm_buf_adds(buf, "; no slide is better: wrong vmlinux");
	}
	sm_symbols_free(syms);
	return err;
}

static struct sm_error *judge_kernel(struct check *c, const struct belonging *b,
	const struct sm_symbols_facts *facts, const struct sm_call_sites *sites)
{
	enum sm_belonging verdict = sm_call_sites_judge(sites);
	struct sm_error *err = NULL;
	struct sm_buf text = {0};

	belonging_add_share(sites, &text);
	sm_buf_adds(&text, " addresses follow a call");
	if (verdict == SM_BELONGS_NOT || verdict == SM_BELONGS_DOUBTFUL) {
		sm_buf_adds(&text, " at slide ");
		belonging_add_slide(facts->slide, &text);
		sm_buf_addf(&text, " (%s)", origin_of(facts->slide_from));
	}
	if (verdict == SM_BELONGS_NOT)
		err = add_better_slide(c, b, facts, &text);
	if (text.failed && !err)
		err = sm_error_nomem();
	if (!err && verdict == SM_BELONGS_NOT)
		report_add(
			&c->report, SEVERITY_ERROR, facts->vmlinux, DONT_BELONG, "%s", text.data);
	else if (!err && verdict == SM_BELONGS_DOUBTFUL)
		report_add(&c->report, SEVERITY_WARNING, facts->vmlinux,
			"symbols may not belong to the capture", "%s", text.data);
	else if (!err && verdict == SM_BELONGS)
		report_add(&c->report, SEVERITY_NOTE, facts->vmlinux, BELONG, "%s", text.data);
	else if (!err)
		report_add(&c->report, SEVERITY_NOTE, facts->vmlinux,
			"too few addresses to tell whether symbols belong", "%s", text.data);
	sm_buf_release(&text);
	return err;
}

static void judge_modules(struct check *c, const struct belonging *b)
{
	struct sm_call_sites good = {0};
	struct sm_buf text = {0};
	size_t n = 0;

	for (size_t i = 0; i < b->n; i++) {
		const struct belonging_part *part = &b->parts[i];
		enum sm_belonging verdict = sm_call_sites_judge(&part->sites);

		if (!part->module || !part->sites.checked)
			continue;
		if (verdict == SM_BELONGS || verdict == SM_BELONGS_UNKNOWN) {
			good.checked += part->sites.checked;
			good.follow += part->sites.follow;
			n++;
			continue;
		}
		sm_buf_reset(&text);
		belonging_add_share(&part->sites, &text);
		report_add(&c->report,
			verdict == SM_BELONGS_NOT ? SEVERITY_ERROR : SEVERITY_WARNING, part->path,
			verdict == SM_BELONGS_NOT ? "module doesn't belong to the capture"
						  : "module may not belong to the capture",
			"%s: %s addresses follow a call", part->module, text.data ? text.data : "");
	}
	if (n) {
		sm_buf_reset(&text);
		belonging_add_share(&good, &text);
		report_add(&c->report, SEVERITY_NOTE, NULL, "modules belong to the capture",
			"%zu: %s addresses follow a call", n, text.data ? text.data : "");
	}
	c->report.failed |= text.failed;
	sm_buf_release(&text);
}

/* Without kallsyms the call sites must tell where the kernel was. */
static void judge_slide(struct check *c, const struct sm_symbols_facts *facts)
{
	struct sm_buf text = {0};

	belonging_add_share(&facts->inferred, &text);
	if (sm_call_sites_judge(&facts->inferred) == SM_BELONGS_NOT)
		report_add(&c->report, SEVERITY_ERROR, facts->vmlinux, DONT_BELONG,
			"at the best slide %s addresses follow a call: wrong vmlinux",
			text.data ? text.data : "");
	else
		report_add(&c->report, SEVERITY_WARNING, facts->vmlinux, "slide unknown",
			"no kallsyms, and the addresses don't tell (at the best slide %s follow "
			"a call); give --kaslr",
			text.data ? text.data : "");
	c->report.failed |= text.failed;
	sm_buf_release(&text);
}

static struct sm_error *check_call_sites(struct check *c)
{
	struct sm_symbols_facts facts;
	struct belonging b = {0};
	struct sm_error *err;

	err = belonging_count(&b, c->trace, c->syms);
	sm_symbols_facts(c->syms, &facts);
	if (!err && facts.vmlinux && facts.slide_from == SM_SLIDE_UNKNOWN && b.addresses.n)
		judge_slide(c, &facts);
	if (!err && b.n && !b.parts[0].module && b.parts[0].sites.checked)
		err = judge_kernel(c, &b, &facts, &b.parts[0].sites);
	if (!err)
		judge_modules(c, &b);
	belonging_release(&b);
	return err;
}

struct sm_error *check_symbols(struct check *c)
{
	const char *kallsyms = c->cli->symbols.kallsyms;
	struct sm_symbols_facts facts;
	struct sm_error *err;

	if (c->cli->symbols.no_symbols)
		return NULL;
	err = check_take(c, input_open_symbols(c->cli, c->src, &c->syms));
	if (err || !c->syms)
		return err;
	if (sm_symbols_trouble(c->syms)) {
		report_add(&c->report, SEVERITY_WARNING, NULL, "no kernel symbols", "%s",
			sm_symbols_trouble(c->syms));
		return NULL;
	}
	err = check_call_sites(c);
	if (err)
		return err;
	sm_symbols_facts(c->syms, &facts);
	probe_symbols(c, kallsyms ? kallsyms : sm_symbols_count(c->syms) ? NULL : facts.vmlinux);
	return kallsyms ? compare_symbols(c) : NULL;
}
