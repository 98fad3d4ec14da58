#!/bin/sh
# SPDX-License-Identifier: MIT
# Installs what is missing of the Debian packages that building and testing need. Asks for
# nothing, and needs no network where everything is there.
# Usage: install-deps.sh GROUP…
#        install-deps.sh --print GROUP…   (only tells what the groups hold)
#   libraries  what the program is linked to
#   build      libraries, and what else it takes to build and install the program
#   package    to make a Debian package of it
#   cross      to build it on another machine for 64-bit Raspberry Pis
#   rig        to run the boot rig and the demo
#   vm         rig, and what the VM rig needs besides; take cross, too
#   test       rig, package, and what the other tests and checks need
set -eu

libraries="libc6-dev libcsv-dev libfdt-dev libinih-dev libiperf-dev libjson-c-dev libmnl-dev
	libseccomp-dev libssh-dev libssl-dev libsystemd-dev"
build="$libraries gcc cmake ninja-build pkg-config device-tree-compiler scdoc"
package="dpkg-dev file git gzip"
cross="debian-archive-keyring gcc-aarch64-linux-gnu libc6-dev-arm64-cross"
rig="dbus device-tree-compiler dosfstools e2fsprogs gnuplot-nox iperf3 iproute2 locales
	mount openssh-client openssh-server python3 systemd systemd-container util-linux"
vm="$rig debian-archive-keyring fdisk kmod mtools qemu-system-arm"
test="$rig $package chromium clang clang-format clang-tidy cppcheck curl
	debian-archive-keyring gcovr libclang-rt-dev libcmocka-dev lintian
	mmdebstrap python3-jsonschema python3-prometheus-client shellcheck strace
	systemd-journal-remote time"
# What not every release of Debian has: a test that misses it says so, and is skipped
optional="lava-common"

# Those of the packages named that are not installed
missing() {
	for package in "$@"; do
		[ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] ||
			echo "$package"
	done
}

print=
if [ "${1-}" = --print ]; then
	print=1
	shift
fi
packages=
for group in "$@"; do
	case $group in
	libraries) packages="$packages $libraries" ;;
	build) packages="$packages $build" ;;
	package) packages="$packages $package" ;;
	cross) packages="$packages $cross" ;;
	rig) packages="$packages $rig" ;;
	vm) packages="$packages $vm" ;;
	test) packages="$packages $test $optional" ;;
	*)
		echo "install-deps.sh: no such group: $group (see the head of this file)" >&2
		exit 2
		;;
	esac
done
if [ "$print" ]; then
	# shellcheck disable=SC2086 # words are meant
	printf '%s\n' $packages | sort -u
	exit 0
fi
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
for package in $optional; do
	if ! apt-cache show --no-all-versions "$package" >/dev/null 2>&1; then
		echo "This Debian has no $package."
		wanted=$(echo "$wanted" | grep -vx "$package" || true)
	fi
done
[ -n "$wanted" ] || exit 0
# shellcheck disable=SC2086 # words are meant
apt-get install -q -y -o Dpkg::Use-Pty=0 --no-install-recommends $wanted
case $wanted in
*openssh-server*)
	[ ! -d /run/systemd/system ] || systemctl disable -q ssh.service ssh.socket || true
	;;
esac
