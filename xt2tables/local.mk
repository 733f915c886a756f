# parts of the build in xt2tables/
