/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Opening a trace: which tracing directory is meant, its CPUs, formats and stack map. */
#include <stdio.h>
#include <stdlib.h>

#include "internal.h"
#include "saved.h"

#define FORMAT_MAX (1u << 20)

const char *sm_map_generation_name(enum sm_map_generation g)
{
	return g == SM_GEN_INTACT  ? "intact"
	       : g == SM_GEN_RESET ? "reset during capture"
				   : "unknown";
}

static bool cpu_number(const char *name, unsigned *cpu)
{
	char *end;
	unsigned long n;

	if (strncmp(name, "cpu", 3) != 0 || name[3] < '0' || name[3] > '9')
		return false;
	n = strtoul(name + 3, &end, 10);
	*cpu = (unsigned)n;
	return !*end && n < 65535;
}

static int compare_cpus(const void *a, const void *b)
{
	const struct sm_trace_cpu *x = a, *y = b;

	return x->cpu < y->cpu ? -1 : x->cpu > y->cpu;
}

static void free_cpus(struct sm_trace_cpu *cpus, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(cpus[i].member);
	free(cpus);
}

/* The CPUs whose pages are below `tracing`. */
static struct sm_error *find_cpus(
	const struct sm_source *src, const char *tracing, struct sm_trace_cpu **cpus, size_t *ncpus)
{
	struct sm_names names = {0};
	struct sm_error *err;
	size_t cap = 0;
	char *dir;

	*cpus = NULL;
	*ncpus = 0;
	if (asprintf(&dir, "%s/per_cpu", tracing) < 0)
		return sm_error_nomem();
	err = sm_source_list(src, dir, &names);
	for (size_t i = 0; !err && i < names.n; i++) {
		struct sm_trace_cpu cpu = {0};

		if (!cpu_number(names.names[i], &cpu.cpu))
			continue;
		if (asprintf(&cpu.member, "%s/%s/trace_pipe_raw", dir, names.names[i]) < 0 ||
			!sm_grow(cpus, &cap, *ncpus + 1, sizeof(**cpus)))
			err = sm_error_nomem();
		else if (!sm_source_has(src, cpu.member))
			free(cpu.member);
		else
			(*cpus)[(*ncpus)++] = cpu;
	}
	sm_names_release(&names);
	free(dir);
	if (err) {
		free_cpus(*cpus, *ncpus);
		*cpus = NULL;
		*ncpus = 0;
		return err;
	}
	if (*ncpus)
		qsort(*cpus, *ncpus, sizeof(**cpus), compare_cpus);
	return NULL;
}

static struct sm_error *use_instance(
	struct sm_trace *trace, const char *name, struct sm_trace_cpu *cpus, size_t ncpus)
{
	free(trace->tracing);
	trace->cpus = cpus;
	trace->ncpus = ncpus;
	trace->instance = strdup(name);
	if (asprintf(&trace->tracing, "%s/instances/%s", SM_TRACING, name) < 0)
		trace->tracing = NULL;
	return trace->instance && trace->tracing ? NULL : sm_error_nomem();
}

/* The one instance with pages, or the one that was asked for. */
static struct sm_error *choose_instance(struct sm_trace *trace, const char *wanted)
{
	struct sm_names names = {0};
	struct sm_error *err = sm_source_list(trace->src, SM_TRACING "/instances", &names);
	struct sm_buf found = {0};

	for (size_t i = 0; !err && i < names.n; i++) {
		struct sm_trace_cpu *cpus;
		size_t ncpus;
		char *dir;

		if (wanted && strcmp(wanted, names.names[i]) != 0)
			continue;
		if (asprintf(&dir, "%s/instances/%s", SM_TRACING, names.names[i]) < 0) {
			err = sm_error_nomem();
			break;
		}
		err = find_cpus(trace->src, dir, &cpus, &ncpus);
		free(dir);
		if (err || !ncpus)
			continue;
		sm_buf_addf(&found, "%s%s", found.len ? ", " : "", names.names[i]);
		if (trace->instance) {
			free_cpus(cpus, ncpus);
			err = sm_error_new(SM_E_USAGE, sm_source_path(trace->src),
				"several instances have pages", "%s...: choose one with --instance",
				found.data ? found.data : "");
		} else {
			err = use_instance(trace, names.names[i], cpus, ncpus);
		}
	}
	if (!err && wanted && !trace->instance)
		err = sm_error_new(SM_E_MISSING, sm_source_path(trace->src),
			"no such instance with pages", "'%s'", wanted);
	sm_buf_release(&found);
	sm_names_release(&names);
	return err;
}

static struct sm_error *find_pages(struct sm_trace *trace, const struct sm_trace_opts *opts)
{
	struct sm_error *err;

