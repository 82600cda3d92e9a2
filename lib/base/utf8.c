/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "internal.h"

#define EACH_BYTE(b) (UINT64_C(0x0101010101010101) * (b))

size_t sm_ascii_span(const uint8_t *s, size_t len)
{
	size_t i = 0;

	/* Eight at a time while no byte is below 0x20, 0x7f, or above. A borrow from a neighbour
	 * may only raise a false alarm, which the loop below settles. */
	for (; len - i >= 8; i += 8) {
		uint64_t w = sm_load64(s + i, false);
		uint64_t low = w - EACH_BYTE(0x20);
		uint64_t del = (w ^ EACH_BYTE(0x7f)) - EACH_BYTE(1);

		if ((w | low | del) & EACH_BYTE(0x80))
			break;
	}
	while (i < len && s[i] >= 0x20 && s[i] < 0x7f)
		i++;
	return i;
}

size_t sm_utf8_decode(const uint8_t *s, size_t len, uint32_t *code)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	uint32_t c = s[0];
	size_t n;

	if ((c & 0xe0) == 0xc0) {
		n = 2;
		c &= 0x1f;
	} else if ((c & 0xf0) == 0xe0) {
		n = 3;
		c &= 0x0f;
	} else if ((c & 0xf8) == 0xf0) {
		n = 4;
		c &= 0x07;
	} else {
		return 0;
	}
	if (n > len)
		return 0;
	for (size_t i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (s[i] & 0x3f);
	}
	if (c < least[n] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
		return 0;
	*code = c;
	return n;
}

size_t sm_visible_span(const uint8_t *s, size_t len)
{
	size_t i = 0;

	for (;;) {
		uint32_t code;
		size_t n;

		i += sm_ascii_span(s + i, len - i);
		if (i == len || s[i] < 0x80)
			return i;
		n = sm_utf8_decode(s + i, len - i, &code);
		if (!n || code < 0xa0)
			return i;
		i += n;
	}
}

void sm_hex_escape(uint8_t byte, char text[4])
{
	static const char digits[] = "0123456789abcdef";

	text[0] = '\\';
	text[1] = 'x';
	text[2] = digits[byte >> 4];
	text[3] = digits[byte & 15];
}
