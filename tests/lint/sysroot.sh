#!/bin/sh
# Kernel files are opened through base/sysroot.h: no absolute literal elsewhere, comments aside, and
# no exception without a reason on its line. Prints TAP.
cd "$(dirname "$0")/../.." || exit 1
hits=$(git grep -nE '"/(proc|sys|dev/kmsg)' -- 'harnessd/*.[ch]' 'runners/*.[ch]' 'collectors/*.[ch]' 'db/*.[ch]' |
	grep -v 'sysroot-ok: ' | grep -v '^harnessd/base/sysroot' |
	grep -vE '^[^:]*:[0-9]+:[[:space:]]*(/\*|\*)')
if [ -z "$hits" ]; then
	echo "ok 1 - kernel paths go through the sysroot"
else
	echo "$hits" | sed 's/^/# /'
	echo "not ok 1 - kernel paths go through the sysroot"
	exit 1
fi
