/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sequences and the screen after them, as terminals do it. */
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tui/drive_keys.h"
#include "tui/emulator.h"

struct example {
	const char *name, *term;
	int rows, columns;
	const char *bytes;
	const char *screen; /* lines, of which empty ones at the end are left out */
	int y, x;
};

static char *take(struct emulator *e, void (*print)(const struct emulator *, FILE *))
{
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);

	assert_non_null(f);
	print(e, f);
	fclose(f);
	while (n && text[n - 1] == '\n')
		text[--n] = '\0';
	return text;
}

static void print_looks(const struct emulator *e, FILE *f)
{
	emulator_print_looks(e, 0, e->rows, f);
}

static void begin(struct emulator *e, const char *term, int rows, int columns)
{
	const struct terminal *terminal = terminal_find(term);

	assert_non_null(terminal);
	assert_true(emulator_init(e, terminal, rows, columns));
}

static void check(const struct example *x)
{
	struct emulator e;
	char *text;

	begin(&e, x->term, x->rows, x->columns);
	/* A byte at a time: what is cut anywhere is the same. */
	for (const char *at = x->bytes; *at; at++)
		if (!emulator_write(&e, at, 1))
			fail_msg("%s: %s", x->name, e.error);
	text = take(&e, emulator_print);
	if (strcmp(text, x->screen) != 0)
		fail_msg("%s: shows '%s', expected '%s'", x->name, text, x->screen);
	if (e.at.y != x->y || e.at.x != x->x)
		fail_msg("%s: cursor at %d,%d", x->name, e.at.y, e.at.x);
	free(text);
	emulator_release(&e);
}

#define XT "xterm-256color"

