/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a run over all pages has shown. */
#include "check.h"

static const char *plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

/* Faults of the pages themselves, with their places. */
static void check_faults(struct check *c)
{
	const struct sm_health *h = &c->trace->health;
	const struct sm_finding *faults;
	size_t n;

	faults = sm_trace_findings(c->trace, &n);
	for (size_t i = 0; i < n; i++) {
		bool minor = !strcmp(faults[i].what, "string outside its record");

		report_take(&c->report, minor ? SEVERITY_WARNING : SEVERITY_ERROR,
			sm_error_at(SM_E_FORMAT, faults[i].path, faults[i].offset, faults[i].what,
				"%s", faults[i].detail ? faults[i].detail : ""));
	}
	if (h->corrupt_pages > n)
		report_add(&c->report, SEVERITY_ERROR, NULL, "more corrupt pages",
			"%llu pages in all, %zu faults are listed",
			(unsigned long long)h->corrupt_pages, n);
	if (h->time_back)
		report_add(&c->report, SEVERITY_NOTE, NULL, "time goes back",
			"on its CPU, %llu event%s older than the one before",
			(unsigned long long)h->time_back, h->time_back == 1 ? " is" : "s are");
	if (h->unknown_types)
		report_add(&c->report, SEVERITY_WARNING, NULL, "events without a format",
			"%llu event%s of types that no format file describes",
			(unsigned long long)h->unknown_types, plural(h->unknown_types));
}

/*
 * The kernel counts its records: what it still holds, and what was read. Which of the two the pages
 * are depends on when the file was saved.
 */
static void check_stats(struct check *c, const struct sm_trace_cpu *cpu)
{
	const struct sm_cpu_stats *s = &cpu->stats;
	uint64_t both = s->entries + s->read;

	if (!s->present || cpu->corrupt_pages || cpu->records == s->entries ||
		cpu->records == s->read || cpu->records == both)
		return;
	/* Readers before the capture count as well in a buffer that is everybody's. */
	report_add(&c->report,
		c->trace->instance && cpu->records < both ? SEVERITY_WARNING : SEVERITY_NOTE,
		cpu->member, "number of records differs from the kernel's",
		"%llu here; stats: %llu entries, %llu read events",
		(unsigned long long)cpu->records, (unsigned long long)s->entries,
		(unsigned long long)s->read);
}

static void check_loss(struct check *c)
{
	for (size_t i = 0; i < c->trace->ncpus; i++) {
		const struct sm_trace_cpu *cpu = &c->trace->cpus[i];
		const struct sm_cpu_stats *s = &cpu->stats;

		if (cpu->lost_events || cpu->lost_unknown)
			report_add(&c->report, SEVERITY_WARNING, cpu->member, "events lost",
				"%llu event%s, and %llu gap%s of unknown size",
				(unsigned long long)cpu->lost_events, plural(cpu->lost_events),
				(unsigned long long)cpu->lost_unknown, plural(cpu->lost_unknown));
		else if (s->overrun)
			report_add(&c->report, SEVERITY_NOTE, cpu->member, "events overwritten",
				"stats: %llu, before the first page",
				(unsigned long long)s->overrun);
		if (s->dropped || s->commit_overrun)
			report_add(&c->report, SEVERITY_WARNING, cpu->member, "events dropped",
				"stats: %llu by a full buffer, %llu by nested writers",
				(unsigned long long)s->dropped,
				(unsigned long long)s->commit_overrun);
		check_stats(c, cpu);
	}
}

/* The first few ids that the map doesn't have. */
static void add_unresolved(struct check *c, uint64_t events)
{
	const uint64_t *bits = c->trace->unresolved;
	struct sm_buf ids = {0};
	uint64_t n = 0;

	for (size_t w = 0; bits && w < SM_MAP_MAX_IDS / 64; w++) {
		for (uint64_t left = bits[w]; left; left &= left - 1) {
			if (n++ < 8)
				sm_buf_addf(&ids, "%s%zu", n > 1 ? ", " : "",
					w * 64 + (size_t)__builtin_ctzll(left));
		}
	}
	report_add(&c->report, SEVERITY_WARNING, NULL, "stack ids unresolved",
		"%llu event%s with %llu id%s that the stack map doesn't have%s%s%s",
		(unsigned long long)events, plural(events), (unsigned long long)n, plural(n),
		ids.len ? ": " : "", ids.data ? ids.data : "", n > 8 ? ", ..." : "");
	sm_buf_release(&ids);
}

static void check_joins(struct check *c)
{
	const struct sm_health *h = &c->trace->health;

	if (h->unresolved_ids)
		add_unresolved(c, h->unresolved_ids);
	if (h->invalid_ids)
		report_add(&c->report, SEVERITY_WARNING, NULL, "stack ids invalid",
			"%llu negative id%s: error codes, not stacks",
			(unsigned long long)h->invalid_ids, plural(h->invalid_ids));
	if (h->orphan_stacks)
		report_add(&c->report, SEVERITY_NOTE, NULL, "stacks without their event",
			"%llu stack%s; so begins a buffer that was overwritten",
			(unsigned long long)h->orphan_stacks, plural(h->orphan_stacks));
	if (h->no_stack)
		report_add(&c->report, SEVERITY_NOTE, NULL, "events without a stack",
			"%llu of %llu", (unsigned long long)h->no_stack,
			(unsigned long long)h->events);
	if (h->stray_call_sites)
		report_add(&c->report, SEVERITY_NOTE, NULL,
			"stacks that don't hold their event's call site", "%llu of %llu events",
			(unsigned long long)h->stray_call_sites, (unsigned long long)h->events);
	if (c->trace->generation == SM_GEN_RESET)
		report_add(&c->report, SEVERITY_ERROR, NULL, "stack map reset during the capture",
			"%llu events carry ids that may mean other stacks",
			(unsigned long long)c->ids);
	else if (c->trace->generation == SM_GEN_UNKNOWN && c->ids)
		report_add(&c->report, SEVERITY_NOTE, NULL, "map generation unknown",
			"nothing proves that the stack map wasn't reset during the capture");
}

void check_pages(struct check *c)
{
	check_faults(c);
	check_loss(c);
	check_joins(c);
}
