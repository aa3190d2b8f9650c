# SPDX-License-Identifier: MIT
# Call trees from the outermost frame inwards and from the hot function outwards.
run perfrep report $symfs -g caller --no-children --percent-limit 5 testdata/orders-fp.data
run perfrep report $symfs -g callee --no-children --percent-limit 5 testdata/orders-fp.data
run perfrep report $symfs -g caller,2 --format=tsv testdata/orders-fp.data
