/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stands in for libFuzzer's main(): gives each file of the directories named on the command line,
 * and a fixed set of mutations of each, to LLVMFuzzerTestOneInput(). An input that kills the
 * program is left in the file "crash".
 */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <smtool/base.h>

enum {
	TRUNCATIONS = 64,
	MUTATIONS = 256,
	SECONDS_PER_INPUT = 20,
	MAX_SEED = 64 << 20,
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
/* Only there under a sanitizer, which ends the program without a signal. */
void __sanitizer_set_death_callback(void (*callback)(void)) __attribute__((weak));

/* What runs now, for the handlers. */
static struct {
	const uint8_t *data;
	size_t size;
	const char *seed;
	unsigned mutation;
	unsigned long inputs;
} now;

static void say(const char *text)
{
	if (write(STDERR_FILENO, text, strlen(text)) < 0)
		return;
}

static void save_input(void)
{
	char number[12];
	unsigned n = now.mutation;
	size_t i = sizeof(number);
	int fd;

	number[--i] = '\0';
	do
		number[--i] = (char)('0' + n % 10);
	while (n /= 10);
	say("failed on ");
	say(now.seed ? now.seed : "nothing");
	say(", mutation ");
	say(number + i);
	say("\n");
	fd = open("crash", O_WRONLY | O_CREAT | O_TRUNC, 0644);
	if (fd < 0 || write(fd, now.data, now.size) != (ssize_t)now.size)
		say("can't save the input\n");
}

static void on_signal(int sig)
{
	if (sig == SIGALRM)
		say("takes too long\n");
	save_input();
	signal(sig, SIG_DFL);
	raise(sig);
}

/* splitmix64 */
static uint64_t next_random(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

/* Half of them near the start, where headers are. `size` isn't 0. */
static size_t random_offset(uint64_t *state, size_t size)
{
	uint64_t r = next_random(state);

	if (r & 1 && size > 128)
		size = 128;
	return (size_t)(r >> 1) % size;
}

/* Overwrites 1, 2, 4 or 8 bytes at `at` with a value that readers get wrong. */
static void set_value(uint8_t *data, size_t size, size_t at, uint64_t *state)
{
	const uint64_t values[] = {0, 1, UINT64_MAX, 0x7fffffff, 0x80000000, INT64_MAX,
		UINT64_C(1) << 63, size, size - 1, size + 1, 0xfffffff8, 0x10000};
	uint64_t v = values[next_random(state) % SM_ARRAY_SIZE(values)];
	size_t width = (size_t)1 << next_random(state) % 4;

	if (next_random(state) & 1)
		v = __builtin_bswap64(v) >> (64 - 8 * width);
	memcpy(data + at, &v, width < size - at ? width : size - at);
}

/* Returns the new size. `data` has room for twice the size. */
static size_t mutate(uint8_t *data, size_t size, unsigned number, uint64_t *state)
{
	size_t at, from, len;
	unsigned n;

	if (number < TRUNCATIONS)
		return (size_t)((uint64_t)size * number / TRUNCATIONS);
	if (size == 0)
		return 0;
	for (n = 1 + (unsigned)(next_random(state) % 3); n; n--) {
		at = random_offset(state, size);
		from = random_offset(state, size);
		len = 1 + (size_t)(next_random(state) % 64);
		if (len > size - (at > from ? at : from))
			len = size - (at > from ? at : from);
		switch (next_random(state) % 6) {
		case 0:
		case 1:
			data[at] ^= (uint8_t)(1u << next_random(state) % 8);
			break;
		case 2:
		case 3:
			set_value(data, size, at, state);
			break;
		case 4:
			memset(data + at, next_random(state) & 1 ? 0 : 0xff, len);
			break;
		default:
			memmove(data + at, data + from, len);
			break;
		}
	}
	switch (next_random(state) % 8) {
	case 0: /* a piece is gone */
		at = random_offset(state, size);
		len = (size_t)(next_random(state) % (size - at));
		memmove(data + at, data + at + len, size - at - len);
		return size - len;
	case 1: /* a piece comes twice */
		at = random_offset(state, size);
		len = (size_t)(next_random(state) % (size - at));
		memmove(data + at + len, data + at, size - at);
		return size + len;
	default:
		return size;
	}
}

/* Each input is an allocation of exactly its size, so that a sanitizer sees each byte too many. */
static void run_one(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size ? size : 1);

	if (!copy)
		abort();
	memcpy(copy, data, size);
	now.data = copy;
	now.size = size;
	now.inputs++;
	alarm(SECONDS_PER_INPUT);
	LLVMFuzzerTestOneInput(copy, size);
	alarm(0);
	free(copy);
}

static void run_seed(const char *name, const uint8_t *seed, size_t size)
{
	uint64_t state = sm_fnv(SM_FNV_INIT, seed, size);
	uint8_t *work = malloc(size ? 2 * size : 1);
	unsigned i;

	if (!work)
		abort();
	now.seed = name;
	now.mutation = 0;
	run_one(seed, size);
	for (i = 0; i < MUTATIONS && size; i++) {
		memcpy(work, seed, size);
		now.mutation = i + 1;
		run_one(work, mutate(work, size, i, &state));
	}
	free(work);
}

/* False when it can't be read: that is a broken test, not a finding. */
static bool run_file(const char *path)
{
	FILE *f = fopen(path, "rb");
	struct stat st;
	uint8_t *data;
	size_t size;
	bool ok = false;

	if (!f || fstat(fileno(f), &st) || st.st_size > MAX_SEED) {
		fprintf(stderr, "replay: '%s': unreadable, or too large\n", path);
		if (f)
			fclose(f);
		return false;
	}
	size = (size_t)st.st_size;
	data = malloc(size ? size : 1);
	if (data && fread(data, 1, size, f) == size) {
		run_seed(path, data, size);
		ok = true;
	}
	free(data);
	fclose(f);
	return ok;
}

/* A target may have no corpus: then the built-in seeds are all. */
static bool run_dir(const char *dir, unsigned long *seeds)
{
	struct dirent **entries;
	char path[4096];
	int i, n = scandir(dir, &entries, NULL, alphasort);
	bool ok = true;

	for (i = 0; i < n; i++) {
		if (entries[i]->d_name[0] != '.') {
			snprintf(path, sizeof(path), "%s/%s", dir, entries[i]->d_name);
			ok = run_file(path) && ok;
			++*seeds;
		}
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
	return ok;
}

int main(int argc, char **argv)
{
	static const int fatal[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM};
	static const uint8_t zeros[4096];
	unsigned long seeds = 2;
	bool ok = true;
	size_t i;
	int a;

	if (__sanitizer_set_death_callback)
		__sanitizer_set_death_callback(save_input);
	/* A sanitizer reports faults itself, but not abort(). */
	for (i = __sanitizer_set_death_callback ? SM_ARRAY_SIZE(fatal) - 2 : 0;
		i < SM_ARRAY_SIZE(fatal); i++)
		signal(fatal[i], on_signal);

	run_seed("(empty)", zeros, 0);
	run_seed("(zeros)", zeros, sizeof(zeros));
	for (a = 1; a < argc; a++) {
		struct stat st;

		if (stat(argv[a], &st) == 0 && !S_ISDIR(st.st_mode)) {
			ok = run_file(argv[a]) && ok;
			seeds++;
		} else {
			ok = run_dir(argv[a], &seeds) && ok;
		}
	}
	printf("%lu inputs from %lu seeds\n", now.inputs, seeds);
	return ok ? 0 : 1;
}
