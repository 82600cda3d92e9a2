/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "../../cmd/option.h"

struct values {
	bool json, no_pager;
	unsigned verbose, by, format;
	const char *output;
	struct option_list ids;
	uint64_t limit, size, at;
};

struct shared_values {
	const char *vmlinux;
	bool no_inlines;
	unsigned format;
};

static const struct option_def own_defs[] = {
	OPT_U64('n', "limit", values, limit, "N", 100, "rows to show"),
	OPT_CHOICE(0, "by", values, by, "KEY", "count bytes live_bytes", "key to rank by"),
	OPT_STRING('o', "output", values, output, "FILE", "file", "write to FILE"),
	OPT_LIST(0, "id", values, ids, "N", "", "only stack N"),
	OPT_SIZE(0, "min-size", values, size, "SIZE", "least size"),
	OPT_DURATION(0, "at", values, at, "TIME", "live memory then"),
	OPT_FLAG('j', NULL, values, json, "short only"),
	OPT_FLAG(0, "no-pager", values, no_pager, "do not page"),
	OPT_COUNT('v', "verbose", values, verbose, "say more"),
};

static const struct option_def shared_defs[] = {
	OPT_STRING(0, "vmlinux", shared_values, vmlinux, "FILE", "file", "kernel"),
	OPT_FLAG(0, "no-inlines", shared_values, no_inlines, "no inlined functions"),
	OPT_CHOICE('f', "format", shared_values, format, NULL, NULL, "form of the output"),
	OPT_WORD(0, "json", shared_values, format, "json", NULL, "same as --format json"),
	{.short_name = 'h', .name = "help", .type = OPTION_HELP, .help = "print this help"},
};

#define MAX_ARGS 16

/* What one parse gave. */
struct fixture {
	struct values own;
	struct shared_values shared;
	struct option_table tables[2];
	char *argv[MAX_ARGS + 1];
	int argc;
	bool help;
};

static void init_tables(struct fixture *f)
{
	*f = (struct fixture){.own.limit = 10, .own.by = 9};
	f->tables[0] = (struct option_table){
		.defs = own_defs,
		.n = SM_ARRAY_SIZE(own_defs),
		.base = &f->own,
	};
	f->tables[1] = (struct option_table){
		.defs = shared_defs,
		.n = SM_ARRAY_SIZE(shared_defs),
		.title = "Shared:",
		.base = &f->shared,
		.words = "text json csv",
	};
}

static struct sm_error *parse(struct fixture *f, unsigned flags, const char *const *args)
{
	init_tables(f);
	f->argv[f->argc++] = (char *)"top";
	for (; *args; args++) {
		assert_true(f->argc < MAX_ARGS);
		f->argv[f->argc++] = (char *)*args;
	}
	return option_parse(f->tables, 2, flags, &f->argc, f->argv, &f->help);
}

#define ARGS(...) ((const char *const[]){__VA_ARGS__, NULL})

static void refuse(const char *const *args, const char *want)
{
	struct sm_buf buf = {0};
	struct sm_error *err;
	struct fixture f;

	err = parse(&f, 0, args);
	assert_non_null(err);
	assert_int_equal(err->code, SM_E_USAGE);
	sm_error_format(err, &buf);
	assert_string_equal(buf.data, want);
	sm_buf_release(&buf);
	sm_error_free(err);
	option_list_release(&f.own.ids);
}

static void test_defaults(void **state)
{
	struct fixture f;

	(void)state;
	assert_null(parse(&f, 0, ARGS(NULL)));
	assert_int_equal(f.argc, 0);
	assert_null(f.argv[0]);
	assert_int_equal(f.own.limit, 10);
	assert_int_equal(f.own.by, 9);
	assert_false(f.help);
}

static void test_forms(void **state)
{
	struct fixture f;

	(void)state;
	assert_null(parse(&f, 0, ARGS("-n5")));
	assert_int_equal(f.own.limit, 5);
	assert_null(parse(&f, 0, ARGS("-n", "6")));
	assert_int_equal(f.own.limit, 6);
	assert_null(parse(&f, 0, ARGS("--limit=7")));
	assert_int_equal(f.own.limit, 7);
	assert_null(parse(&f, 0, ARGS("--limit", "8", "-n9")));
	assert_int_equal(f.own.limit, 9);
	assert_null(parse(&f, 0, ARGS("-vjvn", "4")));
	assert_int_equal(f.own.verbose, 2);
	assert_true(f.own.json);
	assert_int_equal(f.own.limit, 4);
	assert_null(parse(&f, 0, ARGS("-vo-x", "--no-pager")));
	assert_string_equal(f.own.output, "-x");
	assert_true(f.own.no_pager);
	assert_null(parse(&f, 0, ARGS("-o", "--", "--output=", "-v")));
	assert_string_equal(f.own.output, "");
	assert_int_equal(f.own.verbose, 1);
}

