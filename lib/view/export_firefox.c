/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The Firefox Profiler's processed format, gzipped: one thread, whose samples are the stacks,
 * weighted by the metric. Of a difference weights are changes, and may be negative.
 */
#include <stdlib.h>

#include "export.h"

#define VERSION 46         /* of the processed format: newer readers upgrade it */
#define GECKO_VERSION 27   /* that goes with it */
#define NO_NODE UINT32_MAX /* above a root */

enum { CATEGORY_KERNEL, CATEGORY_MODULE, CATEGORY_OTHER };

struct firefox {
	struct export_stacks stacks;
	struct gzip gzip;
	struct sm_json j;
	/* The tree of stacks. */
	uint32_t *prefix, *frame;
	uint32_t nnodes;
	/* Per frame: its function; per function: a frame that has it. */
	uint32_t *func, *frame_of;
	uint32_t nfuncs;
	/* Per function its resource, SM_NO_STRING = none; per resource its module's name. */
	uint32_t *resource, *modules;
	uint32_t nmodules;
};

static const struct export_frame *frame_at(const struct firefox *f, uint32_t id)
{
	return &f->stacks.frames.items[id];
}

static unsigned category_of(const struct firefox *f, const struct export_frame *frame)
{
	const char *module = export_string(&f->stacks.frames, frame->module);

	if (!module || !strcmp(module, "[unknown]"))
		return CATEGORY_OTHER;
	return *module == '[' ? CATEGORY_KERNEL : CATEGORY_MODULE;
}

/* Makes the tree: stacks sorted by names share their prefixes with those before them. */
static bool make_nodes(struct firefox *f)
{
	struct export_stacks *s = &f->stacks;
	uint32_t *path, deepest = 0;
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++) {
		n += s->items[i].n - export_stacks_common(s, i);
		if (s->items[i].n > deepest)
			deepest = s->items[i].n;
	}
	if (n >= INT32_MAX)
		return false;
	f->prefix = malloc((n + 1) * sizeof(*f->prefix));
	f->frame = malloc((n + 1) * sizeof(*f->frame));
	path = malloc(((size_t)deepest + 1) * sizeof(*path));
	if (!f->prefix || !f->frame || !path) {
		free(path);
		return false;
	}
	for (size_t i = 0; i < s->n; i++) {
		struct export_stack *e = &s->items[i];

		for (uint32_t k = export_stacks_common(s, i); k < e->n; k++) {
			f->prefix[f->nnodes] = k ? path[k - 1] : NO_NODE;
			f->frame[f->nnodes] = s->ids[e->first + k];
			path[k] = f->nnodes++;
		}
		e->node = path[e->n - 1];
	}
	free(path);
	return true;
}

static uint32_t resource_of(struct firefox *f, uint32_t module)
{
	if (module == SM_NO_STRING ||
		!strcmp(export_string(&f->stacks.frames, module), "[unknown]"))
		return SM_NO_STRING;
	for (uint32_t i = f->nmodules; i-- > 0;)
		if (f->modules[i] == module)
			return i;
	f->modules[f->nmodules] = module;
	return f->nmodules++;
}

/* Frames of one function, inlined and not, stand side by side. */
static bool make_funcs(struct firefox *f)
{
	size_t n = f->stacks.frames.keys.n;
	uint32_t *block = malloc((4 * n + 1) * sizeof(*block));

	if (!block)
		return false;
	f->func = block;
	f->frame_of = block + n;
	f->resource = block + 2 * n;
	f->modules = block + 3 * n;
	for (uint32_t i = 0; i < n; i++) {
		const struct export_frame *a = frame_at(f, i), *b = i ? frame_at(f, i - 1) : NULL;

		if (!b || a->name != b->name || a->module != b->module || a->file != b->file) {
			f->frame_of[f->nfuncs] = i;
			f->resource[f->nfuncs++] = resource_of(f, a->module);
		}
		f->func[i] = f->nfuncs - 1;
	}
	return true;
}

