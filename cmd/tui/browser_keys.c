/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From keys, words of the prompt and the mouse to what is done. */
#include <stdlib.h>

#include "browser_internal.h"
#include "completer.h"
#include "lookout.h"

static void clear_note(struct browser *b)
{
	free(b->note);
	b->note = NULL;
}

/* ---- choosing ---- */

static uint32_t known_of(const struct browser *b)
{
	uint32_t known = b->nsides ? UINT32_MAX : 0;

	for (size_t i = 0; i < b->nsides; i++)
		known &= b->readings[i] ? b->readings[i]->profile->known : 0;
	return known;
}

static void sort(struct browser *b, const char *arg)
{
	enum sm_metric by;

	if (!arg || !*arg) {
		menu_open(&b->menu, "rank by", ACT_SORT);
		for (unsigned m = 0; m < SM_M_NR; m++)
			if (known_of(b) & 1u << m)
				menu_add(&b->menu, sm_metric_name((enum sm_metric)m),
					m == (unsigned)b->by);
		return;
	}
	by = sm_metric_find(arg);
	if (by == SM_M_NR || !(known_of(b) & 1u << by)) {
		browser_say(b, ROLE_WARNING, "'%s' isn't a key that is known of this input", arg);
		return;
	}
	b->by = by;
	browser_refresh(b);
}

/* The words of --group-by that this input has. */
static void group(struct browser *b, const char *arg)
{
	enum sm_group kind;
	enum sm_attr attr;
	const char *word;

	if (!arg || !*arg) {
		menu_open(&b->menu, "group by", ACT_GROUP);
		for (unsigned i = 0; (word = completer_group(i)); i++)
			if (i < GROUPS_WITHOUT_EVENTS || b->sides[0].has_pages)
				menu_add(&b->menu, word, false);
		return;
	}
	if (group_find(arg, &kind, &attr)) {
		browser_switch(b, view_rows_new(b, kind, attr));
		return;
	}
	browser_say(b, ROLE_WARNING, "no group '%s'", arg);
}

static void percent(struct browser *b, const char *arg)
{
	if (!arg || !*arg)
		b->of_part = !b->of_part;
	else if (!strcmp(arg, "total") || !strcmp(arg, "part"))
		b->of_part = arg[0] == 'p';
	else
		browser_say(b, ROLE_WARNING, "shares are of 'total' or of a 'part'");
	if (!b->note)
		browser_say(b, ROLE_STATUS,
			b->of_part ? "shares are of what this view is a part of"
				   : "shares are of all that was counted");
}

static void filter(struct browser *b, const char *arg)
{
	struct question *q;
	struct sm_error *err;

	if (!arg) {
		prompt_open(&b->prompt, "filter: ", ACT_FILTER, b->question->text);
		if (b->question->text[0]) {
			sm_buf_addc(&b->prompt.text, ' ');
			b->prompt.cursor = b->prompt.text.len;
		}
		return;
	}
	err = question_parse(b->cli, arg, &q);
	if (err)
		browser_say_error(b, err);
	else if (browser_is_live(b) && !questions_count_alike(q, b->question)) {
		browser_say(b, ROLE_WARNING,
			"events are chosen at the start of a live view: group (g) and Enter narrow "
			"it");
		question_put(q);
	} else {
		question_put(q);
		browser_filter(b, arg);
	}
}

static void at(struct browser *b, const char *arg)
{
	struct sm_moment moment = {0};
	struct question *q = NULL;
	struct sm_error *err = NULL;

	if (!arg) {
		prompt_open(&b->prompt, "what was live at (seconds, +seconds, 40%, peak): ", ACT_AT,
			"");
		return;
	}
	if (browser_is_live(b)) {
		browser_say(b, ROLE_WARNING, "what goes on has one moment: now; Space holds it");
		return;
	}
	if (*arg)
		err = sm_moment_parse("at", arg, true, &moment);
	if (!err)
		err = question_parse(b->cli, b->question->text, &q);
	if (err) {
		browser_say_error(b, err);
		return;
	}
	if (*arg) {
		q->selection.profile.to = moment;
		q->has_moment = q->own_moment = true;
		if (sm_timeline_knows(b->by) && sm_timeline_is_rate(b->by))
			b->by = SM_M_LIVE_BYTES;
	}
	browser_ask(b, q);
}

