// SPDX-License-Identifier: GPL-2.0-or-later
/* member: the text files of a capture, and its directories. */
#include "gen.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

bool make_parents(const char *path)
{
	char *copy = gen_strdup(NULL, path, strlen(path));
	bool ok = true;

	for (char *s = strchr(copy + 1, '/'); s && ok; s = strchr(s + 1, '/')) {
		*s = 0;
		ok = !mkdir(copy, 0777) || errno == EEXIST;
		*s = '/';
	}
	free(copy);
	return ok;
}

FILE *member_open(const struct gen *g, const char *path)
{
	char full[4096];
	FILE *f;

	for (size_t i = 0; i < g->nomits; i++) {
		const char *omit = g->omits[i];

		if (!strcmp(omit, path) || (!strncmp(path, TRACING "/", sizeof(TRACING)) &&
						   !strcmp(omit, path + sizeof(TRACING))))
			return NULL;
	}
	if ((size_t)snprintf(full, sizeof(full), "%s/%s", g->dir, path) >= sizeof(full))
		gen_die(NULL, "the path '%s' is too long", path);
	f = make_parents(full) ? fopen(full, "wb") : NULL;
	if (!f)
		gen_die(NULL, "cannot create '%s': %s", full, strerror(errno));
	return f;
}

static void member_close(FILE *f)
{
	if (ferror(f) | fclose(f))
		gen_die(NULL, "cannot write a member: %s", strerror(errno));
}

static void write_text(const struct gen *g, const char *path, const char *text, size_t len)
{
	FILE *f = member_open(g, path);

	if (!f)
		return;
	fwrite(text, 1, len, f);
	member_close(f);
}

static void write_header_page(const struct gen *g, const char *instance, uint32_t page_size)
{
	char path[512];
	FILE *f;

	snprintf(path, sizeof(path), "%s%s%s/events/header_page", TRACING,
		*instance ? "/instances/" : "", instance);
	f = member_open(g, path);
	if (!f)
		return;
	fprintf(f,
		"\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
		"\tfield: local_t commit;\toffset:8;\tsize:%u;\tsigned:1;\n"
		"\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
		"\tfield: char data;\toffset:%u;\tsize:%u;\tsigned:%d;\n",
		g->k.long_size, 8 + g->k.long_size, page_size - 8 - g->k.long_size,
		g->k.format < K6_1);
	member_close(f);
}

static void write_header_event(const struct gen *g)
{
	static const char text[] = "# compressed entry header\n"
				   "\ttype_len    :    5 bits\n"
				   "\ttime_delta  :   27 bits\n"
				   "\tarray       :   32 bits\n\n"
				   "\tpadding     : type == 29\n"
				   "\ttime_extend : type == 30\n"
				   "\ttime_stamp : type == 31\n"
				   "\tdata max type_len  == 28\n";

	write_text(g, TRACING "/events/header_event", text, sizeof(text) - 1);
}

static void write_kallsyms(const struct gen *g)
{
	FILE *f = g->nsymbols ? member_open(g, "proc/kallsyms") : NULL;

	if (!f)
		return;
	for (size_t i = 0; i < g->nsymbols; i++) {
		const struct symbol *s = &g->symbols[i];

		fprintf(f, "%0*llx %c ", (int)g->k.long_size * 2,
			g->restricted ? 0ull : (unsigned long long)s->addr, s->type);
		fwrite(s->name.s, 1, s->name.len, f);
		if (s->module)
			fprintf(f, "\t[%s]", s->module);
		fputc('\n', f);
	}
	member_close(f);
}

static void write_note(const struct gen *g, const char *path, const struct text *id)
{
	uint8_t head[16] = {0};
	FILE *f = id->len ? member_open(g, path) : NULL;

	if (!f)
		return;
	put_number(&g->k, head, 4, 4);
	put_number(&g->k, head + 4, 4, id->len);
	put_number(&g->k, head + 8, 4, 3); /* NT_GNU_BUILD_ID */
	memcpy(head + 12, "GNU", 4);
	fwrite(head, 1, sizeof(head), f);
	fwrite(id->s, 1, id->len, f);
	for (size_t n = id->len; n % 4; n++)
		fputc(0, f);
	member_close(f);
}

static void write_modules(const struct gen *g)
{
	FILE *f = g->nmodules ? member_open(g, "proc/modules") : NULL;
	char path[512];

	for (size_t i = 0; f && i < g->nmodules; i++)
		fprintf(f, "%s %llu 0 - Live 0x%0*llx\n", g->modules[i].name,
			(unsigned long long)g->modules[i].size, (int)g->k.long_size * 2,
			g->restricted ? 0ull : (unsigned long long)g->modules[i].addr);
	if (f)
		member_close(f);
	for (size_t i = 0; i < g->nmodules; i++) {
		const struct module *m = &g->modules[i];

		snprintf(path, sizeof(path), "sys/module/%s/notes/.note.gnu.build-id", m->name);
		write_note(g, path, &m->buildid);
		snprintf(path, sizeof(path), "sys/module/%s/sections/.text", m->name);
		f = member_open(g, path);
		if (!f)
			continue;
		fprintf(f, "0x%0*llx\n", (int)g->k.long_size * 2, (unsigned long long)m->addr);
		member_close(f);
	}
}

