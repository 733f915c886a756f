noinst_LTLIBRARIES += libextensions.la
libextensions_la_SOURCES =
