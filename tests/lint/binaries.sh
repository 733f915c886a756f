#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Programs and libraries are built so that a fault is hard to use: they lie
# anywhere (PIE), what the linker has filled in is read-only (full RELRO), no
# stack is executable, stacks have canaries, calls of libc are checked for
# sizes that the compiler knows (_FORTIFY_SOURCE), and jumps land where they
# may (CET).  What this compiler cannot do, a small program tells, is not asked.
build=${top_builddir:-.}
cc=${CC:-gcc}
command -v readelf >/dev/null || { echo "SKIP: no readelf"; exit 77; }
readelf -h "$build/xt2" >/dev/null 2>&1 || { echo "SKIP: no ELF program in $build"; exit 77; }
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
failed=0
cat >"$tmp/small.c" <<'END'
#include <string.h>
int main(int argc, char **argv) { char s[8]; strcpy(s, *argv); return *s; }
END

bad() {
	echo "FAIL: $*"
	failed=1
}

# FLAGS...: does a program with them build with the compiler and the user's flags?
can() {
	# shellcheck disable=SC2086 # lists of words
	$cc -Werror "$@" $CFLAGS $LDFLAGS -o "$tmp/small" "$tmp/small.c" 2>/dev/null
}

has() {	# FILE WHAT PATTERN READELF-OPTIONS...
	file=$1
	what=$2
	pattern=$3
	shift 3
	readelf -W "$@" "$file" | grep -qE -e "$pattern" || bad "$file: $what"
}

hasnt() {
	file=$1
	what=$2
	pattern=$3
	shift 3
	readelf -W "$@" "$file" | grep -E -e "$pattern" && bad "$file: $what"
}

common() {	# FILE [without-canaries]
	has "$1" "not of the type DYN" 'Type: *DYN' -h
	hasnt "$1" "an executable stack" 'GNU_STACK.* RWE ' -l
	has "$1" "nothing said of the stack" 'GNU_STACK' -l
	hasnt "$1" "memory that is written and executed" 'LOAD.* RWE ' -l
	hasnt "$1" "relocations in its text" 'TEXTREL' -d
	hasnt "$1" "a search path" 'RPATH' -d
	if can -Wl,-z,relro -Wl,-z,now; then
		has "$1" "no RELRO" 'GNU_RELRO' -l
		has "$1" "bound lazily" 'BIND_NOW|FLAGS.* NOW' -d
	fi
	if [ "$2" != without-canaries ] && can -fstack-protector-strong && readelf -Ws "$tmp/small" | grep -q __stack_chk_fail; then
		has "$1" "no canaries" '__stack_chk_fail' --dyn-syms
	fi
}

for program in xt2 xt2tables-restore; do
	common "$build/$program"
	if can -fPIE -pie; then has "$build/$program" "no PIE" 'FLAGS_1.* PIE|DEBUG|Position-Independent Executable' -d -h; fi
	hasnt "$build/$program" "a search path" 'RUNPATH' -d
done
for library in libxt2 libxt2-shim; do
	if ! [ -e "$build/.libs/$library.so" ]; then
		echo "SKIP: no $library.so"
		continue
	fi
	common "$build/.libs/$library.so"
done
hasnt "$build/.libs/libxt2.so" "a search path" 'RUNPATH' -d

# What goes into every program brings nothing along, whatever the flags of this build, and asks for
# nothing that some libc has not.
retry=$build/.libs/libxt2-retry.so
if [ -e "$retry" ]; then
	common "$retry" without-canaries
	hasnt "$retry" "a library" 'NEEDED|RUNPATH' -d
	hasnt "$retry" "versions of symbols" 'VERNEED|VERSYM' -d
	# weak ones may be missing
	nm -D --undefined-only "$retry" | sed 's/^ *//' | grep -vE '^w ' | LC_ALL=C sort >"$tmp/asked"
	printf 'U %s\n' __errno_location fdopen syscall | diff - "$tmp/asked" || bad "$retry: asks for others"
	nm -D --defined-only "$retry" | awk '{ print $3 }' | LC_ALL=C sort >"$tmp/defined"
	printf '%s\n' __open64_2 __open_2 __openat64_2 __openat_2 fopen fopen64 getsockopt open open64 \
		openat openat64 setsockopt socket | LC_ALL=C sort | diff - "$tmp/defined" ||
		bad "$retry: has other functions"
fi

# Sanitizers look at these calls themselves, and without optimization there is nothing to check.
printf '#ifndef __OPTIMIZE__\n#error\n#endif\n' >"$tmp/optimized.c"
# shellcheck disable=SC2086 # lists of words
if [ -z "$SANITIZE_CFLAGS" ] && $cc $CFLAGS -fsyntax-only "$tmp/optimized.c" 2>/dev/null; then
	for file in xt2 xt2tables-restore .libs/libxt2.so .libs/libxt2-shim.so; do
		[ -e "$build/$file" ] || continue
		has "$build/$file" "calls of libc are not checked" '(printf|cpy|read|recv|poll)_chk' --dyn-syms
	done
fi

# The linker's word for a whole program needs a libc that has it as well: so objects are asked.
if can -fcf-protection=full; then
	for object in "$build"/engine/.libs/libpacket_la-eval.o "$build"/xt2tables/cmd/cmd-explain.o \
		"$build"/libxt2/evaluate/.libs/libpacket_la-evaluator.o; do
		if [ -e "$object" ]; then has "$object" "no IBT and SHSTK" 'x86 feature: IBT, SHSTK' -n; fi
	done
fi
exit $failed
