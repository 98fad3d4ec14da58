#!/bin/sh
# SPDX-License-Identifier: MIT
# Every file that a page of the documentation links to is there.
# Usage: links.sh SOURCE_DIR
set -eu
cd "$1"
bad=0
for page in README.md docs/*.md; do
	for target in $(grep -o '](\([^)]*\))' "$page" | sed 's/^](//; s/[#)].*$//'); do
		case $target in
		http*) continue ;;
		esac
		if [ ! -e "$(dirname "$page")/$target" ]; then
			echo "$page links to $target, which is not there"
			bad=1
		fi
	done
done
exit $bad
