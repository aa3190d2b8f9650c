# SPDX-License-Identifier: MIT
run perfrep fold $symfs --marks --kallsyms=testdata/kernel.kallsyms testdata/kernel.data
run perfrep fold $symfs --pid --no-inline testdata/events.data
run perfrep fold $symfs --tid --no-inline testdata/events.data
run perfrep fold $symfs --addrs --no-inline testdata/events.data
run perfrep fold $symfs --event=page-faults testdata/events.data
run perfrep fold $symfs --no-demangle --no-inline testdata/orders-clang.data
run perfrep fold $symfs --event=nothing testdata/events.data
