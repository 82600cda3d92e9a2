/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <pthread.h>
#include <stdlib.h>

#include <smtool/record.h>

#include "names.h"

/* Addresses whose lines are read at once: a screen's. */
#define PART 256

struct entry {
	uint64_t ip; /* 0 = the slot is free: no address that is asked for */
	struct name name;
	bool known;
};

struct names {
	pthread_mutex_t lock;
	struct entry *slots; /* open addressing */
	size_t n, nslots;
	uint64_t *asked;
	size_t nasked, cap;
};

struct names *names_new(void)
{
	struct names *n = calloc(1, sizeof(*n));

	if (n)
		pthread_mutex_init(&n->lock, NULL);
	return n;
}

void names_free(struct names *n)
{
	if (!n)
		return;
	pthread_mutex_destroy(&n->lock);
	free(n->slots);
	free(n->asked);
	free(n);
}

/* With the lock held, as all below. */
static struct entry *find(struct names *n, uint64_t ip)
{
	size_t i;

	if (!n->nslots)
		return NULL;
	for (i = sm_hash(&ip, sizeof(ip), 0) & (n->nslots - 1); n->slots[i].ip;
		i = (i + 1) & (n->nslots - 1))
		if (n->slots[i].ip == ip)
			break;
	return &n->slots[i];
}

static bool grow(struct names *n)
{
	struct names bigger = {.nslots = n->nslots ? n->nslots * 2 : 1024};

	bigger.slots = calloc(bigger.nslots, sizeof(*bigger.slots));
	if (!bigger.slots)
		return false;
	for (size_t i = 0; i < n->nslots; i++)
		if (n->slots[i].ip)
			*find(&bigger, n->slots[i].ip) = n->slots[i];
	free(n->slots);
	n->slots = bigger.slots;
	n->nslots = bigger.nslots;
	return true;
}

/* NULL when memory is short. */
static struct entry *add(struct names *n, uint64_t ip)
{
	struct entry *e = find(n, ip);

	if (e && e->ip)
		return e;
	if ((n->n + 1) * 2 > n->nslots) {
		if (!grow(n))
			return NULL;
		e = find(n, ip);
	}
	e->ip = ip;
	n->n++;
	return e;
}

void names_forget_asked(struct names *n)
{
	pthread_mutex_lock(&n->lock);
	n->nasked = 0;
	pthread_mutex_unlock(&n->lock);
}

bool names_get(struct names *n, uint64_t ip, struct name *name)
{
	struct entry *e;
	bool known;

	if (ip == 0 || ip == SM_TRAMPOLINE) {
		*name = (struct name){.has_lines = true};
		return true;
	}
	pthread_mutex_lock(&n->lock);
	e = find(n, ip);
	known = e && e->ip && e->known;
	if (known)
		*name = e->name;
	if ((!known || !name->has_lines) &&
		sm_grow(&n->asked, &n->cap, n->nasked + 1, sizeof(*n->asked)))
		n->asked[n->nasked++] = ip;
	pthread_mutex_unlock(&n->lock);
	return known;
}

bool names_wanted(struct names *n)
{
	bool wanted;

	pthread_mutex_lock(&n->lock);
	wanted = n->nasked > 0;
	pthread_mutex_unlock(&n->lock);
	return wanted;
}

static void put_name(struct names *n, const struct sm_symbols *syms, uint64_t ip)
{
	struct name name = {0};
	struct sm_symbol sym;
	struct entry *e;

	if (syms && sm_symbols_find_caller(syms, ip, &sym)) {
		name.function = sym.name;
		name.module = sym.module;
		name.offset = sym.offset;
		name.size = sym.size;
	}
	name.has_lines = !syms;
	pthread_mutex_lock(&n->lock);
	e = add(n, ip);
	if (e && !e->known) {
		e->name = name;
		e->known = true;
	}
	pthread_mutex_unlock(&n->lock);
}

static void put_lines(struct names *n, const struct sm_symbols *syms, uint64_t ip)
{
	const struct sm_line *lines = NULL;
	size_t nlines = sm_symbols_lines(syms, ip, SM_ADDRESS_RETURN, &lines);
	struct entry *e;

	pthread_mutex_lock(&n->lock);
	e = find(n, ip);
	if (e && e->ip) {
		e->name.lines = lines;
		e->name.nlines = nlines;
		e->name.has_lines = true;
	}
	pthread_mutex_unlock(&n->lock);
}

/* What is asked for: without a name into `names`, without lines into `lines`. True when there is
 * more. */
static bool take_asked(
	struct names *n, uint64_t *names, size_t *nnames, uint64_t *lines, size_t *nlines)
{
	size_t kept = 0;

	*nnames = *nlines = 0;
	pthread_mutex_lock(&n->lock);
	for (size_t i = 0; i < n->nasked; i++) {
		struct entry *e = find(n, n->asked[i]);
		bool known = e && e->ip && e->known;

		if (!known && *nnames < PART)
			names[(*nnames)++] = n->asked[i];
		if (known && !e->name.has_lines && *nlines < PART)
			lines[(*nlines)++] = n->asked[i];
		if (!known || !e->name.has_lines)
			n->asked[kept++] = n->asked[i];
	}
	n->nasked = kept;
	pthread_mutex_unlock(&n->lock);
	return kept > 0;
}

bool names_find(struct names *n, const struct sm_symbols *syms, bool *changed)
{
	uint64_t names[PART], lines[PART];
	size_t nnames, nlines;

	if (!take_asked(n, names, &nnames, lines, &nlines))
		return false;
	*changed = true;
	if (nnames) {
		/* Names at once; lines in the next turn, when these are on the screen. */
		for (size_t i = 0; i < nnames; i++)
			put_name(n, syms, names[i]);
		return true;
	}
	/* What can't be prepared is found one by one. */
	sm_error_free(sm_symbols_prepare(syms, lines, nlines, SM_ADDRESS_RETURN));
	for (size_t i = 0; i < nlines; i++)
		put_lines(n, syms, lines[i]);
	return true;
}