static void test_types(void **state)
{
	struct fixture f;

	(void)state;
	assert_null(parse(&f, 0, ARGS("--by=live_bytes", "--min-size", "4k", "--at=1.5ms")));
	assert_int_equal(f.own.by, 2);
	assert_int_equal(f.own.size, 4096);
	assert_int_equal(f.own.at, 1500000);
	assert_null(parse(&f, 0, ARGS("--id", "1", "x", "--id=2", "--id", "3")));
	assert_int_equal(f.own.ids.n, 3);
	assert_string_equal(f.own.ids.items[0], "1");
	assert_string_equal(f.own.ids.items[2], "3");
	option_list_release(&f.own.ids);
	assert_null(parse(&f, 0, ARGS("--vmlinux=v=w", "-fcsv", "--no-inlines")));
	assert_string_equal(f.shared.vmlinux, "v=w");
	assert_int_equal(f.shared.format, 2);
	assert_true(f.shared.no_inlines);
	assert_null(parse(&f, 0, ARGS("-f", "csv", "--json")));
	assert_int_equal(f.shared.format, 1);
}

static void test_operands(void **state)
{
	struct fixture f;

	(void)state;
	assert_null(parse(&f, 0, ARGS("a", "-v", "-", "-n", "3", "b", "--", "-v", "--", "c")));
	assert_int_equal(f.argc, 6);
	assert_string_equal(f.argv[0], "a");
	assert_string_equal(f.argv[1], "-");
	assert_string_equal(f.argv[2], "b");
	assert_string_equal(f.argv[3], "-v");
	assert_string_equal(f.argv[4], "--");
	assert_string_equal(f.argv[5], "c");
	assert_null(f.argv[6]);
	assert_int_equal(f.own.verbose, 1);
	assert_int_equal(f.own.limit, 3);

	assert_null(parse(&f, OPTION_STOP_AT_OPERAND, ARGS("-v", "ls", "-v", "--", "-h")));
	assert_int_equal(f.argc, 4);
	assert_string_equal(f.argv[0], "ls");
	assert_string_equal(f.argv[3], "-h");
	assert_int_equal(f.own.verbose, 1);
	assert_false(f.help);
	assert_null(parse(&f, OPTION_STOP_AT_OPERAND, ARGS("-v", "--", "ls", "-v")));
	assert_int_equal(f.argc, 2);
	assert_string_equal(f.argv[0], "ls");
}

static void test_prefixes(void **state)
{
	struct fixture f;

	(void)state;
	assert_null(parse(&f, 0, ARGS("--lim=3", "--verb", "--no-p", "--vm", "x")));
	assert_int_equal(f.own.limit, 3);
	assert_int_equal(f.own.verbose, 1);
	assert_true(f.own.no_pager);
	assert_string_equal(f.shared.vmlinux, "x");
	refuse(ARGS("--no-"), "ambiguous option '--no-': could be --no-pager or --no-inlines");
	refuse(ARGS("--v"), "ambiguous option '--v': could be --verbose or --vmlinux");
}

static void test_help(void **state)
{
	struct fixture f;

	(void)state;
	assert_null(parse(&f, 0, ARGS("-v", "-h", "--nonsense")));
	assert_true(f.help);
	assert_null(parse(&f, 0, ARGS("a", "--help")));
	assert_true(f.help);
	assert_null(parse(&f, 0, ARGS("-vhZ")));
	assert_true(f.help);
	assert_null(parse(&f, 0, ARGS("--", "-h")));
	assert_false(f.help);
}

