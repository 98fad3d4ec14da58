#!/bin/sh
# SPDX-License-Identifier: MIT
# Every key of the annotated configuration stands in its man page with the same default,
# and the other way round.
# Usage: conf-keys.sh CONF PAGE
set -eu
conf=$1
page=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

awk '
	/^\[/ { section = $1; gsub(/[][]/, "", section); next }
	/^#?[A-Z][A-Za-z0-9]*=/ { sub(/^#/, ""); print section "." $0 }
' "$conf" | sort > "$work/conf"

awk '
	/^# / { section = ""; if ($2 ~ /^\[/) { section = $2; gsub(/[][]/, "", section) } }
	section != "" && /^\*/ {
		for (line = $0; match(line, /\*[A-Z][A-Za-z0-9]*=[^*]*\*/);
				line = substr(line, RSTART + RLENGTH))
			print section "." substr(line, RSTART + 1, RLENGTH - 2)
	}
' "$page" | sort > "$work/page"

test -s "$work/conf" || { echo "no key found in $conf"; exit 1; }
if ! diff "$work/conf" "$work/page" > "$work/diff"; then
	echo "< only in $conf, > only in $page:"
	cat "$work/diff"
	exit 1
fi
