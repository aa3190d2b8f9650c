# SPDX-License-Identifier: MIT
for name in orders-z orders-pipe group kernel; do
	run perfrep info --format=json testdata/$name.data
done
