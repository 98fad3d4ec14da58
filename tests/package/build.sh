#!/bin/sh
# SPDX-License-Identifier: MIT
# Makes the package of this machine's architecture.
# Usage: build.sh SOURCE BUILD_FOLDER DEB
set -eu
source=$1 build=$2 deb=$3

cmake -S "$source" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo \
	-DCMAKE_INSTALL_PREFIX=/usr -DT1S_BUILD_TESTS=OFF >/dev/null
cmake --build "$build" >/dev/null
rm -f "$build"/*.deb
(cd "$build" && cpack -G DEB)
mv "$build"/*.deb "$deb"
