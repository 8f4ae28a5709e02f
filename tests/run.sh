#!/bin/sh
# run.sh BUILD [BUILD]: every unit test program of each build folder, then the end-to-end tests with
# the first one. The last line is "N passed, N failed, N skipped".
set -u
cd "$(dirname "$0")/.." || exit 1
first=$1
passed=0 failed=0 skipped=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export HARNESS_STATE="$work/state" CMOCKA_MESSAGE_OUTPUT=TAP
export ASAN_OPTIONS=detect_leaks=1:abort_on_error=0 UBSAN_OPTIONS=print_stacktrace=1
# A kernel for guests is fetched once into the build folder; every test that boots one finds it there
# (and says "skipped: why" where it could not be had).
HARNESS_STATE=$PWD/build/test-kernels "$first/harness" vm fetch-kernel --if-missing ||
	echo "no kernel for guests could be fetched"
export HARNESS_KERNELS="${HARNESS_KERNELS:-$PWD/build/test-kernels/kernels}"

tally() { # NAME LOG EXIT
	p=$(grep -c '^ok ' "$2")
	s=$(grep -c '^\(not \)\?ok .*# SKIP' "$2")
	f=$(grep '^not ok ' "$2" | grep -vc '# SKIP')
	p=$((p - $(grep -c '^ok .*# SKIP' "$2")))
	if [ "$3" != 0 ] && [ "$f" = 0 ]; then
		f=1
		echo "not ok - $1 ended with status $3"
	fi
	if [ "$f" != 0 ]; then
		sed "s|^|$1: |" "$2"
	else
		grep -i 'skipped: ' "$2" | sed "s|^|$1: |"
	fi
	passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
	echo "$1: $p passed, $f failed, $s skipped"
}

for build in "$@"; do
	export HARNESS_BUILD="$build" HARNESS_AGENT="$PWD/$build/harness-agent"
	for test in "$build"/tests/test_*; do
		[ -x "$test" ] && [ -f "$test" ] || continue
		case $test in *.*) continue ;; esac
		timeout 600 "$test" > "$work/log" 2>&1
		tally "${test#build/}" "$work/log" $?
	done
done
export HARNESS_BUILD="$first" HARNESS_AGENT="$PWD/$first/harness-agent"
for test in tests/lint/layers.sh tests/lint/sysroot.sh tests/e2e/*.sh; do
	[ -f "$test" ] || continue
	case $test in */lib.sh) continue ;; esac
	timeout 900 sh "$test" > "$work/log" 2>&1
	tally "$test" "$work/log" $?
done
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
