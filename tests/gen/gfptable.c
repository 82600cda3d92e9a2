// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * gfptable: the GFP bits of several kernels, and the text that their format files give for them.
 * The text is the kernel's macros expanded, which is why it is a language of its own: older kernels
 * show hex constants, newer ones shifts.
 */
#include "gen.h"

#include <string.h>

#define BIT_5_15 1u
#define BIT_6_1 2u
#define BIT_6_12 4u
#define BIT_6_18 8u
#define NEW (BIT_6_12 | BIT_6_18)
#define OLD (BIT_5_15 | BIT_6_1)
#define ALL (OLD | NEW)

/* A plain bit, or an expression in which '@' begins a name of this table. */
static const struct gfp {
	const char *name;
	unsigned kernels;
	int bit;
	const char *macro;
} table[] = {
	{"GFP_TRANSHUGE", ALL, -1, "(@GFP_TRANSHUGE_LIGHT | @__GFP_DIRECT_RECLAIM)"},
	{"GFP_TRANSHUGE_LIGHT", ALL, -1,
		"((@GFP_HIGHUSER_MOVABLE | @__GFP_COMP | @__GFP_NOMEMALLOC | @__GFP_NOWARN) & "
		"~@__GFP_RECLAIM)"},
	{"GFP_HIGHUSER_MOVABLE", ALL, -1, "(@GFP_HIGHUSER | @__GFP_MOVABLE | (( gfp_t)0))"},
	{"GFP_HIGHUSER", ALL, -1, "(@GFP_USER | @__GFP_HIGHMEM)"},
	{"GFP_USER", ALL, -1, "(@__GFP_RECLAIM | @__GFP_IO | @__GFP_FS | @__GFP_HARDWALL)"},
	{"GFP_KERNEL_ACCOUNT", ALL, -1, "(@GFP_KERNEL | @__GFP_ACCOUNT)"},
	{"GFP_KERNEL", ALL, -1, "(@__GFP_RECLAIM | @__GFP_IO | @__GFP_FS)"},
	{"GFP_NOFS", ALL, -1, "(@__GFP_RECLAIM | @__GFP_IO)"},
	{"GFP_ATOMIC", OLD, -1, "(@__GFP_HIGH|@__GFP_ATOMIC|@__GFP_KSWAPD_RECLAIM)"},
	{"GFP_ATOMIC", NEW, -1, "(@__GFP_HIGH|@__GFP_KSWAPD_RECLAIM)"},
	{"GFP_NOIO", ALL, -1, "(@__GFP_RECLAIM)"},
	{"GFP_NOWAIT", OLD, -1, "(@__GFP_KSWAPD_RECLAIM)"},
	{"GFP_NOWAIT", NEW, -1, "(@__GFP_KSWAPD_RECLAIM | @__GFP_NOWARN)"},
	{"GFP_DMA", ALL, 0, NULL},
	{"GFP_DMA32", ALL, 2, NULL},
	{"__GFP_RECLAIM", ALL, -1, "(( gfp_t)(#10|#11))"},
	{"__GFP_DMA", BIT_6_18, 0, NULL},
	{"__GFP_HIGHMEM", ALL, 1, NULL},
	{"__GFP_DMA32", BIT_6_18, 2, NULL},
	{"__GFP_MOVABLE", ALL, 3, NULL},
	{"__GFP_RECLAIMABLE", ALL, 4, NULL},
	{"__GFP_HIGH", ALL, 5, NULL},
	{"__GFP_IO", ALL, 6, NULL},
	{"__GFP_FS", ALL, 7, NULL},
	{"__GFP_ZERO", ALL, 8, NULL},
	{"__GFP_ATOMIC", OLD, 9, NULL},
	{"__GFP_DIRECT_RECLAIM", ALL, 10, NULL},
	{"__GFP_KSWAPD_RECLAIM", ALL, 11, NULL},
	{"__GFP_WRITE", ALL, 12, NULL},
	{"__GFP_NOWARN", ALL, 13, NULL},
	{"__GFP_RETRY_MAYFAIL", ALL, 14, NULL},
	{"__GFP_NOFAIL", ALL, 15, NULL},
	{"__GFP_NORETRY", ALL, 16, NULL},
	{"__GFP_MEMALLOC", ALL, 17, NULL},
	{"__GFP_COMP", ALL, 18, NULL},
	{"__GFP_NOMEMALLOC", ALL, 19, NULL},
	{"__GFP_HARDWALL", ALL, 20, NULL},
	{"__GFP_THISNODE", ALL, 21, NULL},
	{"__GFP_ACCOUNT", ALL, 22, NULL},
	{"__GFP_ZEROTAGS", ALL, 23, NULL},
	{"__GFP_NO_OBJ_EXT", BIT_6_18, 24, NULL},
};

