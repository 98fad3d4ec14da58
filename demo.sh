#!/bin/sh
# SPDX-License-Identifier: MIT
# Shows a whole sweep from 20 to 5 MHz on this machine, without hardware: a real systemd
# boots and reboots for every point, with an emulated T1S link that follows the published
# reference curve. Measurements are short here; on two Pis they take 23 s each.
# Usage: sudo ./demo.sh
set -eu
cd "$(dirname "$0")"

[ "$(id -u)" = 0 ] || {
	echo "demo.sh: must be run as root: sudo ./demo.sh" >&2
	exit 2
}
tests/install-deps.sh build rig
echo "Building (build/demo)"
mkdir -p build
log=build/demo.log
{
	cmake -S . -B build/demo -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo \
		-DCMAKE_INSTALL_PREFIX=/usr -DT1S_BUILD_TESTS=OFF -DT1S_BUILD_RIG=ON &&
		cmake --build build/demo
} >"$log" 2>&1 || {
	tail -n 30 "$log" >&2
	echo "demo.sh: the build failed; all of it is in $log" >&2
	exit 1
}
exec python3 -B tests/rig/sweep.py sweep --build build/demo --out out/demo --live-journal \
	--conf Sweep.CollapseBelow=0 --conf Sweep.ClosingBaseline=yes \
	--conf "Workload default.Duration=3s" --conf "Workload default.Omit=1s"
