#!/bin/sh
# SPDX-License-Identifier: MIT
# The plot that a page shows is the one that the program draws.
# Usage: plot.sh PROGRAM RESULTS PICTURE
set -eu
command -v gnuplot > /dev/null || { echo "skipped: gnuplot is not installed"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
: > "$work/conf"
"$1" --config="$work/conf" report --format=svg --output="$work/plot.svg" "$2"
# another gnuplot may draw the same otherwise
case $(gnuplot --version) in
"gnuplot 5.4 "*) cmp "$3" "$work/plot.svg" ;;
*) echo "skipped: the picture is of gnuplot 5.4"; exit 77 ;;
esac
