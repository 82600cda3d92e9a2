/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "capture.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

void expect_none(struct sm_error *err)
{
	struct sm_buf b = {0};

	if (!err)
		return;
	sm_error_format(err, &b);
	fail_msg("%s", b.data);
}

const char *capture_scripts(void)
{
	static char path[4096];
	const char *data = getenv("DATA");
	char file[] = __FILE__, *slash;

	if (data) {
		snprintf(path, sizeof(path), "%s/gen", data);
		return path;
	}
	slash = strrchr(file, '/');
	*slash = '\0';
	snprintf(path, sizeof(path), "%s/../data/gen", file);
	return path;
}

/* build/tests/mkcapture, beside build/tests/unit/test_NOUN */
static void find_generator(char *path, size_t size)
{
	char exe[3000];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);

	assert_true(n > 0);
	exe[n] = '\0';
	*strrchr(exe, '/') = '\0';
	snprintf(path, size, "%s/../mkcapture", exe);
	if (access(path, X_OK) != 0)
		fail_msg("'%s' isn't there: make it first", path);
}

static void pipe_script(const char *script, const char *dir, const char *text)
{
	char generator[4096], command[12400];
	FILE *f;

	find_generator(generator, sizeof(generator));
	snprintf(command, sizeof(command), "'%s' '%s' '%s'", generator, script, dir);
	f = popen(command, "w");
	assert_non_null(f);
	while (text && *text) {
		size_t len = strcspn(text, "\n");

		if (strncmp(text, "include ", 8) == 0)
			fprintf(f, "include \"%s/%.*s\"\n", capture_scripts(), (int)len - 8,
				text + 8);
		else
			fprintf(f, "%.*s\n", (int)len, text);
		text += len + (text[len] != '\0');
	}
	assert_int_equal(pclose(f), 0);
}

void capture_play(const struct scratch *s, const char *name, const char *text)
{
	pipe_script("-", scratch_path(s, name), text);
}

void capture_play_file(const struct scratch *s, const char *name, const char *file)
{
	char script[4096 + 256];

	snprintf(script, sizeof(script), "%s/%s", capture_scripts(), file);
	pipe_script(script, scratch_path(s, name), NULL);
}

void capture_open(
	struct capture *c, struct scratch *s, const char *name, const struct sm_trace_opts *opts)
{
	static const struct sm_trace_opts defaults;

	c->scratch = s;
	c->src = scratch_open(s, name);
	expect_none(sm_trace_open(c->src, opts ? opts : &defaults, &c->trace));
}

void capture_make(struct capture *c, struct scratch *s, const char *text)
{
	capture_play(s, "capture", text);
	capture_open(c, s, "capture", NULL);
}

void capture_close(struct capture *c)
{
	sm_trace_free(c->trace);
	sm_source_free(c->src);
	if (access(scratch_path(c->scratch, "capture"), F_OK) == 0)
		scratch_run(c->scratch, "rm -rf capture");
	memset(c, 0, sizeof(*c));
}

struct printer {
	const struct sm_trace *trace;
	struct sm_buf text;
};

static struct sm_error *print_batch(void *ctx, const struct sm_batch *batch)
{
	struct printer *p = ctx;

	for (size_t i = 0; i < batch->n; i++) {
		const struct sm_event *ev = &batch->events[i];
		const struct sm_event_type *type =
			ev->type < p->trace->ntypes ? &p->trace->types[ev->type] : NULL;

		sm_buf_addf(&p->text, "cpu%u %llu %s", ev->cpu, (unsigned long long)ev->ts,
			type ? type->name : "?");
		if (ev->stack == SM_STACK_NONE) {
			sm_buf_adds(&p->text, " none");
		} else if (ev->stack == SM_STACK_UNRESOLVED) {
			sm_buf_adds(&p->text, " unresolved");
		} else {
			struct sm_stack stack = sm_stacks_get(p->trace->stacks, ev->stack);

			for (uint32_t k = 0; k < stack.depth; k++)
				sm_buf_addf(&p->text, "%c%llx", k ? ',' : ' ',
					(unsigned long long)stack.ips[k]);
		}
		if (ev->stack_id >= 0)
			sm_buf_addf(&p->text, " id %d", ev->stack_id);
		sm_buf_addc(&p->text, '\n');
	}
	return NULL;
}

char *capture_events(struct capture *c, unsigned threads)
{
	struct sm_run_opts opts = {.threads = threads};
	struct printer p = {.trace = c->trace};

	sm_buf_adds(&p.text, "");
	expect_none(sm_trace_run(c->trace, &opts, print_batch, &p));
	assert_false(p.text.failed);
	return p.text.data ? p.text.data : strdup("");
}

struct sm_profile *capture_profile(struct capture *c, const struct sm_profile_opts *opts)
{
	static const struct sm_profile_opts defaults;
	struct sm_profile *profile;

	expect_none(sm_profile_build(c->trace, opts ? opts : &defaults, &profile));
	return profile;
}

/* splitmix64 */
uint64_t next_random(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}
