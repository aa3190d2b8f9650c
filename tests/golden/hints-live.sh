# SPDX-License-Identifier: MIT
# A program that spends its time in what a hint is about gets that hint, and the function of its
# own that is responsible is named; a program that does nothing of the kind gets none.
for tool in perf g++; do
	command -v $tool >/dev/null || skip "$tool is not there"
done
g++ -std=c++17 -O2 -g -fno-omit-frame-pointer -pthread -o hints "$SRCDIR/testdata/src/hints.cpp"

# judge NAME: the first own function of the hint NAME; for "nothing" all hints that there are.
judge() {
	local name=$1

	perf record -q -N -e task-clock:u -c 1000000 --call-graph dwarf,16384 -o "$name.data" ./hints "$name" \
		>record.log 2>&1 || skip "perf record does not work here: $(tail -n 1 record.log)"
	perfrep report -q --format=json "$name.data" >"$name.json"
	awk -v name="$name" '
		/"hints":/ { inside = 1 }
		/"table":/ { inside = 0 }
		inside && /"name":/ { split($0, part, "\""); hint = part[4]; seen = 0 }
		inside && /"sym":/ && !seen++ {
			split($0, part, "\"")
			if (name == "nothing" || hint == name)
				print name ": " hint ", " part[4]
		}
		END { if (name == "nothing") print "nothing else" }
	' "$name.json"
}

judge nothing
for name in allocation hashing hash-table tree-search formatting parsing regular-expressions copying memory-clearing \
	string-comparing sorting locking exceptions reference-counting clock-reading random-numbers dynamic-casts mathematics \
	dynamic-linking; do
	judge $name
done
