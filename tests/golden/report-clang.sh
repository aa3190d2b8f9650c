# SPDX-License-Identifier: MIT
# The same program by clang: DWARF without .debug_aranges.
run perfrep report $symfs testdata/orders-clang.data
