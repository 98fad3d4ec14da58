#!/bin/sh
# SPDX-License-Identifier: MIT
# systemd makes the account and the folders from our files, with the rights that keep the
# key root's and the results the measuring user's.
# Usage: accounts.sh SYSUSERS TMPFILES
set -eu
sysusers=$1
tmpfiles=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/root
mkdir -p "$root/etc"

systemd-sysusers --root="$root" "$sysusers"
grep -q '^t1s-sweep:.*:/nonexistent:.*/nologin$' "$root/etc/passwd" ||
	{ echo "no such account:"; cat "$root/etc/passwd"; exit 1; }
grep -q '^t1s-sweep:' "$root/etc/group"

systemd-tmpfiles --root="$root" --create "$tmpfiles" 2> "$work/words" || true
if [ "$(id -u)" = 0 ] && [ -s "$work/words" ]; then
	cat "$work/words"
	exit 1
fi
is_mode() {
	found=$(stat -c %a "$root$2")
	[ "$found" = "$1" ] || { echo "$2 has mode $found, expected $1"; exit 1; }
}
is_mode 700 /etc/t1s-sweep/ssh
is_mode 755 /var/lib/t1s-sweep
is_mode 755 /var/lib/t1s-sweep/results
if [ "$(id -u)" = 0 ]; then
	owner=$(stat -c %u "$root/var/lib/t1s-sweep/results")
	grep -q "^t1s-sweep:x:$owner:" "$root/etc/passwd" ||
		{ echo "the results belong to user $owner"; exit 1; }
fi
