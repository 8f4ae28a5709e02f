#!/bin/sh
# Installs the tools that "make bench" measures beside ours, where that can be done. Those that stay
# missing are told in the table; nothing fails for them.
missing=
command -v hyperfine > /dev/null || missing="$missing hyperfine"
command -v perf > /dev/null || missing="$missing linux-perf"
command -v mawk > /dev/null || missing="$missing mawk"
command -v gawk > /dev/null || missing="$missing gawk"
[ -z "$missing" ] && exit 0
if [ "$(id -u)" != 0 ] || ! command -v apt-get > /dev/null; then
	echo "not measured, since not installed:$missing" >&2
	exit 0
fi
echo "installing peers:$missing" >&2
export DEBIAN_FRONTEND=noninteractive
# shellcheck disable=SC2086
{ apt-get update -qq && apt-get install -y -qq --no-install-recommends $missing; } > /dev/null 2>&1 ||
	echo "could not install:$missing" >&2
exit 0
