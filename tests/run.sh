#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# run.sh TEST.sh: one test of make check.
#
# A script of tests/golden runs in a directory of its own, in the C locale, with a link to
# testdata/ and without the caller's symbol caches; what it prints must be NAME.out to the byte.
# It skips itself with status 77.  BLESS=1 writes NAME.out instead (make bless).
# Any other script tells by its exit status alone.
set -u
test=$(realpath "$1") || exit 99
: "${PERFREP:?}" "${SRCDIR:?}"

case $test in
*/golden/*) ;;
*) exec bash "$test" ;;
esac

name=$(basename "$test" .sh)
want=${test%.sh}.out
dir=$(mktemp -d "${TMPDIR:-/tmp}/perfrep-$name.XXXXXX") || exit 99
trap 'rm -rf "$dir"' EXIT

mkdir "$dir/work"
ln -s "$SRCDIR/testdata" "$dir/work/testdata"
unset XDG_CACHE_HOME LANG LANGUAGE PERF_CONFIG PERF_BUILDID_DIR DEBUGINFOD_URLS
export LC_ALL=C TZ=UTC COLUMNS=100 HOME="$dir"

(cd "$dir/work" && exec bash -eu -c '. "$0"; . "$1"' "$SRCDIR/tests/golden/lib.bash" "$test") \
	>"$dir/out" 2>"$dir/err" </dev/null
rc=$?
if [ $rc -eq 77 ]; then
	echo "skipped: $name: $(cat "$dir/err")"
	exit 77
fi
if [ $rc -ne 0 ] || [ -s "$dir/err" ]; then
	echo "$name: the test script itself failed (status $rc):"
	cat "$dir/err"
	exit 99
fi

if [ "${BLESS:-}" = 1 ]; then
	cmp -s "$dir/out" "$want" || { cp "$dir/out" "$want" && echo "wrote $want"; }
	exit
fi
if [ ! -e "$want" ]; then
	echo "$name: $want is missing; make bless writes it"
	exit 1
fi
diff -u --label "$name.out (expected)" --label "$name (got)" "$want" "$dir/out" && exit 0
echo
echo "run it again:      make check TESTS=tests/golden/$name.sh"
echo "if this is right:  make bless && git diff tests/golden"
exit 1
