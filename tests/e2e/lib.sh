# Sourced by the end-to-end tests: a private state folder, and TAP.
# Expects HARNESS_BUILD; run from the top of the tree.
set -u
build=$PWD/${HARNESS_BUILD:-build}
harness=$build/harness
work=$(mktemp -d)
export HARNESS_CONFIGS="$PWD/configs" # a sanitized build is one folder deeper than the program expects
export HARNESS_STATE="$work/state"
mkdir -p "$HARNESS_STATE"
count=0 bad=0
trap 'rm -rf "$work"' EXIT

ok() { # DESCRIPTION: the last command's status decides
	r=$?
	count=$((count + 1))
	if [ $r = 0 ]; then
		echo "ok $count - $1"
	else
		bad=$((bad + 1))
		echo "not ok $count - $1"
		for f in "$work"/out "$work"/err; do
			[ -s "$f" ] && sed "s|^|# ${f##*/}: |" "$f" | head -40
		done
	fi
}

skip() { # DESCRIPTION REASON
	count=$((count + 1))
	echo "skipped: $2"
	echo "ok $count - $1 # SKIP $2"
}

is() { # DESCRIPTION GOT WANTED
	[ "$2" = "$3" ]
	ok "$1 (got '$2', wanted '$3')"
}

run() { # COMMAND...: output in $work/out and $work/err; sets $status
	"$@" > "$work/out" 2> "$work/err" < /dev/null
	status=$?
}

# A kernel for guests: fetched once into the build folder, where every test finds it.
guest_kernel() {
	kernels=$PWD/build/test-kernels
	command -v qemu-system-x86_64 > /dev/null || { why="qemu-system-x86_64 is not installed"; return 1; }
	"$harness" --version > /dev/null || { why="harness does not run"; return 1; }
	HARNESS_STATE=$kernels "$harness" vm fetch-kernel --if-missing > "$work/out" 2> "$work/err" ||
		{ why="no kernel for guests: $(tail -1 "$work/err")"; return 1; }
	[ -d "$kernels/kernels" ] && ln -sfn "$kernels/kernels" "$HARNESS_STATE/kernels"
	# A guest takes only a static agent, which a sanitized build has not.
	case $build in */asan) export HARNESS_AGENT="$PWD/build/harness-agent" ;; esac
	# Saved states are keyed by all that goes into a guest, so the tests may share their boots.
	mkdir -p "$kernels/snapshots"
	ln -sfn "$kernels/snapshots" "$HARNESS_STATE/snapshots"
	return 0
}

finish() {
	echo "1..$count"
	[ $bad = 0 ]
	exit $?
}
