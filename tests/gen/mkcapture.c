// SPDX-License-Identifier: GPL-2.0-or-later
/* mkcapture: writes captures and stack maps that no machine at hand produces. See README.md. */
#include "gen.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void gen_die(const struct gen *g, const char *fmt, ...)
{
	va_list ap;

	fflush(stdout);
	if (g)
		fprintf(stderr, "%s:%u: ", g->script, g->line);
	else
		fputs("mkcapture: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	exit(1);
}

#define CHUNK_SIZE ((size_t)1 << 16)

struct chunk {
	struct chunk *next;
	max_align_t data[];
};

static void *clear_alloc(size_t size)
{
	void *p = calloc(1, size ? size : 1);

	if (!p)
		gen_die(NULL, "out of memory");
	return p;
}

void *gen_alloc(struct gen *g, size_t size)
{
	struct chunk *c;
	size_t want;
	void *p;

	if (!g)
		return clear_alloc(size);
	size = (size + 15) / 16 * 16;
	if (size > g->arena_left) {
		want = size > CHUNK_SIZE / 4 ? size : CHUNK_SIZE;
		c = clear_alloc(sizeof(*c) + want);
		c->next = g->chunks;
		g->chunks = c;
		if (want == size)
			return c->data; /* of its own: the chunk before goes on */
		g->arena = (char *)c->data;
		g->arena_left = want;
	}
	p = g->arena;
	g->arena += size;
	g->arena_left -= size;
	return p;
}

char *gen_strdup(struct gen *g, const char *s, size_t len)
{
	char *p = gen_alloc(g, len + 1);

	memcpy(p, s, len);
	return p;
}

void gen_grow(struct gen *g, void *array, size_t *cap, size_t need, size_t size)
{
	void *old, *new;
	size_t n = *cap ? *cap : 8;

	if (need <= *cap)
		return;
	while (n < need)
		n *= 2;
	memcpy(&old, array, sizeof(old));
	new = gen_alloc(g, n * size);
	if (*cap)
		memcpy(new, old, *cap * size);
	if (!g)
		free(old);
	memcpy(array, &new, sizeof(new));
	*cap = n;
}

static void gen_free(struct gen *g)
{
	while (g->chunks) {
		struct chunk *c = g->chunks;

		g->chunks = c->next;
		free(c);
	}
	free(g);
}

static int usage(void)
{
	fputs("usage: mkcapture SCRIPT OUTDIR\n"
	      "       mkcapture --map SCRIPT\n"
	      "       mkcapture --repeat-capture DIR OUTDIR MB\n"
	      "       mkcapture --big-map N DEPTH SEED FILE\n",
		stderr);
	return 2;
}

static int run_script(const char *script, const char *dir)
{
	static const struct kernel native = {
		.long_size = 8, .page_size = 4096, .format = K6_18, .format_name = "6.18"};
	struct gen *g = clear_alloc(sizeof(*g));
	FILE *f = strcmp(script, "-") ? fopen(script, "r") : stdin;

	g->script = script;
	g->dir = dir;
	g->k = native;
	if (!f)
		gen_die(NULL, "cannot open '%s'", script);
	script_read(g, f);
	if (f != stdin)
		fclose(f);
	g->values = gen_alloc(g, (g->nvars + 1) * sizeof(*g->values));
	if (g->map.present)
		play(g, &g->map_body);
	if (!dir) {
		if (!g->map.present)
			gen_die(NULL, "'%s' describes no map", script);
		map_write(g, stdout);
		if (fflush(stdout))
			gen_die(NULL, "cannot write to standard output");
	} else {
		play(g, &g->body);
		outs_close(g);
		members_write(g);
	}
	gen_free(g);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "--map"))
		return run_script(argv[2], NULL);
	if (argc == 5 && !strcmp(argv[1], "--repeat-capture"))
		return repeat_capture(argv[2], argv[3], argv[4]);
	if (argc == 6 && !strcmp(argv[1], "--big-map"))
		return big_map(argv[2], argv[3], argv[4], argv[5]);
	if (argc == 3 && strncmp(argv[1], "--", 2))
		return run_script(argv[1], argv[2]);
	return usage();
}
