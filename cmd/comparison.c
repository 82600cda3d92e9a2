/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "comparison.h"

#define MAX_SUPPRESSIONS ((size_t)16 << 20) /* bytes of a file */

static struct sm_error *read_fdr(const struct comparison_opts *o, struct comparison *c)
{
	char *end;

	c->diff.fdr = 0.05;
	if (!o->fdr)
		return NULL;
	c->diff.fdr = strtod(o->fdr, &end);
	if (end == o->fdr || *end || !(c->diff.fdr >= 0 && c->diff.fdr <= 1))
		return sm_error_new(SM_E_USAGE, NULL, "no rate of false discoveries",
			"--fdr '%s': give a number from 0 to 1", o->fdr);
	return NULL;
}

static struct sm_error *read_all(int fd, const char *path, struct sm_buf *text)
{
	char part[65536];
	ssize_t n;

	while ((n = read(fd, part, sizeof(part)))) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return sm_error_errno(errno, path, "cannot read suppressions", NULL);
		if (text->len + (size_t)n > MAX_SUPPRESSIONS)
			return sm_error_new(SM_E_REFUSED, path, "too long for suppressions",
				"this is more than %zu MiB", MAX_SUPPRESSIONS >> 20);
		sm_buf_add(text, part, (size_t)n);
		if (text->failed)
			return sm_error_nomem();
	}
	return NULL;
}

static struct sm_error *read_suppressions(const struct comparison_opts *o, struct comparison *c)
{
	struct sm_buf text = {0};
	struct sm_error *err;
	int fd;

	if (!o->suppress)
		return NULL;
	fd = open(o->suppress, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return sm_error_errno(errno, o->suppress, "cannot open suppressions", NULL);
	err = read_all(fd, o->suppress, &text);
	close(fd);
	if (!err)
		err = sm_suppressions_parse(
			o->suppress, text.data ? text.data : "", text.len, &c->suppressions);
	sm_buf_release(&text);
	c->diff.suppressions = c->suppressions;
	return err;
}

struct sm_error *comparison_read(const struct comparison_opts *o, struct comparison *c)
{
	struct sm_error *err;

	c->diff.match = o->match ? SM_MATCH_FUNCTION : SM_MATCH_EXACT;
	c->diff.normalize = o->normalize;
	err = read_fdr(o, c);
	return err ? err : read_suppressions(o, c);
}

void comparison_release(struct comparison *c)
{
	sm_suppressions_free(c->suppressions);
	c->suppressions = NULL;
}

/* The key where none was given: what each input is ranked by, or else what all of them know. */
enum sm_metric comparison_metric(
	const struct sm_profile *const *profiles, const enum sm_metric *defaults, size_t n)
{
	static const enum sm_metric FALLBACKS[] = {SM_M_REF_COUNT, SM_M_LIVE_BYTES, SM_M_BYTES};
	uint32_t known = UINT32_MAX;
	bool same = true;

	for (size_t i = 0; i < n; i++) {
		known &= profiles[i]->known;
		same &= defaults[i] == defaults[0];
	}
	for (size_t i = 0; !same && i < SM_ARRAY_SIZE(FALLBACKS); i++)
		if (known & (1u << FALLBACKS[i]))
			return FALLBACKS[i];
	return defaults[0];
}

/* Slab objects here and pages there have nothing to do with each other. */
struct sm_error *comparison_check(
	const struct sm_profile *const *profiles, size_t n, enum sm_metric by)
{
	static const char *const NAMES[] = {
		[SM_FAMILY_SLAB] = "slab allocations", [SM_FAMILY_PAGE] = "page allocations"};
	const struct sm_profile *a = profiles[0];

	for (size_t i = 1; i < n; i++) {
		const struct sm_profile *b = profiles[i];
		enum sm_family x = a->family, y = b->family;

		if (x == y || x == SM_FAMILY_AUTO || y == SM_FAMILY_AUTO || by == SM_M_REF_COUNT)
			continue;
		return sm_error_new(SM_E_USAGE, sm_source_path(b->trace->src),
			"nothing to compare with",
			"it has %s, '%s' %s: choose with --slab or --page", NAMES[y],
			sm_source_path(a->trace->src), NAMES[x]);
	}
	return NULL;
}
