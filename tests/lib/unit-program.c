/* SPDX-License-Identifier: GPL-2.0-or-later */
/* unit-program.c - main() of the unit tests: PROGRAM [-l] [FILE [CASE]] */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "unit-program.h"

static struct unit_file *files; /* in the order of their names */

/* => "limit" of "tests/unit/extensions/state/test-limit.c" */
static const char *name_of(const struct unit_file *file)
{
	static char name[64];
	const char *slash = strrchr(file->path, '/');
	const char *base = slash ? slash + 1 : file->path;

	if (!strncmp(base, "test-", 5))
		base += 5;
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(base, "."), base);
	return name;
}

void units_add(struct unit_file *file)
{
	struct unit_file **at = &files;

	while (*at && strcmp((*at)->path, file->path) < 0)
		at = &(*at)->next;
	file->next = *at;
	*at = file;
}

static void list(void)
{
	const struct unit_file *file;
	size_t i;

	for (file = files; file; file = file->next)
		for (i = 0; i < file->n; i++)
			printf("%s %s\n", name_of(file), file->cases[i].name);
}

/* => files with cases that failed; -1: there is no such file */
static int run(const char *name)
{
	const struct unit_file *file;
	int failed = 0;
	bool any = false;

	for (file = files; file; file = file->next) {
		if (name && strcmp(name, name_of(file)))
			continue;
		any = true;
		failed += !!_cmocka_run_group_tests(name_of(file), file->cases, file->n,
						    file->setup, file->teardown);
	}
	return any ? failed : -1;
}

int main(int argc, char **argv)
{
	const char *filter = argc > 2 ? argv[2] : getenv("CMOCKA_TEST_FILTER");
	int failed;

	if (argc > 1 && !strcmp(argv[1], "-l")) {
		list();
		return 0;
	}
	if (filter)
		cmocka_set_test_filter(filter);
	failed = run(argc > 1 ? argv[1] : NULL);
	if (failed < 0)
		fprintf(stderr, "%s: no test file \"%s\"; %s -l lists them\n", argv[0],
			argc > 1 ? argv[1] : "", argv[0]);
	return failed < 0 ? 2 : !!failed;
}
