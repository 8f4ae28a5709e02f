#!/bin/sh
# What goes wrong in a guest fails one trial, with its reason, and the run goes on: the agent, QEMU,
# the guest's kernel, a limit, the harness. vm_fault.c is the benchmark; see there.
. tests/e2e/lib.sh
pid=
trap '[ -z "$pid" ] || kill -KILL "$pid" 2> /dev/null; rm -rf "$work"' EXIT
trap "exit 1" INT TERM

if ! guest_kernel; then
	skip "faults in a guest" "$why"
	finish
fi
mkdir -p "$work/bin" "$work/host" "$work/configs/benchmarks"
${CC:-gcc} -O1 -static -o "$work/bin/vm_fault" tests/e2e/vm_fault.c; ok "the benchmark is compiled"
PATH=$work/bin:$PATH
cat > "$work/configs/benchmarks/fault.yaml" <<'Y'
name: fault
command: vm_fault
metrics:
  - {name: value, unit: x, better: higher, pattern: '^value (\d+)$'}
Y
cat > "$work/job.yaml" <<Y
name: faults
benchmark: fault
target: {vm: {cpus: 2, memory: 256M, share: $work/host}}
factors: {sched_features: [TTWU_QUEUE, NO_TTWU_QUEUE]}
fixed: {sysctl: {vm.swappiness: 11}}
collect: [interrupts]
warmup: 0
trials: 3
trial_timeout: 5s
decide: {max_blocks: 3, margin: 0%}
Y
cat > "$work/hackbench.yaml" <<'Y'
name: dynamic
benchmark: hackbench
params: {groups: 1, fds: 2, loops: 100}
target: {vm: {cpus: 2, memory: 256M}}
factors: {sched_features: [TTWU_QUEUE, NO_TTWU_QUEUE]}
collect: []
decide: {max_blocks: 3}
Y
consoles() { # what the guests have printed since the harness was started
	cat "$HARNESS_STATE"/runs/*/console-*.log 2> /dev/null
}
said() { # WORDS
	consoles | grep -qs "vm_fault: $1"
}
asked() { # does a trial of the flipped arm wait to be told what goes wrong?
	newest=$(ls -t "$HARNESS_STATE"/runs/*/console-*.log 2> /dev/null | head -1)
	[ -n "$newest" ] || return 1
	nonce=$(sed -n 's/^vm_fault: asks \([0-9a-f]*\).*/\1/p' "$newest" | tail -1)
	[ -n "$nonce" ] && [ ! -e "$work/host/$nonce" ]
}
tell() { # FAULT, or none
	echo "$1" > "$work/answer"
	mv "$work/answer" "$work/host/$nonce"
}
gone() { # PID
	! kill -0 "$1" 2> /dev/null
}
await() { # SECONDS COMMAND...: until it succeeds
	tries=$(($1 * 20))
	shift
	until "$@"; do
		tries=$((tries - 1))
		[ $tries -gt 0 ] || return 1
		sleep 0.05
	done
}
start() { # ARGUMENTS...: of harness run, in the background
	rm -f "$HARNESS_STATE"/runs/*/console-*.log
	"$harness" run --quiet --configs "$work/configs" "$@" > "$work/out" 2> "$work/err" < /dev/null &
	pid=$!
}
qemu() { # SIGNAL: to the guest's QEMU
	pkill "-$1" -P "$pid" qemu
}
begin() { # FAULT: in the next trial of the flipped arm
	await 120 asked && tell "$1" && await 20 said "ready $1"; ok "$1: a trial is in the middle of it"
}
fault() { # NAME LIMIT [COMMAND...]: what the host does in the middle of that trial
	name=$1 limit=$2
	shift 2
	begin "$name"
	began=$(date +%s%N)
	[ $# = 0 ] || "$@"
	await "$limit" asked; ok "$name: the run goes on within $limit s"
	echo "# $name: the next trial began after $((($(date +%s%N) - began) / 1000000)) ms"
	tell none
}
reasons() { # PATTERN: number of failed trials whose reason matches
	jq --arg p "$1" '[.trials[] | select(.state == "failed" and (.reason | test($p)))] | length' "$work/show"
}
# While nothing moves for half a minute: a program with shared libraries, in a run of its own.
stop_qemu() {
	qemu STOP
	command -v hackbench > /dev/null || return
	mkdir "$work/other"
	ln -s "$HARNESS_STATE/kernels" "$work/other/kernels"
	HARNESS_STATE=$work/other "$harness" run --quiet "$work/hackbench.yaml" > "$work/hackbench" 2>&1
	hackbench=$?
}

start --seed 1 "$work/job.yaml"
# An emulated guest on a busy machine may be kept waiting: one of three is to be in time.
agents=0
until [ $agents = 3 ] || { [ $agents != 0 ] && awk "BEGIN{exit !(${ms:-1000} < 100)}"; }; do
	agents=$((agents + 1))
	fault agent 30
	ms=$(consoles | sed -n 's/^vm_fault: restored after \([0-9.]*\) ms.*/\1/p' | tail -1)
done
awk "BEGIN{exit !(${ms:-1000} < 100)}"; ok "SIGKILL of the agent: every knob is back within ${ms:-?} ms"
fault quit 30 qemu KILL
fault panic 30
fault limit 30

begin harness
guest=$(pgrep -P "$pid" qemu)
kill -KILL "$pid"
wait "$pid" 2> /dev/null
[ -n "$guest" ] && await 10 gone "$guest"; ok "SIGKILL of the harness leaves no QEMU"
start --resume 0
await 120 asked && tell none; ok "the run is taken up"
fault stop 90 stop_qemu
touch "$work/host/free"
wait "$pid"
status=$? pid=
[ $status = 2 ] || [ $status = 0 ]; ok "and ends with a verdict (exit $status)"

"$harness" show --json > "$work/show"
is "every trial of every block counts once" "$(jq '[.trials[] | select(.state == "done") |
	"\(.block)/\(.arm)/\(.repeat)"] | length == 18 and length == (unique | length)' "$work/show")" true
is "none but those of the faults fails" "$(jq '[.trials[] | select(.state != "done")] | length' "$work/show")" $((agents + 5))
is "agent: its reason" "$(reasons 'the agent was killed and another has taken its place')" $agents
is "quit: its reason" "$(reasons 'QEMU ended with signal 9')" 1
is "panic: its first line" "$(reasons 'Kernel panic - not syncing: sysrq triggered crash')" 1
is "limit: its reason" "$(reasons 'time limit')" 1
is "stop: its reason" "$(reasons 'the agent has not answered .run.*QEMU itself does not answer')" 1
is "harness: that trial is lost" "$(jq '[.trials[] | select(.state == "lost")] | length' "$work/show")" 1
is "no QEMU is left" "$(pgrep -fc "qemu-system.*$work" || true)" 0

if [ -z "${hackbench:-}" ]; then
	skip "a dynamic benchmark in a guest" "hackbench is not installed"
	finish
fi
cp "$work/hackbench" "$work/out"
[ "$hackbench" -le 2 ]; ok "hackbench runs in a guest with its libraries (exit $hackbench)"
HARNESS_STATE=$work/other "$harness" show --json > "$work/show"
is "its trials count" "$(jq '[.trials[] | select(.state == "done" and (.warmup | not))] | length' "$work/show")" 6
finish
