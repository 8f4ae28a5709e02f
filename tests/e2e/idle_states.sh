#!/bin/sh
# Placement x idle states natively. On a machine with a cpuidle driver for real; everywhere on a fake
# /sys of such a machine, below which the agent is started: the same program from job to report.
. tests/e2e/lib.sh

cat > "$work/job.yaml" <<'Y'
name: idle
benchmark: context_switch
params: {timeout: 0.2, interval: 0.2}
factors:
  placement: [same-cpu, cross-core]
  idle_states: [default, {disable: all-but-first}]
decide: {metric: switches_per_second, max_blocks: 3}
Y
real=/sys/devices/system/cpu/cpu0/cpuidle/state1
if [ -d $real ] && [ "$(nproc)" -gt 1 ]; then
	before=$(cat /sys/devices/system/cpu/cpu*/cpuidle/state*/disable)
	run "$harness" run --quiet "$work/job.yaml"
	[ "$status" -le 2 ]; ok "idle states of this machine (exit $status)"
	grep -q "$(cat $real/name)" "$work/out"; ok "the residency of $(cat $real/name) is in the report"
	is "every state is as it was" "$(cat /sys/devices/system/cpu/cpu*/cpuidle/state*/disable)" "$before"
else
	skip "idle states of this machine" "no cpuidle driver, or one CPU"
	run "$harness" run --quiet "$work/job.yaml"
	is "without a driver it could not run" "$status" 4
	grep -q 'cpuidle driver\|placement:' "$work/err"; ok "and says why"
fi

# Two CPUs with POLL and "haltpoll idle", as this kind of guest has them.
root=$work/root
for cpu in 0 1; do
	dir=$root/sys/devices/system/cpu/cpu$cpu
	mkdir -p $dir/topology $dir/cpuidle/state0 $dir/cpuidle/state1
	echo $cpu > $dir/topology/core_id
	echo 0 > $dir/topology/physical_package_id
	echo $cpu > $dir/topology/thread_siblings_list
	echo $cpu > $dir/topology/core_cpus_list
	for state in 0 1; do
		[ $state = 0 ] && name=POLL || name="haltpoll idle"
		echo "$name" > $dir/cpuidle/state$state/name
		for file in usage time above below rejected disable; do echo 0 > $dir/cpuidle/state$state/$file; done
	done
done
mkdir -p $root/sys/devices/system/cpu/cpuidle $root/proc
echo haltpoll > $root/sys/devices/system/cpu/cpuidle/current_driver
echo haltpoll > $root/sys/devices/system/cpu/cpuidle/current_governor
echo 0-1 > $root/sys/devices/system/cpu/online
echo 0-1 > $root/sys/devices/system/cpu/possible
cat > $root/proc/interrupts <<'P'
           CPU0       CPU1
RES:         10         20   Rescheduling interrupts
P
printf '#!/bin/sh\nexec "%s" --root "%s" "$@"\n' "${HARNESS_AGENT:-$build/harness-agent}" "$root" > "$work/agent"
chmod +x "$work/agent"

# A benchmark that idles on paper: its CPUs gain residency, of haltpoll only while that is not disabled.
mkdir -p "$work/configs/benchmarks"
cat > "$work/idler" <<P
#!/bin/sh
for cpu in 0 1; do
	d=$root/sys/devices/system/cpu/cpu\$cpu/cpuidle
	s=1
	[ "\$(cat \$d/state1/disable)" = 1 ] && s=0
	echo \$((\$(cat \$d/state\$s/usage) + 100)) > \$d/state\$s/usage
	echo \$((\$(cat \$d/state\$s/time) + 25000 * (cpu + 1))) > \$d/state\$s/time
done
echo rate \$((1000 + \$(od -An -N1 -tu1 /dev/urandom) % 9))
P
chmod +x "$work/idler"
cat > "$work/configs/benchmarks/idler.yaml" <<Y
name: idler
command: [$work/idler]
metrics:
  - {name: rate, unit: ops/s, better: higher, pattern: '^rate (\d+)$'}
Y
cat > "$work/fake.yaml" <<'Y'
name: fake-idle
benchmark: idler
factors:
  idle_states: [default, {disable: all-but-first}]
collect: [interrupts, cpuidle]
decide: {metric: rate, max_blocks: 3}
Y
if [ "$(nproc)" -lt 2 ]; then
	skip "idle states on a fake /sys" "one CPU only"
	finish
fi
HARNESS_AGENT=$work/agent run "$harness" run --quiet --configs "$work/configs" "$work/fake.yaml"
[ "$status" -le 2 ]; ok "idle states on a fake /sys (exit $status)"
cp "$work/out" "$work/report"
grep -q 'haltpoll idle' "$work/report"; ok "haltpoll residency is in the report"
run "$harness" show --json
cell() { # NAME STATE ARM: mean of CPU 1
	jq "[.counters[] | select(.collector == \"cpuidle\" and .name == \"$1\" and (.label | startswith(\"$2\")))][0].cpus[] | select(.cpu == 1).mean[$3]" "$work/out"
}
is "time in haltpoll on CPU 1, enabled" "$(cell time haltpoll 0)" 50000
is "time in haltpoll on CPU 1, disabled" "$(cell time haltpoll 1)" 0
is "time in POLL on CPU 1, haltpoll disabled" "$(cell time POLL 1)" 50000
is "every state is as it was" "$(cat $root/sys/devices/system/cpu/cpu*/cpuidle/state*/disable | sort -u)" 0
finish
