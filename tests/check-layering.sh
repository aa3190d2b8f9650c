#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# check-layering.sh: what each folder of src/ includes is what its row in ARCHITECTURE.md's table
# allows.  The table is between the lines <!-- layering --> and <!-- /layering -->:
#
#	| folder | its public headers | may include | libraries, and in which files alone |
#
# "May include" names folders, whose public headers it means, and single headers of another
# folder (`view/*`: all).  Everything may include libc, base, and its own folder.  A public header
# obeys the row that owns it.  At the end the check proves that it can fail.
set -u
cd "${SRCDIR:-.}" || exit 99

# One line for each violation; nothing if there is none.
check_tree() {
	{
		sed -n '/^<!-- layering -->/,/^<!-- \/layering -->/s/^|/row|/p' "$1/ARCHITECTURE.md"
		(cd "$1" && grep -HnE '^[[:space:]]*#[[:space:]]*include' -r include src \
			--include='*.[ch]')
	} | awk '
	BEGIN {
		libc = "^(argp|assert|ctype|dirent|elf|errno|fcntl|fnmatch|getopt|glob|inttypes" \
		       "|langinfo|limits|link|locale|math|poll|pthread|regex|sched|setjmp|signal" \
		       "|spawn|stdarg|stdatomic|stdbool|stddef|stdint|stdio|stdlib|string|strings" \
		       "|termios|time|unistd|wchar|wctype|((arpa|sys|linux|asm)/[a-z0-9_]+))\\.h$"
	}
	function words(text, into,    n, i, list) {
		gsub(/`|,/, " ", text)
		n = split(text, list, " ")
		for (i = 1; i <= n; i++)
			into[i] = list[i]
		return n
	}
	function library_rule(folder, rule,    halves, headers, files, i, j, n, m) {
		if (split(rule, halves, ":") != 2)
			return
		n = words(halves[1], headers)
		m = words(halves[2], files)
		for (i = 1; i <= n; i++)
			for (j = 1; j <= m; j++)
				lib[folder "/" files[j], headers[i]] = 1
	}
	function read_row(line,    cells, w, n, i, folder, rules) {
		split(line, cells, "|")
		folder = cells[2]
		gsub(/[ `]|src\//, "", folder)
		if (folder == "" || folder == "folder" || folder ~ /^-+$/)
			return
		known[folder] = 1
		n = words(cells[3], w)
		for (i = 1; i <= n; i++)
			owner[w[i]] = folder
		n = words(cells[4], w)
		for (i = 1; i <= n; i++)
			may[folder, w[i]] = 1
		n = split(cells[5], rules, ";")
		for (i = 1; i <= n; i++)
			library_rule(folder, rules[i])
	}
	function allowed(folder, file, inc,    target) {
		if (inc ~ /^<perfrep\//) {
			target = owner[substr(inc, 10, length(inc) - 10)]
			return target != "" && (target == folder || target == "base" ||
						(folder, target) in may)
		}
		if (inc ~ /^"/) {
			inc = substr(inc, 2, length(inc) - 2)
			target = inc
			sub(/\/.*/, "", target)
			return target == folder || target == "base" || (folder, inc) in may ||
			       (folder, target "/*") in may
		}
		inc = substr(inc, 2, length(inc) - 2)
		return inc ~ libc || (file, inc) in lib
	}
	/^row\|/ { read_row($0); next }
	{
		split($0, part, ":")
		path = part[1]
		inc = $0
		if (!match(inc, /<[^>]*>|"[^"]*"/)) {
			print path ":" part[2] ": an #include that names no file"
			next
		}
		inc = substr(inc, RSTART, RLENGTH)
		file = path
		sub(/^src\//, "", file)
		folder = file
		sub(/\/.*/, "", folder)
		if (path ~ /^include\/perfrep\//) {
			folder = owner[substr(path, 17)]
			file = path
		}
		if (folder == "" || !(folder in known))
			print path ": belongs to no row of the table in ARCHITECTURE.md"
		else if (!allowed(folder, file, inc))
			print path ":" part[2] ": " folder " may not include " inc
	}'
}

# Each of these files must be told of; PATH INCLUDE.
violations='
src/base/low.c <perfrep/session.h>
src/base/up.c "perfdata/evlist.h"
src/perfdata/header.c <zstd.h>
src/view/wide.c <perfrep/reader.h>
src/view/deep.c "profile/priv.h"
src/profile/names.c <perfrep/symbolizer.h>
src/machine/elf.c <libelf.h>
src/symbol/other.c <libiberty/demangle.h>
src/stack/odd.c <boost/any.hpp>
src/nowhere/new.c <stdio.h>
include/perfrep/profile.h <perfrep/view.h>
include/perfrep/ownerless.h <stdio.h>
'
# And none of these.
fine='
src/base/fine.c <perfrep/err.h>
src/perfdata/compressed.c <zstd.h>
src/machine/fine.c <perfrep/record.h>
src/view/fine.c "view/column.h"
src/cli/fine.c "view/grid.h"
include/perfrep/view.h <perfrep/profile.h>
'

plant() {
	while read -r path include; do
		[ -n "$path" ] || continue
		mkdir -p "$1/$(dirname "$path")"
		echo "#include $include" >>"$1/$path"
	done
}

self_test() {
	local dir out missing=0
	dir=$(mktemp -d) || exit 99
	mkdir -p "$dir/src" "$dir/include"
	cp ARCHITECTURE.md "$dir"
	plant "$dir" <<<"$fine"
	out=$(check_tree "$dir")
	if [ -n "$out" ]; then
		echo "self test: nothing of this is a violation: $out"
		missing=1
	fi
	plant "$dir" <<<"$violations"
	out=$(check_tree "$dir")
	while read -r path include; do
		[ -n "$path" ] || continue
		grep -q "^$path:" <<<"$out" || {
			echo "self test: $path including $include was not noticed"
			missing=1
		}
	done <<<"$violations"
	rm -rf "$dir"
	return $missing
}

if ! grep -q '^| *`\?base' ARCHITECTURE.md; then
	echo "ARCHITECTURE.md has no table between its layering marks"
	exit 1
fi
bad=0
out=$(check_tree .)
if [ -n "$out" ]; then
	echo "$out"
	bad=1
fi
self_test || bad=1
exit $bad
