LINT_TESTS = \
	tests/lint/binaries.sh \
	tests/lint/compiler.sh \
	tests/lint/dist.sh \
	tests/lint/extensions.py \
	tests/lint/format.sh \
	tests/lint/headers.sh \
	tests/lint/layers.py \
	tests/lint/private.py \
	tests/lint/shell.sh \
	tests/lint/source.py \
	tests/lint/symbols.sh \
	tests/lint/tree.py
TESTS += $(LINT_TESTS)
EXTRA_DIST += $(LINT_TESTS) .clang-format
