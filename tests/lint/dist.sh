#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Every tracked file is in a release, but for what only the repository needs.
top=${top_srcdir:-.}
build=${top_builddir:-.}
# A release has no repository to compare with; nothing is left to be checked.
git -C "$top" ls-files --error-unmatch configure.ac >/dev/null 2>&1 || exit 0
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
git -C "$top" ls-files | grep -v -e '^\.ci/' -e '^\.gitignore$' | sort >"$tmp/tracked"
# shellcheck disable=SC2016 # the makefile's
printf 'include Makefile\nshow:\n\t@printf "%%s\\n" $(DISTFILES)\n' |
	env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s -C "$build" --no-print-directory -f - show |
	sed "s:^$(realpath --relative-to="$build" "$top")/::; s:^$top/::; s:^\./::" |
	while read -r path; do
		if [ -d "$top/$path" ]; then git -C "$top" ls-files "$path"; else echo "$path"; fi
	done | sort -u >"$tmp/released"
left=$(comm -23 "$tmp/tracked" "$tmp/released")
[ -z "$left" ] || printf 'not in EXTRA_DIST:\n%s\n' "$left"
echo "$(wc -l <"$tmp/tracked") files"
[ -z "$left" ]
