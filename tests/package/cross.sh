#!/bin/sh
# SPDX-License-Identifier: MIT
# The cross-built arm64 package holds the same files and depends on the same as the native
# one, and its program is for arm64.
# Usage: cross.sh SOURCE WORK NATIVE_DEB
set -eu
source=$1 work=$2 native=$3

[ "$(dpkg --print-architecture)" != arm64 ] || {
	echo "skipped: this is an arm64 machine"
	exit 77
}
command -v aarch64-linux-gnu-gcc >/dev/null || {
	echo "skipped: no cross compiler is installed"
	exit 77
}
"$source/packaging/cross-arm64.sh" >"$work/cross.log" 2>&1 || {
	cat "$work/cross.log"
	exit 1
}
deb=$(ls "$source"/build/arm64/t1s-sweep_*_arm64.deb)

for of in "$native" "$deb"; do
	architecture=$(dpkg-deb -f "$of" Architecture)
	dpkg-deb -c "$of" | awk '{ print $1, $2, $6 }' >"$work/files.$architecture"
	dpkg-deb -f "$of" | grep -v '^Architecture:\|^Installed-Size:' >"$work/control.$architecture"
done
diff "$work/files.amd64" "$work/files.arm64"
diff "$work/control.amd64" "$work/control.arm64"
dpkg-deb --fsys-tarfile "$deb" | tar -x -O ./usr/bin/t1s-sweep >"$work/program.arm64"
file -b "$work/program.arm64" | grep 'ARM aarch64'
# the overlays do not depend on the architecture
for name in lan8650-spi0-cs0 lan8650-spi0-cs1 lan8650-spi0-cs2; do
	blob=./usr/share/t1s-sweep/overlays/$name.dtbo
	for of in "$native" "$deb"; do
		dpkg-deb --fsys-tarfile "$of" | tar -x -O "$blob" | sha256sum
	done | uniq | wc -l | grep -qx 1
done
