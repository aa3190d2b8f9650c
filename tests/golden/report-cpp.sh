# SPDX-License-Identifier: MIT
# C++ by gcc: templates, an anonymous namespace, recursion, three levels of inlining in the hottest
# function.  libc and libstdc++ are not there, so their frames are modules with a reason.
run perfrep report $symfs testdata/orders-fp.data
run perfrep $symfs --no-inline testdata/orders-fp.data
