/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Call trees written to files.
 *
 * JSON, an object: by (the key), view ("tree", "inverted", "peek"), narrow (an array of
 * "GROUP=LABEL", the widest part last), total (of all that was counted), part (of the part that the
 * tree is of), nodes (how many are written), complete (false: there were more), and root, or for
 * "peek" function, callers and callees. A node: function, module (null where it is a row's label),
 * value, self (of stacks that have no level beyond it), old and old_self where something is
 * compared, children: an array, or null where they aren't written, as what is lightest is left out
 * beyond SAVE_MOST nodes.
 */
#include <errno.h>
#include <stdlib.h>

#include "forest_work.h"
#include "rows_job.h"
#include "tree_view.h"

#define SAVE_MOST 250000

struct tree_saver {
	struct saver saver;
	struct forest_plan plan;
	bool bytes; /* values are */
	/* Text: rows as they were, and which were open. */
	const struct forest *forest;
	struct tree_row *rows;
	uint8_t *closed;
	size_t n;
};

/* ---- text ---- */

static void write_value(const struct tree_saver *s, uint64_t value, char sign, struct sm_out *out)
{
	struct sm_buf text = {0};

	if (sign)
		sm_buf_addc(&text, sign);
	if (s->bytes)
		sm_human_bytes(value, &text);
	else
		sm_human_count(value, &text);
	if (text.failed) {
		out->errnum = ENOMEM;
	} else {
		sm_out_pad(out, ' ', text.len < 12 ? 12 - text.len : 1);
		sm_out_bytes(out, text.data, text.len);
	}
	sm_buf_release(&text);
}

/* In other kinds it would be where stacks begin. */
static bool has_self(const struct tree_saver *s)
{
	return s->plan.kinds[0] == SM_TREE_TOP_DOWN;
}

static void write_row(const struct tree_saver *s, size_t i, struct sm_out *out)
{
	const struct sm_tree_node *n = s->rows[i].node;
	bool middle = node_is_middle(s->forest, n);
	uint64_t total = s->forest->total;

	write_value(s, n->now, 0, out);
	sm_out_f(out, " %6.2f%%", total ? (double)n->now * 100 / (double)total : 0.0);
	if (s->plan.base)
		write_value(s, n->now > n->old ? n->now - n->old : n->old - n->now,
			n->now > n->old   ? '+'
			: n->now < n->old ? '-'
					  : '=',
			out);
	if (has_self(s))
		write_value(s, n->self_now, 0, out);
	sm_out_str(out, "  ");
	/* By depth, as nothing narrows a file. */
	if (middle)
		sm_out_str(out, "* ");
	else
		sm_out_pad(out, ' ', 2 * (size_t)n->depth);
	sm_out_str(out, s->closed[i] ? "+ " : "");
	sm_out_visible(out, n->function, strlen(n->function));
	if (!n->parent && !n->function[0])
		sm_out_str(out, "all");
	if (n->module[0] && n->module[0] != '[') {
		sm_out_str(out, " [");
		sm_out_visible(out, n->module, strlen(n->module));
		sm_out_char(out, ']');
	}
	sm_out_char(out, '\n');
}

static struct sm_error *write_text(const struct tree_saver *s, struct sm_out *out)
{
	struct sm_buf health = {0};

	sm_out_f(out, "%12s       %%%s%s  function\n", sm_metric_name(s->plan.by),
		s->plan.base ? "      change" : "", has_self(s) ? "        self" : "");
	for (size_t i = 0; i < s->n && !sm_out_failed(out); i++)
		write_row(s, i, out);
	sm_honesty_text(s->plan.now->profile, s->plan.by, &health);
	if (health.failed)
		out->errnum = ENOMEM;
	else if (health.len)
		sm_out_f(out, "\n%s\n", health.data);
	sm_buf_release(&health);
	return NULL;
}

/* ---- JSON: by hand, as trees are deeper than a struct sm_json ---- */

static void write_key(struct sm_out *out, const char *key)
{
	sm_out_f(out, ",\"%s\":", key);
}

static void begin_node(const struct tree_saver *s, const struct sm_tree_node *n, struct sm_out *out)
{
	sm_out_str(out, "{\"function\":");
	sm_out_json(out, n->function, strlen(n->function));
	write_key(out, "module");
	if (n->module[0])
		sm_out_json(out, n->module, strlen(n->module));
	else
		sm_out_str(out, "null");
	write_key(out, "value");
	sm_out_u64(out, n->now);
	write_key(out, "self");
	sm_out_u64(out, n->self_now);
	if (s->plan.base) {
		write_key(out, "old");
		sm_out_u64(out, n->old);
		write_key(out, "old_self");
		sm_out_u64(out, n->self_old);
	}
	write_key(out, "children");
}

static void write_tree(const struct tree_saver *s, const struct sm_tree_node *root,
	struct sm_out *out, size_t *count)
{
	const struct sm_tree_node *n = root;

	while (!sm_out_failed(out)) {
		++*count;
		begin_node(s, n, out);
		if (n->mark & NODE_LOADED && n->nchildren) {
			sm_out_str(out, "[\n");
			n = n->children;
			continue;
		}
		sm_out_str(out, n->leaf ? "[]}" : "null}");
		while (n != root && n + 1 == n->parent->children + n->parent->nchildren) {
			sm_out_str(out, "]}");
			n = n->parent;
		}
		if (n == root)
			return;
		sm_out_str(out, ",\n");
		n++;
	}
}

static const char *view_of(const struct forest_plan *p)
{
	return p->n > 1 ? "peek" : p->kinds[0] == SM_TREE_INVERTED ? "inverted" : "tree";
}

static void begin_json(const struct forest *f, struct sm_out *out)
{
	sm_out_f(out, "{\"by\":\"%s\",\"view\":\"%s\",\"narrow\":[", sm_metric_name(f->plan.by),
		view_of(&f->plan));
	for (const struct narrow *n = f->plan.narrow; n; n = n->parent) {
		struct sm_buf text = {0};

		narrow_text(n, &text);
		if (n != f->plan.narrow)
			sm_out_char(out, ',');
		if (text.failed)
			out->errnum = ENOMEM;
		else
			sm_out_json(out, text.data, text.len);
		sm_buf_release(&text);
	}
	sm_out_char(out, ']');
	write_key(out, "total");
	sm_out_u64(out, f->total);
	write_key(out, "part");
	sm_out_u64(out, f->part);
	if (f->plan.function) {
		write_key(out, "function");
		sm_out_json(out, f->plan.function, strlen(f->plan.function));
	}
}

/* A forest of its own: the view's would keep all that is opened here. */
static struct sm_error *write_json(const struct tree_saver *s, struct sm_out *out)
{
	struct forest_job j = {.build = true, .plan = s->plan};
	struct sm_error *err = forest_new(&s->plan, &j.base.job, &j.made);
	size_t count = 0;

	for (size_t i = 0; !err && i < j.made->plan.n; i++) {
		err = forest_job_load(&j, j.made->roots[i], SAVE_MOST);
		if (err)
			break;
		if (!i)
			begin_json(j.made, out);
		write_key(out, j.made->plan.n == 1 ? "root" : i ? "callees" : "callers");
		write_tree(s, j.made->roots[i], out, &count);
	}
	if (!err) {
		write_key(out, "nodes");
		sm_out_u64(out, count);
		write_key(out, "complete");
		sm_out_str(out, j.cut ? "false}\n" : "true}\n");
	}
	forest_free(j.made);
	free(j.loaded.items);
	return err;
}

/* ---- the saver ---- */

static struct sm_error *write_saved(
	struct saver *saver, enum save_format format, struct sm_out *out)
{
	const struct tree_saver *s = (const struct tree_saver *)saver;

	return format == SAVE_JSON ? write_json(s, out) : write_text(s, out);
}

static void release(struct saver *saver)
{
	struct tree_saver *s = (struct tree_saver *)saver;

	forest_plan_release(&s->plan);
	free(s->rows);
	free(s->closed);
	free(s);
}

static bool keep_rows(struct tree_saver *s, const struct tree_row *rows, size_t n)
{
	s->n = n;
	s->rows = malloc((n + 1) * sizeof(*s->rows));
	s->closed = malloc(n + 1);
	if (!s->rows || !s->closed)
		return false;
	for (size_t i = 0; i < n; i++) {
		const struct sm_tree_node *node = rows[i].node;

		s->rows[i] = rows[i];
		s->closed[i] = !node->leaf && node->parent &&
			       (i + 1 == n || rows[i + 1].node->parent != node);
	}
	return true;
}

struct saver *tree_saver_new(const struct forest *f, const struct tree_row *rows, size_t n,
	enum save_format format, const char **why)
{
	struct tree_saver *s;

	*why = "memory is short";
	if (format == SAVE_SVG && f->plan.function) {
		*why = "a flame graph is of whole stacks";
		return NULL;
	}
	if (format == SAVE_SVG)
		return rows_saver_new(
			f->plan.now, SM_GROUP_STACK, SM_ATTR_NONE, f->plan.by, f->plan.narrow);
	s = calloc(1, sizeof(*s));
	if (!s)
		return NULL;
	s->saver = (struct saver){.write = write_saved, .release = release};
	s->forest = f;
	s->bytes = sm_profile_is_bytes(f->plan.now->profile, f->plan.by);
	if (!forest_plan_copy(&s->plan, &f->plan) ||
		(format == SAVE_TEXT && !keep_rows(s, rows, n))) {
		release(&s->saver);
		return NULL;
	}
	return &s->saver;
}
