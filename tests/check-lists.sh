#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Every source and test in the tree is named in Makefile.am, and every golden test has its output.
set -u
cd "${SRCDIR:-.}" || exit 99
bad=0

while read -r f; do
	# A program may be listed instead of its one source.
	if ! grep -qE "(^|[[:space:]])$(sed 's/\.c$/(.c)?/' <<<"$f")([[:space:]]|\$)" Makefile.am; then
		echo "$f is in no list of Makefile.am"
		bad=1
	fi
done < <(find include src fuzz tests docs -name '*.[ch]' -o -path 'docs/*.1' \
	-o -path 'tests/golden/*.sh' -o -path 'tests/check-*.sh' | sort)

for f in tests/golden/*.out; do
	if [ -e "$f" ] && [ ! -e "${f%.out}.sh" ]; then
		echo "$f belongs to no test"
		bad=1
	fi
done

while read -r f; do
	echo "$f has no SPDX line"
	bad=1
done < <(grep -rL --include='*.[ch]' --include='*.m4' --include='*.sh' --include='*.cpp' \
	'SPDX-License-Identifier: MIT' include src fuzz tests bench m4)
exit $bad
