# Unmodified iptables on an image: a supervisor, and a library where there can be none.
noinst_LTLIBRARIES += libshim.la
libshim_la_SOURCES = \
	shim/abi.c \
	shim/abi.h \
	shim/kernel-sets.c \
	shim/kernel-sets.h \
	shim/live-beside.c \
	shim/live-beside.h \
	shim/netns.c \
	shim/netns.h \
	shim/proc-files.c \
	shim/proc-files.h \
	shim/receiver.c \
	shim/receiver.h \
	shim/run.c \
	shim/run.h \
	shim/shim-edit.c \
	shim/shim-image.c \
	shim/shim-kinds.h \
	shim/shim-live.c \
	shim/shim-store.c \
	shim/shim-store.h \
	shim/supervisor.c \
	shim/supervisor.h \
	shim/task.c \
	shim/task.h \
	shim/sets-told.c \
	shim/sets-told.h
libshim_la_CPPFLAGS = $(AM_CPPFLAGS) -DXT2_LIBDIR='"$(libdir)"'
libshim_la_LIBADD = libxt2-internal.la

# For LD_PRELOAD: only what it interposes is visible, and libxt2 is beside it.
lib_LTLIBRARIES += libxt2-shim.la
libxt2_shim_la_SOURCES = shim/interpose.h shim/preload.c shim/kernel-sets.c shim/netns.c \
	shim/proc-files.c shim/shim-image.c shim/shim-kinds.h shim/shim-store.c shim/task.c \
	shim/sets-told.c libxt2/store/file-store.c libxt2/store/store.c
libxt2_shim_la_CFLAGS = $(AM_CFLAGS) -fvisibility=hidden -ffunction-sections
libxt2_shim_la_LIBADD = libxt2.la
libxt2_shim_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -shared -Wl,--gc-sections -Wl,-rpath,'$$ORIGIN'

# For LD_PRELOAD beside the supervisor, into programs with any libc, sanitizers or none: no library
# is needed, and nothing that only a compiler's library has.
lib_LTLIBRARIES += libxt2-retry.la
libxt2_retry_la_SOURCES = shim/interpose.h shim/retry.c
libxt2_retry_la_CFLAGS = $(AM_CFLAGS) -fvisibility=hidden $(PACKET_CFLAGS) -fno-sanitize=all
libxt2_retry_la_LDFLAGS = $(HARDEN_LDFLAGS) -module -avoid-version -shared -XCClinker -nostdlib \
	-XCClinker -fno-sanitize=all

# iptables-xt2 and so on: iptables-legacy and so on, run by xt2.
dist_bin_SCRIPTS = shim/iptables-xt2
XT2_WRAPPERS = iptables-xt2-restore iptables-xt2-save \
	ip6tables-xt2 ip6tables-xt2-restore ip6tables-xt2-save \
	arptables-xt2 arptables-xt2-restore arptables-xt2-save \
	ebtables-xt2 ebtables-xt2-restore ebtables-xt2-save
