#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Frames of the programs in testdata/, inlined ones too, are what llvm-symbolizer and eu-addr2line
# can tell; at addresses that a fixed seed chooses.
set -u
for tool in python3 llvm-symbolizer readelf; do
	if ! command -v $tool >/dev/null; then
		echo "skipped: $tool is missing"
		exit 77
	fi
done
exec python3 "${SRCDIR:-.}/tests/compare-symbolizers.py" "${BUILDDIR:-.}/tests/unit/dwarf_dump" \
	-n 3000 -s 1 -v 5 "${SRCDIR:-.}"/testdata/symfs/opt/perfrep-demo/bin/*
