# SPDX-License-Identifier: MIT
# By self or by total, limits, weights.
run perfrep report $symfs --children testdata/orders-fp.data
run perfrep report $symfs --no-children testdata/orders-fp.data
run perfrep report $symfs --percent-limit 20 testdata/orders-fp.data
run perfrep report $symfs --limit 2 testdata/orders-fp.data
run perfrep report $symfs --weight=count --format=csv testdata/group.data
run perfrep report $symfs --weight=period --format=csv testdata/group.data
