# SPDX-License-Identifier: MIT
# Rust: the hot code is the standard library's hasher, inlined; v0 names.
run perfrep report $symfs testdata/words-fp.data
