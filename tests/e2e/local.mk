# The whole of it, as a user has it.
E2E_TESTS = tests/e2e/empty-image.sh tests/e2e/install.sh tests/e2e/json.sh tests/e2e/many-ways.sh \
	tests/e2e/misuse.sh
TESTS += $(E2E_TESTS)
EXTRA_DIST += $(E2E_TESTS)
