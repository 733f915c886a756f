# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# In a virtual machine: iptables' own test suites, by the installed tools, on the tables of TABLES.  SOURCE is the
# folder of iptables' sources.  Prints what each test says, to be compared with what it says on the other's tables.
. "$HERE/lib.sh"
PATH=$PATH:/usr/sbin:/sbin
load_tables
[ -e /dev/fd ] || ln -s /proc/self/fd /dev/fd
mkdir -p /run/suite && cp -r "$SOURCE/extensions" "$SOURCE/iptables-test.py" /run/suite/ &&
	mkdir -p /run/suite/iptables && cp -r "$SOURCE/iptables/tests" /run/suite/iptables/ || fail "no sources"
cd /run/suite || exit 1
sed -i 's#^LOGFILE=.*#LOGFILE="/run/suite/log"#' iptables-test.py
for file in extensions/*.t; do
	case $file in
	extensions/libebt_*) continue ;; # nft alone
	esac
	echo "== $file"
	python3 iptables-test.py -H -l --no-netns "$file" 2>&1
done
for script in $(cd iptables/tests/shell && find testcases -name '*_[0-9]' | sort); do
	echo "== $script"
	(cd iptables/tests/shell && bash ./run-tests.sh -H -l "$script" 2>&1 | grep '^[IWE]: ')
done
end
