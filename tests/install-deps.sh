#!/bin/sh
# SPDX-License-Identifier: MIT
# Installs what is missing of the Debian packages that building and testing need. Asks for
# nothing, and needs no network where everything is there.
# Usage: install-deps.sh GROUP…
#   build  to build and install the program
#   rig    to run the boot rig and the demo
#   test   rig, and what the other tests and checks need
set -eu

build="gcc libc6-dev cmake ninja-build pkg-config device-tree-compiler
	libcsv-dev libfdt-dev libinih-dev libiperf-dev libjson-c-dev libssh-dev libssl-dev
	libsystemd-dev scdoc"
rig="dbus device-tree-compiler dosfstools e2fsprogs gnuplot-nox iperf3 iproute2 locales
	mount openssh-client openssh-server python3 systemd systemd-container util-linux"
test="$rig clang clang-format clang-tidy cppcheck git libcmocka-dev shellcheck strace"

# Those of the packages named that are not installed
missing() {
	for package in "$@"; do
		[ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] ||
			echo "$package"
	done
}

packages=
for group in "$@"; do
	case $group in
	build) packages="$packages $build" ;;
	rig) packages="$packages $rig" ;;
	test) packages="$packages $test" ;;
	*)
		echo "install-deps.sh: no such group: $group (build, rig, test)" >&2
		exit 2
		;;
	esac
done
# shellcheck disable=SC2086 # words are meant
wanted=$(missing $packages | sort -u)
[ -n "$wanted" ] || exit 0

echo "Installing: $(echo "$wanted" | tr "\n" " ")"
[ "$(id -u)" = 0 ] || {
	echo "install-deps.sh: must be run as root: sudo $0 $*" >&2
	exit 1
}
# The rig starts an sshd of its own: one for the machine itself is not to come with it.
policy=/usr/sbin/policy-rc.d
case $wanted in
*openssh-server*)
	if [ ! -e "$policy" ]; then
		trap 'rm -f "$policy"' EXIT
		# shellcheck disable=SC2016 # for that script to expand
		printf '#!/bin/sh\n[ "$1" != ssh ] || exit 101\n' >"$policy"
		chmod 755 "$policy"
	fi
	;;
esac
export DEBIAN_FRONTEND=noninteractive
apt-get update -q
# shellcheck disable=SC2086 # words are meant
apt-get install -q -y -o Dpkg::Use-Pty=0 --no-install-recommends $wanted
case $wanted in
*openssh-server*)
	[ ! -d /run/systemd/system ] || systemctl disable -q ssh.service ssh.socket || true
	;;
esac
