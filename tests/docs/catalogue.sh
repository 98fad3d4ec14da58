#!/bin/sh
# SPDX-License-Identifier: MIT
# The journal's catalogue can be compiled, explains every event of the log and no other, and
# refers to fields that the program sends.
# Usage: catalogue.sh CATALOGUE LIB
set -eu
catalogue=$1
log_h=$2/base/log.h
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

sed -n 's/^#define T1S_MESSAGE_[A-Z_]* "\([0-9a-f]*\)"$/\1/p' "$log_h" | sort > "$work/log"
test -s "$work/log" || { echo "no message id found in $log_h"; exit 1; }

mkdir -p "$work/root/usr/lib/systemd/catalog" "$work/root/var/lib/systemd/catalog"
cp "$catalogue" "$work/root/usr/lib/systemd/catalog/"
journalctl --root="$work/root" --update-catalog
journalctl --root="$work/root" --list-catalog > "$work/list"

# A faulty entry is taken for text of the one before, a missing header is "n/a", both
# without a word.
if grep -v '^[0-9a-f]\{32\} t1s-sweep: .' "$work/list" || grep ': n/a$' "$work/list"; then
	echo "these have no subject or are not defined by t1s-sweep"
	exit 1
fi
cut -d' ' -f1 "$work/list" | sort > "$work/explained"
if ! diff "$work/log" "$work/explained" > "$work/diff"; then
	echo "< only in $log_h, > only in $catalogue:"
	cat "$work/diff"
	exit 1
fi
headings=$(grep -c '^-- ' "$catalogue")
if [ "$headings" != "$(wc -l < "$work/log")" ]; then
	echo "$headings lines begin with \"-- \", $(wc -l < "$work/log") events are known"
	exit 1
fi

for field in $(grep -o '@[A-Z0-9_]*@' "$catalogue" | tr -d '@' | sort -u); do
	grep -rqF "\"$field=" "$2" || { echo "$catalogue: no event has a field $field"; exit 1; }
done