static void test_faults(void **state)
{
	(void)state;
	refuse(ARGS("--foo"), "unknown option '--foo'");
	refuse(ARGS("--foo=bar"), "unknown option '--foo'");
	refuse(ARGS("--limti=3"), "unknown option '--limti' (did you mean '--limit'?)");
	refuse(ARGS("--pager"), "unknown option '--pager'");
	refuse(ARGS("--no-verbose"), "unknown option '--no-verbose' (did you mean '--verbose'?)");
	refuse(ARGS("--limits"), "unknown option '--limits' (did you mean '--limit'?)");
	refuse(ARGS("--=3"), "unknown option '--'");
	refuse(ARGS("--\x1b[2J"), "unknown option '--\\x1b[2J'");
	refuse(ARGS("-z"), "unknown option '-z'");
	refuse(ARGS("-vz"), "unknown option '-z'");
	refuse(ARGS("-\u00e9"), "unknown option '-\u00e9'");
	refuse(ARGS("-n"), "option '-n' needs a value");
	refuse(ARGS("x", "--vmlinux"), "option '--vmlinux' needs a value");
	refuse(ARGS("--json=1"), "option '--json' takes no value");
	refuse(ARGS("--no-pager="), "option '--no-pager' takes no value");
	refuse(ARGS("-nx"),
		"invalid number: 'x' for '-n'; give digits, or 0x and hexadecimal ones");
	refuse(ARGS("--lim=101"), "number too large: '101' for '--limit'; the most is 100");
	refuse(ARGS("--id=1", "--by=byte"),
		"invalid value 'byte' for '--by': want count, bytes or live_bytes");
	refuse(ARGS("--by="), "invalid value '' for '--by': want count, bytes or live_bytes");
	refuse(ARGS("-f", "xml"), "invalid value 'xml' for '-f': want text, json or csv");
}

static void expect_out(struct sm_out *out, struct sm_buf *buf, const char *want)
{
	assert_null(sm_out_finish(out));
	assert_string_equal(buf->data, want);
	sm_buf_release(buf);
}

static void test_print_help(void **state)
{
	struct sm_buf buf = {0};
	struct sm_out out;
	struct fixture f;

	(void)state;
	init_tables(&f);
	assert_null(sm_out_init_buf(&out, &buf));
	option_print_help(
		&out, "top", "[OPTION]... [INPUT]...\n--list", "ranks stacks", f.tables, 2);
	expect_out(&out, &buf,
		"usage: smtool top [OPTION]... [INPUT]...\n"
		"   or: smtool top --list\n"
		"\n"
		"ranks stacks\n"
		"\n"
		"    -n, --limit N           rows to show\n"
		"        --by KEY            key to rank by: count, bytes, live_bytes\n"
		"    -o, --output FILE       write to FILE\n"
		"        --id N              only stack N\n"
		"        --min-size SIZE     least size\n"
		"        --at TIME           live memory then\n"
		"    -j                      short only\n"
		"        --no-pager          do not page\n"
		"    -v, --verbose           say more\n"
		"\n"
		"Shared:\n"
		"        --vmlinux FILE      kernel\n"
		"        --no-inlines        no inlined functions\n"
		"    -f, --format text|json|csv\n"
		"                            form of the output\n"
		"        --json              same as --format json\n"
		"    -h, --help              print this help\n");
}

static void test_print_list(void **state)
{
	struct sm_buf buf = {0};
	struct sm_out out;
	struct fixture f;

	(void)state;
	init_tables(&f);
	assert_null(sm_out_init_buf(&out, &buf));
	option_print_list(&out, "top", f.tables, 2);
	expect_out(&out, &buf,
		"top\t-n\t--limit\tN\t-\n"
		"top\t-\t--by\tKEY\tcount bytes live_bytes\n"
		"top\t-o\t--output\tFILE\tfile\n"
		"top\t-\t--id\tN\t-\n"
		"top\t-\t--min-size\tSIZE\t-\n"
		"top\t-\t--at\tTIME\t-\n"
		"top\t-j\t-\t-\t-\n"
		"top\t-\t--no-pager\t-\t-\n"
		"top\t-v\t--verbose\t-\t-\n"
		"top\t-\t--vmlinux\tFILE\tfile\n"
		"top\t-\t--no-inlines\t-\t-\n"
		"top\t-f\t--format\ttext|json|csv\ttext json csv\n"
		"top\t-\t--json\t-\t-\n"
		"top\t-h\t--help\t-\t-\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_defaults),
		cmocka_unit_test(test_forms),
		cmocka_unit_test(test_types),
		cmocka_unit_test(test_operands),
		cmocka_unit_test(test_prefixes),
		cmocka_unit_test(test_help),
		cmocka_unit_test(test_faults),
		cmocka_unit_test(test_print_help),
		cmocka_unit_test(test_print_list),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
