#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# check-manual.sh: every option that a command's --help lists is in its manual page or in
# perfrep(1), every command is in perfrep(1), and no page promises a long option that no command has.
set -u
perfrep=${PERFREP:-${BUILDDIR:-.}/perfrep}
docs=${SRCDIR:-.}/docs
failed=0

complain() {
	echo "check-manual: $*"
	failed=1
}

# The pages have \- for -.
page() {
	sed 's/\\-/-/g' "$@"
}

help_options() {
	"$perfrep" "$1" --help | grep -oE -- '--[a-z][a-z-]+' | sort -u
}

commands=$("$perfrep" --help | sed -nE 's/^  ([a-z]+) .*/\1/p')
[[ -n $commands ]] || complain "no commands in $perfrep --help"
all=
for command in $commands; do
	[[ -f $docs/perfrep-$command.1 ]] || { complain "no page for $command"; continue; }
	page "$docs/perfrep.1" | grep -qF "perfrep-$command" || complain "perfrep.1 lacks $command"
	for option in $(help_options "$command"); do
		all+=" $option"
		case $option in --help | --usage | --version) continue ;; esac
		page "$docs/perfrep-$command.1" "$docs/perfrep.1" | grep -qE -- "$option([^a-z-]|\$)" ||
			complain "$command $option is in no page"
	done
done
# options that are accepted and not listed, and those of other programs
all+=" --stdio --force --call-graph --threads --switch-events --off-cpu --per-socket --per-thread --per-core --per-die --per-node --per-cache --metric-only"
for option in $(page "$docs"/*.1 | grep -oE -- '(^|[^a-z-])--[a-z][a-z-]+' | grep -oE -- '--[a-z-]+' | sort -u); do
	[[ " $all " == *" $option "* ]] || complain "the pages have $option, which no command has"
done
exit $failed
