#!/bin/sh
# SPDX-License-Identifier: MIT
# Downloads the guest's Debian packages (arm64, bookworm) into a cache and unpacks them there
# as a root file system with a dpkg database. Nothing is emulated: no maintainer script
# runs, and guestfiles.py does what they would have done. Nothing of the host's apt is touched.
# Usage: packages.sh CACHE     makes CACHE/archives/, CACHE/kernel/ and CACHE/rootfs/
set -eu
cache=$1
mirror=$("$(dirname "$0")/../../packaging/debian-archive.sh" bookworm)
security=$("$(dirname "$0")/../../packaging/debian-archive.sh" bookworm-security)

base="base-files base-passwd bash bsdutils coreutils dash dbus debianutils diffutils dosfstools
	dpkg e2fsprogs findutils grep gzip hostname init-system-helpers iproute2 kmod libc-bin
	libpam-modules libpam-runtime login mawk mount ncurses-base passwd perl-base procps sed
	systemd systemd-sysv tar udev usr-is-merged util-linux"
# what the package under test depends on; dpkg in the guest checks that it is all of it
wanted="libcsv3 libfdt1 libinih1 libiperf0 libjson-c5 libmnl0 libssh-4 libssl3 libsystemd0"
kernel=linux-image-cloud-arm64

private_apt() {
	mkdir -p "$cache/apt/lists/partial" "$cache/archives/partial"
	: >"$cache/apt/status"
	key=/usr/share/keyrings/debian-archive-keyring.gpg
	printf "deb [signed-by=$key] %s main\n" "$mirror bookworm" "$mirror bookworm-updates" \
		"$security bookworm-security" >"$cache/apt/sources.list"
	cat >"$cache/apt/apt.conf" <<-END
		Dir::State "$cache/apt";
		Dir::State::status "$cache/apt/status";
		Dir::State::lists "$cache/apt/lists";
		Dir::Cache "$cache/apt";
		Dir::Cache::archives "$cache/archives";
		Dir::Cache::pkgcache "";
		Dir::Cache::srcpkgcache "";
		Dir::Etc::sourcelist "$cache/apt/sources.list";
		Dir::Etc::sourceparts "-";
		Dir::Etc::preferencesparts "-";
		APT::Architecture "arm64";
		APT::Architectures { "arm64"; };
		APT::Sandbox::User "root";
		Acquire::Languages "none";
		Acquire::Retries "3";
	END
	export APT_CONFIG="$cache/apt/apt.conf"
}

download() {
	apt-get update -q
	# shellcheck disable=SC2086 # words are meant
	apt-get install -q -y --no-install-recommends --download-only $base $wanted
	# by itself, since what the kernel depends on is for making an initial RAM disk
	kernel=$(apt-cache depends "$kernel" | sed -n 's/^ *Depends: //p')
	(cd "$cache/archives" && apt-get download -q "$kernel")
}

# The entry that dpkg would have in its database after installing this package
record() {
	deb=$1
	info=$2/var/lib/dpkg/info
	package=$(dpkg-deb -f "$deb" Package)
	[ "$(dpkg-deb -f "$deb" Multi-Arch)" != same ] || package=$package:arm64
	dpkg-deb -f "$deb" | sed '1a Status: install ok installed'
	echo
	dpkg-deb --fsys-tarfile "$deb" | tar -t | sed 's,^\.,,; s,/$,,; s,^$,/.,' \
		>"$info/$package.list"
}

unpack() {
	root=$1
	mkdir -p "$root/usr/bin" "$root/usr/sbin" "$root/usr/lib" "$root/var/lib/dpkg/info" \
		"$root/var/lib/dpkg/updates"
	for name in bin sbin lib; do
		ln -s "usr/$name" "$root/$name"
	done
	echo 1 >"$root/var/lib/dpkg/info/format"
	for deb in "$cache"/archives/*.deb; do
		case $deb in
		*/linux-image-*) continue ;;
		esac
		dpkg-deb --fsys-tarfile "$deb" | tar -C "$root" -xp --keep-directory-symlink \
			--numeric-owner -f - --exclude='./usr/share/doc/*' \
			--exclude='./usr/share/man/*' --exclude='./usr/share/locale/*'
		record "$deb" "$root"
	done >"$root/var/lib/dpkg/status"
}

private_apt
download
rm -rf "$cache/rootfs" "$cache/rootfs.new" "$cache/kernel"
unpack "$cache/rootfs.new"
dpkg-deb -x "$cache"/archives/linux-image-*.deb "$cache/kernel"
depmod -b "$cache/kernel" "$(ls "$cache/kernel/lib/modules")"
mv "$cache/rootfs.new" "$cache/rootfs"
