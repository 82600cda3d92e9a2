/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The contents of SM_MEMBER_PROFILE, as smtool-profile(5) describes it: numbers are LEB128,
 * unsigned unless said otherwise.
 */
#ifndef SM_RECORD_SAVED_H
#define SM_RECORD_SAVED_H

#include <smtool/imported.h>
#include <smtool/record.h>

#define SAVED_MAGIC "smtool-profile 1\n"
#define SAVED_MAX_DEPTH 65535

enum { SAVED_TRIMMED = 1 << 0 };

/* Parses `len` bytes of `path` into the trace, whose stacks are empty. */
struct sm_error *sm_saved_parse(
	struct sm_trace *trace, const void *data, size_t len, const char *path) SM_MUST_CHECK;
/* Reads SM_MEMBER_PROFILE into trace->frames, ->stacks, ->imported and ->health. What is sound in
 * front of a fault is kept; trace->damage then tells. */
struct sm_error *sm_saved_load(struct sm_trace *trace) SM_MUST_CHECK;

#endif
