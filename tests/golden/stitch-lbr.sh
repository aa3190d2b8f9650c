# SPDX-License-Identifier: MIT
# Call stacks that the CPU recorded, in four registers; what perf script --stitch-lbr says of the
# same file was compared when it was made.
run perfrep fold $symfs --addrs testdata/calls-lbr.data
run perfrep fold $symfs --addrs --stitch-lbr testdata/calls-lbr.data
run perfrep fold $symfs --addrs --stitch-lbr --max-stack=3 testdata/calls-lbr.data
perfrep report $symfs --stitch-lbr testdata/calls-lbr.data | sed -n '/^quality/,/^ .*names/p'
