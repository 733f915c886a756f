# SPDX-License-Identifier: GPL-2.0-or-later
# The kernel module: "make kernel KDIR=/usr/src/linux-headers-VERSION" builds xt2.ko in a folder of its own.
EXTRA_DIST += kernel/module/Kbuild kernel/module/dkms.conf.in kernel/module/modprobe.conf kernel/module/counters.c kernel/module/env.h kernel/module/hook.c kernel/module/index-later.c \
	kernel/module/libc.c kernel/module/main.c kernel/module/native.c kernel/module/sockopts.c kernel/module/dump.c kernel/module/netlink.c kernel/module/netlink-family.h kernel/module/table-transaction.c \
	kernel/module/no-history.c kernel/module/proc.c kernel/module/repack.c kernel/module/splice.c kernel/module/table-edit.c kernel/module/table-edit.h kernel/module/table.c kernel/module/tables.h kernel/module/trace.c kernel/module/tune.h \
	kernel/module/libc/config.h kernel/module/libc/errno.h kernel/module/libc/limits.h \
	kernel/module/libc/netinet/in.h kernel/module/libc/stdarg.h kernel/module/libc/stdbool.h \
	kernel/module/libc/stddef.h kernel/module/libc/stdint.h kernel/module/libc/stdio.h \
	kernel/module/libc/stdlib.h kernel/module/libc/string.h kernel/module/libc/sys/mman.h \
	kernel/module/libc/sys/random.h

KDIR = /lib/modules/$(shell uname -r)/build
MODULE_FOLDER = kernel/module/$(shell $(MAKE) -s -C $(KDIR) kernelrelease)

.PHONY: kernel
kernel:
	$(top_srcdir)/scripts/kernel-module $(MODULE_FOLDER) $(KDIR) $(KERNEL_WORDS)
	@echo "$(MODULE_FOLDER)/xt2.ko"

# The sources for dkms, and the file that has modprobe load xt2 where others ask for the kernel's tables.
DKMS_FOLDER = $(DESTDIR)/usr/src/xt2-$(VERSION)
.PHONY: install-dkms uninstall-dkms
install-dkms:
	$(top_srcdir)/scripts/kernel-module $(DKMS_FOLDER) -
	sed 's/@VERSION@/$(VERSION)/' $(top_srcdir)/kernel/module/dkms.conf.in >$(DKMS_FOLDER)/dkms.conf
	$(MKDIR_P) $(DESTDIR)/etc/modprobe.d
	$(INSTALL_DATA) $(top_srcdir)/kernel/module/modprobe.conf $(DESTDIR)/etc/modprobe.d/xt2.conf
uninstall-dkms:
	rm -rf $(DKMS_FOLDER) $(DESTDIR)/etc/modprobe.d/xt2.conf
