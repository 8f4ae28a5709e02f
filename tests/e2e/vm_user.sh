#!/bin/sh
# What a benchmark may expect of a guest beside its own files: the loopback, users, /dev/null.
. tests/e2e/lib.sh

if ! guest_kernel; then
	skip "the loopback and users of a guest" "$why"
	finish
fi
mkdir -p "$work/configs/benchmarks"
cat > "$work/configs/benchmarks/loopback.yaml" <<'Y'
name: loopback
command:
  - sh
  - -c
  - |
    while read -r key real rest; do
      case $key in Uid:|Gid:) echo "$key $real" ;; Groups:) echo "$key $real." ;; esac
    done < /proc/self/status
    [ -w . ] && [ ! -w /etc ] && echo writes here only
    while IFS=: read -r name x id rest; do echo "group $name $id"; done < /etc/group
    exec context_switch --test=tcp --timeout=0.3 --interval=0.3 2> /dev/null < /dev/null
version: {command: [context_switch, --version]}
metrics:
  - {name: p50, unit: ns, better: lower, pattern: '^round_trip_ns .*\bp50=(\S+)'}
require: ['^end$']
Y
cat > "$work/job.yaml" <<'Y'
name: loopback
benchmark: loopback
target: {vm: {cpus: 2, memory: 256M}}
factors: {sched_features: [TTWU_QUEUE, NO_TTWU_QUEUE]}
user: nobody
collect: []
warmup: 0
decide: {max_blocks: 3}
Y
run "$harness" run --quiet --configs "$work/configs" "$work/job.yaml"
[ "$status" -le 2 ]; ok "a tcp ping-pong of nobody's runs in a guest (exit $status)"
"$harness" show --json > "$work/show"
is "its trials count" "$(jq '[.trials[] | select(.state == "done")] | length' "$work/show")" 6
run "$harness" show --raw "$(jq '.trials[0].id' "$work/show"):stdout"
is "it is nobody" "$(grep -E '^(Uid|Gid|Groups):' "$work/out" | tr '\n' ' ')" "Uid: 65534 Gid: 65534 Groups: 65534. "
grep -q 'writes here only' "$work/out"; ok "it may write into its own folder only"
is "groups" "$(grep '^group ' "$work/out" | tr '\n' ' ')" "group root 0 group nogroup 65534 group nobody 65534 "
finish
