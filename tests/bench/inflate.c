/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * usage: inflate FILE SECTION...
 * Decompresses zstd sections of a 64-bit ELF file with libzstd, one after the other, and does
 * nothing with them: what reading them costs at the least. Status 1 where none of them is
 * compressed so.
 */
#include <elf.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#define TYPE_ZSTD 2 /* ELFCOMPRESS_ZSTD, which older headers lack */

struct file {
	const uint8_t *data;
	size_t size;
};

/* NULL where that isn't in the file. */
static const void *at(const struct file *f, uint64_t offset, uint64_t size)
{
	return offset <= f->size && size <= f->size - offset ? f->data + offset : NULL;
}

static int inflate_section(const struct file *f, const Elf64_Shdr *section)
{
	const Elf64_Chdr *header = at(f, section->sh_offset, section->sh_size);
	size_t got;
	void *out;

	if (!header || section->sh_size < sizeof(*header) || header->ch_type != TYPE_ZSTD)
		return 0;
	out = malloc(header->ch_size);
	if (!out)
		return 0;
	got = ZSTD_decompress(out, header->ch_size, header + 1, section->sh_size - sizeof(*header));
	free(out);
	return got == header->ch_size;
}

static int inflate_sections(const struct file *f, char **wanted, int n)
{
	const Elf64_Ehdr *elf = at(f, 0, sizeof(*elf));
	const Elf64_Shdr *sections, *names;
	int done = 0;

	if (!elf || elf->e_shentsize != sizeof(*sections) || elf->e_shstrndx >= elf->e_shnum)
		return 0;
	sections = at(f, elf->e_shoff, elf->e_shnum * sizeof(*sections));
	if (!sections)
		return 0;
	names = &sections[elf->e_shstrndx];
	for (int i = 0; i < elf->e_shnum; i++) {
		for (int k = 0; k < n; k++) {
			uint64_t offset = names->sh_offset + sections[i].sh_name;
			size_t len = strlen(wanted[k]) + 1;
			const char *name = at(f, offset, len);

			if (name && !memcmp(name, wanted[k], len) &&
				sections[i].sh_flags & SHF_COMPRESSED)
				done += inflate_section(f, &sections[i]);
		}
	}
	return done;
}

int main(int argc, char **argv)
{
	int fd = argc > 2 ? open(argv[1], O_RDONLY) : -1;
	struct file f;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) != 0)
		return 2;
	f.size = (size_t)st.st_size;
	f.data = mmap(NULL, f.size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (f.data == MAP_FAILED)
		return 2;
	return inflate_sections(&f, argv + 2, argc - 2) == 0;
}
