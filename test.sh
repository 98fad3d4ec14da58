#!/bin/sh
# SPDX-License-Identifier: MIT
# Builds everything with sanitizers and runs the tests through ctest. Needs root: the tests
# make network namespaces, mounts and whole guests, and remove them again.
# Usage: sudo ./test.sh [--vm|--all] [ctest options, e.g. -L unit or -R restore]
#   --vm   the virtual machine too, as the CI does: some seven minutes more
#   --all  that, whole searches on the rig, and a minute for each fuzz target: some twenty
#          minutes more
set -eu
cd "$(dirname "$0")"

[ "$(id -u)" = 0 ] || {
	echo "test.sh: must be run as root: sudo ./test.sh" >&2
	exit 2
}
left_out='bench|vm|slow'
groups='build test cross'
fuzz_seconds=5
case ${1:-} in
--vm)
	shift
	left_out='bench|slow'
	groups="$groups vm"
	;;
--all)
	shift
	left_out=bench
	groups="$groups vm"
	fuzz_seconds=60
	;;
esac
# shellcheck disable=SC2086 # the groups are words
tests/install-deps.sh $groups
# The guests run the program as it is shipped: sanitizers do not fit into its sandbox.
cmake --preset release -DT1S_BUILD_TESTS=OFF -DT1S_WERROR=ON
cmake --build --preset release
cmake --preset fuzz
cmake --build --preset fuzz
cmake --preset sanitize -DT1S_SHIPPED_BUILD="$PWD/build/release" \
	-DT1S_FUZZ_BUILD="$PWD/build/fuzz" -DT1S_FUZZ_SECONDS="$fuzz_seconds"
cmake --build --preset sanitize
exec ctest --preset sanitize -LE "$left_out" -j 2 "$@"
