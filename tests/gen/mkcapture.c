// SPDX-License-Identifier: GPL-2.0-or-later
/* mkcapture: writes captures and stack maps that no machine at hand produces. See README.md. */
#include "gen.h"

#include <stdlib.h>
#include <string.h>

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
	struct gen *g = gen_alloc(NULL, sizeof(*g));
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
