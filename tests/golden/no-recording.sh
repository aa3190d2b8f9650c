# SPDX-License-Identifier: MIT
run perfrep report nothing.data
: >empty.data
run perfrep report empty.data
run perfrep info empty.data
run perfrep dump empty.data
echo 'not a recording' >text.data
run perfrep report text.data
mkdir empty-directory
run perfrep report empty-directory
run perfrep report testdata/symfs/opt/perfrep-demo/bin/faults
