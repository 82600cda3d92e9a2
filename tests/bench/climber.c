/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * usage: climber CAPTURE [BASE]
 *
 * What `browse` makes of all stacks, by their references: prints a line "WHAT NS" for each tree,
 * its root opened, and the hottest path from there to its end.
 */
#include <stdio.h>
#include <stdlib.h>

#include <smtool/source.h>
#include <smtool/tree.h>

struct input {
	struct sm_source *src;
	struct sm_trace *trace;
	struct sm_symbols *syms;
	struct sm_profile *profile;
	struct sm_table *table;
};

static uint64_t begun;

static void must(struct sm_error *err)
{
	struct sm_buf text = {0};

	if (!err)
		return;
	sm_error_format(err, &text);
	fprintf(stderr, "climber: %s\n", text.data);
	exit(1);
}

static void begin(void)
{
	begun = sm_now_ns();
}

static void tell(const char *what, const char *kind)
{
	printf("%s%s %llu\n", what, kind, (unsigned long long)(sm_now_ns() - begun));
	begin();
}

static void open_input(struct input *in, const char *path)
{
	struct sm_table_opts opts = {.by = SM_M_REF_COUNT, .unsorted = true};

	must(sm_source_open(path, &(struct sm_source_opts){0}, &in->src));
	must(sm_trace_open(in->src, &(struct sm_trace_opts){0}, &in->trace));
	must(sm_symbols_open(in->src, &(struct sm_symbols_opts){0}, &in->syms));
	must(sm_profile_build(in->trace, &(struct sm_profile_opts){0}, &in->profile));
	begin();
	must(sm_table_build(in->profile, in->syms, &opts, &in->table));
	tell("table", "");
}

static void climb(const struct input *in, const struct sm_table *base, enum sm_tree_kind kind,
	const char *function, const char *name)
{
	struct sm_tree *tree;
	struct sm_tree_node *n;
	size_t nodes = 0;

	begin();
	must(sm_tree_new(in->table, base, 1, kind, function, &tree));
	tell("new-", name);
	n = sm_tree_root(tree);
	must(sm_tree_open(tree, n));
	tell("root-", name);
	while (n->nchildren) {
		n = n->children;
		nodes++;
		must(sm_tree_open(tree, n));
	}
	tell("path-", name);
	fprintf(stderr, "climber: %s: %zu functions first, %zu deep\n", name,
		sm_tree_root(tree)->nchildren, nodes);
	sm_tree_free(tree);
}

static void free_input(struct input *in)
{
	sm_table_free(in->table);
	sm_profile_free(in->profile);
	sm_symbols_free(in->syms);
	sm_trace_free(in->trace);
	sm_source_free(in->src);
}

int main(int argc, char **argv)
{
	struct input now, base = {0};
	uint32_t *frames;
	struct sm_tree *tree;
	char *function;

	if (argc != 2 && argc != 3) {
		fprintf(stderr, "usage: climber CAPTURE [BASE]\n");
		return 2;
	}
	open_input(&now, argv[1]);
	if (argc == 3)
		open_input(&base, argv[2]);
	frames = malloc((now.table->nrows + 1) * sizeof(*frames));
	if (!frames)
		must(sm_error_nomem());
	begin();
	must(sm_table_tell_apart(now.table, frames));
	tell("apart", "");
	free(frames);
	climb(&now, base.table, SM_TREE_TOP_DOWN, NULL, "top-down");
	climb(&now, base.table, SM_TREE_INVERTED, NULL, "inverted");
	must(sm_tree_new(now.table, NULL, 1, SM_TREE_INVERTED, NULL, &tree));
	must(sm_tree_open(tree, sm_tree_root(tree)));
	function = strdup(sm_tree_root(tree)->children[0].function);
	sm_tree_free(tree);
	climb(&now, base.table, SM_TREE_CALLERS, function, "callers");
	climb(&now, base.table, SM_TREE_CALLEES, function, "callees");
	free(function);
	free_input(&now);
	free_input(&base);
	return 0;
}