/* ---- searching ---- */

bool browser_matches(const struct browser *b, const char *text)
{
	return b->has_expression && regexec(&b->expression, text, 0, NULL, 0) == 0;
}

static void find(struct browser *b, bool forward, bool from_here)
{
	if (!b->has_expression)
		browser_say(b, ROLE_WARNING, "nothing was searched for yet: '/' asks");
	else if (!b->top->ops->search)
		browser_say(b, ROLE_WARNING, "there is nothing to be found in this view");
	else
		b->top->ops->search(b->top, forward, from_here);
}

static void search(struct browser *b, const char *arg)
{
	regex_t expression;
	char why[128], *text;
	int rc;

	if (!arg) {
		prompt_open(&b->prompt, "/", ACT_SEARCH, "");
		return;
	}
	if (!*arg) {
		find(b, true, false);
		return;
	}
	text = strdup(arg);
	if (!text) {
		browser_say_error(b, sm_error_nomem());
		return;
	}
	rc = lookout_compile(&expression, arg);
	if (rc) {
		free(text);
		regerror(rc, &expression, why, sizeof(why));
		browser_say(b, ROLE_WARNING, "'%s': %s", arg, why);
		return;
	}
	if (b->has_expression)
		regfree(&b->expression);
	b->expression = expression;
	b->has_expression = true;
	free(b->search);
	b->search = text;
	find(b, true, true);
}

/* ---- views ---- */

struct view_word {
	const char *word;
	enum action action;
	const char *arg;
};

/* The words of `view`. */
static const struct view_word VIEWS[] = {
	{"stacks", ACT_GROUP, "stack"},
	{"functions", ACT_GROUP, "function"},
	{"callers", ACT_GROUP, "caller"},
	{"modules", ACT_GROUP, "module"},
	{"caches", ACT_GROUP, "cache"},
	{"comms", ACT_GROUP, "comm"},
	{"sizes", ACT_GROUP, "size"},
	{"tree", ACT_TREE, "top-down"},
	{"inverted", ACT_TREE, "inverted"},
	{"flame", ACT_FLAME, NULL},
	{"timeline", ACT_TIMELINE, NULL},
	{"diff", ACT_DIFF, NULL},
	{"messages", ACT_MESSAGES, NULL},
	{"help", ACT_HELP, NULL},
};

const char *browser_view_word(size_t i)
{
	return i < SM_ARRAY_SIZE(VIEWS) ? VIEWS[i].word : NULL;
}

static void choose_view(struct browser *b, const char *arg)
{
	if (!arg || !*arg) {
		menu_open(&b->menu, "view", ACT_VIEW);
		for (size_t i = 0; i < SM_ARRAY_SIZE(VIEWS); i++)
			menu_add(&b->menu, VIEWS[i].word, false);
		return;
	}
	for (size_t i = 0; i < SM_ARRAY_SIZE(VIEWS); i++) {
		if (!strcmp(VIEWS[i].word, arg)) {
			browser_act(b, VIEWS[i].action, VIEWS[i].arg);
			return;
		}
	}
	browser_say(b, ROLE_WARNING, "no view '%s'", arg);
}

static void other(struct browser *b)
{
	if (b->nsides < 2) {
		browser_say(b, ROLE_WARNING, "there is one input only");
		return;
	}
	b->shown = (b->shown + 1) % b->nsides;
	browser_say(b, ROLE_STATUS, "views are of %s now", b->sides[b->shown].title);
	browser_refresh(b);
}

static void open_tree(struct browser *b, const char *arg)
{
	bool inverted = arg && strcmp(arg, "inverted") == 0;

	if (arg && !inverted && strcmp(arg, "top-down") != 0)
		browser_say(b, ROLE_WARNING, "a tree is 'top-down' or 'inverted'");
	else
		browser_switch(b, view_tree_new(b, inverted));
}

