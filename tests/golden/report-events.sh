# SPDX-License-Identifier: MIT
# Several events: a block for each, never added up; a group read gives each counter its weight.
run perfrep report $symfs testdata/events.data
run perfrep report $symfs testdata/group.data
