# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# In a virtual machine: what xt2-kernel wants measured; JOBS, BUILD, MODULE and PROGRAM are on the kernel's command line.
exec python3 "$PROGRAM" "$JOBS" "$BUILD" "$MODULE"
