# SPDX-License-Identifier: MIT
# What is not perf stat's is an error with line and column, never a number.
bad() {
	note "$1"
	printf "$2" >bad
	run perfrep stat bad
}

bad "not a number" '5,,cycles,100,100.00,,\nnan,,instructions,100,100.00,,\n'
bad "negative" '5,,cycles,100,100.00,,\n     1.000000001,-7,,instructions,100,100.00,,\n'
bad "more than 64 bits" '5,,cycles,100,100.00,,\n18446744073709551616,,instructions,100,100.00,,\n'
bad "binary" '5,,cycles,100,100.00,,\n5,,cyc\0les,100,100.00,,\n'
bad "no percentage" '5,,cycles,100,100.00,,\n5,,cycles,100,400.00,,\n'
bad "JSON without an end" '{"counter-value" : "5", "event" : "cycles"}\n{"counter-value" : "5", "event" : "cycles"\n'
bad "JSON with a bad count" '{"counter-value" : "-5", "event" : "cycles"}\n'
bad "text" " Performance counter stats for 'x':\n\n   nan  cycles\n"
bad "text with too much" " Performance counter stats for 'x':\n\n   99,999,999,999,999,999,999  cycles\n"
bad "nothing" ''
bad "something else" 'hello\nworld, this is\n'
bad "only metrics" '{"metric-value" : "1.000000", "metric-unit" : "x"}\n'
bad "escape sequences" '5,,cycles\033[2J,100,100.00,,\n'
note "a long line"
head -c 70000 /dev/zero | tr '\0' 1 >bad
run perfrep stat bad
run perfrep stat nothing testdata/stat/walk.csv --format=csv
run perfrep stat --event-role wheels=x bad
run perfrep stat --mlp=0 bad
