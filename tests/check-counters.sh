#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# check-counters.sh: totals of events, and the ratios made of them (IPC, branch misses, LLC misses), of
# recordings with hardware counters against those that perf script's periods add up to: in the folder
# files of $PERFREP_CORPUS, with truth/NAME/counts.json.
set -u
: "${PERFREP:?}" "${SRCDIR:?}"

command -v python3 >/dev/null || {
	echo "skipped: no python3"
	exit 77
}
if [ ! -d "${PERFREP_CORPUS:-}/files" ]; then
	echo "skipped: PERFREP_CORPUS names no folder with recordings of hardware counters"
	exit 77
fi
python3 "$SRCDIR/tests/compare-counters.py" "$PERFREP" "$PERFREP_CORPUS"