static void peek(struct browser *b, const char *arg)
{
	if (arg && *arg)
		browser_peek(b, arg);
	else
		browser_say(b, ROLE_WARNING, "'peek' needs a row that is a function, or its name");
}

static void diff(struct browser *b)
{
	if (b->mark || b->nsides == 2)
		browser_switch(b, view_diff_new(b, SM_GROUP_STACK, SM_ATTR_NONE, b->mark != NULL));
	else
		browser_say(
			b, ROLE_WARNING, "nothing to compare with: 'm' marks what is counted now");
}

static void match(struct browser *b, const char *arg)
{
	bool function = arg && !strcmp(arg, "function");

	if (arg && *arg && !function && strcmp(arg, "exact") != 0) {
		browser_say(b, ROLE_WARNING, "frames match 'exact' or by 'function'");
		return;
	}
	if (!arg || !*arg)
		function = b->diff.match == SM_MATCH_EXACT;
	b->diff.match = function ? SM_MATCH_FUNCTION : SM_MATCH_EXACT;
	browser_say(b, ROLE_STATUS,
		function ? "frames are the same where functions are"
			 : "frames are the same where code is");
	browser_refresh(b);
}

static void normalize(struct browser *b)
{
	b->diff.normalize = !b->diff.normalize;
	browser_say(b, ROLE_STATUS,
		b->diff.normalize ? "compared per second of each window" : "compared in all");
	browser_refresh(b);
}

static void mark(struct browser *b)
{
	if (b->mark)
		browser_push(b, view_diff_new(b, SM_GROUP_STACK, SM_ATTR_NONE, true),
			narrow_get(b->top->narrow));
	else if (b->readings[b->shown])
		browser_mark(b, b->readings[b->shown]);
}

static void unmark(struct browser *b)
{
	if (!b->mark) {
		browser_say(b, ROLE_WARNING, "nothing is marked");
		return;
	}
	browser_drop(b, browser_put_reading, b->mark);
	b->mark = NULL;
	browser_say(b, ROLE_STATUS, "the mark is gone");
	browser_refresh(b);
}

static void code(struct browser *b)
{
	struct place place;

	if (b->top->ops->place && b->top->ops->place(b->top, &place))
		browser_push(b, view_code_new(b, &place), narrow_get(b->top->narrow));
	else
		browser_say(
			b, ROLE_WARNING, "there is no call site here whose code could be shown");
}

/* A page of text, which isn't opened twice. */
static void open_text(struct browser *b, struct view *v)
{
	if (v && b->top->ops == v->ops) {
		v->ops->close(v);
		return;
	}
	browser_push(b, v, narrow_get(b->top->narrow));
}

/* ---- doing ---- */

static void command(struct browser *b, const char *text)
{
	const char *word = text + strspn(text, " "), *arg;
	size_t len = strcspn(word, " ");
	const struct key_def *def = len ? keymap_word(word, len) : NULL;

	if (!len)
		return;
	if (!def) {
		browser_say(b, ROLE_WARNING, "no command '%.*s': Tab completes, ? lists them",
			(int)len, word);
		return;
	}
	arg = word + len + strspn(word + len, " ");
	if (*arg && !def->arg[0]) {
		browser_say(b, ROLE_WARNING, "'%s' takes no argument", def->word);
		return;
	}
	browser_act(b, def->action, *arg ? arg : NULL);
}

