#!/bin/bash
# SPDX-License-Identifier: MIT
# Makes a sysroot of Debian's arm64 packages for cross-building: the libraries, their
# headers, and a package database in which dpkg-shlibdeps finds what they belong to.
# Usage: sysroot-arm64.sh FOLDER
#
# The machine's own packages are left as they are and root is not needed. Multiarch proper
# would install the arm64 libraries beside the machine's: libfdt-dev cannot be (the arm64
# one removes the other), and where the machine's libraries are older than the archive's
# all of them would be upgraded.
set -euo pipefail

mirror=$("$(dirname "$0")/debian-archive.sh" bookworm)
security=$("$(dirname "$0")/debian-archive.sh" bookworm-security)
suite=bookworm
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
packages=$("$(dirname "$0")/../tests/install-deps.sh" --print libraries)

[ $# = 1 ] || { echo "usage: $0 FOLDER" >&2; exit 2; }
[ -e "$keyring" ] || { echo "$keyring not found: apt install debian-archive-keyring" >&2; exit 1; }
mkdir -p "$1.new"
new=$(realpath "$1.new")
apt=$new.apt
trap 'rm -rf "$apt" "$new"' EXIT

# An apt of its own that has nothing installed
configure_apt() {
	mkdir -p "$apt"/{etc/{apt.conf.d,preferences.d,sources.list.d,trusted.gpg.d},state/lists/partial,cache/archives/partial}
	: >"$apt/state/status"
	printf 'deb [arch=arm64 signed-by=%s] %s\n' \
		"$keyring" "$mirror $suite main" "$keyring" "$security $suite-security main" \
		>"$apt/etc/sources.list"
	cat >"$apt/apt.conf" <<-END
		APT { Architecture "arm64"; Architectures { "arm64"; }; Install-Recommends "false";
			Sandbox::User ""; }
		Dir::Etc "$apt/etc";
		Dir::State "$apt/state";
		Dir::State::status "$apt/state/status";
		Dir::Cache "$apt/cache";
		Dir::Log "$apt";
		Acquire { Languages "none"; Retries "3"; }
		Debug::NoLocking "true";
	END
}

fetch() {
	export APT_CONFIG=$apt/apt.conf
	apt-get -q update
	# shellcheck disable=SC2086 # words are meant
	apt-get -q -y --download-only install $packages
}

# Unpacks a package, and enters it into the database with its files where they are now.
add_package() {
	local deb=$1 name info=$new/var/lib/dpkg/info
	name=$(dpkg-deb -f "$deb" Package)
	dpkg-deb --fsys-tarfile "$deb" | tar -x -C "$new" --keep-directory-symlink --no-same-owner
	{
		dpkg-deb -f "$deb"
		printf 'Status: install ok installed\n\n'
	} >>"$new/var/lib/dpkg/status"
	# usr/lib, since that is what the links lead to
	dpkg-deb --fsys-tarfile "$deb" | tar -t |
		sed -e "s|^\./|$new/|; s|^$new/lib/|$new/usr/lib/|; s|/\$||; s|^$new|$final|" >"$info/$name.list"
	for file in symbols shlibs; do
		if dpkg-deb --ctrl-tarfile "$deb" | tar -x -O "./$file" >"$info/file" 2>/dev/null; then
			mv "$info/file" "$info/$name.$file"
		fi
	done
	rm -f "$info/file"
}

# Absolute links would lead out of the sysroot.
relative_links() {
	local link target
	find "$new" -type l -lname '/*' | while read -r link; do
		target=$new$(readlink "$link")
		ln -sfn "$(realpath -m --relative-to="$(dirname "$link")" "$target")" "$link"
	done
}

final=$(realpath -m "$1")
configure_apt
fetch
mkdir -p "$new"/usr/lib "$new"/var/lib/dpkg/{info,updates}
ln -s usr/lib "$new/lib"
printf '%s\n' "$(dpkg --print-architecture)" arm64 >"$new/var/lib/dpkg/arch"
for deb in "$apt"/cache/archives/*.deb; do
	add_package "$deb"
done
relative_links
rm -rf "$final"
mv "$new" "$final"
touch "$final"
echo "sysroot: $final"
