#!/bin/sh
# SPDX-License-Identifier: MIT
# The report that the pages show is the one that the program gives.
# Usage: report.sh PROGRAM RESULTS PAGE...
set -eu
program=$1
results=$2
shift 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
: > "$work/conf"
"$program" --config="$work/conf" report "$results" > "$work/report"
for page; do
	sed -n '/^Sweep of /,/^```/p' "$page" | sed '/^```/,$d' > "$work/page"
	diff "$work/page" "$work/report" > "$work/diff" || {
		echo "$page shows another report (<) than t1s-sweep report $results gives (>):"
		cat "$work/diff"
		exit 1
	}
done
