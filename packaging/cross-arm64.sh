#!/bin/sh
# SPDX-License-Identifier: MIT
# The arm64 package, built on another Debian 12 machine: sysroot (once), build, package.
# Usage: packaging/cross-arm64.sh, then take build/arm64/t1s-sweep_VERSION_arm64.deb
# Needs: sudo tests/install-deps.sh build package cross
set -eu
cd "$(dirname "$0")/.."
sysroot=$PWD/build/sysroot-arm64

if [ "$(dpkg --print-architecture)" = arm64 ]; then
	echo "cross-arm64.sh: this is an arm64 machine: cmake --workflow --preset package" >&2
	exit 2
fi
command -v aarch64-linux-gnu-gcc >/dev/null || {
	echo "cross-arm64.sh: no cross compiler: sudo tests/install-deps.sh build package cross" >&2
	exit 1
}
# One at a time: tests may ask for it side by side.
mkdir -p build
exec 9>build/.arm64.lock
flock 9
# made anew where what says how has changed since
if [ ! -d "$sysroot" ] ||
	[ -n "$(find packaging/sysroot-arm64.sh tests/install-deps.sh -newer "$sysroot")" ]; then
	packaging/sysroot-arm64.sh "$sysroot"
fi
unset T1S_SYSROOT
rm -f build/arm64/*.deb
exec cmake --workflow --preset arm64
