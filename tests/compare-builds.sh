#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# compare-builds.sh OLD NEW FILE...: whether two builds of perfrep say the same of recordings.
#
# Each FILE (a recording, folded text, or output of perf stat) goes through the commands below with
# both programs, NEW with one thread and with two; standard output, standard error and the exit
# status must be the same to the byte.  The sides of diff are the file and the one before it.
# --symfs and what else all commands should have is in PERFREP_OPTIONS; IGNORE is a sed -E script
# for what is known to differ.  Differences stay in OUT.
#
#	git worktree add /tmp/before COMMIT, build it; then
#	tests/compare-builds.sh /tmp/before/perfrep ./perfrep testdata/*.data
#
# Exit status: 0 all the same, 1 differences, 2 wrong usage.
set -uo pipefail
if [ $# -lt 3 ]; then
	sed -n 's/^# \?//; 2,15p' "$0" >&2
	exit 2
fi
old=$(realpath "$1") new=$(realpath "$2")
shift 2
out=${OUT:-$(mktemp -d)} options=${PERFREP_OPTIONS:-} limit=${LIMIT:-120}
mkdir -p "$out"
export LC_ALL=C DEBUGINFOD_URLS= XDG_CACHE_HOME=$out/cache
compared=0 differ=0 previous= function=

# The function that most stacks end in.
a_function() {
	timeout "$limit" "$old" fold --no-cache $options "$1" 2>/dev/null | head -n 10000 |
		sed 's/ [0-9]*$//; s/.*;//' | sort | uniq -c | sort -rn | sed -n 's/ *[0-9]* //; 1p'
}

# Commands of a recording, one a line; FILE stands for it, BEFORE for the one before.
commands() {
	cat <<-'END'
		fold FILE
		fold --no-inline FILE
		fold --compat=perf FILE
		fold --compat=inferno FILE
		report FILE
		report --format=json --no-inline FILE
		report --format=json -g caller FILE
		report --format=json --sort=comm,dso,sym,srcline FILE
		callers --format=json FUNCTION FILE
		symbols --format=json FILE
		info --format=json FILE
		offcpu --format=json FILE
		sched --format=json FILE
		trace FILE
		flamegraph FILE
		flamegraph --flamechart FILE
		dump FILE
	END
	[ -z "$previous" ] || echo 'diff --format=json BEFORE FILE'
}

# run PROGRAM THREADS NAME COMMAND...
run() {
	local program=$1 threads=$2 name=$3 extra=()

	shift 3
	case $1 in
	info | dump | trace) ;;
	*) extra=(--no-cache "--threads=$threads") ;;
	esac
	timeout "$limit" "$program" "$1" $options "${extra[@]}" "${@:2}" 2>"$out/$name.err" |
		sed -E "${IGNORE:-}" >"$out/$name"
	echo "status ${PIPESTATUS[0]}" >>"$out/$name.err"
	sed -i -E "${IGNORE:-}" "$out/$name.err"
}

# same NAME NAME
same() {
	cmp -s "$out/$1" "$out/$2" && cmp -s "$out/$1.err" "$out/$2.err"
}

# compare FILE COMMAND: keeps both outputs if they differ.
compare() {
	local file=$1 command=$2 threads words word args=()

	read -ra words <<<"$command"
	for word in "${words[@]}"; do
		case $word in
		FILE) args+=("$file") ;;
		FUNCTION) args+=("$function") ;;
		BEFORE) args+=("$previous") ;;
		*) args+=("$word") ;;
		esac
	done
	run "$old" 1 old "${args[@]}"
	for threads in 1 2; do
		run "$new" "$threads" new "${args[@]}"
		compared=$((compared + 1))
		same old new && continue
		differ=$((differ + 1))
		mkdir -p "$out/$differ"
		mv "$out/new" "$out/new.err" "$out/$differ"
		cp "$out/old" "$out/old.err" "$out/$differ"
		echo "differs: ${args[*]} (threads: $threads): $out/$differ"
	done
}

for file; do
	function=$(a_function "$file")
	while IFS= read -r command; do
		compare "$file" "$command"
	done < <(commands)
	previous=$file
done
rm -rf "$out"/{old,new}{,.err} "$out/cache"
echo "$compared outputs compared, $differ differ"
[ -n "${OUT:-}" ] || rmdir "$out" 2>/dev/null
[ $differ -eq 0 ]
