#!/bin/sh
# SPDX-License-Identifier: MIT
# The package that the guest installs: that of arm64, cross-built where need be.
# Usage: package.sh SOURCE DEB
set -eu
source=$1 deb=$2

if [ "$(dpkg --print-architecture)" = arm64 ]; then
	(cd "$source" && cmake --workflow --preset package)
	built=$source/build/package
else
	command -v aarch64-linux-gnu-gcc >/dev/null || {
		echo "skipped: no cross compiler is installed (tests/install-deps.sh cross)"
		exit 77
	}
	"$source/packaging/cross-arm64.sh"
	built=$source/build/arm64
fi
mkdir -p "$(dirname "$deb")"
cp "$built"/t1s-sweep_*_arm64.deb "$deb"