#define TABLE_SIZE (sizeof(table) / sizeof(table[0]))

static unsigned kernel_bit(const struct kernel *k)
{
	switch (k->format) {
	case K5_15:
		return BIT_5_15;
	case K6_1:
		return BIT_6_1;
	case K6_12:
		return BIT_6_12;
	default:
		return BIT_6_18;
	}
}

static const struct gfp *find(const struct kernel *k, const char *name, size_t len)
{
	for (size_t i = 0; i < TABLE_SIZE; i++)
		if ((table[i].kernels & kernel_bit(k)) && strlen(table[i].name) == len &&
			!memcmp(table[i].name, name, len))
			return &table[i];
	return NULL;
}

static size_t name_length(const char *s)
{
	return strspn(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
}

static uint64_t bit_value(const struct kernel *k, unsigned bit)
{
	return UINT64_C(1) << (bit + k->gfp_shift);
}

static uint64_t value_of(const struct kernel *k, const struct gfp *f)
{
	uint64_t v = 0;
	bool clear = false;

	if (f->bit >= 0)
		return bit_value(k, (unsigned)f->bit);
	/* every macro is a union, with at most one "& ~X" at its end */
	for (const char *s = f->macro; *s; s++) {
		uint64_t part;

		if (*s == '~') {
			clear = true;
			continue;
		}
		if (*s == '@') {
			const struct gfp *other = find(k, s + 1, name_length(s + 1));

			part = other ? value_of(k, other) : 0;
		} else if (*s == '#') {
			part = bit_value(k, (unsigned)(s[1] - '0') * 10 + (unsigned)(s[2] - '0'));
		} else {
			continue;
		}
		v = clear ? v & ~part : v | part;
	}
	return v;
}

bool gfp_lookup(const struct kernel *k, const char *name, size_t len, uint64_t *value)
{
	const struct gfp *f = find(k, name, len);

	if (f)
		*value = value_of(k, f);
	return f != NULL;
}

static void print_bit(const struct kernel *k, unsigned bit, FILE *out)
{
	if (k->format >= K6_12)
		fprintf(out, "((((1UL))) << (%u))", bit + k->gfp_shift);
	else
		fprintf(out, "0x%02llxu", (unsigned long long)bit_value(k, bit));
}

static void print_value(const struct kernel *k, const struct gfp *f, FILE *out)
{
	if (f->bit >= 0) {
		fputs("(( gfp_t)", out);
		print_bit(k, (unsigned)f->bit, out);
		fputc(')', out);
		return;
	}
	for (const char *s = f->macro; *s;) {
		if (*s == '@') {
			size_t len = name_length(s + 1);
			const struct gfp *other = find(k, s + 1, len);

			if (other)
				print_value(k, other, out);
			s += 1 + len;
		} else if (*s == '#') {
			print_bit(k, (unsigned)(s[1] - '0') * 10 + (unsigned)(s[2] - '0'), out);
			s += 3;
		} else {
			fputc(*s++, out);
		}
	}
}

void gfp_print_fmt(const struct kernel *k, const char *arg, FILE *out)
{
	bool first = true;

	fprintf(out, "(%s) ? __print_flags(%s, \"|\", ", arg, arg);
	for (size_t i = 0; i < TABLE_SIZE; i++) {
		if (!(table[i].kernels & kernel_bit(k)))
			continue;
		fprintf(out, "%s{(%sunsigned long)", first ? "" : ", ",
			k->format == K5_15 ? "" : " ");
		print_value(k, &table[i], out);
		fprintf(out, ", \"%s\"}", table[i].name);
		first = false;
	}
	fputs(k->format >= K6_18 ? ", { 0, ((void *)0) } ) : \"none\"" : " ) : \"none\"", out);
}
