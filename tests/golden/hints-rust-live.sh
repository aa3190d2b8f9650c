# SPDX-License-Identifier: MIT
# As hints-live.sh, with a Rust program.
for tool in perf rustc; do
	command -v $tool >/dev/null || skip "$tool is not there"
done
# rustup finds its compilers in the home directory, which is another one here
home=$(getent passwd "$(id -un)" | cut -d: -f6)
[ -z "${RUSTUP_HOME-}" ] && [ -d "$home/.rustup" ] && export RUSTUP_HOME=$home/.rustup
rustc -O -g -o hints "$SRCDIR/testdata/src/hints.rs" 2>rustc.log ||
	skip "rustc does not work here: $(tail -n 1 rustc.log)"

for name in allocation hashing tree-search list-walk formatting parsing copying sorting locking exceptions \
	reference-counting clock-reading; do
	perf record -q -N -e task-clock:u -c 1000000 --call-graph dwarf,16384 -o $name.data ./hints $name \
		>record.log 2>&1 || skip "perf record does not work here: $(tail -n 1 record.log)"
	perfrep report -q --format=json $name.data >$name.json
	awk -v name=$name '
		/"hints":/ { inside = 1 }
		/"table":/ { inside = 0 }
		inside && /"name":/ { split($0, part, "\""); hint = part[4]; seen = 0 }
		inside && /"sym":/ && !seen++ && hint == name { split($0, part, "\""); print name ", " part[4] }
	' $name.json
done
