#!/bin/sh
# SPDX-License-Identifier: MIT
# Built again from a copy of the source elsewhere, at another time, in another time zone and
# locale, with other default modes, the package is the same to the byte.
# Usage: reproducible.sh SOURCE DEB
set -eu
source=$1 deb=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# with .git, where there is one: the date in the package is that of the commit
(cd "$source" && tar -c --exclude='./build*' --exclude=./out .) |
	tar -x -C "$work" --one-top-level=copy
find "$work/copy" -exec touch {} +
umask 077
TZ=Asia/Kathmandu LC_ALL=de_DE.UTF-8 \
	"$(dirname "$0")/build.sh" "$work/copy" "$work/b" "$work/second.deb"
cmp "$deb" "$work/second.deb" && exit 0
for name in "$deb" "$work/second.deb"; do
	echo "== $name"
	dpkg-deb -c "$name"
	dpkg-deb --fsys-tarfile "$name" | tar -x -O ./usr/bin/t1s-sweep | sha256sum
done
exit 1
