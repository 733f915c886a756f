# parts of the build in examples/
