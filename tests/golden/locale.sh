# SPDX-License-Identifier: MIT
# The same bytes in a locale with another decimal point and order of letters.
locale -a 2>/dev/null | grep -qi '^de_DE\.utf-\?8$' ||
	skip "the locale de_DE.UTF-8 is not there: localedef -i de_DE -f UTF-8 de_DE.UTF-8"
same() {
	LC_ALL=C perfrep "$@" >c 2>&1 || true
	LC_ALL=de_DE.UTF-8 perfrep "$@" >de 2>&1 || true
	cmp c de || echo "differs: $*"
}
for name in orders-fp orders-clang orders-dwarf orders-z orders-dir orders-pipe words-fp \
	words-dwarf events group kernel killed; do
	same report $symfs testdata/$name.data
	same report $symfs --format=csv testdata/$name.data
	same report $symfs --format=json testdata/$name.data
	same fold $symfs testdata/$name.data
	same info testdata/$name.data
	same info --format=json testdata/$name.data
	note "$name: compared in C and de_DE.UTF-8"
done
same report testdata/stacks.folded
