#!/bin/sh
# SPDX-License-Identifier: MIT
# Every file that a page of the documentation links to is there.
# Usage: links.sh SOURCE_DIR
set -eu
cd "$1"
missing=$(for page in README.md docs/*.md; do
	grep -o '](\([^)]*\))' "$page" | sed 's/^](//; s/[#)].*$//' | while read -r target; do
		case $target in
		'' | http*) ;;
		*) [ -e "$(dirname "$page")/$target" ] || echo "$page: $target" ;;
		esac
	done
done)
[ -z "$missing" ] || { printf 'linked to, and not there:\n%s\n' "$missing"; exit 1; }