	trace->tracing = strdup(SM_TRACING);
	if (!trace->tracing)
		return sm_error_nomem();
	if (opts->map_only)
		return NULL;
	if (!opts->instance) {
		err = find_cpus(trace->src, trace->tracing, &trace->cpus, &trace->ncpus);
		if (err || trace->ncpus)
			return err;
	}
	return choose_instance(trace, opts->instance);
}

static struct sm_error *load_map(struct sm_trace *trace, bool lenient)
{
	struct sm_error *err;
	struct sm_map *map;

	if (!sm_source_has(trace->src, SM_MEMBER_MAP))
		return NULL;
	err = sm_map_load(trace->src, SM_MEMBER_MAP, lenient, &trace->map);
	if (err)
		return err;
	map = trace->map;
	if (map->damage && !trace->damage)
		trace->damage = sm_error_copy(map->damage);
	return NULL;
}

/* Every stack of the map into the table of stacks, and where each id leads. */
static struct sm_error *intern_map(struct sm_trace *trace)
{
	const struct sm_map *map = trace->map;

	if (!map)
		return NULL;
	trace->map_stacks = malloc((map->n ? map->n : 1) * sizeof(*trace->map_stacks));
	trace->id_stack = malloc(SM_MAP_MAX_IDS * sizeof(*trace->id_stack));
	if (!trace->map_stacks || !trace->id_stack)
		return sm_error_nomem();
	for (size_t i = 0; i < SM_MAP_MAX_IDS; i++)
		trace->id_stack[i] = SM_STACK_UNRESOLVED;
	for (size_t i = 0; i < map->n; i++) {
		const struct sm_map_record *rec = &map->records[i];
		uint32_t index = sm_stacks_add(trace->stacks, rec->ips, rec->depth, true);

		if (index == SM_STACK_NONE)
			return sm_error_nomem();
		trace->map_stacks[i] = index;
		trace->id_stack[rec->id] = index;
	}
	return NULL;
}

static struct sm_error *add_type(
	struct sm_trace *trace, size_t *cap, const char *system, const char *member)
{
	struct sm_event_type type;
	struct sm_blob blob = {0};
	struct sm_error *err = sm_source_read(trace->src, member, FORMAT_MAX, &blob);

	if (!err)
		err = sm_event_type_parse(&trace->priv->arena, blob.path, system,
			(const char *)blob.data, blob.size, trace->layout.long_size, &type);
	sm_blob_release(&blob);
	if (err && err->code != SM_E_NOMEM) {
		/* One bad format costs its own events' names, not the trace. */
		sm_log_error(trace->priv->log, SM_WARN, err, ": its events are left unread");
		return NULL;
	}
	if (err)
		return err;
	if (!sm_grow(&trace->types, cap, trace->ntypes + 1, sizeof(*trace->types)))
		return sm_error_nomem();
	trace->types[trace->ntypes++] = type;
	return NULL;
}

