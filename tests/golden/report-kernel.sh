# SPDX-License-Identifier: MIT
# Kernel frames, with the recorded machine's symbols and without.
run perfrep report $symfs --kallsyms=testdata/kernel.kallsyms testdata/kernel.data
run perfrep report $symfs testdata/kernel.data
