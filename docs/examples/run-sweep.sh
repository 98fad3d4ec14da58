#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs a whole sweep on a Raspberry Pi from another machine: arms it, reboots, waits for
# the end, and writes the report to standard output.
# Usage: run-sweep.sh USER@PI [FORMAT]     (FORMAT as of t1s-sweep report; lava)
# The user may log in by key and use sudo without a password there. Exit status: 0 the
# sweep is finished (the report tells how it came out), 1 it was stopped, or did not end.
# Environment: SSH (the command), INTERVAL_S (between two looks), PATIENCE_S (for all).
set -eu
pi=${1:?usage: run-sweep.sh USER@PI [FORMAT]}
format=${2:-lava}
ssh=${SSH:-ssh -o BatchMode=yes -o ConnectTimeout=10 -o ServerAliveInterval=5}
interval=${INTERVAL_S:-30}
deadline=$(($(date +%s) + ${PATIENCE_S:-43200}))
program=/usr/sbin/t1s-sweep

# On the Pi; it is away while it reboots.
there() {
	# shellcheck disable=SC2086 # words are meant
	$ssh "$pi" "$@" </dev/null
}

# A member of the JSON status; empty while the Pi cannot be asked.
status_of() {
	there $program --json status 2>/dev/null | sed -n "s/^  \"$1\": \"\\(.*\\)\",*\$/\\1/p"
}

there sudo $program check >&2
before=$(status_of sweep_id)
there sudo systemctl enable t1s-sweep >&2
there sudo reboot >&2 || true

while :; do
	if [ "$(date +%s)" -ge "$deadline" ]; then
		echo "run-sweep.sh: no end in time; last seen: $(status_of phase)" >&2
		exit 1
	fi
	sleep "$interval"
	id=$(status_of sweep_id)
	phase=$(status_of phase)
	if [ -n "$id" ] && [ "$id" != "$before" ]; then
		case $phase in
		finished | stopped) break ;;
		esac
	fi
done
there $program report "--format=$format"
[ "$phase" = finished ] || {
	echo "run-sweep.sh: stopped: $(status_of reason)" >&2
	exit 1
}
