/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * legacy-seeds.c - captured blobs of one format, for fuzz-legacy to begin with
 *
 * legacy-seeds FORMAT FOLDER FILE.vec... writes a file for each, the format's
 * number in front; see tests/legacy/vectors/README.
 */
#include <stdio.h>
#include <stdlib.h>
#include "legacy-mutate.h"

#define LARGEST 8192 /* larger ones are slow, and say nothing more */

size_t LLVMFuzzerMutate(u8 *data, size_t size, size_t max);

/* The formats come with the mutator, which asks for this; nothing is mutated here. */
size_t LLVMFuzzerMutate(u8 *data, size_t size, size_t max)
{
	return size;
}

static int write_seed(const char *folder, u32 number, u8 format, const u8 *bytes, size_t len)
{
	char path[512];
	FILE *to;

	snprintf(path, sizeof(path), "%s/%s-%04u", folder, fuzz_formats[format].name, number);
	to = fopen(path, "w");
	if (!to) {
		perror(path);
		return -1;
	}
	fputc(format, to);
	fwrite(bytes, 1, len, to);
	return fclose(to);
}

static int seeds(const char *file, u8 format, const char *folder, u32 *number)
{
	const struct fuzz_format *f = &fuzz_formats[format];
	unsigned int family, compat, len;
	char what[16], name[128];
	u8 *bytes = NULL;
	int ret = 0;
	FILE *from = fopen(file, "r");

	if (!from) {
		perror(file);
		return -1;
	}
	while (!ret &&
	       fscanf(from, "%u %u %15s %u %127[^\n]", &family, &compat, what, &len, name) == 5) {
		bytes = realloc(bytes, len + 1);
		if (!bytes || fgetc(from) != '\n' || fread(bytes, 1, len, from) != len)
			ret = -1;
		else if (family == f->family && compat == f->compat && len <= LARGEST &&
			 len > f->header)
			ret = write_seed(folder, (*number)++, format, bytes, len);
	}
	free(bytes);
	fclose(from);
	return ret;
}

int main(int argc, char **argv)
{
	u32 number = 0;
	u8 format;
	int i;

	for (format = 0; argc > 3 && format < FUZZ_FORMATS; format++) {
		if (strcmp(argv[1], fuzz_formats[format].name))
			continue;
		for (i = 3; i < argc; i++)
			if (seeds(argv[i], format, argv[2], &number))
				return 1;
		printf("%u\n", number);
		return 0;
	}
	fputs("usage: legacy-seeds FORMAT FOLDER FILE.vec...\n", stderr);
	return 2;
}
