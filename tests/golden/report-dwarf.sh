# SPDX-License-Identifier: MIT
# Stack dumps of programs without frame pointers.
run perfrep report $symfs testdata/orders-dwarf.data
run perfrep report $symfs testdata/words-dwarf.data