/* ---- columns: arrays of numbers ---- */

typedef int64_t (*cell)(const struct firefox *f, uint32_t i);
#define NOTHING INT64_MIN /* null */

static void put_column(struct firefox *f, const char *name, uint32_t n, cell value)
{
	sm_json_array(&f->j, name);
	for (uint32_t i = 0; i < n && !sm_out_failed(f->gzip.out); i++) {
		int64_t v = value(f, i);

		if (v == NOTHING)
			sm_json_null(&f->j, NULL);
		else
			sm_json_i64(&f->j, NULL, v);
		if (!(i & 0xffff))
			gzip_drain(&f->gzip);
	}
	sm_json_array_end(&f->j);
	gzip_drain(&f->gzip);
}

#define CELL(NAME, VALUE)                                        \
	static int64_t NAME(const struct firefox *f, uint32_t i) \
	{                                                        \
		(void)f;                                         \
		(void)i;                                         \
		return VALUE;                                    \
	}
CELL(nothing, NOTHING)
CELL(none, -1)
CELL(zero, 0)
CELL(one, 1)
CELL(itself, i)
CELL(node_prefix, f->prefix[i] == NO_NODE ? NOTHING : f->prefix[i])
CELL(node_frame, f->frame[i])
CELL(node_category, category_of(f, frame_at(f, f->frame[i])))
CELL(frame_inline_depth, frame_at(f, i)->inlined)
CELL(frame_category, category_of(f, frame_at(f, i)))
CELL(frame_func, f->func[i])
CELL(frame_line, frame_at(f, i)->line ? frame_at(f, i)->line : NOTHING)
CELL(func_name, frame_at(f, f->frame_of[i])->name)
CELL(func_resource, f->resource[i] == SM_NO_STRING ? -1 : (int64_t)f->resource[i])
CELL(func_file, frame_at(f, f->frame_of[i])->file == SM_NO_STRING
			? NOTHING
			: frame_at(f, f->frame_of[i])->file)
CELL(module_name, f->modules[i])
CELL(sample_stack, f->stacks.items[i].node)
#undef CELL

static int64_t sample_weight(const struct firefox *f, uint32_t i)
{
	const struct export_stack *e = &f->stacks.items[i];

	return (int64_t)(e->m[f->stacks.x->opts->by] - e->old);
}

/* A table whose only members beside its length are columns. */
static void begin_table(struct firefox *f, const char *name, uint32_t n)
{
	sm_json_object(&f->j, name);
	sm_json_u64(&f->j, "length", n);
}

static void put_bools(struct firefox *f, const char *name, uint32_t n)
{
	sm_json_array(&f->j, name);
	for (uint32_t i = 0; i < n; i++)
		sm_json_bool(&f->j, NULL, false);
	sm_json_array_end(&f->j);
	gzip_drain(&f->gzip);
}

static void put_frames(struct firefox *f)
{
	uint32_t n = (uint32_t)f->stacks.frames.keys.n;

	begin_table(f, "frameTable", n);
	put_column(f, "address", n, none);
	put_column(f, "inlineDepth", n, frame_inline_depth);
	put_column(f, "category", n, frame_category);
	put_column(f, "subcategory", n, zero);
	put_column(f, "func", n, frame_func);
	put_column(f, "nativeSymbol", n, nothing);
	put_column(f, "innerWindowID", n, nothing);
	put_column(f, "implementation", n, nothing);
	put_column(f, "line", n, frame_line);
	put_column(f, "column", n, nothing);
	sm_json_object_end(&f->j);
	begin_table(f, "funcTable", f->nfuncs);
	put_column(f, "name", f->nfuncs, func_name);
	put_bools(f, "isJS", f->nfuncs);
	put_bools(f, "relevantForJS", f->nfuncs);
	put_column(f, "resource", f->nfuncs, func_resource);
	put_column(f, "fileName", f->nfuncs, func_file);
	put_column(f, "lineNumber", f->nfuncs, nothing);
	put_column(f, "columnNumber", f->nfuncs, nothing);
	sm_json_object_end(&f->j);
	begin_table(f, "resourceTable", f->nmodules);
	put_column(f, "lib", f->nmodules, itself);
	put_column(f, "name", f->nmodules, module_name);
	put_column(f, "host", f->nmodules, nothing);
	put_column(f, "type", f->nmodules, one);
	sm_json_object_end(&f->j);
}

