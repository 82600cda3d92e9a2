/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What `symbolize` says about addresses. */
#include "symbolize.h"

#include <stdlib.h>
#include <unistd.h>

#include "line_reader.h"

struct asked {
	struct sm_mention mention;
	uint64_t ip;
	bool known; /* ip is */
};

struct batch {
	struct asked *items;
	size_t n, cap;
};

static void warn_ambiguous(struct symbolize *s, const struct sm_mention *m, size_t n)
{
	struct sm_buf text = {0};

	sm_buf_add_visible(&text, m->text, m->len);
	sm_log(&s->cli->log, SM_WARN,
		"'%s' can be %zu functions: the first is shown; /0xSIZE or [MODULE] behind it may "
		"tell which",
		text.data ? text.data : "", n);
	sm_buf_release(&text);
}

/* Takes all of `text`. With `strict` a word that is no address is an error, else one that nobody
 * knows. */
static struct sm_error *parse(
	struct symbolize *s, struct batch *b, const char *text, size_t len, bool strict)
{
	const char *end = text + len;

	for (b->n = 0;;) {
		struct asked a = {.known = true};
		struct sm_error *err;
		bool found;
		size_t n;

		err = sm_mention_take(&text, end, &a.mention, &found);
		if (err && strict)
			err->code = SM_E_USAGE;
		if (err && (strict || err->code == SM_E_NOMEM))
			return err;
		if (!found)
			return NULL;
		n = err ? 0 : sm_mention_resolve(s->syms, &a.mention, true, &a.ip);
		sm_error_free(err);
		if (n > 1)
			warn_ambiguous(s, &a.mention, n);
		a.known = n > 0;
		if (!sm_grow(&b->items, &b->cap, b->n + 1, sizeof(*b->items)))
			return sm_error_nomem();
		b->items[b->n++] = a;
	}
}

static struct sm_error *prepare(struct symbolize *s, const struct batch *b)
{
	struct sm_addresses addresses = {0};
	struct sm_error *err = NULL;

	for (size_t i = 0; i < b->n && !err; i++)
		if (b->items[i].known && !sm_addresses_add(&addresses, &b->items[i].ip, 1))
			err = sm_error_nomem();
	if (!err && s->syms && addresses.n)
		err = sm_symbols_prepare(s->syms, addresses.items, addresses.n,
			s->o.returns ? SM_ADDRESS_RETURN : SM_ADDRESS_EXACT);
	sm_addresses_release(&addresses);
	return err;
}

static bool has_name(const struct symbolize *s, const struct asked *a)
{
	struct sm_symbol sym;

	return a->known && (a->ip == SM_TRAMPOLINE || sm_symbols_find(s->syms, a->ip, &sym));
}

static void write_one(struct symbolize *s, const struct asked *a)
{
	const struct sm_address_style style = {
		.kind = s->o.returns ? SM_ADDRESS_RETURN : SM_ADDRESS_EXACT,
		.color = cli_color(s->cli),
		.disasm = s->o.disasm,
		.before = (unsigned)s->o.before,
		.after = (unsigned)s->o.after,
	};
	const uint64_t *ip = a->known ? &a->ip : NULL;

	s->asked++;
	s->unknown += s->syms && !has_name(s, a);
	switch (s->cli->output.format) {
	case 0:
		sm_address_text(s->syms, &a->mention, ip, &style, &s->out);
		break;
	case 1:
		sm_address_json(&s->json, s->syms, ip, &style);
		break;
	default:
		sm_json_init(&s->json, &s->out, false);
		sm_address_json(&s->json, s->syms, ip, &style);
		sm_out_char(&s->out, '\n');
	}
}

static struct sm_error *do_text(
	struct symbolize *s, struct batch *b, const char *text, size_t len, bool strict)
{
	struct sm_error *err = parse(s, b, text, len, strict);

	if (!err)
		err = prepare(s, b);
	for (size_t i = 0; i < b->n && !err; i++) {
		if (sm_out_failed(&s->out))
			return sm_error_new(SM_E_STOPPED, NULL, "output failed", NULL);
		write_one(s, &b->items[i]);
	}
	return err;
}

static struct sm_error *do_operands(struct symbolize *s, struct batch *b, int argc, char **argv)
{
	struct sm_buf text = {0};
	struct sm_error *err;

	/* A module in brackets may be a word of its own. */
	for (int i = 0; i < argc; i++) {
		if (i)
			sm_buf_addc(&text, ' ');
		sm_buf_adds(&text, argv[i]);
	}
	err = text.failed ? sm_error_nomem() : do_text(s, b, text.data, text.len, true);
	sm_buf_release(&text);
	return err;
}

static struct sm_error *do_input(struct symbolize *s, struct batch *b)
{
	struct line_reader reader = {.fd = STDIN_FILENO, .path = "<stdin>"};
	struct sm_error *err = NULL;

	while (!err) {
		const char *text;
		size_t len;
		bool idle;

		err = line_reader_next(&reader, &text, &len, &idle);
		if (err || !len)
			break;
		err = do_text(s, b, text, len, false);
		if (!err && idle)
			err = sm_out_flush(&s->out);
	}
	line_reader_release(&reader);
	return err;
}

struct sm_error *symbolize_addresses(struct symbolize *s, int argc, char **argv)
{
	bool document = s->cli->output.format == 1;
	struct batch batch = {0};
	struct sm_error *err;

	sm_json_init(&s->json, &s->out, true);
	if (document) {
		sm_json_object(&s->json, NULL);
		sm_json_array(&s->json, "frames");
	}
	err = argc ? do_operands(s, &batch, argc, argv) : do_input(s, &batch);
	if (document && !err) {
		sm_json_array_end(&s->json);
		sm_json_object_end(&s->json);
		sm_out_char(&s->out, '\n');
	}
	free(batch.items);
	return err;
}
