# SPDX-License-Identifier: MIT
# Flame graphs: what frames say and where they lie, without style and script.
frames() {
	perfrep flamegraph "$@" | sed -n -e '/<g id="f">/,/<script>/p' | sed '$d'
}

cat >small.folded <<'END'
app;main;parse;read 30
app;main;parse 10
app;main;send_[k] 20
app;</title><script>alert(1)</script>;a"b&c 5
END
cat >after.folded <<'END'
app;main;parse;read 300
app;main;parse 100
app;main;pack 220
END
cat >before.folded <<'END'
app;main;parse;read 300
app;main;parse 100
app;main;send 200
END
run frames small.folded
run frames --inverted --reverse --width=600 --min-width=10% small.folded
run frames --root=read --reverse small.folded
run frames --root=parse --colors=blue --countname=bytes --height=20 small.folded
run frames before.folded --diff after.folded
run frames before.folded --diff before.folded
run frames --weight=count --colors=module $symfs testdata/orders-fp.data --min-width=30%
run frames $symfs testdata/orders-fp.data --min-width=350
run frames testdata/events.data $symfs --min-width=300
run frames testdata/events.data $symfs --event=page-faults/period=10/u --min-width=300
run perfrep flamegraph --root=pars small.folded
run perfrep flamegraph --root=nothing small.folded
run perfrep flamegraph --colors=pink small.folded
run perfrep flamegraph --min-width=x small.folded
run perfrep flamegraph --width=1 small.folded
run perfrep flamegraph /dev/null
run perfrep flamegraph -o none/x.svg small.folded
run frames $symfs --flamechart --time=0%-2% --min-width=20 testdata/orders-fp.data
run frames $symfs --flamechart --time=10%-12% --tid=24511 --min-width=30 testdata/orders-fp.data
run perfrep flamegraph --flamechart small.folded
run perfrep flamegraph --flamechart --reverse testdata/orders-fp.data
run perfrep flamegraph --flamechart --event=off-cpu testdata/waits-sched.data
note 'by - and from a pipe, the same'
perfrep flamegraph small.folded --title=X >a.svg
perfrep flamegraph - --title=X <small.folded >b.svg
run cmp a.svg b.svg
