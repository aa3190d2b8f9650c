# SPDX-License-Identifier: MIT
# A function's callers and callees.
run perfrep callers $symfs depth testdata/orders-fp.data
run perfrep callers $symfs book::add testdata/orders-fp.data
run perfrep callers $symfs no_such_function testdata/orders-fp.data
# of two events: ratios with the event that tells the time; as JSON with each
run perfrep callers $symfs main testdata/group.data
run perfrep callers $symfs --format=json spin testdata/events.data
# as fields, both directions deeper than one
run perfrep callers $symfs --depth=2 --format=csv book::walk testdata/orders-fp.data