static void write_comms(const struct gen *g, const char *path, const struct comm *comms, size_t n)
{
	FILE *f = n ? member_open(g, path) : NULL;

	if (!f)
		return;
	for (size_t i = 0; i < n; i++) {
		fprintf(f, "%llu ", (unsigned long long)comms[i].pid);
		fwrite(comms[i].name.s, 1, comms[i].name.len, f);
		fputc('\n', f);
	}
	member_close(f);
}

static void write_clock(const struct gen *g)
{
	static const char *const names[] = {
		"local", "global", "counter", "uptime", "perf", "mono", "mono_raw", "boot", "tai"};
	const char *clock = g->clock ? g->clock : "local";
	FILE *f = member_open(g, TRACING "/trace_clock");
	bool known = false;

	if (!f)
		return;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		bool on = !strcmp(names[i], clock);

		fprintf(f, on ? "%s[%s]" : "%s%s", i ? " " : "", names[i]);
		known |= on;
	}
	if (!known)
		fprintf(f, " [%s]", clock);
	fputc('\n', f);
	member_close(f);
}

static void write_stats(const struct gen *g, const struct cpu_stats *s)
{
	const char *instance = g->instances[s->instance].name;
	unsigned long long v[6];
	char path[512];
	FILE *f;

	for (unsigned i = 0; i < 6; i++)
		v[i] = s->v[i];
	snprintf(path, sizeof(path), "%s%s%s/per_cpu/cpu%u/stats", TRACING,
		*instance ? "/instances/" : "", instance, s->cpu);
	f = member_open(g, path);
	if (!f)
		return;
	fprintf(f,
		"entries: %llu\noverrun: %llu\ncommit overrun: %llu\nbytes: %llu\n"
		"oldest event ts:     0.000000\nnow ts:     1.000000\n"
		"dropped events: %llu\nread events: %llu\n",
		v[0], v[1], v[2], v[3], v[4], v[5]);
	member_close(f);
}

static void write_version(const struct gen *g)
{
	char text[512];
	int n;

	if (g->release)
		n = snprintf(text, sizeof(text), "Linux version %s (gen@gen) #1 SMP\n", g->release);
	else
		n = snprintf(text, sizeof(text), "Linux version %s.0-gen (gen@gen) #1 SMP\n",
			g->k.format_name);
	write_text(g, "proc/version", text, (size_t)n);
}

static void write_formats(const struct gen *g)
{
	char path[512];

	for (size_t i = 0; i < g->nkinds; i++) {
		const struct event_kind *kind = &g->kinds[i];
		FILE *f;

		snprintf(path, sizeof(path), "%s/events/%s/%s/format", TRACING, kind->system,
			kind->name);
		f = member_open(g, path);
		if (!f)
			continue;
		kind_write(g, kind, f);
		member_close(f);
	}
}

void members_write(struct gen *g)
{
	const char *boot = g->boot_id ? g->boot_id : "00000000-0000-4000-8000-000000000001";
	char text[128];
	int n = snprintf(text, sizeof(text), "%s\n", boot);
	FILE *f;

	write_text(g, "proc/sys/kernel/random/boot_id", text, (size_t)n);
	write_version(g);
	write_kallsyms(g);
	write_modules(g);
	write_note(g, "sys/kernel/notes", &g->buildid);
	write_clock(g);
	write_comms(g, TRACING "/saved_cmdlines", g->comms, g->ncomms);
	write_comms(g, TRACING "/saved_tgids", g->tgids, g->ntgids);
	write_header_page(g, "", g->k.page_size);
	write_header_event(g);
	write_formats(g);
	for (size_t i = 0; i < g->ninstances; i++)
		if (g->instances[i].page_size != g->k.page_size)
			write_header_page(g, g->instances[i].name, g->instances[i].page_size);
	for (size_t i = 0; g->stats_auto && i < g->nouts; i++) {
		const struct out *o = g->outs[i];
		const struct cpu_stats s = {
			.cpu = o->cpu, .instance = o->instance, .v = {o->records}};

		write_stats(g, &s);
	}
	for (size_t i = 0; i < g->nstats; i++)
		write_stats(g, &g->stats[i]);
	f = g->map.present ? member_open(g, TRACING "/stack_map_bin") : NULL;
	if (f) {
		map_write(g, f);
		member_close(f);
	}
	f = g->map.has_stat ? member_open(g, TRACING "/stack_map_stat") : NULL;
	if (f) {
		map_stat_write(g, f);
		member_close(f);
	}
	if (g->json.len)
		write_text(g, "smtool.json", g->json.s, g->json.len);
	for (size_t i = 0; i < g->nfiles; i++)
		write_text(g, g->files[i].path, g->files[i].data.s, g->files[i].data.len);
}
