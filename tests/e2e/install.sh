#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What "make install" leaves can be used: by hand, by man, and by a program
# that is compiled with the flags of pkg-config.  "make uninstall" leaves nothing.
top=$(cd "${top_srcdir:-.}" && pwd)
build=$(cd "${top_builddir:-.}" && pwd)
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
root=$tmp/root
cc=${CC:-cc} # perhaps several words
failed=0

bad() {
	echo "FAIL: $*"
	failed=1
}

# This runs inside "make check": its options are not ours.
quiet_make() {
	env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s -C "$build" DESTDIR="$root" "$@" \
		>"$tmp/make.log" 2>&1 || {
		tail -n 20 "$tmp/make.log"
		echo "make $*"
		exit 1
	}
}

folder() {	# VARIABLE of the makefile -> its value
	# shellcheck disable=SC2016 # the makefile's
	printf 'include Makefile\nshow:\n\t@echo $(%s)\n' "$1" |
		env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s -C "$build" --no-print-directory \
			-f - show
}

quiet_make install
bindir=$root$(folder bindir)
libdir=$root$(folder libdir)
mandir=$root$(folder mandir)
includedir=$root$(folder includedir)

# programs, under all their names
for program in xt2 xt2tables xt2ip6tables xt2arptables xt2tables-restore xt2ip6tables-restore xt2arptables-restore xt2tables-save \
	xt2ip6tables-save xt2arptables-save; do
	"$bindir/$program" --help >/dev/null 2>&1 || bad "$program --help"
done
XT2_IMAGE=$tmp/image
export XT2_IMAGE
"$bindir/xt2tables-restore" "$top/examples/server.rules" || bad "restore"
"$bindir/xt2tables-save" >"$tmp/saved" || bad "save"
grep -q '^COMMIT' "$tmp/saved" || bad "what is saved"

# iptables-legacy and its kin, started by the names that they have here
for name in iptables ip6tables arptables ebtables; do
	PATH=$PATH:/usr/sbin:/sbin command -v $name-legacy >/dev/null || {
		echo "SKIP: no $name-legacy"
		continue
	}
	"$bindir/$name-xt2" -A OUTPUT -j DROP || bad "$name-xt2"
	"$bindir/$name-xt2-save" >"$tmp/saved" 2>&1 || bad "$name-xt2-save"
	grep -q '^-A OUTPUT -j DROP' "$tmp/saved" || bad "what $name-xt2-save saves"
	"$bindir/$name-xt2-restore" <"$tmp/saved" >/dev/null || bad "$name-xt2-restore"
done

# boots, and iptables' names for what is live; not in a build without live rulesets
if [ -n "$(folder BOOT_FILES)" ]; then
	unit=$root$(folder unitdir)/xt2-restore.service
	grep -q "^ExecStart=$(folder bindir)/xt2 apply " "$unit" || bad "the unit"
	plugin=$root$(folder plugindir)/35-xt2
	grep -qx "xt2=$(folder bindir)/xt2" "$plugin" || bad "the plugin"
	[ -x "$plugin" ] || bad "the plugin cannot be run"
	sh -n "$plugin" || bad "the plugin's language"
	libexecdir=$root$(folder libexecdir)
	for name in iptables iptables-save iptables-restore ip6tables ip6tables-save ip6tables-restore; do
		[ -x "$libexecdir/xt2/live/$name" ] || bad "live/$name"
		[ "$(readlink "$libexecdir/xt2/names/$name")" = "$(folder bindir)/xt2tables-restore" ] ||
			bad "names/$name"
	done
fi

