/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers as people read them. */
#include <stdio.h>

#include <smtool/base.h>

void sm_human_bytes(uint64_t bytes, struct sm_buf *buf)
{
	static const char *const units[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
	uint64_t tenths;
	unsigned shift = 10;
	size_t u = 0;

	if (bytes < 1024) {
		sm_buf_addf(buf, "%llu B", (unsigned long long)bytes);
		return;
	}
	for (;; u++, shift += 10) {
		/* Rounded half up; whole and rest apart, so that nothing overflows. */
		uint64_t whole = bytes >> shift, rest = bytes & ((UINT64_C(1) << shift) - 1);

		/* What is below 2^10 of the rest can't change a tenth but by a hair. */
		rest >>= shift - 10;
		tenths = whole * 10 + (rest * 10 + 512) / 1024;
		if (tenths < 10240 || u + 1 == SM_ARRAY_SIZE(units))
			break;
	}
	sm_buf_addf(buf, "%llu.%llu %s", (unsigned long long)(tenths / 10),
		(unsigned long long)(tenths % 10), units[u]);
}

void sm_human_count(uint64_t n, struct sm_buf *buf)
{
	char digits[24];
	int len = snprintf(digits, sizeof(digits), "%llu", (unsigned long long)n);

	for (int i = 0; i < len; i++) {
		if (i && (len - i) % 3 == 0)
			sm_buf_addc(buf, ',');
		sm_buf_addc(buf, digits[i]);
	}
}

void sm_human_ns(uint64_t ns, struct sm_buf *buf)
{
	static const struct {
		uint64_t ns;
		const char *name;
	} units[] = {{1000000, "ms"}, {1000, "us"}};

	/* From where ms would round to 1000 of them. */
	if (ns >= 999500000) {
		uint64_t ms = ns / 1000000 + (ns % 1000000 >= 500000);

		sm_buf_addf(buf, "%llu.%03llu s", (unsigned long long)(ms / 1000),
			(unsigned long long)(ms % 1000));
		return;
	}
	for (size_t i = 0; i < SM_ARRAY_SIZE(units); i++) {
		uint64_t u = units[i].ns, tenths = (ns * 10 + u / 2) / u;

		if (ns + u / 2000 < u)
			continue;
		if (tenths < 100)
			sm_buf_addf(buf, "%llu.%llu %s", (unsigned long long)(tenths / 10),
				(unsigned long long)(tenths % 10), units[i].name);
		else
			sm_buf_addf(buf, "%llu %s", (unsigned long long)((ns + u / 2) / u),
				units[i].name);
		return;
	}
	sm_buf_addf(buf, "%llu ns", (unsigned long long)ns);
}
