#!/bin/sh
# SPDX-License-Identifier: MIT
# check.sh CHECK SOURCE BUILD: one check of the whole source tree.
set -eu
check=$1 source=$2 build=$3
cd "$source"

need() {
	command -v "$1" >/dev/null || { echo "skipped: $1 is not installed"; exit 77; }
}

# Each release of a tool finds other things.
need_version() {
	need "$1"
	"$1" --version | grep -q "$2" || {
		echo "skipped: the source is checked with the $1 of Debian 12 ($2), here is another"
		exit 77
	}
}

files() {
	find daemon lib tests -path tests/data -prune -o -type f -name "$1" -print | sort
}

case $check in
clang-format)
	need_version clang-format 'version 14'
	files '*.[ch]' | xargs clang-format --dry-run --Werror
	;;
clang-tidy)
	need_version clang-tidy 'version 14'
	# the system's headers as gcc sees them are no concern of the checks
	files '*.c' | xargs -P 2 -n 4 clang-tidy --quiet --extra-arg=-Wno-unknown-warning-option \
		--extra-arg="-I$source/lib" -p "$build"
	;;
cppcheck)
	need_version cppcheck 'Cppcheck 2.10'
	cppcheck --quiet --error-exitcode=1 --inline-suppr --std=c11 -j 2 -I lib -I daemon \
		--enable=warning,portability,performance --suppress=missingIncludeSystem \
		daemon lib tests
	;;
shellcheck)
	need shellcheck
	{ find . -path ./.git -prune -o -path './build*' -prune -o -name '*.sh' -print; echo .ci/run packaging/debian/p*[tm]; } |
		xargs shellcheck
	;;
units)
	need systemd-analyze
	# verify looks for the program and the user where they will be; a scratch root has both
	root=$(mktemp -d)
	trap 'rm -rf "$root"' EXIT
	mkdir -p "$root/etc" "$root/usr/lib/systemd"
	cp -a /usr/lib/systemd/system "$root/usr/lib/systemd/" # the targets it is ordered by
	DESTDIR=$root cmake --install "$build" >/dev/null
	install -D -m 755 /dev/null "$root/bin/sh"
	units=$root/etc/systemd/system
	mkdir -p "$units/t1s-sweep.service.d"
	cp docs/examples/*.service "$units/"
	cp docs/examples/notify.conf "$units/t1s-sweep.service.d/"
	out=$(systemd-analyze verify --man=no --root="$root" t1s-sweep.service \
		t1s-sweep-ended-mail.service t1s-sweep-ended-webhook.service 2>&1) || {
		echo "$out"
		exit 1
	}
	case $out in
	*t1s-sweep*) echo "$out"; exit 1 ;;
	esac
	;;
spdx)
	missing=$(git ls-files '*.c' '*.h' '*.py' '*.sh' '*.cmake' '*.dts*' '*.service' '*.scd' '*CMakeLists.txt' |
		xargs grep -L 'SPDX-License-Identifier: MIT' || true)
	[ -z "$missing" ] || { echo "without an SPDX line: $missing"; exit 1; }
	;;
scripts)
	# the documents call them by their names
	wrong=$(git ls-files | while read -r file; do
		[ -f "$file" ] || continue
		begins=$(head -c 2 "$file" | tr -d '\0')
		if [ "$begins" = '#!' ] && [ ! -x "$file" ]; then
			echo "begins with #!, but is not executable: $file"
		elif [ "$begins" != '#!' ] && [ -x "$file" ]; then
			echo "is executable, but does not begin with #!: $file"
		fi
	done)
	[ -z "$wrong" ] || { echo "$wrong"; exit 1; }
	;;
*)
	echo "unknown check: $check" >&2
	exit 2
	;;
esac
