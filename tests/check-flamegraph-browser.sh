#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# check-flamegraph-browser.sh: a flame graph in Chromium zooms, searches and so on, without a word
# from its script, and hostile names stay text.
set -eu
command -v python3 >/dev/null || { echo "skipped: no python3"; exit 77; }
for browser in chromium chromium-browser google-chrome google-chrome-stable none; do
	command -v $browser >/dev/null && break
done
[ $browser != none ] || { echo "skipped: no chromium"; exit 77; }
PYTHONDONTWRITEBYTECODE=1 python3 "$SRCDIR/tests/browser/flamegraph.py" "$PERFREP"
