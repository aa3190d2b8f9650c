#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# check-difffolded.sh: perfrep diff --format=folded against the rules in difffolded.py.
set -u
perfrep=${PERFREP:-${BUILDDIR:-.}/perfrep}
src=${SRCDIR:-.}
command -v python3 >/dev/null || { echo "python3 is missing"; exit 77; }
dir=$(mktemp -d) || exit 99
trap 'rm -rf "$dir"' EXIT

"$perfrep" fold --symfs="$src/testdata/symfs" "$src/testdata/orders-fp.data" >"$dir/fp" 2>/dev/null
"$perfrep" fold --symfs="$src/testdata/symfs" "$src/testdata/words-fp.data" >"$dir/words" 2>/dev/null
cat >"$dir/odd" <<'END'
a;b 10
a;b  5
a;b	7

no count
<alloc::string::String as core::fmt::Write>::write_str;f 3
read;0xffffffff81a0;0x1F 2
read;0xffffffff81b0;0x2e 4
x -3
 9
c 1.5
d 007
END
cat >"$dir/odd2" <<'END'
a;b 100
read;0xdeadbeef;0x0 18446744073
e 2.
f .5
END
failed=0
for pair in "fp words" "fp odd" "odd odd2" "words $src/testdata/stacks.folded"; do
	set -- $pair
	case $2 in /*) b=$2 ;; *) b=$dir/$2; [ -e "$b" ] || b=$2 ;; esac
	python3 "$src/tests/difffolded.py" "$perfrep" "$dir/$1" "$b" || failed=1
done
# it can fail
sed 's/^a;b 10$/a;b 11/' "$dir/odd" >"$dir/other"
fake=$dir/fake
printf '#!/bin/sh\nexec "%s" "$@" | sed "s/ 5 / 6 /"\n' "$perfrep" >"$fake"
chmod +x "$fake"
if python3 "$src/tests/difffolded.py" "$fake" "$dir/odd" "$dir/other" >/dev/null; then
	echo "a wrong count was not noticed"
	failed=1
fi
exit $failed
