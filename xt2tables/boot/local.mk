# Boots, and iptables' names for what is live.
BOOT_IN = xt2tables/boot/xt2-restore.service.in xt2tables/boot/netfilter-persistent.in \
	xt2tables/boot/xt2-live-command.in
EXTRA_DIST += $(BOOT_IN)
LIVE_NAMES = iptables iptables-save iptables-restore ip6tables ip6tables-save ip6tables-restore \
	iptables-legacy iptables-legacy-save iptables-legacy-restore \
	ip6tables-legacy ip6tables-legacy-save ip6tables-legacy-restore

if BPF
BOOT_FILES = xt2tables/boot/xt2-restore.service xt2tables/boot/netfilter-persistent xt2tables/boot/xt2-live-command
INSTALL_BOOT = install-boot
UNINSTALL_BOOT = uninstall-boot
endif
CLEANFILES += $(BOOT_FILES)

xt2tables/boot/xt2-restore.service: xt2tables/boot/xt2-restore.service.in
xt2tables/boot/netfilter-persistent: xt2tables/boot/netfilter-persistent.in
xt2tables/boot/xt2-live-command: xt2tables/boot/xt2-live-command.in
xt2tables/boot/xt2-restore.service xt2tables/boot/netfilter-persistent xt2tables/boot/xt2-live-command: Makefile
	$(AM_V_at)$(MKDIR_P) $(@D)
	$(AM_V_GEN)sed -e 's,[@]bindir[@],$(bindir),g; s,[@]libexecdir[@],$(libexecdir),g' \
		$(top_srcdir)/$@.in >$@.tmp && mv $@.tmp $@

install-data-hook: $(INSTALL_BOOT)

install-boot: $(BOOT_FILES)
	$(MKDIR_P) "$(DESTDIR)$(unitdir)" "$(DESTDIR)$(plugindir)" "$(DESTDIR)$(libexecdir)/xt2/names" \
		"$(DESTDIR)$(libexecdir)/xt2/live"
	$(INSTALL_DATA) xt2tables/boot/xt2-restore.service "$(DESTDIR)$(unitdir)/xt2-restore.service"
	$(INSTALL_SCRIPT) xt2tables/boot/netfilter-persistent "$(DESTDIR)$(plugindir)/35-xt2"
	$(INSTALL_SCRIPT) xt2tables/boot/xt2-live-command "$(DESTDIR)$(libexecdir)/xt2/xt2-live-command"
	for i in $(LIVE_NAMES); do \
		ln -sf "$(bindir)/xt2tables-restore$(EXEEXT)" "$(DESTDIR)$(libexecdir)/xt2/names/$$i" && \
		ln -sf ../xt2-live-command "$(DESTDIR)$(libexecdir)/xt2/live/$$i" || exit 1; \
	done

uninstall-boot:
	rm -f "$(DESTDIR)$(unitdir)/xt2-restore.service" "$(DESTDIR)$(plugindir)/35-xt2"
	rm -rf "$(DESTDIR)$(libexecdir)/xt2/names" "$(DESTDIR)$(libexecdir)/xt2/live"
	rm -f "$(DESTDIR)$(libexecdir)/xt2/xt2-live-command"
	-rmdir "$(DESTDIR)$(libexecdir)/xt2" 2>/dev/null

.PHONY: install-boot uninstall-boot
