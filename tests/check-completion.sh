#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# check-completion.sh: bash completes every command and every option that a command's help lists,
# and each value that is offered for an option is one that the command takes.
set -u
perfrep=${PERFREP:-${BUILDDIR:-.}/perfrep}
library=/usr/share/bash-completion/bash_completion
[ -e $library ] || { echo "skipped: no bash-completion"; exit 77; }
dir=$(mktemp -d) || exit 99
trap 'rm -rf "$dir"' EXIT
completions=$(realpath "${SRCDIR:-.}/completions/perfrep")
perfrep=$(realpath "$perfrep")
{ mkdir -p "$dir/here/folder" && cd "$dir/here"; } || exit 99
touch some.data
# shellcheck disable=SC1090,SC1091
{
	. $library
	. "$completions"
} || exit 99
compopt() { :; } # only of use while bash itself completes
COMP_WORDBREAKS=$' \t\n"\'><=;|&(:'
failed=0

complain() {
	echo "check-completion: $*"
	failed=1
}

# offers WORD...: what there is for the last one; as for readline, = is a word of its own.
offers() {
	COMP_WORDS=("$perfrep" "$@")
	COMP_CWORD=$#
	COMP_LINE=${COMP_WORDS[*]}
	COMP_LINE=${COMP_LINE/ = /=}
	COMP_POINT=${#COMP_LINE}
	COMPREPLY=()
	_perfrep "$perfrep" "${COMP_WORDS[-1]}" "${COMP_WORDS[-2]}"
	printf '%s\n' "${COMPREPLY[@]-}"
}

# has WANTED WORD...: WANTED is offered.
has() {
	local wanted=$1

	shift
	offers "$@" | grep -qxF -- "$wanted" || complain "perfrep $*: $wanted is not offered"
}

# lacks UNWANTED WORD...
lacks() {
	local unwanted=$1

	shift
	! offers "$@" | grep -qxF -- "$unwanted" || complain "perfrep $*: $unwanted is offered"
}

commands=$("$perfrep" --help | sed -nE 's/^  ([a-z]+) .*/\1/p')
[ -n "$commands" ] || complain "no commands in perfrep --help"
for command in $commands; do
	has "$command" "${command:0:2}"
	"$perfrep" "$command" --help >../help
	offers "$command" -- >../offered
	grep -E '^ +-' ../help | grep -oE -- '(^ +|, )--[a-z][a-z0-9-]+' | grep -oE -- '--.*' |
		while read -r option; do
			grep -qxE -- "$option=?" ../offered || echo "$command $option"
		done >../missing
	[ ! -s ../missing ] || complain "not offered: $(paste -sd ' ' ../missing)"
	case $command in
	hints) input=() ;;
	log) input=(show --log=no-such-file) ;;
	*) input=(no-such-file) ;;
	esac
	while read -r option; do
		grep -E '^ +(-., )?-' ../help | grep -qF -- "${option%=}" || complain "$command has no $option"
		case $option in
		--silence= | *-dir= | --symfs=) continue ;;
		*=) ;;
		*) continue ;;
		esac
		for value in $(offers "$command" "${option%=}" = ''); do
			case $value in
			folder | some.data) continue ;;
			work=) value+=1,2 ;;
			esac
			# of diff, --weight goes with another option
			[ "$command $option" != "diff --weight=" ] || input=(--format=folded no-such-file)
			"$perfrep" "$command" "$option$value" ${input[@]+"${input[@]}"} </dev/null >/dev/null 2>../err
			[ $? -ne 64 ] || complain "$command $option$value: $(head -n 1 ../err)"
		done
	done <../offered
done

has report re
has some.data so
has some.data report so
has add log ''
has show log ''
lacks report log re
has pid report --sort = p
has pid report --sort p
has comm,pid report --sort = comm,p
has pid --sort = p # report is the default
has delay sched --sort = ''
lacks pid sched --sort = ''
has folded diff --format = ''
lacks folded report --format = ''
lacks csv info --format = ''
has work= diff --normalize = w
has reference-counting report --silence = ref
has folder report --symfs = ''
lacks some.data report --symfs = ''
has some.data flamegraph --diff = so
has --format= stat --fo
has --call-graph report --call
exit $failed
