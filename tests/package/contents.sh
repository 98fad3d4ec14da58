#!/bin/sh
# SPDX-License-Identifier: MIT
# The package holds what it should: files, owners and modes; fields of its control file;
# conffiles.
# Usage: contents.sh DEB EXPECTED
set -eu
deb=$1 expected=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

differs() {
	echo "$1"
	exit 1
}

dpkg-deb -c "$deb" | awk '{ print $1, $2, $6 }' | sort -k 3 >"$work/found"
grep -v '^#' "$expected" | sort -k 3 | diff - "$work/found" ||
	differs "(< expected in $expected, > in the package)"

[ "$(dpkg-deb -I "$deb" conffiles)" = /etc/t1s-sweep/t1s-sweep.conf ] ||
	differs "conffiles: $(dpkg-deb -I "$deb" conffiles)"

depends=$(dpkg-deb -f "$deb" Depends)
for name in libc6 libcsv3 libfdt1 libinih1 libiperf0 libjson-c5 libmnl0 libseccomp2 libssh-4 \
	libssl3 libsystemd0 systemd; do
	case ", $depends" in
	*", $name (>="*) ;;
	*) differs "does not depend on a version of $name: $depends" ;;
	esac
done
case $depends in
*dbus-system-bus*) ;;
*) differs "does not depend on a system bus: $depends" ;;
esac
case $depends in
*openssh* | *iperf3* | *gnuplot* | *san[0-9]*) differs "depends on too much: $depends" ;;
esac
[ "$(dpkg-deb -f "$deb" Recommends)" = gnuplot-nox ] || differs "recommends something else"
