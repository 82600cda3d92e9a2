/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <stdlib.h>

#include "index_builder.h"
#include "input.h"

/* Where indexes are kept, in cli->symbols.cache: NULL where the environment names no such place. */
static struct sm_error *find_cache(struct cli *cli)
{
	const char *base = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	char **dir = &cli->symbols.cache;
	int rc = 0;

	if (*dir)
		return NULL;
	/* A relative path is to be ignored, says the XDG specification. */
	if (base && *base == '/')
		rc = asprintf(dir, "%s/smtool", base);
	else if (home && *home == '/')
		rc = asprintf(dir, "%s/.cache/smtool", home);
	if (rc >= 0)
		return NULL;
	*dir = NULL;
	return sm_error_nomem();
}

struct sm_error *input_symbols_opts(struct cli *cli, struct sm_symbols_opts *opts)
{
	const struct symbol_opts *o = &cli->symbols;
	const char *urls = getenv("DEBUGINFOD_URLS"), *root = getenv("SMTOOL_SYSROOT");
	struct sm_error *err = o->no_cache ? NULL : find_cache(cli);

	*opts = (struct sm_symbols_opts){
		.kallsyms = o->kallsyms,
		.vmlinux = o->vmlinux,
		.modules = o->modules,
		.debug_dirs = o->debug_dirs.items,
		.ndebug_dirs = o->debug_dirs.n,
		.kaslr = o->kaslr,
		.cache = o->cache,
		.debuginfod = urls && *urls,
		.root = root && *root ? root : NULL,
		.force = o->force,
		.no_inlines = o->no_inlines,
		.threads = (unsigned)cli->input.threads,
		.log = &cli->log,
	};
	return err;
}

struct sm_error *input_open_symbols(
	struct cli *cli, const struct sm_source *src, struct sm_symbols **syms)
{
	struct sm_symbols_opts opts;
	struct sm_error *err = input_symbols_opts(cli, &opts);

	return err ? err : sm_symbols_open(src, &opts, syms);
}

struct sm_error *input_open_names(struct input *in, struct cli *cli)
{
	bool named = in->trace->frames != NULL;
	struct sm_symbols_opts opts;
	struct sm_error *err;

	/* Names that the input itself has are all it has. */
	if (cli->symbols.no_symbols && !named)
		return NULL;
	err = input_symbols_opts(cli, &opts);
	if (in->among_many)
		opts.threads = 1;
	opts.frames = in->trace->frames;
	/* A vmlinux that is given may have the lines of functions that are known by name: where
	 * the kernel ran plays no part then. */
	opts.none = named && !opts.vmlinux;
	if (named && !opts.kaslr && !opts.kallsyms && !sm_source_has(in->src, "proc/kallsyms"))
		opts.kaslr = "none";
	if (!err)
		err = sm_symbols_open(in->src, &opts, &in->syms);
	if (!err && !named && sm_symbols_trouble(in->syms))
		sm_log(&cli->log, SM_WARN, "%s", sm_symbols_trouble(in->syms));
	return err;
}

struct sm_error *input_open(struct input *in, struct cli *cli, const char *path,
	const char *instance, enum input_parts parts)
{
	const struct sm_progress *progress = in->among_many ? NULL : &cli->progress;
	struct sm_source_opts source = {
		.log = &cli->log,
		.progress = progress,
		.tmpdir = getenv("TMPDIR"),
	};
	struct sm_trace_opts trace = {
		.instance = instance,
		.lenient = cli->input.lenient,
		.map_only = parts == INPUT_MAP,
		.page_size = (uint32_t)cli->selection.page_size,
		.log = &cli->log,
		.progress = progress,
	};
	struct sm_error *err = sm_source_open(path, &source, &in->src);

	if (!err && parts == INPUT_MAP_FIRST)
		trace.map_only = sm_source_has(in->src, SM_MEMBER_MAP);
	if (!err)
		err = sm_trace_open(in->src, &trace, &in->trace);
	if (!err && !in->later_symbols)
		err = input_open_names(in, cli);
	return err;
}

