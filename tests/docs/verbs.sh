#!/bin/sh
# SPDX-License-Identifier: MIT
# The verbs and options that the program knows are those of its man page and its completion.
# Usage: verbs.sh PROGRAM PAGE COMPLETION
set -eu
program=$1
page=$2
completion=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

same() {
	test -s "$work/program" || { echo "no $1 found in --help"; exit 1; }
	diff "$work/program" "$work/$2" > "$work/diff" && return
	echo "$1: < only in --help, > only in the $2:"
	cat "$work/diff"
	exit 1
}

"$program" --help > "$work/help"
sed -n '/^Verbs:/,/^$/s/^  \([a-z]*\) .*/\1/p' "$work/help" | sort > "$work/program"
sed -n '/^# VERBS/,/^# OPTIONS/p' "$page" | grep '^\*' | grep -o '\*[a-z]*\*' |
	tr -d '*' | sort > "$work/page"
bash -c '. "$1" 2>/dev/null
	_init_completion() { cur= prev= words=(t1s-sweep "") cword=1; }
	_t1s_sweep
	printf "%s\n" "${COMPREPLY[@]}"' - "$completion" > "$work/offered"
grep -v '^-' "$work/offered" | sort > "$work/completion"
same verbs page
same verbs completion

sed -n '/^Options:/,/^$/s/^  \(--[a-z]*=*\).*/\1/p' "$work/help" | sort > "$work/program"
sed -n '/^# OPTIONS/,/^# JSON/p' "$page" | grep '^\*--' | grep -o '\*--[a-z]*=*\*' |
	tr -d '*' | sort > "$work/page"
grep '^-' "$work/offered" | sort > "$work/completion"
same options page
same options completion
