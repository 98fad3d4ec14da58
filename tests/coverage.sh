#!/bin/sh
# SPDX-License-Identifier: MIT
# Which lines of lib/ the tests have run in a build with -DT1S_COVERAGE=ON, and how many of
# them in all; fewer than the given share fail.
# Usage: tests/coverage.sh BUILD PERCENT [gcovr options, e.g. --html-details FILE]
set -eu
[ $# -ge 2 ] || {
	sed -n 's/^# Usage: /usage: /p' "$0" >&2
	exit 2
}
build=$1
percent=$2
shift 2
root=$(cd "$(dirname "$0")/.." && pwd)
command -v gcovr >/dev/null || {
	echo "skipped: gcovr is not installed"
	exit 77
}
exec gcovr --root "$root" --object-directory "$build" --filter "$root/lib/" \
	--sort-uncovered --print-summary --fail-under-line "$percent" "$@"
