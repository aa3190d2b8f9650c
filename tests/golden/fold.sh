# SPDX-License-Identifier: MIT
# One line a stack, root first; no frame lost, no template cut.
run perfrep fold $symfs testdata/orders-dwarf.data
run perfrep fold $symfs --no-inline testdata/words-fp.data
run perfrep fold $symfs --weight=count --no-inline testdata/orders-z.data
