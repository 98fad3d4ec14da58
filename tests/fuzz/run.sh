#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs the fuzz targets, one after the other, from their kept corpora.
# Usage: run.sh SECONDS [TARGET…]          new inputs for so long each; what covers new code
#                                          is merged into the corpus, which is minimised
#        run.sh --check SECONDS [TARGET…]  a test: fixed seed, the corpus is left alone
# $T1S_FUZZ_RUNS: a target also ends after so many inputs.
# $T1S_FUZZ_BUILD: build folder of the preset fuzz (build/fuzz). $T1S_FUZZ_FINDINGS: where an
# input that fails is kept (findings/ in the build folder).
set -eu

here=$(cd "$(dirname "$0")" && pwd)
build=${T1S_FUZZ_BUILD:-$here/../../build/fuzz}
findings=${T1S_FUZZ_FINDINGS:-$build/findings}

usage() {
	sed -n 's/^# \{0,1\}//; 3,9p' "$0" >&2
	exit 2
}

check=
if [ "${1-}" = --check ]; then
	check=1
	shift
fi
case ${1-} in
'' | *[!0-9]*) usage ;;
esac
seconds=$1
shift
[ $# -gt 0 ] || set -- overlay livetree config_txt config state results report iperf sender

# Files of a run lie in memory where that is possible: there are thousands a second.
[ -w /dev/shm ] && memory=/dev/shm || memory=${TMPDIR:-/tmp}
scratch=$(mktemp -d "$memory/t1s-fuzz-XXXXXX")
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' INT TERM
export TMPDIR="$scratch"
export ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1:quarantine_size_mb=32
export UBSAN_OPTIONS=print_stacktrace=1
mkdir -p "$findings"

# Samples that a target begins with beside its corpus
samples() {
	case $1 in
	iperf) echo "$here/../data/samples $here/../data/workloads" ;;
	results | report) echo "$here/../data/samples" ;;
	esac
}

# Keeps the seeds (named by hand) and, of all others, the fewest that cover the same.
minimise() {
	kept=$scratch/$1.kept
	mkdir "$kept"
	for seed in "$here/corpus/$1"/seed-*; do
		cp "$seed" "$kept"
	done
	# shellcheck disable=SC2046 # words are meant
	"$build/tests/fuzz/fuzz-$1" -merge=1 -use_counters=0 -max_len=16384 "$kept" \
		"$here/corpus/$1" "$scratch/$1" $(samples "$1") >"$scratch/$1.log" 2>&1 ||
		{ cat "$scratch/$1.log"; return 1; }
	rm -f "$here/corpus/$1"/*
	cp "$kept"/* "$here/corpus/$1"
}

failed=
for target in "$@"; do
	mkdir "$scratch/$target"
	seed=
	[ -z "$check" ] || seed=-seed=1
	echo "fuzz-$target: $seconds s"
	# shellcheck disable=SC2046,SC2086 # words are meant
	if "$build/tests/fuzz/fuzz-$target" $seed -max_total_time="$seconds" \
		-runs="${T1S_FUZZ_RUNS:--1}" -timeout=20 -rss_limit_mb=1024 \
		-max_len=16384 -print_final_stats=1 -verbosity=1 \
		-artifact_prefix="$findings/$target-" "$scratch/$target" \
		"$here/corpus/$target" $(samples "$target") >"$scratch/$target.log" 2>&1; then
		grep -E '^(Done|stat::(number_of|average))|DONE' "$scratch/$target.log"
		[ "$check" ] || minimise "$target"
	else
		tail -n 60 "$scratch/$target.log"
		echo "fuzz-$target: failed; the input is in $findings"
		failed="$failed $target"
	fi
done
[ -z "$failed" ] || {
	echo "failed:$failed"
	exit 1
}
