#!/bin/sh
# Ctrl-C as a terminal sends it: to the whole process group, in every phase of a run.
. tests/e2e/lib.sh

knob=/proc/sys/vm/swappiness
if [ ! -w $knob ]; then
	skip "Ctrl-C" "$knob can't be written here"
	finish
fi
before=$(cat $knob)
mkdir -p "$work/configs/benchmarks"
cat > "$work/configs/benchmarks/slow.yaml" <<'Y'
name: slow
command: [sh, -c, "trap '' TERM; sleep {s}; echo value 1"]
params: {s: 61.37} # and deaf to TERM, so that ending it takes the grace of two seconds
metrics:
  - {name: value, unit: x, better: higher, pattern: '^value (\d+)$'}
Y
cat > "$work/job.yaml" <<'Y'
name: slow
benchmark: slow
warmup: 0
collect: []
factors: {sysctl: [{vm.swappiness: 11}, {vm.swappiness: 22}]}
decide: {max_blocks: 3}
Y
pid= first=
begin() { # ARGUMENT...: harness in a process group of its own; sets $pid
	setsid "$harness" run --configs "$work/configs" "$@" > "$work/out" 2> "$work/err" < /dev/null &
	pid=$!
}
trap '[ -z "$pid" ] || kill -KILL $pid $first 2> /dev/null; rm -rf "$work"' EXIT
knob_is_set() { [ "$(cat $knob)" != "$before" ]; }
knob_is_back() { [ "$(cat $knob)" = "$before" ]; }
it_sleeps() { pgrep -f "sleep 61.37" > /dev/null; }
it_waits() { grep -q waiting "$work/err"; }
nobody_is_left() { ! pgrep -f "harness-agent.*$work" > /dev/null; }
is_over() { ! kill -0 $pid 2> /dev/null; }
within() { # TENTHS COMMAND
	n=$1
	while ! $2; do
		n=$((n - 1))
		[ $n -gt 0 ] || return 1
		sleep 0.1
	done
}

begin "$work/job.yaml"
within 100 knob_is_set && within 50 it_sleeps; ok "a trial is in flight"

# Another harness waits for the machine, says for whom, and can be told not to.
mv "$work/out" "$work/out.first"; mv "$work/err" "$work/err.first"
first=$pid
begin "$work/job.yaml"
within 50 it_waits; ok "a second one waits"
grep -q "a run of the job 'slow', process $first" "$work/err"; ok "and says for whom"
kill -INT -$pid
wait $pid
is "Ctrl-C while waiting ends it" $? 4
grep -q "interrupted while waiting" "$work/err"; ok "and it says so"
run "$harness" doctor
grep -q "in use by a run of the job 'slow'" "$work/out"; ok "doctor turns no knob of a machine in use"
knob_is_set; ok "the run is not disturbed"
pid=$first

start=$(date +%s)
kill -INT -$pid
wait $pid
is "Ctrl-C in a trial: could not run to the end" $? 4
took=$(($(date +%s) - start))
[ $took -le 8 ]; ok "within seconds ($took)"
knob_is_back; ok "knobs are back"
within 20 nobody_is_left; ok "no agent is left"
! it_sleeps; ok "no benchmark is left"
grep -q "harness run --resume 1' goes on" "$work/err.first"; ok "it says how to go on"
run "$harness" show --json
is "the run is interrupted" "$(jq -r .run.state "$work/out")" interrupted
is "its trial is lost" "$(jq -r '.trials[0].state' "$work/out")" lost

# Twice: at once. The agent does the rest.
begin --resume 1
within 100 knob_is_set && within 50 it_sleeps; ok "a trial is in flight again"
kill -INT -$pid
sleep 0.2
kill -INT -$pid
wait $pid 2> /dev/null
is "the second Ctrl-C leaves at once" $? 130
within 100 knob_is_back; ok "knobs are back all the same"
within 100 nobody_is_left; ok "no agent is left"
! it_sleeps; ok "no benchmark is left"
run "$harness" show --json
is "no trial is missing on record" "$(jq '.trials | length' "$work/out")" 2
finish