struct sm_error *input_damage(struct input *in)
{
	const struct sm_health *h = &in->trace->health;
	const char *path = sm_source_path(in->src);
	struct sm_error *damage = in->trace->damage;

	if (damage) {
		in->trace->damage = NULL;
	} else if (h->truncated && h->corrupt_pages <= 1) {
		/* The page that the input ends in is the damaged one. */
		damage = sm_error_new(SM_E_TRUNCATED, path, "input cut short",
			"what is before is counted; 'smtool check' names the place");
	} else if (h->corrupt_pages) {
		damage = sm_error_new(SM_E_FORMAT, path, "corrupt pages",
			"%llu page%s no sense; 'smtool check' names the places",
			(unsigned long long)h->corrupt_pages,
			h->corrupt_pages == 1 ? " is left out from where it makes"
					      : "s are left out from where they make");
	} else if (h->bad_records && in->trace->text.kind) {
		damage = sm_error_new(SM_E_FORMAT, path, "blocks that make no sense",
			"%llu %s left out; 'smtool check' names the places",
			(unsigned long long)h->bad_records, h->bad_records == 1 ? "is" : "are");
	} else if (h->bad_records) {
		damage = sm_error_new(SM_E_FORMAT, path, "records that make no sense",
			"only the stack%s of %llu event%s counted; 'smtool check' names the places",
			h->bad_records == 1 ? "" : "s", (unsigned long long)h->bad_records,
			h->bad_records == 1 ? " is" : "s are");
	}
	return damage;
}

void input_partial(struct input *in, struct cli *cli)
{
	struct sm_error *damage = input_damage(in);

	if (damage)
		cli_partial(cli, damage);
}

void input_close(struct input *in, struct cli *cli)
{
	index_builder_note(cli, in->syms);
	sm_symbols_free(in->syms);
	sm_trace_free(in->trace);
	sm_source_free(in->src);
	memset(in, 0, sizeof(*in));
}

bool input_operand(struct cli *cli, int argc, char **argv, const char **path, int *status)
{
	*path = argc ? argv[0] : NULL;
	if (argc < 2)
		return true;
	*status = cli_usage(cli, "more than one input: '%s'", argv[1]);
	return false;
}

struct sm_error *input_words(const struct option_list *list, const char ***words, size_t *n)
{
	size_t count = 0, bytes = 0;
	const char **out;
	char *text;

	*words = NULL;
	*n = 0;
	for (size_t i = 0; i < list->n; i++) {
		bytes += strlen(list->items[i]) + 1;
		count++;
		for (const char *p = list->items[i]; *p; p++)
			count += *p == ',';
	}
	if (!count)
		return NULL;
	out = malloc(count * sizeof(*out) + bytes);
	if (!out)
		return sm_error_nomem();
	text = (char *)(out + count);
	for (size_t i = 0; i < list->n; i++) {
		const char *p = list->items[i];

		for (;;) {
			size_t len = strcspn(p, ",");

			out[(*n)++] = memcpy(text, p, len);
			text[len] = '\0';
			text += len + 1;
			if (!p[len])
				break;
			p += len + 1;
		}
	}
	*words = out;
	return NULL;
}

struct sm_error *input_numbers(const char *option, const struct option_list *list, int64_t max,
	int64_t **numbers, size_t *n)
{
	const char **words;
	struct sm_error *err = input_words(list, &words, n);

	*numbers = NULL;
	if (err || !*n)
		return err;
	*numbers = malloc(*n * sizeof(**numbers));
	if (!*numbers)
		err = sm_error_nomem();
	for (size_t i = 0; !err && i < *n; i++) {
		uint64_t v;

		err = sm_parse_u64(option, words[i], (uint64_t)max, &v);
		if (!err)
			(*numbers)[i] = (int64_t)v;
	}
	free(words);
	return err;
}
