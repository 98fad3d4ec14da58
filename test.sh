#!/bin/sh
# SPDX-License-Identifier: MIT
# Builds everything with sanitizers and runs the tests through ctest. Needs root: the tests
# make network namespaces, mounts and whole guests, and remove them again.
# Usage: sudo ./test.sh [--ci|--all] [ctest options, e.g. -L unit or -R restore]
#   --ci   also the virtual machine, faults and power cuts of all kinds, a minute for each
#          fuzz target, and how many lines of lib/ were run: some twenty minutes more
#   --all  that, whole searches on the rig, and guards broken one by one: an hour
set -eu
cd "$(dirname "$0")"

[ "$(id -u)" = 0 ] || {
	echo "test.sh: must be run as root: sudo ./test.sh" >&2
	exit 2
}
left_out='bench|vm|slow|mutation|long'
groups='build test cross'
fuzz_seconds=5
coverage=OFF
case ${1:-} in
--ci)
	left_out='bench|slow|mutation'
	;;
--all)
	left_out=bench
	;;
esac
case ${1:-} in
--ci | --all)
	shift
	groups="$groups vm"
	fuzz_seconds=60
	coverage=ON
	;;
esac
# shellcheck disable=SC2086 # the groups are words
tests/install-deps.sh $groups
# The guests run the program as it is shipped: sanitizers do not fit into its sandbox.
cmake --preset release -DT1S_BUILD_TESTS=OFF -DT1S_WERROR=ON
cmake --build --preset release
cmake --preset fuzz
cmake --build --preset fuzz
cmake --preset sanitize -DT1S_SHIPPED_BUILD="$PWD/build/release" -DT1S_COVERAGE=$coverage \
	-DT1S_FUZZ_BUILD="$PWD/build/fuzz" -DT1S_FUZZ_SECONDS="$fuzz_seconds"
cmake --build --preset sanitize
[ $coverage = ON ] || exec ctest --preset sanitize -LE "$left_out" -j 2 "$@"

# The share of lines is shown, and below it ctest's summary again
build=build/sanitize
find $build -name '*.gcda' -delete
rm -f $build/coverage.txt
{
	status=0
	ctest --preset sanitize -LE "$left_out" -j 2 "$@" || status=$?
	echo $status >$build/ctest.status
} | tee $build/ctest.log
if [ -e $build/coverage.txt ]; then
	printf '\nlib/, as far as the tests run it: '
	sed -n 's/^TOTAL *\([0-9]*\) *\([0-9]*\) *\(.*\)/\2 of \1 lines, \3/p' $build/coverage.txt
fi
sed -n '/ tests passed/,$p' $build/ctest.log
exit "$(cat $build/ctest.status)"
