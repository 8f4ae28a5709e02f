#!/bin/sh
# The main job on a real kernel in a guest: a real flip, read back, with the interrupts that tell.
. tests/e2e/lib.sh

if ! guest_kernel; then
	skip "TTWU_QUEUE in a guest" "$why"
	finish
fi
cat > "$work/job.yaml" <<'Y'
name: guest-flip
benchmark: context_switch
params: {timeout: 0.3, interval: 0.3}
target: {vm: {cpus: 2}}
factors: {sched_features: [TTWU_QUEUE, NO_TTWU_QUEUE]}
fixed: {cpus: [0, 1]}
decide: {metric: round_trip_p50, max_blocks: 5}
Y
run "$harness" run --seed 5 "$work/job.yaml"
[ "$status" -le 2 ]; ok "the job ends with a verdict (exit $status)"
cp "$work/out" "$work/report"
grep -q 'Rescheduling interrupts' "$work/report"; ok "RES is in the report"
grep -q 'Function call interrupts' "$work/report"; ok "CAL is in the report"
run "$harness" show --json
cp "$work/out" "$work/show"
is "the feature was written in both arms" \
	"$(jq -r '[.arms[].plan.writes[].value] | sort | join(" ")' "$work/show")" "NO_TTWU_QUEUE TTWU_QUEUE"
# Per round trip TTWU_QUEUE gives about 2 CAL and no RES, NO_TTWU_QUEUE about 2 RES and no CAL.
irq() { jq "[.counters[] | select(.collector == \"interrupts\" and (.label | startswith(\"$1\")))][0].per_operation[$2] // 0" "$work/show"; }
awk "BEGIN{exit !($(irq CAL 0) > 5 * $(irq CAL 1))}"; ok "CAL: TTWU_QUEUE $(irq CAL 0), NO_TTWU_QUEUE $(irq CAL 1) per switch"
awk "BEGIN{exit !($(irq RES 1) > 5 * $(irq RES 0))}"; ok "RES: TTWU_QUEUE $(irq RES 0), NO_TTWU_QUEUE $(irq RES 1) per switch"
is "no QEMU is left" "$(pgrep -fc "qemu-system.*$work" || true)" 0
finish
