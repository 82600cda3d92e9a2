/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A code map that outlives the process: one file for each build id below a directory, mapped by
 * whoever needs it.
 */
#ifndef SMTOOL_SYMBOL_INDEX_H
#define SMTOOL_SYMBOL_INDEX_H

#include "code_map.h"

struct index;

/*
 * Maps the index of a build id, if DIR has one of this version made on such a machine whose header
 * is sound; *index is NULL where there is none, or where it is damaged or of another version (said
 * at SM_DEBUG), or DIR or the build id is NULL: the caller goes on without. Its age for the
 * eviction is now. The only error is SM_E_NOMEM.
 *
 * Opening reads little. Each block is checked when a lookup comes to it first; `index` and `log`
 * must outlive the lookups.
 */
struct sm_error *sm_index_open(const char *dir, const char *build_id, const struct sm_log *log,
	struct index **index) SM_MUST_CHECK;
void sm_index_close(struct index *index);
/* For sm_code_map_find(), by any number of threads. */
const struct code_map *sm_index_map(const struct index *index);
/* A lookup came to a damaged block, and found nothing there: ask again after each that finds
 * nothing, and read the debug information instead. What was found is sound, and lives until the
 * index is closed. The file is removed already. */
bool sm_index_damaged(const struct index *index);

/*
 * Writes a map as the index of a build id: under a temporary name, then renamed, so that readers
 * see a whole one and of several writers any wins. Makes DIR (mode 0700) where it is missing; then
 * removes the least recently used others until all together have at most `limit` bytes, and what
 * was left behind under a temporary name by others for more than an hour. Without a build id, or
 * where it alone is larger than `limit`, nothing is written, and that is no error (SM_DEBUG tells).
 *
 * An error (a directory that can't be written to, a full disk) is no reason to fail for who didn't
 * ask for an index: log it. Nothing incomplete is left behind.
 */
struct sm_error *sm_index_write(const char *dir, const char *build_id, const struct code_map *map,
	uint64_t limit, const struct sm_log *log) SM_MUST_CHECK;

#endif
