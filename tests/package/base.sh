#!/bin/sh
# SPDX-License-Identifier: MIT
# A Debian with what the package depends on, and what a person installs it with, and no more, as
# a tar file. It is kept as long as the package depends on the same; dpkg in the tests looks at
# the versions.
# Usage: base.sh DEB TAR
set -eu
deb=$1 tar=$2
mirror=$("$(dirname "$0")/../../packaging/debian-archive.sh" bookworm)
security=$("$(dirname "$0")/../../packaging/debian-archive.sh" bookworm-security)
suite=bookworm

[ "$(id -u)" = 0 ] || { echo "skipped: making a Debian needs root"; exit 77; }
command -v mmdebstrap >/dev/null || { echo "skipped: mmdebstrap is not installed"; exit 77; }

# the first of each alternative, without the version
names=$(dpkg-deb -f "$deb" Depends | tr , '\n' | sed 's/|.*//; s/(.*//; s/ //g' | paste -sd ,)
names=$names,apt,sudo,systemd-sysv # which every machine has
if [ -e "$tar" ] && [ "$(cat "$tar.holds")" = "$suite $names" ]; then
	echo "kept: $tar"
	exit 0
fi
rm -f "$tar"
mmdebstrap --quiet --format=tar --variant=essential --mode=root --include="$names" \
	--aptopt='Acquire::Languages "none"' --aptopt='Acquire::Retries "3"' \
	--aptopt='APT::Install-Recommends "false"' --dpkgopt=force-unsafe-io \
	--dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/man/*' \
	--dpkgopt='path-exclude=/usr/share/locale/*' \
	"$suite" "$tar.new" "deb $mirror $suite main" "deb $security $suite-security main"
echo "$suite $names" >"$tar.holds"
mv "$tar.new" "$tar"
