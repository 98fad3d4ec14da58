#!/bin/sh
# SPDX-License-Identifier: MIT
# The journal fields and message ids that the program sends are those of its man page.
# Usage: fields.sh LIB PAGE
set -eu
lib=$1
page=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

same() {
	test -s "$work/program" || { echo "no $1 found in $lib"; exit 1; }
	diff "$work/program" "$work/page" > "$work/diff" && return
	echo "$1: < only in $lib, > only in $page:"
	cat "$work/diff"
	exit 1
}

grep -rhoE '"T1S_[A-Z0-9_]+=' "$lib" | tr -d '"=' | sort -u > "$work/program"
sed -n '/^# JOURNAL FIELDS/,/^The message ids/p' "$page" | grep -oE '\*T1S_[A-Z0-9_]+\*' |
	tr -d '*' | sort -u > "$work/page"
same "journal fields"

sed -n 's/^#define T1S_MESSAGE_[A-Z_]* "\([0-9a-f]*\)"$/\1/p' "$lib/base/log.h" |
	sort > "$work/program"
grep -oE '^- \*[0-9a-f]{32}\*' "$page" | grep -oE '[0-9a-f]{32}' | sort > "$work/page"
same "message ids"
