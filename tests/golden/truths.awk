# SPDX-License-Identifier: MIT
# Judges folded stacks of testdata/src/truths.cpp: its functions t_* have one true stack each.
#
#	perfrep fold --no-inline --weight=count FILE | awk -f truths.awk [-v brief=1]
#
# Frames of libraries are one "~", however many.  A stack is whole and right, or marked [truncated] and
# right as far as it goes, or wrong.  One line for each function, or with brief=1 those that have
# marked stacks, and the sums.

# A true stack, and all its inner parts.
function add(stack,    i)
{
	truth[stack] = 1
	while ((i = index(stack, ";"))) {
		stack = substr(stack, i + 1)
		inner[stack] = 1
	}
}

function add_main(stack)
{
	add("_start;~;main;" stack)
}

BEGIN {
	add("_start;~;main")
	s = "t_recursion"
	add_main(s)
	for (i = 1; i <= 40; i++)
		add_main(s = s ";t_recurse")
	add_main(s ";t_spin_recursion")
	s = "t_deeper"
	add_main(s)
	for (i = 1; i <= 100; i++) {
		add_main(s = s ";t_deep")
		if (i % 20 == 0)
			add_main(s ";t_spin_deep" i)
	}
	n = split("t_bigger;t_big;t_spin_big t_alloca;t_spin_alloca t_aligned;t_spin_aligned " \
		"t_turns;t_turn_a;t_turn;t_spin_turn_near t_turns;t_turn_b;t_turn;t_spin_turn_near " \
		"t_turns;t_turn_a;t_turn;t_turn_far;t_spin_turn_far " \
		"t_turns;t_turn_b;t_turn;t_turn_far;t_spin_turn_far " \
		"t_edges;t_spin_edges t_tail_outer;t_tail t_tail_outer;t_spin_tail " \
		"t_framed;t_without_cfi;t_spin_framed t_bare_outer;t_bare;t_without_all;t_spin_bare " \
		"t_signal;~;t_handler;t_spin_signal t_alternate;t_spin_interrupted " \
		"t_alternate;t_spin_interrupted;~;t_on_alternate;t_spin_alternate " \
		"t_alternate;~;t_on_alternate;t_spin_alternate t_exceptions;t_guarded;t_throw " \
		"t_exceptions;t_guarded;t_cleanup;t_spin_cleanup t_exceptions;t_spin_catch " \
		"t_sort;~;t_compare;t_spin_compare t_clock t_linkage;t_in_library " \
		"t_linkage;t_in_library@plt t_coroutines", list, " ")
	for (i = 1; i <= n; i++)
		for (s = list[i]; s != ""; sub(/;?[^;]*$/, "", s))
			add_main(s)
	add(s = "~;t_thread")
	for (i = 0; i < 6; i++)
		add(s = s ";t_work")
	add(s ";t_spin_thread")
	add("~;t_coroutine")
	add("~;t_coroutine;t_spin_coroutine")
}

{
	count = $NF
	line = $0
	sub(/ [0-9]+$/, "", line)
	n = split(line, frame, ";")
	stack = last = ""
	cut = frame[2] == "[truncated]"
	for (i = 2 + cut; i <= n; i++) {
		f = frame[i]
		sub(/\.cold$/, "", f)
		if (f ~ /^\[unknown\]|^0x/)
			f = "?"
		else if (f !~ /^(t_|main$)/ && !(i == 2 && f == "_start"))
			f = "~"
		if (f == "~" && last == "~")
			continue
		stack = stack (stack == "" ? "" : ";") f
		last = f
	}
	sub(/;~$/, "", stack)
	innermost = stack
	sub(/.*;/, "", innermost)
	if (innermost == "~" || innermost == "_start") # before main, after it, between
		next
	seen[innermost] = 1
	if (!cut && stack in truth) {
		whole[innermost] += count
	} else if (cut && (stack in inner || stack in truth)) {
		marked[innermost] += count
	} else {
		wrong[innermost] += count
		print "wrong: " line
	}
}

END {
	for (f in seen) {
		sum_whole += whole[f]
		sum_marked += marked[f]
		sum_wrong += wrong[f]
		if (!brief)
			printf "%-20s %3d whole %3d marked %d wrong\n", f, whole[f], marked[f],
				wrong[f] | "sort"
		else if (f ~ /^t_spin/ && marked[f])
			print "marked: " f | "sort"
	}
	close("sort")
	spins = 0
	for (f in seen)
		spins += f ~ /^t_spin/
	if (brief)
		printf "%d situations, %s whole, %d wrong\n", spins, sum_whole ? "some" : "none", sum_wrong
	else
		printf "%d situations: %d whole, %d marked, %d wrong\n", spins, sum_whole, sum_marked,
			sum_wrong
}
