# parts of the build in perf/
