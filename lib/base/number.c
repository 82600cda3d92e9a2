/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <inttypes.h>

#include <smtool/base.h>

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Digits at *s, which moves behind them; false without a digit or past 64 bits. */
static bool take_decimal(const char **s, uint64_t *v)
{
	const char *p = *s;
	uint64_t n = 0;

	if (!is_digit(*p))
		return false;
	for (; is_digit(*p); p++) {
		if (__builtin_mul_overflow(n, 10, &n) ||
			__builtin_add_overflow(n, (uint64_t)(*p - '0'), &n))
			return false;
	}
	*s = p;
	*v = n;
	return true;
}

static bool take_hex(const char *p, uint64_t *v)
{
	uint64_t n = 0;

	if (!*p)
		return false;
	for (; *p; p++) {
		unsigned digit;

		if (is_digit(*p))
			digit = (unsigned)(*p - '0');
		else if (*p >= 'a' && *p <= 'f')
			digit = (unsigned)(*p - 'a') + 10;
		else if (*p >= 'A' && *p <= 'F')
			digit = (unsigned)(*p - 'A') + 10;
		else
			return false;
		if (n >> 60)
			return false;
		n = n << 4 | digit;
	}
	*v = n;
	return true;
}

struct sm_error *sm_parse_u64(const char *name, const char *s, uint64_t max, uint64_t *v)
{
	const char *p = s;
	uint64_t n;
	bool ok;

	if (s[0] == '0' && (s[1] == 'x' || s[1] == 'X'))
		ok = take_hex(s + 2, &n);
	else
		ok = take_decimal(&p, &n) && !*p;
	if (!ok)
		return sm_error_new(SM_E_USAGE, NULL, "invalid number",
			"'%s' for '%s'; give digits, or 0x and hexadecimal ones", s, name);
	if (n > max)
		return sm_error_new(SM_E_USAGE, NULL, "number too large",
			"'%s' for '%s'; the most is %" PRIu64, s, name, max);
	*v = n;
	return NULL;
}

struct sm_error *sm_parse_size(const char *name, const char *s, uint64_t *bytes)
{
	static const struct {
		const char *text;
		unsigned shift;
	} units[] = {
		{"", 0},
		{"k", 10},
		{"K", 10},
		{"KiB", 10},
		{"M", 20},
		{"MiB", 20},
		{"G", 30},
		{"GiB", 30},
		{"T", 40},
		{"TiB", 40},
	};
	const char *p = s;
	uint64_t n;

	if (take_decimal(&p, &n)) {
		for (size_t i = 0; i < SM_ARRAY_SIZE(units); i++) {
			if (strcmp(p, units[i].text))
				continue;
			if (n > UINT64_MAX >> units[i].shift)
				break;
			*bytes = n << units[i].shift;
			return NULL;
		}
	}
	return sm_error_new(SM_E_USAGE, NULL, "invalid size",
		"'%s' for '%s'; give bytes, or a number with k, M, G or T (powers of 1024)", s,
		name);
}

struct sm_error *sm_parse_duration(const char *name, const char *s, uint64_t *ns)
{
	static const struct {
		const char *text;
		uint64_t ns;
	} units[] = {
		{"", 1000000000},
		{"s", 1000000000},
		{"ms", 1000000},
		{"us", 1000},
		{"ns", 1},
		{"m", UINT64_C(60000000000)},
		{"h", UINT64_C(3600000000000)},
	};
	/* The fraction is part / scale; digits beyond the 15th are below what any unit can show. */
	uint64_t whole, part = 0, scale = 1;
	const char *p = s;

	if (!take_decimal(&p, &whole))
		goto bad;
	if (*p == '.') {
		p++;
		if (!is_digit(*p))
			goto bad;
		for (unsigned n = 0; is_digit(*p); p++, n++) {
			if (n >= 15)
				continue;
			part = part * 10 + (uint64_t)(*p - '0');
			scale *= 10;
		}
	}
	for (size_t i = 0; i < SM_ARRAY_SIZE(units); i++) {
		unsigned __int128 v;

		if (strcmp(p, units[i].text))
			continue;
		v = (unsigned __int128)whole * units[i].ns +
		    (unsigned __int128)part * units[i].ns / scale;
		if (v > UINT64_MAX)
			break;
		*ns = (uint64_t)v;
		return NULL;
	}
bad:
	return sm_error_new(SM_E_USAGE, NULL, "invalid duration",
		"'%s' for '%s'; give seconds, or a number with ns, us, ms, s, m or h", s, name);
}