static int compare_types(const void *a, const void *b)
{
	const struct sm_event_type *x = a, *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

static struct sm_error *load_types_below(struct sm_trace *trace, const char *events, size_t *cap)
{
	struct sm_names systems = {0}, names = {0};
	struct sm_error *err = sm_source_list(trace->src, events, &systems);

	for (size_t i = 0; !err && i < systems.n; i++) {
		char dir[512];

		snprintf(dir, sizeof(dir), "%s/%s", events, systems.names[i]);
		err = sm_source_list(trace->src, dir, &names);
		for (size_t k = 0; !err && k < names.n; k++) {
			char member[1024];

			snprintf(member, sizeof(member), "%s/%s/format", dir, names.names[k]);
			if (sm_source_has(trace->src, member))
				err = add_type(trace, cap, systems.names[i], member);
		}
		sm_names_release(&names);
	}
	sm_names_release(&systems);
	return err;
}

static struct sm_error *load_types(struct sm_trace *trace)
{
	size_t cap = 0;
	struct sm_error *err;

	err = load_types_below(trace, SM_TRACING "/events", &cap);
	if (!err && trace->ntypes == 0 && trace->instance) {
		char dir[512];

		snprintf(dir, sizeof(dir), "%s/events", trace->tracing);
		err = load_types_below(trace, dir, &cap);
	}
	if (err)
		return err;
	if (trace->ntypes == 0)
		return sm_error_new(SM_E_MISSING, sm_source_path(trace->src), "no event formats",
			"pages can't be read without "
			"events/SYSTEM/EVENT/format of the kernel that wrote them");
	qsort(trace->types, trace->ntypes, sizeof(*trace->types), compare_types);
	return sm_plans_build(trace);
}

static struct sm_error *open_parts(struct sm_trace *trace, const struct sm_trace_opts *opts)
{
	struct stated_facts stated = {0};
	const struct sm_error *damage = sm_source_damage(trace->src);
	struct sm_error *err;
	bool saved, changed;

	if (damage) {
		trace->damage = sm_error_copy(damage);
		trace->health.truncated = true;
	}
	err = find_pages(trace, opts);
	if (!err)
		err = sm_facts_load(trace, &stated);
	if (!err && !opts->no_map)
		err = load_map(trace, opts->lenient);
	if (!err)
		err = sm_stacks_new(trace->map ? (uint32_t)trace->map->n : 0, &trace->stacks);
	saved = !trace->map && !trace->ncpus && sm_source_has(trace->src, SM_MEMBER_PROFILE);
	if (!err && saved)
		err = sm_saved_load(trace);
	if (!err && !trace->map && trace->ncpus == 0 && !saved &&
		(opts->map_only ||
			!sm_text_load(
				trace, opts->page_size ? opts->page_size : stated.page_size, &err)))
		err = opts->map_only
			      ? sm_error_new(SM_E_MISSING, sm_source_path(trace->src),
					"no stack map",
					"it comes from " SM_MEMBER_MAP " of a patched kernel")
			      : sm_error_new(SM_E_MISSING, sm_source_path(trace->src),
					"neither a stack map nor pages of the ring buffer",
					"a capture has " SM_TRACING "/stack_map_bin or "
					"per_cpu/cpuN/trace_pipe_raw: see smtool-capture(5)");
	if (!err)
		err = intern_map(trace);
	if (!err && trace->ncpus) {
		err = sm_layout_load(trace, stated.byte_order, stated.page_size);
		if (!err)
			err = load_types(trace);
		if (!err)
			err = sm_trace_read_comms(trace, &changed);
		if (!err)
			sm_cpu_stats_load(trace);
		if (!err && opts->page_size)
			trace->kernel_page_size = opts->page_size;
	}
	free(stated.byte_order);
	if (err && err->code == SM_E_MISSING && damage) {
		/* What is missing lies behind the damage. */
		sm_error_free(err);
		err = trace->damage;
		trace->damage = NULL;
	}
	return err;
}

struct sm_error *sm_trace_open(
	const struct sm_source *src, const struct sm_trace_opts *opts, struct sm_trace **out)
{
	struct sm_trace *trace = calloc(1, sizeof(*trace));
	struct sm_error *err;

	*out = NULL;
	if (!trace)
		return sm_error_nomem();
	trace->src = src;
	trace->priv = calloc(1, sizeof(*trace->priv));
	if (!trace->priv) {
		free(trace);
		return sm_error_nomem();
	}
	pthread_mutex_init(&trace->priv->caches.lock, NULL);
	trace->priv->log = opts->log;
	trace->priv->progress = opts->progress;
	trace->priv->stopped = opts->stopped;
	trace->priv->stopped_ctx = opts->stopped_ctx;
	err = open_parts(trace, opts);
	trace->priv->stopped = NULL;
	if (err) {
		sm_trace_free(trace);
		return err;
	}
	*out = trace;
	return NULL;
}

void sm_trace_free(struct sm_trace *trace)
{
	if (!trace)
		return;
	sm_arena_release(&trace->priv->arena);
	free(trace->priv->plans);
	free(trace->priv->plan_of_id);
	sm_strings_release(&trace->priv->caches.strings);
	pthread_mutex_destroy(&trace->priv->caches.lock);
	sm_strings_release(&trace->priv->comms);
	free(trace->priv->comm_slots);
	sm_findings_release(&trace->priv->findings);
	owner_events_free(trace->priv->owner);
	sm_gaps_release(&trace->priv->gaps);
	free(trace->priv);
	free(trace->tracing);
	free(trace->instance);
	free_cpus(trace->cpus, trace->ncpus);
	free(trace->types);
	sm_stacks_free(trace->stacks);
	sm_map_free(trace->map);
	free(trace->map_stacks);
	free(trace->id_stack);
	free(trace->clock);
	free(trace->kernel_release);
	free(trace->machine);
	free(trace->boot_id);
	free(trace->created);
	free(trace->unresolved);
	sm_frames_free(trace->frames);
	sm_imported_free(trace->imported);
	sm_error_free(trace->damage);
	free(trace);
}

const struct sm_event_type *sm_trace_type(const struct sm_trace *trace, uint16_t id)
{
	uint16_t plan = trace->priv->plan_of_id ? trace->priv->plan_of_id[id] : 0;

	return plan < trace->ntypes ? &trace->types[plan] : NULL;
}

const char *sm_trace_cache(const struct sm_trace *trace, uint32_t cache)
{
	struct cache_names *caches = &trace->priv->caches;
	const char *name;

	/* Decoders may be adding names at this moment; the strings themselves stay where they are.
	 */
	pthread_mutex_lock(&caches->lock);
	name = sm_strings_get(&caches->strings, cache);
	pthread_mutex_unlock(&caches->lock);
	return name;
}
