# SPDX-License-Identifier: MIT
# Folded text is read into the same profile; lines that are none are counted.
run perfrep report testdata/stacks.folded
from_pipe() {
	cat "$1" | perfrep report --format=csv -
}
run from_pipe testdata/stacks.folded
run perfrep fold testdata/stacks.folded
run perfrep callers walk testdata/stacks.folded
# names of hundreds of characters, at a width and without one
inner="$(printf 'core::iter::adapters::map::Map<%.0s' 1 2 3 4 5 6)u8$(printf ', book::load::{{closure}}>%.0s' 1 2 3 4 5 6)"
long="<alloc::collections::btree::map::BTreeMap<K,V,A> as core::iter::Extend<(K,V)>>::extend::<$inner>"
printf 'prog;main;std::vector<%s>::push_back;%s 70\nprog;main;short 30\n' "$long" "$long" >long.folded
printf 'prog;main;%s 40\nprog;main;short 60\n' "$long" >longer.folded
run perfrep report --width=80 long.folded
run perfrep diff --width=80 long.folded longer.folded
run perfrep report --limit=1 --no-hints long.folded
