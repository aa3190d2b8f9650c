# SPDX-License-Identifier: MIT
run perfrep info testdata/orders-fp.data
run perfrep info testdata/events.data
run perfrep info testdata/orders-dir.data
run perfrep info testdata/killed.data
