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

# The verdict is the status.
job better << 'Y'
factors: {params: [{v: 100}, {v: 110}]}
decide: {max_blocks: 14}
Y
go "$work/better.yaml"
is "better: no regression" "$status" 0
[ ! -s "$work/err" ]; ok "nothing but the report is said"
job worse << 'Y'
factors: {params: [{v: 110}, {v: 100}]}
decide: {max_blocks: 14}
Y
go "$work/worse.yaml"
is "worse: regression" "$status" 1
job undecided << 'Y'
factors: {params: [{v: 100}, {v: 110}]}
decide: {max_blocks: 3}
Y
go "$work/undecided.yaml"
is "too few blocks to decide" "$status" 2
go
is "no job is bad usage" "$status" 3
go --resume 1 --max-blocks 5
is "a run that is taken up again keeps its blocks" "$status" 3
go --resume 1
is "a run that has finished" "$status" 4
is "is said once" "$(wc -l < "$work/err")/$(wc -c < "$work/out")" 1/0
go --resume 99
is "a run that is not there" "$status" 4

# What could not run: the reason once; with trials on record, in the report.
job none << 'Y'
factors: {params: [{v: 100}, {v: none}]}
Y
go "$work/none.yaml"
is "an arm that can't be measured" "$status" 4
is "the reason is said once" "$(cat "$work/out" "$work/err" | tr '\n' ' ' | grep -o "arm 'v=none'" | wc -l)" 1
sed 's/benchmark: number/benchmark: nothing/' "$work/better.yaml" > "$work/nothing.yaml"
cat > "$work/configs/benchmarks/nothing.yaml" <<'Y'
name: nothing
command: [sh, -c, "exit {v}"]
params: {v: 1}
metrics:
  - {name: value, unit: x, better: higher, pattern: '^value (\d+)$'}
Y

# With --json standard output is JSON and nothing else, whatever happens.
json() { # DESCRIPTION FILTER
	jq -e "$2" "$work/out" > "$work/jq" 2>&1
	ok "$1 is JSON"
}
go --json "$work/better.yaml"
json "a verdict" '.verdict.conclusion == "no regression"'
go --json "$work/typo.yaml"
json "a wrong job" '.error and .diagnostics[0].line == 5'
go --json "$work/none.yaml"
json "a failed run" '.run.state == "failed" and (.run.error | contains("none"))'
go --json "$work/nothing.yaml"
json "a run without a figure" '.run.state == "failed"'
go --json --resume 99
json "no such run" '.error'
HARNESS_AGENT=/nonexistent go --json "$work/better.yaml"
is "without an agent" "$status" 4
json "a run without an agent" '.run.error'
mkdir -p "$HARNESS_STATE/undo"
echo '{"path":"proc/sys/vm/swappiness","old":"60' > "$HARNESS_STATE/undo/none.1.json-lines"
go --json "$work/better.yaml"
json "a run after one that died" '.verdict.conclusion == "no regression"'
HARNESS_STATE=/proc/1/nowhere go --json "$work/better.yaml"
is "without a place for the state" "$status" 4
json "that" '.error'
finish
