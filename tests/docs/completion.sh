#!/bin/bash
# SPDX-License-Identifier: MIT
# What the completion offers is what the program takes: each verb's options, the formats,
# the workloads of the configuration.
# Usage: completion.sh PROGRAM COMPLETION
set -eu
program=$1
completion=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Stands for what the bash-completion package has.
# shellcheck disable=SC2034 # the completion reads them
_init_completion() { cword=$((${#line[@]} - 1)) words=("${line[@]}") cur=${line[-1]} prev=; }
_filedir() { COMPREPLY=("a-file-$*"); }
compopt() { :; }
complete() { :; }
# shellcheck source=/dev/null
. "$completion"

# Each word on a line of its own
offered() {
	line=(t1s-sweep "$@")
	COMPREPLY=()
	_t1s_sweep
	printf '%s\n' "${COMPREPLY[@]}" | sed '/^$/d' | sort
}

same() {
	diff "$work/program" "$work/offered" > "$work/diff" && return
	echo "$1: < taken by the program, > offered:"
	cat "$work/diff"
	exit 1
}

"$program" --help | sed -n '/^Verbs:/,/^$/s/^  \([a-z]*\) .*/\1/p' > "$work/verbs"
test -s "$work/verbs"
while read -r verb; do
	"$program" "$verb" --help | grep -oE -- '--[a-z]+' | grep -vxE -- '--(root|config)' |
		sort -u > "$work/program" || true
	offered "$verb" -- | grep -E '^--' | tr -d = | sort -u > "$work/offered" || true
	same "options of $verb"
done < "$work/verbs"

"$program" report --format=none 2>&1 | sed -n 's/.*expected //p' | sed 's/ or /, /' |
	tr -d ' ' | tr , '\n' | sort > "$work/program"
test -s "$work/program"
offered report --format= > "$work/offered"
same formats

mkdir "$work/some.conf.d"
printf '[Sender]\nHost=a\n[Workload small]\nLength=64\n' > "$work/some.conf"
printf '[Workload tcp-bulk]\nProtocol=tcp\n' > "$work/some.conf.d/more.conf"
printf '%s\n' small tcp-bulk > "$work/program"
offered "--config=$work/some.conf" report --workload= > "$work/offered"
same workloads
echo default > "$work/program"
offered "--config=$work/none.conf" report --workload= > "$work/offered"
same "workloads without a configuration"
