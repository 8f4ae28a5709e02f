#!/bin/sh
# What is written down is true: the schema in the tree is the program's, the manual pages are clean and
# have every command and every option, and every example passes "harness check".
. tests/e2e/lib.sh
export HARNESS_CONFIGS="$PWD/configs" LC_ALL=C.UTF-8
pages="harness.1 harness-job.5 harness-benchmark.5 harness-target.5 harness-collect.5 harness-knob.7"
commands=$("$harness" help | awk '/^Usage:/ { on = 1; next } /^Help pages/ { on = 0 } on && NF { print $1 }')
knobs=$("$harness" help knob | awk '/^  [a-z_]+  / { print $1 }')
collectors=$("$harness" help collect | awk '/^  [a-z_]+  / { print $1 }')
targets=$("$harness" help target | awk '/^  [a-z]+  / { print $1 }')
benchmarks=$(for f in configs/benchmarks/*.yaml; do basename "$f" .yaml; done)

run "$harness" help schema
cmp -s "$work/out" docs/job.schema.json; ok "docs/job.schema.json is what the program prints; else: make docs"

# An editor takes every job of ours, and marks a wrong one.
if python3 -c 'import jsonschema, yaml' 2> /dev/null; then
	printf 'name: x\nbenchmark: hackbench\nfactors: {placemnt: [same-cpu]}\n' > "$work/wrong.yaml"
	run python3 -W ignore -c '
import json, jsonschema, sys, yaml
schema = jsonschema.Draft202012Validator(json.load(open("docs/job.schema.json")))
schema.check_schema(schema.schema)
wrong = [f for f in sys.argv[1:] if not schema.is_valid(yaml.safe_load(open(f)))]
print(*[f.split("/")[-1] for f in wrong])' configs/jobs/*.yaml "$work/wrong.yaml"
	is "the schema takes our jobs and not a wrong one" "$status $(cat "$work/out")" "0 wrong.yaml"
else
	skip "the schema takes our jobs and not a wrong one" "python3 has no jsonschema and yaml"
fi

mkdir "$work/man"
for page in $pages; do
	topic=${page#harness-}
	run "$harness" help --man "${topic%.*}"
	cp "$work/out" "$work/man/$page"
	is "help --man ${topic%.*}" "$status" 0
done
run "$harness" help --man jo
[ "$status" = 3 ] && grep -q "did you mean 'job'" "$work/err"; ok "an unknown page names the nearest"

# Each tool that is here: no warning, and a page of some length.
clean() { # TOOL COMMAND...
	tool=$1
	shift
	if ! command -v "$tool" > /dev/null; then
		skip "$tool finds nothing wrong" "$tool is not installed"
		return
	fi
	bad_pages=
	for page in $pages; do
		"$@" "$work/man/$page" > "$work/out" 2> "$work/err"
		# mandoc -Tlint reports on standard output
		case $tool in mandoc) cat "$work/out" >> "$work/err" ;; esac
		[ -s "$work/err" ] && bad_pages="$bad_pages $page: $(head -1 "$work/err")"
		[ "$tool" = mandoc ] || [ -s "$work/out" ] || bad_pages="$bad_pages $page: nothing printed"
	done
	is "$tool finds nothing wrong" "$bad_pages" ""
}
clean man man --warnings -E UTF-8 -l
clean groff groff -man -Tutf8 -ww
clean mandoc mandoc -Tlint -Wwarning

has() { # PAGE NAME...: the names that no line or heading of the page begins with
	page=$work/man/$1
	shift
	for name in "$@"; do
		grep -qx "\.\(B\|SS\) $(echo "$name" | sed 's/-/\\\\-/g')\( .*\)\?" "$page" || echo "$name"
	done
}
# Rows of a help page: names two blanks from the left, below the line that names the table.
rows() {
	"$harness" help "$@" | awk '/^[a-z_]+(, .*)?: [A-Z]/ { on = 1 } on && /^  [a-z_]+(  |$)/ { print $1 }'
}
lacks() { # DESCRIPTION PAGE LEAST NAME...
	what=$1 page=$2 least=$3
	shift 3
	[ $# -ge "$least" ]
	ok "$what: there are $#"
	is "$what: all are in $page" "$(has "$page" "$@")" ""
}
# shellcheck disable=SC2046,SC2086
{
	lacks commands harness.1 10 $commands
	lacks "options of commands" harness.1 15 $(for c in $commands; do
		"$harness" help "$c" | awk '/^  --/ { print $1 }'
	done)
	lacks knobs harness-knob.7 9 $knobs
	lacks collectors harness-collect.5 10 $collectors
	lacks "targets" harness-target.5 2 $targets
	lacks "settings of a job" harness-job.5 20 $(rows job)
	lacks "settings of a benchmark" harness-benchmark.5 40 $(rows benchmark)
	lacks "settings of target vm" harness-target.5 12 $(rows target vm)
	lacks "settings of perf" harness-collect.5 2 $(rows collect perf)
}

# Help is for a terminal of 80 columns.
wide() {
	"$harness" help "$@" < /dev/null | awk -v page="$*" 'length($0) > 80 { print page ": " $0 }'
}
# shellcheck disable=SC2086
is "no help page is wider than 80 columns" "$(
	for page in '' job benchmark target collect knob $commands; do wide $page; done
	for name in $knobs; do wide knob "$name"; done
	for name in $collectors; do wide collect "$name"; done
	for name in $targets; do wide target "$name"; done
	for name in $benchmarks; do wide benchmark "$name"; done
)" ""

for name in $benchmarks; do
	run "$harness" help benchmark "$name"
	[ "$status" = 0 ] && grep -q '^Metrics' "$work/out"; ok "help benchmark $name"
done
run "$harness" help benchmark hackbenc
[ "$status" = 3 ] && grep -q "did you mean 'hackbench'" "$work/err"; ok "an unknown benchmark names the nearest"

# Examples: each a file of its own in $work/examples.
mkdir "$work/examples"
snippets() { # FILE: its yaml blocks
	awk -v out="$work/examples/$(basename "$1")" '
		/^```yaml/ { file = out "." ++n ".yaml"; next }
		/^```/ { file = "" }
		file { print > file }' "$1"
}
for file in README.md docs/*.md; do
	[ -f "$file" ] && snippets "$file"
done
man_examples() { # FILE: its .nf blocks that are YAML
	awk -v out="$work/examples/$(basename "$1" .in)" '
		/^\.nf/ { file = out "." ++n ".yaml"; next }
		/^\.fi/ { file = "" }
		file { gsub(/\\-/, "-"); gsub(/\\\(aq/, "\047"); gsub(/\\e/, "\\"); print > file }' "$1"
}
for file in docs/man/*.in; do
	man_examples "$file"
done
for file in "$work"/examples/*; do # the others are commands
	grep -q '^[a-z_]*: ' "$file" || rm "$file"
done
"$harness" help job | awk '/^  name:/ { on = 1 } NF == 0 { on = 0 } on { print substr($0, 3) }' \
	> "$work/examples/help-job.yaml"
# Each example of a knob begins with factors: or fixed:, and target: belongs to what follows it.
for name in $knobs; do
	"$harness" help knob "$name" | awk -v out="$work/examples/knob-$name" '
		/^  (target|factors|fixed):/ {
			if (!kept) {
				file = out "." ++n ".yaml"
				print "name: example\nbenchmark: hackbench" > file
			}
			kept = /^  target:/
			on = 1
		}
		!/^  / { on = kept = 0 }
		on { print substr($0, 3) > file }'
done
for file in "$work"/examples/*.yaml; do
	run "$harness" check "$file"
	is "example ${file##*/} is right" "$status" 0
done
# shellcheck disable=SC2012
n=$(ls "$work/examples" | wc -l)
[ "$n" -ge 20 ]; ok "examples were found ($n)"

# shellcheck disable=SC2013
missing=$(for path in $(grep -ohE '(^|[^a-z/.])(configs|docs|tests|harnessd)/[-a-z0-9_./]*[a-z]' README.md docs/*.md |
	sed 's/^[^a-z]//'); do
	[ -e "$path" ] || echo "$path"
done)
is "files that the documents name exist" "$missing" ""
finish
