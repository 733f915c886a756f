EXTRA_DIST += scripts/build scripts/check scripts/demo scripts/deps scripts/fuzz scripts/kernel-module