/* Samples take a time: one after the other. */
static void put_samples(struct firefox *f)
{
	const struct sm_export *x = f->stacks.x;
	uint32_t n = (uint32_t)f->stacks.n;

	begin_table(f, "stackTable", f->nnodes);
	put_column(f, "frame", f->nnodes, node_frame);
	put_column(f, "prefix", f->nnodes, node_prefix);
	put_column(f, "category", f->nnodes, node_category);
	put_column(f, "subcategory", f->nnodes, zero);
	sm_json_object_end(&f->j);
	begin_table(f, "samples", n);
	sm_json_str(&f->j, "weightType",
		sm_profile_is_bytes(x->now.profile, x->opts->by) ? "bytes" : "samples");
	put_column(f, "stack", n, sample_stack);
	put_column(f, "time", n, itself);
	put_column(f, "weight", n, sample_weight);
	sm_json_object_end(&f->j);
}

static void put_empty(struct firefox *f, const char *table, const char *const *columns)
{
	begin_table(f, table, 0);
	for (; *columns; columns++) {
		sm_json_array(&f->j, *columns);
		sm_json_array_end(&f->j);
	}
	sm_json_object_end(&f->j);
}

static void put_array(struct firefox *f, const char *name)
{
	sm_json_array(&f->j, name);
	sm_json_array_end(&f->j);
}

static void put_thread(struct firefox *f)
{
	static const char *const MARKERS[] = {
		"category", "data", "endTime", "name", "phase", "startTime", NULL};
	static const char *const NATIVE[] = {"address", "functionSize", "libIndex", "name", NULL};
	const struct sm_strings *strings = &f->stacks.frames.strings;
	struct sm_json *j = &f->j;

	sm_json_object(j, NULL);
	sm_json_str(j, "name", sm_metric_name(f->stacks.x->opts->by));
	sm_json_bool(j, "isMainThread", true);
	sm_json_str(j, "processType", "default");
	sm_json_str(j, "processName", "kernel");
	sm_json_u64(j, "processStartupTime", 0);
	sm_json_null(j, "processShutdownTime");
	sm_json_u64(j, "registerTime", 0);
	sm_json_null(j, "unregisterTime");
	put_array(f, "pausedRanges");
	sm_json_str(j, "pid", "0");
	sm_json_u64(j, "tid", 0);
	put_frames(f);
	put_samples(f);
	put_empty(f, "markers", MARKERS);
	put_empty(f, "nativeSymbols", NATIVE);
	sm_json_array(j, "stringArray");
	for (size_t i = 0; i < strings->n; i++) {
		sm_json_strn(j, NULL, strings->items[i].data, strings->items[i].len);
		gzip_drain(&f->gzip);
	}
	sm_json_array_end(j);
	sm_json_object_end(j);
}

static void put_category(struct sm_json *j, const char *name, const char *color)
{
	sm_json_object(j, NULL);
	sm_json_str(j, "name", name);
	sm_json_str(j, "color", color);
	sm_json_array(j, "subcategories");
	sm_json_str(j, NULL, "Other");
	sm_json_array_end(j);
	sm_json_object_end(j);
}