static void shows_what_is_written(void **state)
{
	static const struct example EXAMPLES[] = {
		{"text", XT, 3, 10, "ab\r\ncd", "ab\ncd", 1, 2},
		{"line feed alone", XT, 3, 10, "ab\ncd", "ab\n  cd", 1, 4},
		{"the last column waits", XT, 3, 4, "abcd", "abcd", 0, 3},
		{"and wraps then", XT, 3, 4, "abcde", "abcd\ne", 1, 1},
		{"carriage return ends the wait", XT, 3, 4, "abcd\rX", "Xbcd", 0, 1},
		{"backspace, too", XT, 3, 4, "abcd\bX", "abXd", 0, 3},
		{"a colour doesn't", XT, 3, 4, "abcd\033[31me", "abcd\ne", 1, 1},
		{"no wraparound", XT, 3, 4, "\033[?7labcdef", "abcf", 0, 3},
		{"scrolls at the bottom", XT, 2, 4, "a\r\nb\r\nc", "b\nc", 1, 1},
		{"position", XT, 4, 10, "\033[3;5Hx\033[H\033[2Cy", "  y\n\n    x", 0, 3},
		{"position is bounded", XT, 3, 5, "\033[99;99Hx\033[99Ay", "    y\n\n    x", 0, 4},
		{"columns and rows", XT, 3, 9, "\033[2d\033[4Gx\033[2Dy", "\n  yx", 1, 3},
		{"tabs", XT, 2, 30, "a\tb\tc\033[2Zd", "a       d       c", 0, 9},
		{"a tab of one's own", XT, 2, 30, "\033[3g\033[5G\033H\r\tx", "    x", 0, 5},
		{"no tab left", XT, 2, 9, "\033[3g\tx", "        x", 0, 8},
		{"saved", XT, 3, 9, "ab\0337\033[3;3Hc\0338d", "abd\n\n  c", 0, 3},
		{"repeated", XT, 2, 20, "-\033[9bx", "----------x", 0, 11},
		{"reverse line feed", XT, 3, 4, "a\r\n\033M\033Mb", "b\na", 0, 1},
		{"line drawing, G0", XT, 2, 9, "\033(0lqk\033(Blqk", "\u250c\u2500\u2510lqk", 0, 6},
		{"line drawing, G1", "vt100", 2, 9, "\033)0\016lqk\017lqk", "\u250c\u2500\u2510lqk",
			0, 6},
		{"NUL is padding", "vt100", 2, 9, "a\033[2;1Hb", "a\nb", 1, 1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(EXAMPLES) / sizeof(EXAMPLES[0]); i++)
		check(&EXAMPLES[i]);
}

static void edits(void **state)
{
	static const struct example EXAMPLES[] = {
		{"to the line's end", XT, 2, 9, "abcdef\033[3G\033[K", "ab", 0, 2},
		{"to its beginning", XT, 2, 9, "abcdef\033[3G\033[1K", "   def", 0, 2},
		{"all of it", XT, 2, 9, "abcdef\033[3G\033[2Kx", "  x", 0, 3},
		{"the rest", XT, 3, 4, "aaaabbbbcccc\033[2;3H\033[J", "aaaa\nbb", 1, 2},
		{"what is before", XT, 3, 4, "aaaabbbbcccc\033[2;2H\033[1J", "\n  bb\ncccc", 1, 1},
		{"all", XT, 3, 4, "aaaabbbb\033[H\033[2Jx", "x", 0, 1},
		{"some characters", XT, 2, 9, "abcdef\033[2G\033[3X", "a   ef", 0, 1},
		{"deleted", XT, 2, 9, "abcdef\033[2G\033[3P", "aef", 0, 1},
		{"more than there are", XT, 2, 9, "abcdef\033[2G\033[99P", "a", 0, 1},
		{"room made", XT, 2, 6, "abcdef\033[2G\033[2@x", "ax bcd", 0, 2},
		{"insert mode", XT, 2, 6, "abcdef\033[2G\033[4hXY\033[4lZ", "aXYZcd", 0, 4},
		{"line inserted", XT, 3, 2, "a\r\nb\r\nc\033[2;1H\033[L", "a\n\nb", 1, 0},
		{"line deleted", XT, 3, 2, "a\r\nb\r\nc\033[1;1H\033[M", "b\nc", 0, 0},
		{"scrolled up", XT, 3, 2, "a\r\nb\r\nc\033[2S", "c", 2, 1},
		{"scrolled down", XT, 3, 2, "a\r\nb\r\nc\033[T", "\na\nb", 2, 1},
		{"region", XT, 4, 2, "a\r\nb\r\nc\r\nd\033[2;3r\033[3;1H\nx", "a\nc\nx\nd", 2, 1},
		{"region, upwards", XT, 4, 2, "a\r\nb\r\nc\r\nd\033[2;3r\033[2;1H\033Mx",
			"a\nx\nb\nd", 1, 1},
		{"lines in a region", XT, 4, 2, "a\r\nb\r\nc\r\nd\033[2;3r\033[2;1H\033[M",
			"a\nc\n\nd", 1, 0},
		{"not outside of it", XT, 4, 2, "a\r\nb\r\nc\r\nd\033[2;3r\033[4;1H\033[M",
			"a\nb\nc\nd", 3, 0},
		{"below it nothing scrolls", XT, 4, 2, "a\033[1;2r\033[4;1Hd\nx", "a\n\n\ndx", 3,
			1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(EXAMPLES) / sizeof(EXAMPLES[0]); i++)
		check(&EXAMPLES[i]);
}

static void knows_how_wide_characters_are(void **state)
{
	static const struct example EXAMPLES[] = {
		{"wide", XT, 2, 6, "\u8a18x", "\u8a18x", 0, 3},
		{"doesn't fit", XT, 2, 3, "ab\u8a18", "ab\n\u8a18", 1, 2},
		{"left half overwritten", XT, 2, 6, "\u8a18\u61b6\rx", "x \u61b6", 0, 1},
		{"right half overwritten", XT, 2, 6, "\u8a18\u61b6\033[2Gx", " x\u61b6", 0, 2},
		{"two halves", XT, 2, 6, "\u8a18\u61b6\033[2G\uff21", " \uff21", 0, 3},
		{"half erased", XT, 2, 6, "\u8a18\u61b6\033[2G\033[2X", "", 0, 1},
		{"half deleted", XT, 2, 6, "\u8a18\u61b6\033[2G\033[1P", " \u61b6", 0, 1},
		{"shifted out", XT, 2, 4, "\u8a18\u61b6\r\033[@", " \u8a18", 0, 0},
		{"combined", XT, 2, 6, "e\u0301x", "e\u0301x", 0, 2},
		{"with a wide one", XT, 2, 6, "\u8a18\u0301x", "\u8a18\u0301x", 0, 3},
		{"at the edge", XT, 2, 2, "abe\033[A\033[Cx\u0301y", "ax\u0301\ny", 1, 1},
		{"beyond the first plane", XT, 2, 6, "\U0001f40cx", "\U0001f40cx", 0, 3},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(EXAMPLES) / sizeof(EXAMPLES[0]); i++)
		check(&EXAMPLES[i]);
}

static void knows_how_it_looks(void **state)
{
	static const struct {
		const char *term, *bytes, *looks;
	} EXAMPLES[] = {
		{XT, "\033[1;31ma\033[22mb\033[0mc", "0:0-0 bold red 'a'\n0:1-1 red 'b'"},
		{XT, "\033[38;5;200;48;5;17mx", "0:0-0 200 on 17 'x'"},
		{XT, "\033[93;104mx\033[39my\033[49mz",
			"0:0-0 bright-yellow on bright-blue 'x'\n"
			"0:1-1 on bright-blue 'y'"},
		{XT, "\033[7mab cd\033[m  x", "0:0-4 reverse 'ab cd'"},
		{XT, "\033[4;3mx\033[24;23my", "0:0-0 italic underline 'x'"},
		/* How a blank is written isn't seen. */
		{XT, "\033[1;32mab\033[m \033[1;32mcd \033[m", "0:0-4 bold green 'ab cd'"},
		{XT, "\033[44m\033[K\033[2Gx", "0:0-9 on blue ' x'"},
		{"screen-256color", "\033[44m\033[K\033[2Gx", "0:1-1 on blue 'x'"},
		{"screen-256color", "\033[3mx\033[23my", "0:0-0 standout 'x'"},
		{"linux", "\033[0;10;1;33mx", "0:0-0 bold yellow 'x'"},
		{"vt100", "\033[1;7mx\033[m\017y", "0:0-0 bold reverse 'x'"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(EXAMPLES) / sizeof(EXAMPLES[0]); i++) {
		struct emulator e;
		char *text;

		begin(&e, EXAMPLES[i].term, 2, 10);
		if (!emulator_write(&e, EXAMPLES[i].bytes, strlen(EXAMPLES[i].bytes)))
			fail_msg("%zu: %s", i, e.error);
		text = take(&e, print_looks);
		assert_string_equal(text, EXAMPLES[i].looks);
		free(text);
		emulator_release(&e);
	}
}

static void refuses_what_a_terminal_lacks(void **state)
{
	static const struct {
		const char *term, *bytes, *error;
	} EXAMPLES[] = {
		{XT, "\033[5y", "a sequence that isn't known, TERM=xterm-256color: '\\e[5y'"},
		{XT, "\033[6n", "a sequence that isn't known"},
		{XT, "\033[?69h", "a mode that this terminal doesn't have"},
		{XT, "\033[38;2;1;2;3mx", "an attribute that this terminal doesn't have"},
		{XT, "\033[38;5;256mx", "an attribute that this terminal doesn't have"},
		{XT, "\033Q", "a sequence that isn't known"},
		{XT, "\033(5", "a character set that isn't known"},
		{XT, "\033]11;?\a", "a sequence that isn't known"},
		{XT, "\001", "a control character"},
		{XT, "a\177", "a control character"},
		{XT, "\xff", "bytes that are no character"},
		{XT, "\xc3(", "bytes that are no character"},
		{XT, "\xed\xa0\x80", "bytes that are no character"},
		{XT, "\xc2\x9bm", "a character that can't be shown"},
		{XT, "\u0301", "a combining character that has nothing before it"},
		{XT, "\033[5b", "nothing to repeat"},
		{"xterm", "\033[38;5;9mx", "an attribute that this terminal doesn't have"},
		{"screen-256color", "\033[5X", "a sequence that isn't known"},
		{"screen-256color", "x\033[5b", "a sequence that isn't known"},
		{"linux", "\033[?1049h", "a mode that this terminal doesn't have"},
		{"linux", "\033[91mx", "an attribute that this terminal doesn't have"},
		{"vt100", "\033[31mx", "an attribute that this terminal doesn't have"},
		{"vt100", "\033[2mx", "an attribute that this terminal doesn't have"},
		{"vt100", "\033[L", "a sequence that isn't known"},
		{"vt100", "\033[?25l", "a mode that this terminal doesn't have"},
		{"vt100", "\033]2;title\a", "a sequence that isn't known"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(EXAMPLES) / sizeof(EXAMPLES[0]); i++) {
		struct emulator e;

		begin(&e, EXAMPLES[i].term, 3, 10);
		if (emulator_write(&e, EXAMPLES[i].bytes, strlen(EXAMPLES[i].bytes)))
			fail_msg("%zu is taken: %s", i, EXAMPLES[i].error);
		if (strncmp(e.error, EXAMPLES[i].error, strlen(EXAMPLES[i].error)) != 0)
			fail_msg("%zu: %s", i, e.error);
		emulator_release(&e);
	}
}

static void ends_long_sequences(void **state)
{
	struct emulator e;

	(void)state;
	begin(&e, XT, 3, 10);
	assert_true(emulator_write(&e, "\033]2;", 4));
	for (int i = 0; i < 2000 && emulator_write(&e, "x", 1); i++)
		;
	assert_non_null(strstr(e.error, "a sequence without an end"));
	emulator_release(&e);
	/* Numbers that no int has */
	begin(&e, XT, 3, 10);
	assert_true(emulator_write(&e, "\033[99999999999999999999C", 23));
	assert_int_equal(e.at.x, 9);
	emulator_release(&e);
}

static void tells_what_was_left_on(void **state)
{
	static const struct {
		const char *on, *off, *told;
	} EXAMPLES[] = {
		{"\033[?1049h", "\033[?1049l", "the alternate screen is shown"},
		{"\033[?25l", "\033[?25h", "the cursor is hidden"},
		{"\033[1m", "\033[m", "attributes are on"},
		{"\033[41m", "\033[49m", "colours are on"},
		{"\033(0", "\033(B", "letters are line drawing"},
		{"\033[2;3r", "\033[r", "lines 1-2 scroll"},
		{"\033[?1000h", "\033[?1000l", "the mouse reports"},
		{"\033[?1006h", "\033[?1006l", "the mouse reports"},
		{"\033[?2004h", "\033[?2004l", "pasting is bracketed"},
		{"\033[?1h\033=", "\033[?1l\033>", "keys are in application mode"},
		{"\033[4h", "\033[4l", "characters are inserted"},
		{"\033[?7l", "\033[?7h", "lines don't wrap"},
		{"\033[?5h", "\033[?5l", "the screen is reversed"},
		{"\033]4;1;rgb:00/00/00\033\\", "\033]104\a", "colours are redefined"},
		{"\033[22;0;0t", "\033[23;0;0t", "the title isn't brought back"},
		{"\033[3", "m", "a sequence isn't ended"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(EXAMPLES) / sizeof(EXAMPLES[0]); i++) {
		struct emulator e;
		char told[512];

		begin(&e, XT, 4, 10);
		assert_false(emulator_differs(&e, told, sizeof(told)));
		assert_true(emulator_write(&e, EXAMPLES[i].on, strlen(EXAMPLES[i].on)));
		assert_true(emulator_differs(&e, told, sizeof(told)));
		assert_string_equal(told, EXAMPLES[i].told);
		assert_true(emulator_write(&e, EXAMPLES[i].off, strlen(EXAMPLES[i].off)));
		if (emulator_differs(&e, told, sizeof(told)))
			assert_string_equal(
				told, EXAMPLES[i].on[2] == '3' ? "attributes are on" : "");
		emulator_release(&e);
	}
}

static void has_two_screens(void **state)
{
	struct emulator e;
	char *text;

	(void)state;
	begin(&e, XT, 3, 10);
	assert_true(emulator_write(&e, "\033[31mshell\033[?1049h\033[H\033[32mother", 32));
	assert_true(emulator_contains(&e, "other") && !emulator_contains(&e, "shell"));
	assert_true(emulator_resize(&e, 2, 4));
	assert_true(emulator_resize(&e, 3, 10));
	assert_true(emulator_write(&e, "\033[?1049lX", 9));
	text = take(&e, emulator_print);
	assert_string_equal(text, "shel X");
	assert_int_equal(e.at.look.fg, 1);
	free(text);
	emulator_release(&e);
}

static void halves_no_character_when_it_shrinks(void **state)
{
	struct emulator e;
	char *text;

	(void)state;
	begin(&e, XT, 2, 8);
	assert_true(emulator_write(&e, "a\u8a18\u61b6", 7));
	assert_true(emulator_resize(&e, 2, 4));
	text = take(&e, emulator_print);
	assert_string_equal(text, "a\u8a18");
	free(text);
	emulator_release(&e);
}

/* ---- keys ---- */

static void sends_what_keys_send(void **state)
{
	static const struct {
		const char *term, *mode, *keys, *bytes;
	} EXAMPLES[] = {
		{XT, "", "up home end f1 f5 bs", "\033[A\033[H\033[F\033OP\033[15~\177"},
		{XT, "\033[?1h", "up home end", "\033OA\033OH\033OF"},
		{"linux", "", "home f1 backtab", "\033[1~\033[[A\033\t"},
		{"screen-256color", "\033[?1h", "up home", "\033OA\033[1~"},
		{"vt100", "", "bs f9", "\b\033Ow"},
		{XT, "", "ctrl-c ctrl-L ctrl-[ space q * ?", "\003\014\033 q*?"},
		{XT, "", "\"a 'b'\" 'c \"d\"'*2 j*3", "a 'b'c \"d\"c \"d\"jjj"},
		{XT, "", "sideways", NULL},
		{XT, "", "\"open", NULL},
		{XT, "", "j*0", NULL},
		{XT, "", "j*x", NULL},
		{XT, "", "f13", NULL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(EXAMPLES) / sizeof(EXAMPLES[0]); i++) {
		const char *at = EXAMPLES[i].keys, *bytes = EXAMPLES[i].bytes;
		struct keystrokes keys = {0};
		struct emulator e;

		begin(&e, EXAMPLES[i].term, 3, 10);
		assert_true(emulator_write(&e, EXAMPLES[i].mode, strlen(EXAMPLES[i].mode)));
		while (keys_next(&keys, &e, &at))
			;
		assert_int_equal(!keys.error[0], bytes != NULL);
		if (bytes) {
			assert_int_equal(keys.n, strlen(bytes));
			assert_memory_equal(keys.bytes, bytes, keys.n);
		}
		emulator_release(&e);
	}
}

static void reports_the_mouse_as_it_is_asked_to(void **state)
{
	static const struct {
		const char *mode, *what, *bytes;
	} EXAMPLES[] = {
		{"", "click 1 2", NULL},
		{"\033[?1006h", "click 1 2", NULL},
		{"\033[?1000h", "click 1 2", "\033[M \"#\033[M#\"#"},
		{"\033[?1000;1006h", "click 1 2", "\033[<0;2;3M\033[<0;2;3m"},
		{"\033[?1000;1006h", "wheel-down 0 0", "\033[<65;1;1M"},
		{"\033[?1000;1006h", "drag 0 0 1 1", "\033[<0;1;1M\033[<0;2;2m"},
		{"\033[?1002;1006h", "drag 0 0 1 1", "\033[<0;1;1M\033[<32;2;2M\033[<0;2;2m"},
		{"\033[?1000;1006h", "click 10 0", NULL},
		{"\033[?1000;1006h", "push 1 1", NULL},
		{"\033[?1000;1006h", "click", NULL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(EXAMPLES) / sizeof(EXAMPLES[0]); i++) {
		const char *bytes = EXAMPLES[i].bytes;
		struct keystrokes keys = {0};
		struct emulator e;

		begin(&e, XT, 3, 10);
		assert_true(emulator_write(&e, EXAMPLES[i].mode, strlen(EXAMPLES[i].mode)));
		assert_int_equal(mouse_events(&keys, &e, EXAMPLES[i].what), bytes != NULL);
		if (bytes) {
			assert_int_equal(keys.n, strlen(bytes));
			assert_memory_equal(keys.bytes, bytes, keys.n);
		}
		emulator_release(&e);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shows_what_is_written),
		cmocka_unit_test(edits),
		cmocka_unit_test(knows_how_wide_characters_are),
		cmocka_unit_test(knows_how_it_looks),
		cmocka_unit_test(refuses_what_a_terminal_lacks),
		cmocka_unit_test(ends_long_sequences),
		cmocka_unit_test(tells_what_was_left_on),
		cmocka_unit_test(has_two_screens),
		cmocka_unit_test(halves_no_character_when_it_shrinks),
		cmocka_unit_test(sends_what_keys_send),
		cmocka_unit_test(reports_the_mouse_as_it_is_asked_to),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
