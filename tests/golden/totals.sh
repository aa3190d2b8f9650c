# SPDX-License-Identifier: MIT
# For every event of every recording, self over the rows is what info counted, in periods and in
# samples; and what perfrep itself checks holds.
table() {
	perfrep report $symfs --format=tsv --sort="$2" --verify "$1" 2>/dev/null |
		awk -F '\t' '
			NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
			{
				if (!($column["event"] in samples))
					order[++n] = $column["event"]
				samples[$column["event"]] += $column["self_samples"]
				weight[$column["event"]] += $column["self_weight"]
			}
			END { for (i = 1; i <= n; i++) print order[i], samples[order[i]], weight[order[i]] }'
}
counted() {
	perfrep info --format=json "$1" 2>/dev/null | awk '
		/^  "events"/ { on = 1 }
		/^  ]/ { on = 0 }
		on && /^      "(name|samples|period)"/ {
			sub(/^ *"[a-z]*": */, ""); sub(/,$/, ""); gsub(/"/, "")
			line = line (line == "" ? "" : " ") $0
			if (++n % 3 == 0) { print line; line = "" }
		}'
}
for name in orders-fp orders-clang orders-dwarf orders-z orders-dir orders-pipe words-fp \
	words-dwarf events group kernel killed; do
	counted testdata/$name.data >want
	for keys in sym dso,sym,srcline comm,tid,dso; do
		table testdata/$name.data $keys >got
		diff want got || echo "differs: $name --sort=$keys"
	done
	note "$name"
	cat want
done
