#!/bin/sh
# Downwards only: base <- stat, spec, db <- collectors, runners <- experiment, bisect, series, report,
# notify <- server, cmd. Prints TAP.
cd "$(dirname "$0")/../.." || exit 1
level() {
	case $1 in
	base) echo 0 ;;
	stat | spec | db) echo 1 ;;
	collectors | runners) echo 2 ;;
	experiment | bisect | series | notify) echo 3 ;;
	report) echo 4 ;;
	server | cmd) echo 5 ;;
	*) echo "unknown" ;;
	esac
}
layer_of() { # of a path or an include
	p=${1#harnessd/}
	echo "${p%%/*}"
}
# Of one level, but not of one folder, only these pairs may look at each other: none.
bad=0
for file in $(git ls-files 'harnessd/*.[ch]' 'runners/*.[ch]' 'collectors/*.[ch]' 'db/*.[ch]'); do
	from=$(layer_of "$file")
	for inc in $(sed -n 's/^#include "\([^"]*\)".*/\1/p' "$file"); do
		case $inc in */*) ;; *) continue ;; esac
		to=$(layer_of "$inc")
		[ "$from" = "$to" ] && continue
		# The agent links the collectors' probes: that is what probes are for.
		case $file:$inc in runners/agent/*:collectors/*probe*) continue ;; esac
		if [ "$(level "$to")" -ge "$(level "$from")" ] 2>/dev/null; then
			echo "# $file ($from) includes $inc ($to)"
			bad=1
		fi
	done
done
# A plug-in knows no other plug-in of its kind, only its kind's shared helpers.
if [ $bad = 0 ]; then echo "ok 1 - includes go downwards only"; else echo "not ok 1 - includes go downwards only"; fi
exit $bad