void browser_act(struct browser *b, enum action action, const char *arg)
{
	struct view *v = b->top;

	if (v->ops->act && v->ops->act(v, action, arg))
		return;
	if (browser_live_act(b, action, arg))
		return;
	switch (action) {
	case ACT_BACK:
		browser_back(b);
		return;
	case ACT_SEARCH:
		search(b, arg);
		return;
	case ACT_NEXT:
	case ACT_PREVIOUS:
		find(b, action == ACT_NEXT, false);
		return;
	case ACT_FILTER:
		filter(b, arg);
		return;
	case ACT_SORT:
		sort(b, arg);
		return;
	case ACT_PERCENT:
		percent(b, arg);
		return;
	case ACT_GROUP:
		group(b, arg);
		return;
	case ACT_TREE:
		open_tree(b, arg);
		return;
	case ACT_INVERT:
		browser_switch(b, view_tree_new(b, true));
		return;
	case ACT_FLAME:
		browser_switch(b, view_flame_new(b, false));
		return;
	case ACT_TIMELINE:
		browser_switch(b, view_timeline_new(b));
		return;
	case ACT_DIFF:
		diff(b);
		return;
	case ACT_MATCH:
		match(b, arg);
		return;
	case ACT_NORMALIZE:
		normalize(b);
		return;
	case ACT_CODE:
		code(b);
		return;
	case ACT_MARK:
		mark(b);
		return;
	case ACT_UNMARK:
		unmark(b);
		return;
	case ACT_PEEK:
		peek(b, arg);
		return;
	case ACT_AT:
		at(b, arg);
		return;
	case ACT_OTHER:
		other(b);
		return;
	case ACT_VIEW:
		choose_view(b, arg);
		return;
	case ACT_MESSAGES:
		open_text(b, view_messages_new(b));
		return;
	case ACT_HELP:
		open_text(b, view_help_new(b));
		return;
	case ACT_WRITE:
		browser_write(b, arg);
		return;
	case ACT_COPY:
		browser_copy(b, arg);
		return;
	case ACT_SCREEN:
		browser_screen(b, arg);
		return;
	case ACT_PROMPT:
		prompt_open(&b->prompt, ":", ACT_PROMPT, "");
		return;
	case ACT_REPAINT:
		screen_repaint(b->screen);
		return;
	case ACT_QUIT:
		b->quit = true;
		return;
	default:
		break;
	}
	if (v->list.n && list_do(&v->list, action))
		return;
	for (size_t i = 0; i < keymap_n; i++)
		if (keymap[i].action == action && keymap[i].section != KEYS_MOVE)
			browser_say(b, ROLE_STATUS, "'%s' does nothing here", keymap[i].word);
}

static void accept(struct browser *b)
{
	enum action action = b->prompt.action;
	/* What is done may open the prompt anew. */
	char *text = strdup(b->prompt.text.data ? b->prompt.text.data : "");

	if (!text) {
		browser_say_error(b, sm_error_nomem());
		return;
	}
	if (action == ACT_PROMPT)
		command(b, text);
	else
		browser_act(b, action, text);
	free(text);
}

void browser_key(struct browser *b, int key)
{
	const struct key_def *def;

	if (b->menu.title) {
		if (menu_key(&b->menu, key) == MENU_CHOSEN)
			browser_act(b, b->menu.action, menu_word(&b->menu));
		return;
	}
	if (b->prompt.label) {
		b->prompt.complete = completer_complete;
		b->prompt.ctx = b;
		if (prompt_key(&b->prompt, key) == PROMPT_ACCEPTED) {
			clear_note(b);
			accept(b);
		}
		return;
	}
	clear_note(b);
	def = keymap_find(key);
	if (def)
		browser_act(b, def->action, NULL);
}

void browser_mouse(struct browser *b, const struct mouse *mouse)
{
	struct area area = browser_area(b), rows;
	struct view *v = b->top;
	size_t row;

	if (b->menu.title) {
		if (menu_mouse(&b->menu, mouse) == MENU_CHOSEN)
			browser_act(b, b->menu.action, menu_word(&b->menu));
		return;
	}
	if (mouse->kind == MOUSE_UP || mouse->kind == MOUSE_DOWN) {
		for (int i = 0; i < 3; i++)
			browser_act(b, mouse->kind == MOUSE_UP ? ACT_UP : ACT_DOWN, NULL);
		return;
	}
	rows = (struct area){area.y + v->header, area.x, v->list.rows, area.w};
	row = v->list.n ? list_row_at(&v->list, &rows, mouse->y) : SIZE_MAX;
	clear_note(b);
	if (row != SIZE_MAX) {
		list_go(&v->list, row);
		if (mouse->kind == MOUSE_DOUBLE)
			browser_act(b, ACT_ENTER, NULL);
	} else if (v->ops->click) {
		v->ops->click(v, mouse, &area);
	}
}
