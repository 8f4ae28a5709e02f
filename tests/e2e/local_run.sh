#!/bin/sh
# A native run: placement as a factor, real collectors, real figures.
. tests/e2e/lib.sh

cpus=$(nproc)
if [ "$cpus" -lt 2 ]; then
	skip "a native run" "one CPU only"
	finish
fi
cat > "$work/job.yaml" <<'Y'
name: native
benchmark: context_switch
params: {timeout: 0.15, interval: 0.15}
factors:
  cpus: [[0, 0], [0, 1]]
decide: {metric: switches_per_second, max_blocks: 5}
Y
run "$harness" run --seed 3 "$work/job.yaml"
[ "$status" -le 2 ]; ok "a run ends with a verdict (exit $status)"
cp "$work/out" "$work/report"
awk 'length > 80' "$work/report" > "$work/long"
[ ! -s "$work/long" ]; ok "the report fits 80 columns"
grep -q 'switches_per_second' "$work/report"; ok "it names the metric"
grep -q 'to reproduce' "$work/report"; ok "it tells how to reproduce"
run "$harness" show --json
jq -e '.run.state == "finished" and (.arms | length) == 2' "$work/out" > /dev/null; ok "show --json"
is "every trial of every block is there once" \
	"$(jq '[.trials[] | select(.state == "done" and (.warmup | not)) | "\(.block)/\(.arm)/\(.repeat)"] | length == (unique | length)' "$work/out")" true
jq -e '[.counters[] | select(.collector == "cpustat" and .name == "context_switches")][0].per_trial[0] > 100' "$work/out" > /dev/null
ok "context switches were counted"
jq -e '[.counters[] | select(.collector == "perf" and .label == "context-switches" or .name == "context-switches")] | length > 0' "$work/out" > /dev/null
ok "software counters of perf were taken"
if perf_hw=$(jq -r '.run.facts.perf.hardware' "$work/out") && [ "$perf_hw" = false ]; then
	jq -e '[.counters[] | select(.collector == "perf" and (.name == "cycles" or .label == "cycles"))] | length == 0' "$work/out" > /dev/null
	ok "unsupported counters are absent, not 0"
	grep -qi 'cycles.*not supported\|not supported.*cycles\|unsupported' "$work/report"; ok "and the report says so"
else
	skip "unsupported counters" "this machine has a hardware PMU"
fi
run "$harness" show --raw "$(jq '.trials[0].id' "$work/out"):stdout"
run "$harness" list --json
jq -e '.[0].name == "native"' "$work/out" > /dev/null; ok "list --json"

# A feature that can't be flipped natively is a clear error before anything runs.
cat > "$work/flip.yaml" <<'Y'
name: flip
benchmark: context_switch
factors: {sched_features: [TTWU_QUEUE, NO_TTWU_QUEUE]}
fixed: {cpus: [0, 1]}
Y
if "$harness" doctor > "$work/out" 2>&1; then
	skip "a feature that can't be flipped" "features can be flipped here"
else
	run "$harness" run "$work/flip.yaml"
	is "an unflippable feature: could not run" "$status" 4
	grep -q 'sched_features: ' "$work/err"; ok "and says why"
	run "$harness" show --json
	is "no trial was made" "$(jq '.trials | length' "$work/out")" 0
fi
finish
