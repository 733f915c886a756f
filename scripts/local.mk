# parts of the build in scripts/
