#!/bin/sh
# SPDX-License-Identifier: MIT
# Prints the address from which this machine's apt gets a Debian suite, so that what is made of
# Debian's packages comes from the same place. $T1S_DEBIAN_MIRROR, and for the security suite
# $T1S_DEBIAN_SECURITY_MIRROR, name another.
# Usage: debian-archive.sh SUITE     as in: debian-archive.sh bookworm-security
set -eu
suite=$1
case $suite in
*-security) given=${T1S_DEBIAN_SECURITY_MIRROR:-} name=T1S_DEBIAN_SECURITY_MIRROR ;;
*) given=${T1S_DEBIAN_MIRROR:-} name=T1S_DEBIAN_MIRROR ;;
esac
# shellcheck disable=SC2016 # apt's own variables
[ "$given" ] || given=$(apt-get indextargets --format '$(CODENAME) $(REPO_URI)' \
	'Created-By: Packages' | sed -n "s|^$suite ||p" | head -n 1)
[ "$given" ] || {
	echo "this machine's apt does not know Debian's $suite (or apt-get update was never run)," \
		"set $name to the address of a mirror" >&2
	exit 1
}
echo "${given%/}"