static void put_meta(struct firefox *f)
{
	static const char *const EXTENSIONS[] = {"baseURL", "id", "name", NULL};
	const struct sm_export *x = f->stacks.x;
	const struct sm_trace *trace = x->now.profile->trace;
	struct sm_json *j = &f->j;
	struct sm_buf health = {0};

	sm_health_text(x->now.profile, &health);
	sm_json_object(j, "meta");
	sm_json_u64(j, "preprocessedProfileVersion", VERSION);
	sm_json_u64(j, "version", GECKO_VERSION);
	sm_json_str(j, "product", x->base.profile ? "smtool, difference" : "smtool");
	sm_json_str(j, "importedFrom", "smtool");
	sm_json_u64(j, "processType", 0);
	sm_json_u64(j, "stackwalk", 1);
	sm_json_bool(j, "debug", false);
	sm_json_bool(j, "symbolicated", true);
	sm_json_bool(j, "usesOnlyOneStackType", true);
	sm_json_bool(j, "doesNotUseFrameImplementation", true);
	sm_json_bool(j, "sourceCodeIsNotOnSearchfox", true);
	sm_json_u64(j, "interval", 1);
	sm_json_i64(j, "startTime", x->time_ns / 1000000);
	sm_json_str(j, "oscpu", trace->kernel_release ? trace->kernel_release : "Linux");
	sm_json_str(j, "misc", health.data);
	sm_json_array(j, "categories");
	put_category(j, "Kernel", "orange");
	put_category(j, "Module", "blue");
	put_category(j, "Other", "grey");
	sm_json_array_end(j);
	put_array(f, "markerSchema");
	put_empty(f, "extensions", EXTENSIONS);
	sm_json_object_end(j);
	sm_buf_release(&health);
}

static void put_libs(struct firefox *f)
{
	struct sm_json *j = &f->j;

	sm_json_array(j, "libs");
	for (uint32_t i = 0; i < f->nmodules; i++) {
		const char *name = export_string(&f->stacks.frames, f->modules[i]);
		const struct sm_symbols *syms = f->stacks.x->now.syms;
		const char *own = strcmp(name, "[kernel]") ? name : NULL;

		sm_json_object(j, NULL);
		sm_json_str(j, "name", name);
		sm_json_str(j, "path", name);
		sm_json_str(j, "debugName", name);
		sm_json_str(j, "debugPath", name);
		sm_json_str(j, "breakpadId", "");
		sm_json_str(j, "codeId", syms ? sm_symbols_build_id(syms, own) : NULL);
		sm_json_str(j, "arch", f->stacks.x->now.profile->trace->machine);
		sm_json_object_end(j);
	}
	sm_json_array_end(j);
}

static void put_profile(struct firefox *f)
{
	sm_json_init(&f->j, &f->gzip.plain, false);
	sm_json_object(&f->j, NULL);
	put_meta(f);
	put_libs(f);
	sm_json_array(&f->j, "threads");
	put_thread(f);
	sm_json_array_end(&f->j);
	put_array(f, "pages");
	put_array(f, "counters");
	put_array(f, "profilerOverhead");
	sm_json_object_end(&f->j);
	sm_out_char(&f->gzip.plain, '\n');
}

struct sm_error *export_firefox(const struct sm_export *x, struct sm_out *out)
{
	struct firefox f = {0};
	struct sm_error *err = gzip_begin(&f.gzip, out), *finish;

	if (err)
		return err;
	err = export_stacks_build(
		&f.stacks, x, EXPORT_BY_MODULE | EXPORT_BY_FILE | EXPORT_BY_INLINED, false);
	if (!err) {
		export_stacks_sort(&f.stacks, true);
		if (!make_nodes(&f) || !make_funcs(&f))
			err = sm_error_nomem();
	}
	if (!err) {
		export_stacks_sort(&f.stacks, false);
		put_profile(&f);
	}
	finish = gzip_finish(&f.gzip);
	if (err)
		sm_error_free(finish);
	else
		err = finish;
	export_stacks_release(&f.stacks);
	free(f.prefix);
	free(f.frame);
	free(f.func);
	return err;
}
