#!/bin/sh
# SPDX-License-Identifier: MIT
# Every column of the results stands in its page, in the order of the file, and no other.
# Usage: columns.sh RESULTS_FIELDS_C PAGE
set -eu
fields=$1
page=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

sed -n '/^const struct t1s_field t1s_fields/,/^};/{
	s/^\tFIELD("\([a-z0-9_]*\)".*/\1/p
	s/^\t[A-Z]*(\([a-z0-9_]*\)),$/\1/p
}' "$fields" > "$work/fields"
# shellcheck disable=SC2016 # Markdown's backticks
sed -n 's/^| `\([a-z0-9_]*\)` |.*/\1/p' "$page" > "$work/page"

test -s "$work/fields" || { echo "no column found in $fields"; exit 1; }
if ! diff "$work/fields" "$work/page" > "$work/diff"; then
	echo "< only in $fields, > only in $page, or not in its place:"
	cat "$work/diff"
	exit 1
fi
