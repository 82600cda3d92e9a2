/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Every script of tests/data/gen with "#= KEY VALUE" lines: played, profiled, and each answer
 * compared. tests/gen/README.md says what the keys mean.
 */
#include "capture.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define MAX_ANSWERS 64

struct answer {
	char key[64];
	unsigned long long value;
	unsigned depth; /* of includes */
};

struct answers {
	struct answer items[MAX_ANSWERS];
	size_t n;
};

/* A script's own answer replaces an included one, else the later the earlier. */
static void set_answer(struct answers *a, const struct answer *new)
{
	for (size_t i = 0; i < a->n; i++) {
		if (strcmp(a->items[i].key, new->key) != 0)
			continue;
		if (new->depth <= a->items[i].depth)
			a->items[i] = *new;
		return;
	}
	assert_true(a->n < MAX_ANSWERS);
	a->items[a->n++] = *new;
}

static void read_answers(const char *name, struct answers *a, unsigned depth)
{
	char path[8192], include[256], line[4096];
	struct answer new = {.depth = depth};
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", capture_scripts(), name);
	f = fopen(path, "r");
	if (!f)
		fail_msg("can't open '%s'", path);
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "#= %63s %llu", new.key, &new.value) == 2)
			set_answer(a, &new);
		else if (depth < 8 && sscanf(line, "include %255s", include) == 1)
			read_answers(include, a, depth + 1);
	}
	fclose(f);
}

static bool health_value(const struct sm_health *h, const char *key, uint64_t *value)
{
	const struct {
		const char *key;
		uint64_t value;
	} all[] = {
		{"events", h->events},
		{"lost_events", h->lost_events},
		{"lost_unknown", h->lost_unknown},
		{"unresolved_ids", h->unresolved_ids},
		{"invalid_ids", h->invalid_ids},
		{"no_stack", h->no_stack},
		{"orphan_stacks", h->orphan_stacks},
		{"unmatched_frees", h->unmatched_frees},
		{"failed_allocs", h->failed_allocs},
		{"reused", h->reused},
		{"reused_addresses", h->reused},
		{"stray_call_sites", h->stray_call_sites},
		{"corrupt_pages", h->corrupt_pages},
		{"time_back", h->time_back},
		{"unknown_types", h->unknown_types},
		{"bad_records", h->bad_records},
		{"dropped", h->dropped},
		{"dropped_events", h->dropped},
		{"map_drops", h->map_drops},
		{"truncated", h->truncated},
	};

	for (size_t i = 0; i < SM_ARRAY_SIZE(all); i++) {
		if (strcmp(all[i].key, key) != 0)
			continue;
		*value = all[i].value;
		return true;
	}
	return false;
}

static bool map_value(const struct sm_trace *trace, const char *key, uint64_t *value)
{
	*value = 0;
	if (!trace->map)
		return false;
	if (strcmp(key, "nr_stacks") == 0) {
		*value = trace->map->n;
		return true;
	}
	for (size_t i = 0; i < trace->map->n; i++)
		*value += trace->map->records[i].ref_count;
	return strcmp(key, "ref_count") == 0;
}

/* How many events of each type there are, failed allocations included. */
struct counts {
	const struct sm_trace *trace;
	uint64_t *of_type;
};

static struct sm_error *count_types(void *ctx, const struct sm_batch *batch)
{
	struct counts *counts = ctx;

	for (size_t i = 0; i < batch->n; i++)
		if (batch->events[i].type < counts->trace->ntypes)
			counts->of_type[batch->events[i].type]++;
	return NULL;
}

/* Of "kmem:kmalloc". */
static bool count_of(const struct counts *counts, const char *event, uint64_t *n)
{
	const struct sm_trace *trace = counts->trace;

	for (size_t i = 0; i < trace->ntypes; i++) {
		const struct sm_event_type *type = &trace->types[i];
		size_t len = strlen(type->system);

		if (strncmp(type->system, event, len) != 0 || event[len] != ':' ||
			strcmp(type->name, event + len + 1) != 0)
			continue;
		*n = counts->of_type[i];
		return true;
	}
	return false;
}

struct profiles {
	struct sm_profile *slab, *page;
	struct counts counts;
};

static bool find_value(
	struct capture *c, const struct profiles *p, const char *key, uint64_t *value)
{
	bool slab = strncmp(key, "slab.", 5) == 0;

	if (slab || strncmp(key, "page.", 5) == 0) {
		enum sm_metric m = sm_metric_find(key + 5);

		if (m == SM_M_NR)
			return false;
		*value = (slab ? p->slab : p->page)->totals[m];
		return true;
	}
	if (strncmp(key, "map.", 4) == 0)
		return map_value(c->trace, key + 4, value);
	if (strchr(key, ':'))
		return count_of(&p->counts, key, value);
	/* Of the slab profile: page.failed_allocs and the like would be its own. */
	return health_value(&p->slab->health, key, value);
}

/* Returns how many answers are wrong. */
static unsigned check_script(struct scratch *s, const char *name, const struct answers *a)
{
	struct capture c;
	struct profiles p;
	unsigned wrong = 0;

	capture_play_file(s, "capture", name);
	capture_open(&c, s, "capture", NULL);
	p.counts.trace = c.trace;
	p.counts.of_type = calloc(c.trace->ntypes + 1, sizeof(uint64_t));
	assert_non_null(p.counts.of_type);
	expect_none(sm_trace_run(c.trace, &(struct sm_run_opts){0}, count_types, &p.counts));
	p.slab = capture_profile(&c, &(struct sm_profile_opts){.family = SM_FAMILY_SLAB});
	p.page = capture_profile(&c, &(struct sm_profile_opts){.family = SM_FAMILY_PAGE});
	for (size_t i = 0; i < a->n; i++) {
		const struct answer *want = &a->items[i];
		uint64_t have;

		if (!find_value(&c, &p, want->key, &have)) {
			print_error("%s: unknown key '%s'\n", name, want->key);
			wrong++;
		} else if (have != want->value) {
			print_error("%s: %s is %llu, not %llu\n", name, want->key,
				(unsigned long long)have, want->value);
			wrong++;
		}
	}
	sm_profile_free(p.slab);
	sm_profile_free(p.page);
	free(p.counts.of_type);
	capture_close(&c);
	return wrong;
}

static int is_script(const struct dirent *e)
{
	size_t len = strlen(e->d_name);

	return len > 4 && strcmp(e->d_name + len - 4, ".txt") == 0;
}

static void test_answers(void **state)
{
	struct scratch *s = *state;
	struct dirent **entries;
	unsigned wrong = 0, scripts = 0;
	int n = scandir(capture_scripts(), &entries, is_script, alphasort);

	assert_true(n > 0);
	for (int i = 0; i < n; i++) {
		struct answers a = {.n = 0};

		read_answers(entries[i]->d_name, &a, 0);
		if (a.n) {
			wrong += check_script(s, entries[i]->d_name, &a);
			scripts++;
		}
		free(entries[i]);
	}
	free(entries);
	assert_true(scripts > 10);
	assert_int_equal(wrong, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_answers, scratch_setup, scratch_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
