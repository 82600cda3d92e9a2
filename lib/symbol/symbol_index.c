/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Building an index because somebody asked for it. */
#include "index_layout.h"
#include "symbols.h"

struct sm_error *sm_symbols_build_index(const char *vmlinux, const struct sm_symbols_opts *opts,
	const struct sm_progress *progress, struct sm_buf *where)
{
	struct search search = sm_symbols_search(opts);
	struct image_opts image_opts = sm_symbols_image_opts(opts);
	struct object_set set = {0};
	struct image *image = NULL;
	char name[INDEX_NAME_MAX];
	struct sm_error *err;

	err = sm_search_file(&search, vmlinux, &set);
	if (!err)
		err = sm_image_new(&set, &image_opts, &image);
	if (!err)
		err = sm_image_build_index(image, progress);
	if (!err && sm_index_name(sm_image_object(image)->build_id, name))
		sm_buf_addf(where, "%s/%s", opts->cache, name);
	sm_image_free(image);
	if (!err && where->failed)
		err = sm_error_nomem();
	return err;
}
