// SPDX-License-Identifier: GPL-2.0-or-later
/* mkelf: a vmlinux, a module or its debug file from text, and what a capture of it knows. See
 * README.md. */
#include "elfscript.h"

#include <stdlib.h>
#include <string.h>

static uint64_t run_time(const struct elf_name *n, uint64_t slide, char **bases, int nbases)
{
	size_t len;

	if (!n->section)
		return n->offset + slide;
	if (n->section->file->type != ET_REL)
		return n->section->addr + n->offset + slide;
	len = strlen(n->section->name);
	for (int i = 0; i < nbases; i++)
		if (!strncmp(bases[i], n->section->name, len) && bases[i][len] == '=')
			return strtoull(bases[i] + len + 1, NULL, 0) + n->offset;
	gen_die(NULL, "no address is given for '%s': '%s=ADDR'", n->section->name,
		n->section->name);
}

static void print_id(const struct elf_script *s)
{
	for (size_t i = 0; i < s->build_id.len; i++)
		printf("%02x", (uint8_t)s->build_id.s[i]);
}

static void print_module(const struct elf_script *s, const char *module, char **bases, int nbases)
{
	const struct ew_section *text = ew_find(s->elf, ".text");
	uint64_t low = UINT64_MAX, high = 0;

	for (int i = 0; i < nbases; i++) {
		const char *value = strchr(bases[i], '=');
		size_t len = value ? (size_t)(value - bases[i]) : 0;
		uint64_t addr = value ? strtoull(value + 1, NULL, 0) : 0, size = 0;

		for (size_t k = 1; k < s->elf->nsections; k++)
			if (strlen(s->elf->sections[k]->name) == len &&
				!memcmp(s->elf->sections[k]->name, bases[i], len))
				size = s->elf->sections[k]->len;
		low = addr < low ? addr : low;
		high = addr + size > high ? addr + size : high;
	}
	printf("module %s %#llx %#llx", module, (unsigned long long)low,
		(unsigned long long)(high > low ? high - low : 0));
	if (s->build_id.len) {
		printf(" buildid=");
		print_id(s);
	}
	putchar('\n');
	if (!text)
		printf("omit sys/module/%s/sections/.text\n", module);
	for (int i = 0; i < nbases; i++) {
		const char *value = strchr(bases[i], '=');

		if (value)
			printf("file sys/module/%s/sections/%.*s \"%s\\n\"\n", module,
				(int)(value - bases[i]), bases[i], value + 1);
	}
}

/* Statements for mkcapture: the build id, symbols at their run-time addresses, labels. */
static void print_capture(
	const struct elf_script *s, const char *module, uint64_t slide, char **bases, int nbases)
{
	if (module) {
		print_module(s, module, bases, nbases);
	} else if (s->build_id.len) {
		printf("buildid ");
		print_id(s);
		putchar('\n');
	}
	for (size_t i = 0; i < s->nnames; i++) {
		const struct elf_name *n = &s->names[i];
		unsigned long long addr = run_time(n, slide, bases, nbases);

		if (n->symbol)
			printf("kallsyms %#llx %s%s%s type=%c\n", addr, n->name, module ? " " : "",
				module ? module : "", "dDtT"[n->code * 2 + n->global]);
		else
			printf("let %s = %#llx\n", n->name, addr);
	}
}

static int usage(void)
{
	fputs("usage: mkelf [--hollow|--strip] SCRIPT FILE\n"
	      "       mkelf --capture SCRIPT [SLIDE]\n"
	      "       mkelf --capture SCRIPT MODULE SECTION=ADDR...\n",
		stderr);
	return 2;
}

static void run(struct elf_script *s, const char *script)
{
	FILE *f = strcmp(script, "-") ? fopen(script, "r") : stdin;

	s->g = gen_alloc(NULL, sizeof(*s->g));
	s->g->script = script;
	s->g->k.long_size = 8;
	if (!f)
		gen_die(NULL, "cannot open '%s'", script);
	elf_script_read(s, f);
	if (f != stdin)
		fclose(f);
}

int main(int argc, char **argv)
{
	struct elf_script s = {0};
	bool capture = argc > 2 && !strcmp(argv[1], "--capture");

	if (capture) {
		bool module =
			argc > 3 && (argv[3][0] < '0' || argv[3][0] > '9') && argv[3][0] != '-';

		if (!module && argc > 4)
			return usage();
		run(&s, argv[2]);
		print_capture(&s, module ? argv[3] : NULL,
			!module && argc > 3 ? strtoull(argv[3], NULL, 0) : 0, argv + 4,
			module ? argc - 4 : 0);
	} else {
		s.hollow = argc > 1 && !strcmp(argv[1], "--hollow");
		s.strip = argc > 1 && !strcmp(argv[1], "--strip");
		argv += s.hollow || s.strip;
		argc -= s.hollow || s.strip;
		if (argc != 3 || !strncmp(argv[1], "--", 2))
			return usage();
		run(&s, argv[1]);
		elf_script_link(&s);
		ew_write(s.elf, argv[2]);
	}
	ew_free(s.elf);
	gen_free(s.g);
	if (fflush(stdout))
		return 1;
	return 0;
}
