#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# check-fields.sh: fields of tracepoints as compare-fields.py decodes them: of the recordings of
# testdata, and of those in the folder files of $PERFREP_CORPUS, if it is set, which have their
# truth next to them.
set -u
: "${PERFREP:?}" "${SRCDIR:?}"

command -v python3 >/dev/null || {
	echo "skipped: no python3"
	exit 77
}
files=("$SRCDIR"/testdata/waits-*.data)
if [ -d "${PERFREP_CORPUS:-}/files" ]; then
	for file in "$PERFREP_CORPUS"/files/*; do
		if [ -f "$file" ] && grep -qE 'TRACING_DATA|\|RAW|"RAW' \
			"$PERFREP_CORPUS/truth/$(basename "$file" .perf.data)/check.json"; then
			files+=("$file")
		fi
	done
else
	echo "skipped: recordings of others, since PERFREP_CORPUS names no folder"
fi
python3 "$SRCDIR/tests/compare-fields.py" "$PERFREP" "${files[@]}"
