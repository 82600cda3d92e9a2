/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Addresses, or text with addresses in it, to functions and places in the source. */
#include "index_builder.h"
#include "symbolize.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "line_reader.h"

static const struct option_def OPTIONS[] = {
	OPT_STRING('i', "input", symbolize_opts, input, "INPUT", "file",
		"the capture that the addresses are of (else --vmlinux, or the running kernel)"),
	OPT_FLAG('r', "return", symbolize_opts, returns,
		"they are return addresses: tell the call before each"),
	OPT_FLAG('F', "filter", symbolize_opts, filter,
		"copy standard input, with places added to the addresses in it"),
	OPT_FLAG('d', "disasm", symbolize_opts, disasm, "show the instructions around each"),
	OPT_U64('B', "before", symbolize_opts, before, "N", 10000,
		"with --disasm: at most N instructions before it (6)"),
	OPT_U64('A', "after", symbolize_opts, after, "N", 10000,
		"with --disasm: at most N instructions from it on (4)"),
	OPT_FLAG(0, "build-index", symbolize_opts, build_index,
		"build the index of each vmlinux that is named, so that later uses are fast"),
};

/* ---- text ---- */

static struct sm_error *filter_text(struct symbolize *s)
{
	const struct sm_filter_opts opts = {
		.color = cli_color(s->cli),
		.escape = s->cli->to_pager || (!s->cli->to_file && isatty(STDOUT_FILENO)),
	};
	struct line_reader reader = {.fd = STDIN_FILENO, .path = "<stdin>"};
	struct sm_filter *filter = sm_filter_new(s->syms, &opts, &s->out);
	struct sm_error *err = filter ? NULL : sm_error_nomem();
	const char *text;
	size_t len;
	bool idle;

	while (!err) {
		err = line_reader_next(&reader, &text, &len, &idle);
		if (err || !len)
			break;
		sm_filter_write(filter, text, len);
		if (idle && !sm_out_failed(&s->out))
			err = sm_out_flush(&s->out);
		if (!err && sm_out_failed(&s->out))
			err = sm_error_new(SM_E_STOPPED, NULL, "output failed", NULL);
	}
	sm_filter_free(filter);
	line_reader_release(&reader);
	return err;
}

/* ---- indexes ---- */

static struct sm_error *build_index(struct symbolize *s, const char *vmlinux)
{
	struct sm_symbols_opts opts;
	struct sm_buf where = {0};
	struct sm_buf size = {0};
	struct sm_error *err;
	struct stat st;

	err = input_symbols_opts(s->cli, &opts);
	if (!err && !opts.cache)
		err = sm_error_new(SM_E_MISSING, NULL, "no place for an index",
			"set XDG_CACHE_HOME or HOME to an absolute path");
	if (!err)
		err = sm_symbols_build_index(vmlinux, &opts, &s->cli->progress, &where);
	if (!err && where.failed)
		err = sm_error_nomem();
	cli_erase_progress(s->cli);
	if (!err && stat(where.data, &st))
		st.st_size = 0;
	if (!err && s->cli->output.format) {
		sm_json_object(&s->json, NULL);
		sm_json_str(&s->json, "vmlinux", vmlinux);
		sm_json_str(&s->json, "index", where.data);
		sm_json_u64(&s->json, "bytes", (uint64_t)st.st_size);
		sm_json_object_end(&s->json);
	} else if (!err) {
		sm_human_bytes((uint64_t)st.st_size, &size);
		sm_out_visible(&s->out, where.data, where.len);
		sm_out_f(&s->out, ": %s\n", size.data ? size.data : "?");
	}
	sm_buf_release(&where);
	sm_buf_release(&size);
	return err;
}

static struct sm_error *build_indexes(struct symbolize *s, int argc, char **argv)
{
	struct sm_error *err = NULL;

	sm_json_init(&s->json, &s->out, true);
	if (s->cli->output.format) {
		sm_json_object(&s->json, NULL);
		sm_json_array(&s->json, "indexes");
	}
	if (!argc)
		err = build_index(s, s->cli->symbols.vmlinux);
	for (int i = 0; i < argc && !err; i++)
		err = build_index(s, argv[i]);
	if (s->cli->output.format) {
		sm_json_array_end(&s->json);
		sm_json_object_end(&s->json);
		sm_out_char(&s->out, '\n');
	}
	return err;
}

/* ---- what the addresses are of ---- */

static struct sm_error *ignore_events(void *ctx, const struct sm_batch *batch)
{
	(void)ctx;
	(void)batch;
	return NULL;
}

/* Addresses of a capture's stacks, enough to infer the slide from. */
static struct sm_error *sample_stacks(struct symbolize *s, struct sm_addresses *addresses)
{
	struct sm_trace_opts opts = {.lenient = s->cli->input.lenient, .log = &s->cli->log};
	struct sm_run_opts run = {.threads = (unsigned)s->cli->input.threads};
	struct sm_trace *trace = NULL;
	struct sm_error *err;
	uint32_t n;

