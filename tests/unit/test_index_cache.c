/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The directory of the indexes: who may read it, how old ones leave, what a full disk leaves, and
 * that several processes at once do each other no harm. */
#include "made_map.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

static void test_modes(void **state)
{
	const struct scratch *s = *state;
	mode_t mask = umask(0);
	struct stat st;
	struct made m;

	made_make(&m, 10, 2, 1);
	assert_null(sm_index_write(scratch_path(s, "a/b/c/"), ID, &m.map, UINT64_MAX, NULL));
	umask(mask);
	assert_int_equal(stat(scratch_path(s, "a/b/c"), &st), 0);
	assert_int_equal(st.st_mode & 07777, 0700);
	assert_int_equal(stat(scratch_path(s, "a"), &st), 0);
	assert_int_equal(st.st_mode & 07777, 0700);
	assert_int_equal(stat(scratch_path(s, "a/b/c/" ID "-1.index"), &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	scratch_run(s, "test $(ls a/b/c | wc -l) = 1");
	made_release(&m);
}

static void test_other_files(void **state)
{
	const struct scratch *s = *state;
	struct made m;

	made_make(&m, 40, 3, 3);
	made_write(s, ID, &m);
	/* Others may write to it. */
	assert_int_equal(chmod(made_path(s, ID), 0620), 0);
	assert_null(made_open(s, ID));
	assert_int_equal(chmod(made_path(s, ID), 0600), 0);
	scratch_run(s, "mv cache/" ID "-1.index x; ln -s ../x cache/" ID "-1.index");
	assert_null(made_open(s, ID));
	/* A link is replaced, and what it leads to stays as it is. */
	scratch_run(s, "cp x y");
	made_write(s, ID, &m);
	scratch_run(s, "cmp x y && test ! -L cache/" ID "-1.index");
	scratch_run(s, "rm cache/*; mkfifo cache/" ID "-1.index");
	assert_null(made_open(s, ID));
	scratch_run(s, "rm cache/*; mkdir cache/" ID "-1.index");
	assert_null(made_open(s, ID));
	scratch_expect(sm_index_write(made_dir(s), ID, &m.map, UINT64_MAX, NULL), SM_E_IO,
		"cannot write an index in the cache");
	scratch_run(s, "test $(ls cache | wc -l) = 1");
	made_release(&m);
}

static void test_no_directory(void **state)
{
	const struct scratch *s = *state;
	struct index *index;
	struct made m;

	made_make(&m, 40, 3, 3);
	scratch_write(s, "file", "", 0);
	scratch_expect(sm_index_write(scratch_path(s, "file/cache"), ID, &m.map, UINT64_MAX, NULL),
		SM_E_IO, "cannot open the cache directory");
	scratch_expect(sm_index_write(scratch_path(s, "file"), ID, &m.map, UINT64_MAX, NULL),
		SM_E_IO, "cannot open the cache directory");
	assert_null(sm_index_open(scratch_path(s, "file/cache"), ID, NULL, &index));
	assert_null(index);
	if (geteuid() != 0) {
		assert_int_equal(mkdir(scratch_path(s, "closed"), 0500), 0);
		scratch_expect(
			sm_index_write(scratch_path(s, "closed"), ID, &m.map, UINT64_MAX, NULL),
			SM_E_IO, "cannot make an index in the cache");
	}
	made_release(&m);
}

/* A disk that is full at any point: nothing is left, and what was there stays. */
static void test_full_disk(void **state)
{
	const struct scratch *s = *state;
	struct rlimit old, limit;
	struct index *index;
	struct made m, large;
	size_t found;

	made_make(&m, 40, 3, 3);
	made_make(&large, 4000, 300, 4);
	made_write(s, ID, &m);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	signal(SIGXFSZ, SIG_IGN);
	for (rlim_t at = 0; at < 40 * INDEX_BLOCK; at += 3001) {
		struct sm_error *err;

		limit = (struct rlimit){.rlim_cur = at, .rlim_max = old.rlim_max};
		assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
		err = sm_index_write(made_dir(s), ID, &large.map, UINT64_MAX, NULL);
		assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
		if (!err)
			break;
		assert_true(at < 30 * INDEX_BLOCK);
		scratch_expect(err, SM_E_IO, "File too large");
		scratch_run(s, "test $(ls cache | wc -l) = 1");
		index = made_open(s, ID);
		assert_non_null(index);
		assert_true(made_agrees(sm_index_map(index), &m.map, &found));
		sm_index_close(index);
	}
	signal(SIGXFSZ, SIG_DFL);
	made_release(&m);
	made_release(&large);
}

static void set_age(const char *path, time_t seconds)
{
	struct timespec now, times[2];

	clock_gettime(CLOCK_REALTIME, &now);
	now.tv_sec -= seconds;
	times[0] = times[1] = now;
	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static bool is_there(const struct scratch *s, const char *id)
{
	return access(made_path(s, id), F_OK) == 0;
}

static void test_eviction(void **state)
{
	static const char *const ids[] = {"0001", "0002", "0003", "0004", "0005"};
	const struct scratch *s = *state;
	struct index *mapped, *index;
	uint64_t size;
	struct stat st;
	struct made m;
	size_t found;

	made_make(&m, 400, 30, 3);
	for (unsigned i = 0; i < 4; i++) {
		made_write(s, ids[i], &m);
		set_age(made_path(s, ids[i]), 1000 - i);
	}
	assert_int_equal(stat(made_path(s, ids[0]), &st), 0);
	size = (uint64_t)st.st_size;
	/* The oldest is used now. */
	sm_index_close(made_open(s, ids[0]));
	mapped = made_open(s, ids[1]);
	set_age(made_path(s, ids[1]), 2000);
	scratch_run(s, "cd cache && printf x >other && printf x >0001-1.index.bak && "
		       "printf x >zz-1.index && ln -s other 00ff-1.index && touch -d @1 *");
	set_age(made_path(s, ids[0]), 0);
	set_age(made_path(s, ids[1]), 2000);
	set_age(made_path(s, ids[2]), 500);
	set_age(made_path(s, ids[3]), 400);
	assert_null(sm_index_write(made_dir(s), ids[4], &m.map, 5 * size, NULL));
	for (unsigned i = 0; i < 5; i++)
		assert_true(is_there(s, ids[i]));
	assert_null(sm_index_write(made_dir(s), ids[4], &m.map, 5 * size - 1, NULL));
	assert_false(is_there(s, ids[1]));
	assert_true(is_there(s, ids[2]));
	assert_null(sm_index_write(made_dir(s), ids[4], &m.map, 2 * size, NULL));
	assert_true(is_there(s, ids[0]));
	assert_false(is_there(s, ids[2]));
	assert_false(is_there(s, ids[3]));
	assert_true(is_there(s, ids[4]));
	/* What isn't ours stays. */
	scratch_run(s, "cd cache && test -e other && test -e 0001-1.index.bak && "
		       "test -e zz-1.index && test -L 00ff-1.index");
	/* It went while somebody had it mapped. */
	assert_true(made_agrees(sm_index_map(mapped), &m.map, &found));
	assert_int_equal(found, m.map.nsegments);
	sm_index_close(mapped);
	/* Nothing goes for one that can't stay. */
	assert_null(sm_index_write(made_dir(s), ids[1], &m.map, size - 1, NULL));
	assert_false(is_there(s, ids[1]));
	assert_true(is_there(s, ids[0]));
	/* Those of other versions take room too. */
	scratch_run(
		s, "cp cache/0001-1.index cache/0001-99.index && touch -d @1 cache/0001-99.index");
	assert_null(sm_index_write(made_dir(s), ids[4], &m.map, 2 * size, NULL));
	scratch_run(s, "test ! -e cache/0001-99.index");
	index = made_open(s, ids[0]);
	assert_non_null(index);
	sm_index_close(index);
	made_release(&m);
}

static void test_use_is_noted(void **state)
{
	const struct scratch *s = *state;
	struct stat st;
	struct made m;

	made_make(&m, 40, 3, 3);
	made_write(s, ID, &m);
	set_age(made_path(s, ID), 5000);
	sm_index_close(made_open(s, ID));
	assert_int_equal(stat(made_path(s, ID), &st), 0);
	assert_true(time(NULL) - st.st_mtime < 1000);
	made_release(&m);
}

static void test_temporary(void **state)
{
	const struct scratch *s = *state;
	struct made m;

	made_make(&m, 40, 3, 3);
	made_write(s, ID, &m);
	scratch_run(s,
		"cd cache && touch -d '2 hours ago' " ID "-1.index.0011223344556677.tmp x.tmp "
		"&& touch abcd-7.index.1.tmp && mkdir 00ee-1.index.1.tmp");
	made_write(s, ID, &m);
	scratch_run(s, "cd cache && test ! -e " ID "-1.index.0011223344556677.tmp && test -e x.tmp "
		       "&& test -e abcd-7.index.1.tmp && test -d 00ee-1.index.1.tmp");
	made_release(&m);
}

/* In a process of its own: an exit status that isn't 0 tells what went wrong. */
static int use_cache(const struct scratch *s, unsigned self, unsigned rounds)
{
	static const char *const ids[] = {"aa00", "aa01", "aa02"};
	uint64_t limit = 200000;
	struct made maps[2];
	size_t found;

	/* Both kinds of writers say the same of one id, but for the number of segments. */
	made_make(&maps[0], 2000, 300, 9);
	made_make(&maps[1], 2500, 300, 9);
	for (unsigned i = 0; i < rounds; i++) {
		const char *id = ids[(i + self) % 3];
		struct index *index = NULL;
		struct sm_error *err;

		if (self % 2 == 0 || i % 8 == 7) {
			err = sm_index_write(made_dir(s), id, &maps[(i / 3) % 2].map, limit, NULL);
			if (err)
				return 10;
		}
		err = sm_index_open(made_dir(s), id, NULL, &index);
		if (err)
			return 11;
		if (!index)
			continue;
		for (unsigned k = 0; k < 2; k++) {
			const struct made *m =
				&maps[sm_index_map(index)->nsegments == maps[1].map.nsegments];

			if (!made_agrees(sm_index_map(index), &m->map, &found))
				return 12;
			if (found != m->map.nsegments || sm_index_damaged(index))
				return 13;
		}
		sm_index_close(index);
	}
	made_release(&maps[0]);
	made_release(&maps[1]);
	return 0;
}

static void test_many_processes(void **state)
{
	const struct scratch *s = *state;
	pid_t pids[8];
	int status;

	for (unsigned i = 0; i < SM_ARRAY_SIZE(pids); i++) {
		pids[i] = fork();
		assert_true(pids[i] >= 0);
		if (!pids[i])
			_exit(use_cache(s, i, 60));
	}
	for (unsigned i = 0; i < SM_ARRAY_SIZE(pids); i++) {
		assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
		assert_true(WIFEXITED(status));
		assert_int_equal(WEXITSTATUS(status), 0);
	}
	/* No temporary file is left, and the bound is kept. */
	scratch_run(s, "test $(ls cache | grep -vc 'aa0[0-2]-1.index$') = 0");
}

/* A writer that is killed leaves at most a temporary file: what is there is whole. */
static void test_killed_writer(void **state)
{
	const struct scratch *s = *state;
	struct index *index;
	struct made m;
	size_t found;
	int status;

	made_make(&m, 60000, 3000, 5);
	for (unsigned i = 0; i < 20; i++) {
		pid_t pid = fork();

		assert_true(pid >= 0);
		if (!pid) {
			for (;;) {
				if (sm_index_write(made_dir(s), ID, &m.map, UINT64_MAX, NULL))
					_exit(1);
			}
		}
		usleep(1000 + i * 700);
		kill(pid, SIGKILL);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(WIFSIGNALED(status));
		index = made_open(s, ID);
		if (!index)
			continue;
		assert_true(made_agrees(sm_index_map(index), &m.map, &found));
		assert_int_equal(found, m.map.nsegments);
		sm_index_close(index);
	}
	made_release(&m);
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, scratch_setup, scratch_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_modes),
		TEST(test_other_files),
		TEST(test_no_directory),
		TEST(test_full_disk),
		TEST(test_eviction),
		TEST(test_use_is_noted),
		TEST(test_temporary),
		TEST(test_many_processes),
		TEST(test_killed_writer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
