#!/bin/sh
# Killed at random moments and resumed: no trial is lost or counted twice, and knobs are as they were.
. tests/e2e/lib.sh

knob=/proc/sys/vm/swappiness
if [ ! -w $knob ]; then
	skip "kill and resume" "$knob can't be written here"
	finish
fi
before=$(cat $knob)
mkdir -p "$work/configs/benchmarks"
cat > "$work/configs/benchmarks/number.yaml" <<'Y'
name: number
command: [sh, -c, "sleep 0.02; echo value $(cat /proc/sys/vm/swappiness)"]
metrics:
  - {name: value, unit: x, better: higher, pattern: '^value (\d+)$'}
Y
cat > "$work/job.yaml" <<Y
name: interrupted
benchmark: number
factors: {sysctl: [{vm.swappiness: 11}, {vm.swappiness: 22}]}
trials: 2
collect: [interrupts, cpustat]
decide: {max_blocks: 12, margin: 0%, confidence: 99.99%}
Y
kills=${KILLS:-50}
i=0 started=0 resumed=0
arg="$work/job.yaml"
while [ $i -lt "$kills" ]; do
	i=$((i + 1))
	"$harness" run --quiet --configs "$work/configs" $arg > "$work/out" 2> "$work/err" < /dev/null &
	pid=$!
	ms=$(od -An -N2 -tu2 /dev/urandom | awk '{print 20 + $1 % 400}')
	sleep "$(awk "BEGIN{print $ms/1000}")"
	if kill -KILL $pid 2> /dev/null; then started=$((started + 1)); fi
	wait $pid 2> /dev/null
	# The agent notices, ends its trial and puts the knobs back.
	n=0
	while [ "$(cat $knob)" != "$before" ] && [ $n -lt 50 ]; do sleep 0.1; n=$((n + 1)); done
	if [ "$(cat $knob)" != "$before" ]; then bad_knob=$(cat $knob); break; fi
	if [ -f "$HARNESS_STATE/harness.db" ] && "$harness" show --json > "$work/show" 2> /dev/null &&
		[ "$(jq -r .run.state "$work/show")" != finished ]; then
		arg="--resume 0"
		resumed=$((resumed + 1))
	elif [ "$(jq -r .run.state "$work/show" 2> /dev/null)" = finished ]; then
		arg="$work/job.yaml" # finished before the kill: another run
	fi
done
[ "$started" -ge $((kills / 2)) ]; ok "the harness was killed $started times, resumed $resumed times"
is "the knob is as it was after every kill" "${bad_knob:-$before}" "$before"
if [ "$arg" = "--resume 0" ]; then
	run "$harness" run --quiet --resume 0
	[ "$status" -le 2 ]; ok "the last resume runs to the end (exit $status)"
fi
run "$harness" show --json
cp "$work/out" "$work/show"
is "the run is finished" "$(jq -r .run.state "$work/show")" finished
is "no place counts twice" \
	"$(jq '[.trials[] | select(.state == "done" and (.warmup | not)) | "\(.block)/\(.arm)/\(.repeat)"] | length == (unique | length)' "$work/show")" true
is "no block misses a trial" \
	"$(jq '[.trials[] | select(.state == "done" and (.warmup | not)) | .block] | group_by(.) | map(length) | unique == [4]' "$work/show")" true
is "no trial is left open" "$(jq '[.trials[] | select(.state == "started")] | length' "$work/show")" 0
is "each trial ran under its own arm" \
	"$(jq '.verdict.arms | map(.figure.min == .figure.max) | all' "$work/show")" true
is "knob at the end" "$(cat $knob)" "$before"

# Ctrl-C: ends cleanly, keeps what there is, can be resumed.
"$harness" run --quiet --configs "$work/configs" "$work/job.yaml" > "$work/out" 2> "$work/err" < /dev/null &
pid=$!
sleep 0.6
kill -INT $pid
wait $pid
is "Ctrl-C: could not run to the end" "$?" 4
grep -q 'resume' "$work/err"; ok "it says how to go on"
is "knob after Ctrl-C" "$(cat $knob)" "$before"
run "$harness" show --json
is "state after Ctrl-C" "$(jq -r .run.state "$work/out")" interrupted
run "$harness" run --quiet --resume 0
[ "$status" -le 2 ]; ok "and resumes"
finish