	opts.map_only = sm_source_has(s->src, SM_MEMBER_MAP);
	err = sm_trace_open(s->src, &opts, &trace);
	if (!err && !opts.map_only)
		err = sm_trace_run(trace, &run, ignore_events, NULL);
	n = err ? 0 : sm_stacks_count(trace->stacks);
	for (uint32_t i = 0; i < n && addresses->n < 1000 && !err; i++) {
		struct sm_stack stack = sm_stacks_get(trace->stacks, i);

		if (!sm_addresses_add(addresses, stack.ips, stack.depth))
			err = sm_error_nomem();
	}
	sm_trace_free(trace);
	return err;
}

/* Where the slide must be inferred, a capture's own stacks tell more than what is asked for. */
static struct sm_error *prepare_slide(struct symbolize *s)
{
	struct sm_addresses addresses = {0};
	struct sm_symbols_facts facts;
	struct sm_error *err;

	sm_symbols_facts(s->syms, &facts);
	if (!s->o.input || !facts.vmlinux || facts.slide_from != SM_SLIDE_UNKNOWN)
		return NULL;
	err = sample_stacks(s, &addresses);
	if (!err && addresses.n)
		err = sm_symbols_prepare(s->syms, addresses.items, addresses.n, SM_ADDRESS_RETURN);
	sm_addresses_release(&addresses);
	return err;
}

static struct sm_error *open_symbols(struct symbolize *s)
{
	struct sm_source_opts opts = {
		.log = &s->cli->log,
		.progress = &s->cli->progress,
		.tmpdir = getenv("TMPDIR"),
	};
	const struct symbol_opts *o = &s->cli->symbols;
	struct sm_error *err = NULL;

	if (o->no_symbols)
		return NULL;
	/* A file that is named alone has addresses of its own: those of `nm`. */
	if (s->o.input || (!o->vmlinux && !o->kallsyms))
		err = sm_source_open(s->o.input, &opts, &s->src);
	if (!err)
		err = input_open_symbols(s->cli, s->src, &s->syms);
	if (!err && sm_symbols_trouble(s->syms))
		sm_log(&s->cli->log, SM_WARN, "%s", sm_symbols_trouble(s->syms));
	return err ? err : prepare_slide(s);
}

/* ---- the command ---- */

static int check_options(struct cli *cli, const struct symbolize_opts *o, int argc)
{
	if (o->build_index && !argc && !cli->symbols.vmlinux)
		return cli_usage(cli, "--build-index needs a vmlinux");
	if (o->build_index && cli->symbols.no_cache)
		return cli_usage(cli, "--build-index and --no-cache exclude each other");
	if (o->build_index && (o->filter || o->disasm || o->returns || o->input))
		return cli_usage(cli, "--build-index goes with no other use");
	if (o->filter && argc)
		return cli_usage(cli, "--filter reads standard input: give no addresses");
	if (o->filter && (o->disasm || o->returns))
		return cli_usage(cli, "--filter excludes --disasm and --return");
	if (o->filter && cli->output.format)
		return cli_usage(cli, "--filter copies text: it has no other form");
	if (o->input && !strcmp(o->input, "-") && (o->filter || !argc))
		return cli_usage(cli, "standard input can't be both the capture and the addresses");
	return EXIT_DONE;
}

static void tell_unknown(struct symbolize *s)
{
	if (!s->unknown)
		return;
	if (s->unknown == s->asked)
		sm_log(&s->cli->log, SM_WARN, "%s",
			s->asked == 1 ? "the address has no name" : "no address has a name");
	else
		sm_log(&s->cli->log, SM_WARN, "%llu of %llu addresses have no name",
			(unsigned long long)s->unknown, (unsigned long long)s->asked);
}

static int run(int argc, char **argv, struct cli *cli)
{
	struct symbolize s = {.cli = cli, .o = {.before = 6, .after = 4}};
	struct sm_error *err = NULL;
	int status;

	if (!cli_parse(cli, &s.o, &argc, argv, &status))
		return status;
	status = check_options(cli, &s.o, argc);
	if (status != EXIT_DONE)
		return status;
	if (!s.o.build_index)
		err = open_symbols(&s);
	if (!err)
		err = cli_open_output(cli, &s.out);
	if (!err) {
		if (s.o.build_index)
			err = build_indexes(&s, argc, argv);
		else if (s.o.filter)
			err = filter_text(&s);
		else
			err = symbolize_addresses(&s, argc, argv);
		err = cli_close_output(cli, &s.out, err);
	}
	tell_unknown(&s);
	status = cli_error(cli, err);
	index_builder_note(cli, s.syms);
	sm_symbols_free(s.syms);
	sm_source_free(s.src);
	return status;
}

const struct command command_symbolize = {
	.name = "symbolize",
	.summary = "addresses, or text with addresses in it, to functions, files and lines",
	.usage = "[OPTION]... [ADDR]...\n"
		 "[OPTION]... --filter <TEXT\n"
		 "[OPTION]... --build-index VMLINUX...",
	.formats = "text json jsonl",
	.options = OPTIONS,
	.n_options = SM_ARRAY_SIZE(OPTIONS),
	.operands = "file",
	.flags = COMMAND_LOG | COMMAND_INPUT | COMMAND_OUTPUT | COMMAND_SYMBOLS,
	.run = run,
};
