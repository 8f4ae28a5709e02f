#!/bin/sh
# Case 1 in a guest of 4 CPUs with 2 threads per core: placement x TTWU_QUEUE.
. tests/e2e/lib.sh

if ! guest_kernel; then
	skip "case 1 in a guest" "$why"
	finish
fi
sed 's/timeout: 0.5, interval: 0.5/timeout: 0.2, interval: 0.2/; s/trials: 3/trials: 1/; s/max_blocks: 19/max_blocks: 3/' \
	configs/jobs/ipi-placement-vm.yaml > "$work/job.yaml"
run "$harness" run --seed 5 "$work/job.yaml"
[ "$status" -le 2 ]; ok "four arms end with a report (exit $status)"
cp "$work/out" "$work/report"
grep -q 'interrupts by CPU' "$work/report"; ok "interrupts by CPU"
grep -q 'same-core NO_TTWU_QUEUE' "$work/report"; ok "every arm has its row"
run "$harness" show --json
pair() { # ARM: "core/core" of its two CPUs
	jq -r ".arms[$1].plan.cpus as [\$a, \$b] | .run.facts.topology.cpus |
		[(map(select(.cpu == \$a))[0].core), (map(select(.cpu == \$b))[0].core)] | .[0] == .[1]" "$work/out"
}
is "same-core is two threads of one core" "$(pair 0)" true
is "cross-core is two cores" "$(pair 2)" false
is "four arms" "$(jq '.verdict.arms | length' "$work/out")" 4
finish
