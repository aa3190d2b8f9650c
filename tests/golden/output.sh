# SPDX-License-Identifier: MIT
# Output that cannot be written is status 2; colour only when asked for.
full() {
	perfrep report $symfs testdata/orders-fp.data >/dev/full
}
run full
run perfrep fold $symfs -o nowhere/x testdata/orders-fp.data
run perfrep fold $symfs -o stacks testdata/orders-clang.data
perfrep fold $symfs testdata/orders-clang.data | cmp - stacks && note "-o wrote the same"
coloured() {
	perfrep report $symfs --color="$1" testdata/orders-fp.data | grep -c $'\033' || true
}
[ "$(coloured always)" -gt 0 ] && note "--color=always colours"
run coloured never
run coloured auto
