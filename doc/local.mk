# parts of the build in doc/
