#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# gcc finds nothing with more warnings than a build asks for; in the engine and
# the extensions, which are to run on small stacks, no frame is over 512 bytes.
top=${top_srcdir:-.}
build=${top_builddir:-.}
cc=${XT2_LINT_CC:-gcc}
command -v "$cc" >/dev/null || { echo "SKIP: no $cc"; exit 77; }
warnings="-Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wno-unused-parameter
	-Wold-style-definition -Wredundant-decls -Wwrite-strings -Wpointer-arith -Wundef -Wvla
	-Wlogical-op -Wduplicated-cond -Wduplicated-branches -Wformat=2"
count=0
failed=0
# shellcheck disable=SC2044 # no names with spaces
for f in $(find "$top/engine" "$top/extensions" "$top/translators" "$top/libxt2" "$top/shim" \
	"$top/xt2tables" -name '*.c'); do
	case $f in
	"$top"/engine/simd/*) stack= ;;
	"$top"/engine/* | "$top"/extensions/*) stack="-Walloca -Wframe-larger-than=512" ;;
	*) stack= ;;
	esac
	count=$((count + 1))
	# shellcheck disable=SC2086 # lists of words
	"$cc" -D_GNU_SOURCE -DXT2_LIBDIR='""' -I"$top/include" -I"$top" -I"$build" -std=gnu11 \
		-fno-strict-aliasing -O2 -Werror $warnings $stack -c -o /dev/null "$f" || failed=$((failed + 1))
done
echo "$count files, $failed with warnings"
[ $failed = 0 ] && [ $count -gt 50 ]
