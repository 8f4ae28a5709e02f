#!/bin/sh
# What "harness run" says and with which status it ends, in every case: for scripts and CI.
. tests/e2e/lib.sh

mkdir -p "$work/configs/benchmarks"
cat > "$work/configs/benchmarks/number.yaml" <<'Y'
name: number
command: [sh, -c, "echo value {v}"]
params: {v: 100}
metrics:
  - {name: value, unit: x, better: higher, pattern: '^value (\d+)$'}
Y
job() { # NAME: the rest of a job from standard input
	{
		printf 'name: %s\nbenchmark: number\nwarmup: 0\ncollect: []\n' "$1"
		cat
	} > "$work/$1.yaml"
}
go() { # ARGUMENT...: harness run with the test's benchmarks
	run "$harness" run --quiet --configs "$work/configs" "$@"
}
runs() { HARNESS_STATE=$HARNESS_STATE "$harness" list --json | jq length; }

# What the files alone tell is told before anything runs: status 3, and no run on record.
job typo << 'Y'
factors: {params: [{v: 5}, {vv: 6}]}
Y
go "$work/typo.yaml"
is "a parameter that the benchmark lacks is a wrong job" "$status" 3
grep -q "typo.yaml:5:.*'vv'.*did you mean 'v'" "$work/err"; ok "its place and the nearest name"
job words << 'Y'
factors:
  cmdline: [default, nohz=off]
Y
go "$work/words.yaml"
is "a kernel command line on a machine that never boots is a wrong job" "$status" 3
grep -q "words.yaml:6:.*target 'local'.*try target: vm" "$work/err"; ok "its place and what helps"
job words-by-hand << 'Y'
arms:
  - {label: plain, cmdline: default}
  - {label: no-nohz, cmdline: nohz=off}
Y
go "$work/words-by-hand.yaml"
is "the same for arms by hand" "$status" 3
grep -q "words-by-hand.yaml:7:" "$work/err"; ok "and its place"
job default-words << 'Y'
fixed: {cmdline: default}
factors: {params: [{v: 5}]}
decide: {max_blocks: 3}
Y
go "$work/default-words.yaml"
is "the plain command line is no wish" "$status" 0
is "only that run is on record" "$(runs)" 1
finish
