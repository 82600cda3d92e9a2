/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <stdlib.h>

#include "internal.h"

static struct sm_error *compile(
	struct expressions *x, const char *option, const struct sm_patterns *patterns)
{
	if (!patterns->n)
		return NULL;
	x->items = calloc(patterns->n, sizeof(*x->items));
	if (!x->items)
		return sm_error_nomem();
	for (size_t i = 0; i < patterns->n; i++) {
		int rc = regcomp(&x->items[i], patterns->items[i], REG_EXTENDED | REG_NOSUB);
		char why[128];

		if (rc) {
			regerror(rc, &x->items[i], why, sizeof(why));
			return sm_error_new(SM_E_USAGE, NULL, "bad regular expression",
				"%s '%s': %s", option, patterns->items[i], why);
		}
		x->n++;
	}
	return NULL;
}

static bool matches(const struct expressions *x, const char *s)
{
	for (size_t i = 0; i < x->n; i++)
		if (regexec(&x->items[i], s, 0, NULL, 0) == 0)
			return true;
	return false;
}

static void release_expressions(struct expressions *x)
{
	for (size_t i = 0; i < x->n; i++)
		regfree(&x->items[i]);
	free(x->items);
}

struct sm_error *sm_frame_cache_init(
	struct frame_cache *c, const struct sm_symbols *syms, const struct sm_table_opts *opts)
{
	struct sm_error *err;

	memset(c, 0, sizeof(*c));
	c->syms = syms;
	err = compile(&c->focus, "--focus", &opts->focus);
	if (!err)
		err = compile(&c->ignore, "--ignore", &opts->ignore);
	if (!err)
		err = compile(&c->hide, "--hide", &opts->hide);
	return err;
}

void sm_frame_cache_release(struct frame_cache *c)
{
	release_expressions(&c->focus);
	release_expressions(&c->ignore);
	release_expressions(&c->hide);
	free(c->slots);
	sm_strings_release(&c->strings);
	memset(c, 0, sizeof(*c));
}

static const char *keep(struct frame_cache *c, const char *s)
{
	return sm_strings_get(&c->strings, sm_strings_add(&c->strings, s, strlen(s)));
}

void sm_frame_text(const struct sm_symbols *syms, uint64_t ip, struct frame_text *text)
{
	struct sm_symbol sym;

	text->module = "[kernel]";
	text->resolved = true;
	if (ip == SM_TRAMPOLINE) {
		text->function = "[FTRACE TRAMPOLINE]";
	} else if (syms && sm_symbols_find_caller(syms, ip, &sym)) {
		text->function = sym.name;
		if (sym.module)
			text->module = sym.module;
	} else {
		snprintf(text->hex, sizeof(text->hex), "0x%llx",
			(unsigned long long)sm_symbols_shown_address(syms, ip));
		text->function = text->hex;
		text->module = "[unknown]";
		text->resolved = false;
	}
}

static bool fill(struct frame_cache *c, struct frame_info *f, uint64_t ip)
{
	struct frame_text frame;
	char text[512];

	sm_frame_text(c->syms, ip, &frame);
	f->ip = ip;
	f->function = keep(c, frame.function);
	f->module = keep(c, frame.module);
	f->flags = 0;
	f->work_plus_1 = 0;
	if (ip == SM_TRAMPOLINE || (frame.resolved && sm_is_machinery(frame.function)))
		f->flags |= FRAME_MACHINERY;
	snprintf(text, sizeof(text), frame.module[0] == '[' ? "%s" : "%s [%s]", frame.function,
		frame.module);
	if (matches(&c->focus, text))
		f->flags |= FRAME_FOCUS;
	if (matches(&c->ignore, text))
		f->flags |= FRAME_IGNORE;
	if (matches(&c->hide, text))
		f->flags |= FRAME_HIDE;
	return f->function && f->module;
}

static size_t home_of(uint64_t ip, size_t nslots)
{
	return (size_t)((ip * UINT64_C(0x9e3779b97f4a7c15)) >> 20) & (nslots - 1);
}

static bool grow(struct frame_cache *c)
{
	size_t nslots = c->nslots ? c->nslots * 2 : 1024;
	struct frame_info *slots = calloc(nslots, sizeof(*slots));

	if (!slots)
		return false;
	for (size_t i = 0; i < c->nslots; i++) {
		size_t at;

		if (!c->slots[i].function)
			continue;
		at = home_of(c->slots[i].ip, nslots);
		while (slots[at].function)
			at = (at + 1) & (nslots - 1);
		slots[at] = c->slots[i];
	}
	free(c->slots);
	c->slots = slots;
	c->nslots = nslots;
	return true;
}

struct frame_info *sm_frame_cache_get(struct frame_cache *c, uint64_t ip)
{
	size_t i;

	if (c->n * 2 >= c->nslots && !grow(c))
		return NULL;
	for (i = home_of(ip, c->nslots); c->slots[i].function; i = (i + 1) & (c->nslots - 1))
		if (c->slots[i].ip == ip)
			return &c->slots[i];
	if (!fill(c, &c->slots[i], ip)) {
		c->slots[i].function = NULL;
		return NULL;
	}
	c->n++;
	return &c->slots[i];
}
