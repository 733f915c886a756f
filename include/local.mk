xt2includedir = $(includedir)/xt2
xt2include_HEADERS = \
	include/xt2/change.h \
	include/xt2/ext-packet.h \
	include/xt2/ext-state.h \
	include/xt2/ext-target.h \
	include/xt2/ext-transport.h \
	include/xt2/ext.h \
	include/xt2/format.h \
	include/xt2/index.h \
	include/xt2/edits.h \
	include/xt2/netlink.h \
	include/xt2/patch.h \
	include/xt2/pkt.h \
	include/xt2/sockopt.h \
	include/xt2/verdict.h \
	include/xt2/xt2.h
