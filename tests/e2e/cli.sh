#!/bin/sh
# The command line as a newcomer meets it: help, messages, exit statuses, validation.
. tests/e2e/lib.sh

run "$harness"
is "no command shows help and fails as usage" "$status" 3
grep -q 'First steps' "$work/out"; ok "help teaches first steps"
run "$harness" --version
is "--version" "$status/$(cut -d' ' -f1 "$work/out")" "0/harness"
run "$harness" rnu
is "an unknown command is a usage error" "$status" 3
grep -q "did you mean 'run'" "$work/err"; ok "it names the nearest"
for topic in job benchmark target collect knob schema run; do
	run "$harness" help $topic
	is "help $topic" "$status" 0
done
run "$harness" help knob sched_features
grep -q 'NO_' "$work/out"; ok "help knob sched_features explains"
for command in run check parse show list doctor undo vm help version; do
	run "$harness" $command --help
	[ "$status" = 0 ] && grep -q '^Usage: harness' "$work/out"; ok "$command --help"
done
run "$harness" help schema
jq -e '.properties.factors and .additionalProperties == false' "$work/out" > /dev/null; ok "the schema is JSON"

for job in configs/jobs/*.yaml configs/benchmarks/*.yaml; do
	run "$harness" check "$job"
	is "check $job" "$status" 0
done

cat > "$work/bad.yaml" <<'Y'
name: bad
benchmak: context_switch
factors:
  sched_featurs: [TTWU_QUEUE]
decide: {margin: lots, confidence: 99%}
Y
run "$harness" run --bogus
is "an unknown option is a usage error" "$status" 3
grep -q "^harness run: .*'--bogus'" "$work/err"; ok "it names the command"
for wrong in "list --limit 12abc" "list --limit 0" "show 1x" "show 0" "run --seed -1 x" "parse --exit x" \
	"parse --file a=/dev/null --exit x" "parse interrupts /dev/null /nonexistent"; do
	run "$harness" $wrong
	is "$wrong: a usage error" "$status/$(wc -l < "$work/err")" 3/1
done

run "$harness" check "$work/bad.yaml"
is "a wrong job is refused" "$status" 3
grep -q "bad.yaml:2:1: .*did you mean 'benchmark'" "$work/out"; ok "unknown key: place and nearest name"
grep -q "bad.yaml:4:3: .*did you mean 'sched_features'" "$work/out"; ok "unknown knob: place and nearest name"
grep -q "bad.yaml:5:1[0-9]: .*margin" "$work/out"; ok "wrong value: place"
run "$harness" run "$work/bad.yaml"
is "running it is refused alike" "$status" 3
run "$harness" check --json "$work/bad.yaml"
jq -e 'length == 4 and .[1].line == 2' "$work/out" > /dev/null; ok "check --json"

run "$harness" list
is "an empty list is no error" "$status" 0
run "$harness" show
is "no run to show" "$status" 4

fixture=tests/fixtures/system/interrupts/arm64-8cpu.txt
run "$harness" parse interrupts $fixture
is "parse a collector" "$status" 0
jq -e '[.values[] | select(.labels.irq == "IPI0" and .labels.cpu == "7")][0].value == 25' "$work/out" > /dev/null
ok "the last CPU is there"
run "$harness" parse interupts $fixture
grep -q "did you mean 'interrupts'" "$work/err"; ok "parse names the nearest collector"
run "$harness" parse --benchmark hackbench --stdout tests/fixtures/benchmarks/hackbench/sigterm.out \
	--stderr tests/fixtures/benchmarks/hackbench/sigterm.err
is "a run ended by SIGTERM gives nothing" "$status" 4
jq -e '.values == [] and .error != null' "$work/out" > /dev/null; ok "and says why"
finish
