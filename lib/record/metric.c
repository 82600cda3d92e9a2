/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The metrics' names, which are also the keys of --by and of JSON. */
#include <smtool/imported.h>

static const char *const NAMES[SM_M_NR] = {
	[SM_M_COUNT] = "count",
	[SM_M_BYTES] = "bytes",
	[SM_M_BYTES_REQ] = "bytes_req",
	[SM_M_WASTE] = "waste",
	[SM_M_LIVE_BYTES] = "live_bytes",
	[SM_M_LIVE_COUNT] = "live_count",
	[SM_M_PEAK_BYTES] = "peak_bytes",
	[SM_M_FREES] = "frees",
	[SM_M_REF_COUNT] = "ref_count",
	[SM_M_MACHINES] = "machines",
	[SM_M_MEDIAN] = "median",
	[SM_M_P95] = "p95",
};

const char *sm_metric_name(enum sm_metric m)
{
	return NAMES[m];
}

enum sm_metric sm_metric_find(const char *name)
{
	unsigned m = 0;

	while (m < SM_M_NR && strcmp(NAMES[m], name) != 0)
		m++;
	return (enum sm_metric)m;
}

void sm_metric_list(uint32_t metrics, struct sm_buf *buf)
{
	const char *between = "";

	for (unsigned m = 0; m < SM_M_NR; m++) {
		if (!(metrics & (1u << m)))
			continue;
		sm_buf_addf(buf, "%s%s", between, NAMES[m]);
		between = ", ";
	}
	if (!*between)
		sm_buf_adds(buf, "none");
}
