# SPDX-License-Identifier: MIT
# --timings: every step, as text and as JSON, on standard error and nothing else changed.
numbers() {
	sed -E 's/[0-9]+(\.[0-9]+)?/N/g; s/ +N/ N/g; s/^ +//'
}
for command in fold report symbols info flamegraph; do
	options="$symfs --no-cache"
	[ $command = info ] && options=
	perfrep $command $options testdata/orders-fp.data >plain
	perfrep $command $options --timings testdata/orders-fp.data >timed 2>times
	cmp plain timed
	note "$command: $(grep -cE '^  (open|scan|collapse|symbolize|judge|output|all) ' times) steps"
done
perfrep fold $symfs --no-cache --timings testdata/orders-fp.data 2>&1 >/dev/null | numbers
perfrep fold $symfs --no-cache --timings=json testdata/orders-fp.data 2>&1 >/dev/null | numbers
perfrep fold --timings testdata/stacks.folded 2>&1 >/dev/null | numbers
run perfrep fold --timings=xml testdata/orders-fp.data