# man pages, from where man would read them
if command -v mandoc >/dev/null; then
	for page in "$mandir"/man[18]/*; do
		(cd "$mandir" && mandoc -T lint -W error "$page") || bad "$page"
	done
else
	echo "SKIP: no mandoc"
fi

# a program
if command -v pkg-config >/dev/null; then
	pc() {
		PKG_CONFIG_SYSROOT_DIR=$root PKG_CONFIG_PATH=$libdir/pkgconfig pkg-config "$@" xt2
	}
	# shellcheck disable=SC2046,SC2086 # lists of words
	$cc -std=gnu11 -Wall -Wextra -Werror $SANITIZE_CFLAGS -o "$tmp/embed" \
		"$top/examples/embed.c" $(pc --cflags --libs) || bad "examples/embed.c"
	LD_LIBRARY_PATH=$libdir "$tmp/embed" >"$tmp/answer"
	printf '%s\n' '192.0.2.9: DROP by filter INPUT 1' '198.51.100.1: ACCEPT by filter INPUT 0' |
		diff - "$tmp/answer" || bad "what examples/embed.c prints"
	# shellcheck disable=SC2046,SC2086
	$cc -std=gnu11 -Wall -Wextra -Werror $SANITIZE_CFLAGS -o "$tmp/controller" \
		"$top/examples/controller.c" $(pc --cflags --libs) || bad "examples/controller.c"
	follows() {
		printf '%s\n' "$@" >"$tmp/desired"
		LD_LIBRARY_PATH=$libdir "$tmp/controller" "$tmp/controlled" "$tmp/desired"
	}
	{
		follows '# first' '192.0.2.0/24 drop' '198.51.100.7 accept' '0.0.0.0/0 drop'
		follows '198.51.100.7 accept' '203.0.113.1/32 accept' '192.0.2.0/24 drop'
		follows '198.51.100.7 accept' '203.0.113.1 accept' '192.0.2.0/24 drop'
		follows '198.51.100.7 reject'
		"$bindir/xt2tables" --image "$tmp/controlled" -S CONTROLLED
	} >"$tmp/answer" 2>&1
	sed "s:^$tmp/::" "$tmp/answer" | diff - /dev/fd/3 3<<-'EOF' || bad "what examples/controller.c does"
		generation 1: 3 inserted, 0 deleted
		generation 2: 2 inserted, 2 deleted
		desired:1: not "ADDRESS[/LENGTH] accept|drop"
		-N CONTROLLED
		-A CONTROLLED -s 198.51.100.7/32 -j ACCEPT
		-A CONTROLLED -s 203.0.113.1/32 -j ACCEPT
		-A CONTROLLED -s 192.0.2.0/24 -j DROP
	EOF
	[ "$(pc --modversion)" = "$(folder VERSION)" ] || bad "the version in xt2.pc"
else
	echo "SKIP: no pkg-config"
fi

# headers
for header in "$includedir"/xt2/*.h; do
	printf '#include <xt2/%s>\n' "${header##*/}" >"$tmp/alone.c"
	cp "$tmp/alone.c" "$tmp/alone.cc"
	$cc -std=c11 -Wall -Wextra -Werror -I"$includedir" -fsyntax-only "$tmp/alone.c" ||
		bad "${header##*/} alone"
	command -v c++ >/dev/null || continue
	c++ -std=c++11 -Wall -Wextra -Werror -I"$includedir" -fsyntax-only "$tmp/alone.cc" ||
		bad "${header##*/} alone, as C++"
done
command -v c++ >/dev/null || echo "SKIP: no C++ compiler"

# only the programs know libxtables
needed() {
	LC_ALL=C readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'
}
needed "$libdir/libxt2.so" | grep -q '^libc\.' || bad "readelf libxt2.so"
needed "$libdir/libxt2.so" | grep '^libxtables\.' && bad "libxt2.so needs libxtables"

# the library that xt2 run preloads into programs with any libc
[ -r "$libdir/libxt2-retry.so" ] || bad "no libxt2-retry.so"
needed "$libdir/libxt2-retry.so" | grep . && bad "libxt2-retry.so needs libraries"

quiet_make uninstall
left=$(find "$root" ! -type d)
[ -z "$left" ] || bad "uninstall leaves $left"
exit $failed
