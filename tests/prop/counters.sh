#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The short run of tests/prop for make check; arguments go to run.py, XT2_PROP=full runs all of it.
top_srcdir=${top_srcdir:-.} top_builddir=${top_builddir:-.}
command -v python3 >/dev/null || { echo "SKIP: no python3"; exit 77; }
case ${XT2_PROP:-short} in
full) ;;
*) set -- --short "$@" ;;
esac
for f in xt2 xt2tables/xt2; do
	[ -x "$top_builddir/$f" ] && xt2=$top_builddir/$f
done
exec python3 "$top_srcdir/tests/prop/run.py" --xt2 "${XT2:-${xt2:-xt2}}" \
	--inject "$top_builddir/tests/lib/inject" "$@"
