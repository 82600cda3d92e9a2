/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>

#include "code_job.h"

#define MAX_FILES 32 /* whose text is read for one function */

void code_free(void *code)
{
	struct code *c = code;

	if (!c)
		return;
	for (size_t i = 0; i < c->nfiles; i++)
		source_file_free(c->files[i]);
	free(c->files);
	free(c->insns);
	free(c->trouble);
	sm_strings_release(&c->strings);
	free(c);
}

const struct source_file *code_file(const struct code *c, const char *name)
{
	for (size_t i = 0; name && i < c->nfiles; i++)
		if (!strcmp(c->files[i]->name, name))
			return c->files[i];
	return NULL;
}

/* ---- the source ---- */

static void find_file(
	struct code *c, const struct source_places *places, const char *name, uint32_t line)
{
	struct source_file *f;

	if (!name || c->nomem || c->nfiles == MAX_FILES || code_file(c, name))
		return;
	f = source_file_find(places, name, line);
	c->nomem = !f || !sm_grow(&c->files, &c->files_cap, c->nfiles + 1, sizeof(*c->files));
	if (c->nomem)
		source_file_free(f);
	else
		c->files[c->nfiles++] = f;
}

/* The largest line of that file which is spoken of: another version's file that is shorter isn't
 * taken. */
static uint32_t last_line(const struct code *c, const char *file)
{
	uint32_t last = 0;

	for (size_t i = 0; i < c->nlines; i++)
		if (c->lines[i].file && !strcmp(c->lines[i].file, file) && c->lines[i].line > last)
			last = c->lines[i].line;
	for (size_t i = 0; i < c->ninsns; i++)
		if (c->insns[i].file && !strcmp(c->insns[i].file, file) && c->insns[i].line > last)
			last = c->insns[i].line;
	return last;
}

static void find_files(struct code *c, struct code_job *j)
{
	const struct side *side = j->side;
	struct source_places places = j->places;
	struct sm_symbols_facts facts = {0};

	if (side->in.syms)
		sm_symbols_facts(side->in.syms, &facts);
	places.vmlinux = facts.vmlinux;
	places.release = side->in.trace->kernel_release;
	/* Of frames that the input names it says the files, too. */
	places.absolute = !sm_is_named(j->ip);
	for (size_t i = 0; i < c->nlines; i++)
		if (c->lines[i].file)
			find_file(c, &places, c->lines[i].file, last_line(c, c->lines[i].file));
	for (size_t i = 0; i < c->ninsns && !job_is_cancelled(&j->base.job); i++)
		if (c->insns[i].file)
			find_file(c, &places, c->insns[i].file, last_line(c, c->insns[i].file));
}

/* ---- the code ---- */

static const char *keep(struct code *c, const char *text)
{
	uint32_t id;

	if (!text)
		return NULL;
	id = sm_strings_add(&c->strings, text, strlen(text));
	c->nomem |= id == SM_NO_STRING;
	return sm_strings_get(&c->strings, id);
}

static const char *keep_bytes(struct code *c, const struct sm_insn *insn)
{
	struct sm_buf text = {0};
	const char *kept;

	sm_buf_adds(&text, "(bad)");
	for (unsigned i = 0; i < insn->len; i++)
		sm_buf_addf(&text, " %02x", insn->bytes[i]);
	c->nomem |= text.failed;
	kept = text.failed ? NULL : keep(c, text.data);
	sm_buf_release(&text);
	return kept;
}

static void emit(void *ctx, const struct sm_insn *insn)
{
	struct code *c = ctx;
	struct code_insn *i;

	if (c->nomem || !sm_grow(&c->insns, &c->cap, c->ninsns + 1, sizeof(*c->insns))) {
		c->nomem = true;
		return;
	}
	i = &c->insns[c->ninsns++];
	*i = (struct code_insn){
		.ip = insn->ip,
		.text = insn->text ? keep(c, insn->text) : keep_bytes(c, insn),
		.target = keep(c, insn->target),
		.function = keep(c, insn->line.function),
		.file = keep(c, insn->line.file),
		.line = insn->line.line,
		.call = insn->call,
	};
}

static char *trouble_of(const struct sm_symbols *syms, uint64_t ip)
{
	if (ip == SM_TRAMPOLINE)
		return strdup("ftrace's trampoline is made at run time: no file has its code");
	if (!syms)
		return strdup("no code: symbols are switched off (--no-symbols)");
	if (sm_is_named(ip))
		return strdup("no code: the input has names instead of addresses, and no file at "
			      "hand has this one; --vmlinux and --modules name files");
	return NULL;
}

static struct sm_error *disassemble(struct code *c, const struct code_job *j)
{
	const struct sm_symbols *syms = j->side->in.syms;
	uint64_t ip = syms && j->ip != SM_TRAMPOLINE ? sm_symbols_real(syms, j->ip) : j->ip;
	struct sm_buf text = {0};
	struct sm_error *err;

	c->trouble = trouble_of(syms, ip);
	if (c->trouble)
		return NULL;
	err = sm_symbols_disasm(syms, ip, SM_ADDRESS_RETURN, j->before, j->after, emit, c);
	if (!err || err->code == SM_E_NOMEM)
		return err;
	sm_error_format(err, &text);
	sm_error_free(err);
	if (text.failed)
		return sm_error_nomem();
	c->trouble = text.data;
	return NULL;
}

static void work(struct job *job)
{
	struct code_job *j = (struct code_job *)job;
	const struct sm_symbols *syms = j->side->in.syms;
	struct code *c = calloc(1, sizeof(*c));
	struct sm_error *err;

	j->result = c;
	if (!c) {
		job->err = sm_error_nomem();
		return;
	}
	c->at = j->at;
	c->ip = j->ip;
	if (syms && j->ip != SM_TRAMPOLINE) {
		c->has_name = sm_symbols_find_caller(syms, j->ip, &c->symbol);
		c->nlines = sm_symbols_lines(syms, j->ip, SM_ADDRESS_RETURN, &c->lines);
	}
	err = disassemble(c, j);
	if (!err)
		find_files(c, j);
	if (!err && c->nomem)
		err = sm_error_nomem();
	job->err = err;
}

struct code_job *code_job_new(struct side *side, uint32_t at, uint64_t ip)
{
	struct code_job *j = calloc(1, sizeof(*j));

	if (!j)
		return NULL;
	j->base.job.work = work;
	j->base.job.what = "disassembling";
	j->side = side;
	j->at = at;
	j->ip = ip;
	return j;
}

void code_job_free(struct code_job *j)
{
	code_free(j->result);
	view_job_release(&j->base);
	free(j);
}
