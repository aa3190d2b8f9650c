#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# check-flamegraph.sh: frames of flame graphs lie where flamegraph.pl's rules put them.
# FOLDED_FILES: more files to try.
set -eu
command -v python3 >/dev/null || { echo "skipped: no python3"; exit 77; }
# shellcheck disable=SC2086
python3 "$SRCDIR/tests/flamegraph-rules.py" "$PERFREP" "$SRCDIR/testdata/stacks.folded" ${FOLDED_FILES-}
