# SPDX-License-Identifier: MIT
# What the README shows is what the program prints: each console block there is run again.
awk '/^```console$/ { on = 1; next } /^```$/ { on = 0 } on' "$SRCDIR/README.md" >want
while IFS= read -r line; do
	case $line in
	'$ ./perfrep '*)
		echo "$line"
		bash -c "perfrep() { '$PERFREP' \"\$@\"; }; ${line#\$ ./}" 2>&1
		;;
	esac
done <want >got
diff -u --label README.md --label "what is printed" want got || true
note "$(grep -c '^\$' want) commands"
