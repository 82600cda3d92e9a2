// SPDX-License-Identifier: GPL-2.0
/* Copies a file such as trace_pipe_raw to stdout until there is nothing more at the moment. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	static char page[65536];
	ssize_t got, put, done;
	int fd;

	if (argc != 2)
		return 2;
	fd = open(argv[1], O_RDONLY | O_NONBLOCK);
	if (fd < 0) {
		perror(argv[1]);
		return 1;
	}
	for (;;) {
		got = read(fd, page, sizeof(page));
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0 && errno != EAGAIN) {
			perror(argv[1]);
			return 1;
		}
		if (got <= 0)
			return 0;
		for (done = 0; done < got; done += put) {
			put = write(STDOUT_FILENO, page + done, (size_t)(got - done));
			if (put < 0) {
				perror("stdout");
				return 1;
			}
		}
	}
}
