# SPDX-License-Identifier: MIT
# Which files gave names, and why others did not.
run perfrep symbols $symfs testdata/orders-fp.data
run perfrep symbols $symfs testdata/words-fp.data
run perfrep symbols --symfs=testdata testdata/orders-fp.data
run perfrep symbols --search-dir=testdata/symfs/opt/perfrep-demo/bin --symfs=testdata testdata/orders-fp.data
