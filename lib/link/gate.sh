#!/bin/sh
# SPDX-License-Identifier: MIT
#
# What the key that "t1s-sweep pair" installs on the sender may run there, and nothing else.
# In authorized_keys, as one line, it is the key's forced command: sshd runs it in the place
# of the command that was sent, which is in SSH_ORIGINAL_COMMAND.
#
# That text is split at its semicolons and blanks and compared word by word. It is never
# given to a shell, so that nothing in it is expanded, redirected or quoted.
#
# For its place it must stay true when its lines are joined by blanks, and there must be no
# single quote in it outside of these comments.
set -f;
LC_ALL=C;
PATH="$PATH:/usr/sbin:/sbin";
export LC_ALL PATH;

no() {
	echo "t1s-sweep: this key may not run that command" >&2;
	exit 126;
};

# A number, an address, or the name of an interface
word() {
	case $1 in
	"" | -* | *[!A-Za-z0-9.:%_-]*) no ;;
	esac;
};

client() {
	while [ $# -gt 0 ]; do
		case $1 in
		-u | -J | -R | --bidir) shift ;;
		-c | -B | -p | -b | -l | -t | -O | --connect-timeout)
			word "$2";
			shift 2 ;;
		*) no ;;
		esac;
	done;
};

plca() {
	word "$1";
	case "$# $2 $3 $4 $6" in
	"5 enable on node-id " | "7 enable on node-id node-cnt") ;;
	*) no ;;
	esac;
	case $5 in
	[0-9] | [1-9][0-9] | 1[0-9][0-9] | 2[0-4][0-9] | 25[0-4]) ;;
	*) no ;;
	esac;
	case ${7-1} in
	[1-9] | [1-9][0-9] | 1[0-9][0-9] | 2[0-4][0-9] | 25[0-5]) ;;
	*) no ;;
	esac;
};

# Ends the script unless the words are one of the commands of a sweep
allowed() {
	bound=;
	if [ "$1" = timeout ]; then
		shift;
		if [ "$1" = -k ]; then
			word "$2";
			shift 2;
		fi;
		word "$1";
		bound=yes;
		shift;
	fi;
	case "$bound $1 $2" in
	" uname -r" | " date +%s" | "yes @IPERF3@ --version")
		[ $# = 2 ] || no ;;
	"yes @IPERF3@ -c")
		shift;
		client "$@" ;;
	"yes ethtool --get-plca-cfg" | "yes ethtool --get-plca-status")
		[ $# = 3 ] || no;
		word "$3" ;;
	"yes ethtool --set-plca-cfg")
		shift 2;
		plca "$@" ;;
	"yes sudo -n")
		shift 2;
		[ "$1" != -l ] || shift;
		[ "$1 $2" = "ethtool --set-plca-cfg" ] || no;
		shift 2;
		plca "$@" ;;
	"yes ip -o")
		case "$3 $4 $6" in
		"address show ") [ $# = 4 ] || no ;;
		"route get from")
			[ $# = 7 ] || no;
			word "$5";
			word "$7" ;;
		*) no ;;
		esac ;;
	*) no ;;
	esac;
};

IFS=";";
# shellcheck disable=SC2046 # to be split there
set -- $(printf %s "$SSH_ORIGINAL_COMMAND" | tr -d "\047");
unset IFS;
[ $# -gt 0 ] || no;
for command in "$@"; do
	# shellcheck disable=SC2086 # to be split at its blanks
	set -- $command;
	only_asked=;
	if [ "$1 $2" = "t1s-sweep may" ]; then
		only_asked=yes;
		shift 2;
	fi;
	while case $1 in LC_ALL=C | PATH=*) true ;; *) false ;; esac; do
		shift;
	done;
	if [ "$*" = "t1s-sweep gate" ]; then
		echo "t1s-sweep gate @ID@";
		continue;
	fi;
	allowed "$@";
	if [ "$only_asked" ]; then
		echo yes;
	else
		"$@";
	fi;
done;
