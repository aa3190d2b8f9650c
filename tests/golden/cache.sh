# SPDX-License-Identifier: MIT
# The same bytes without a cache of names, with a cold one, a warm one, and one that somebody
# damaged or got hold of; runs at the same time; nothing for others to read.
cache=$HOME/.cache/perfrep

outputs() {
	local name

	for name in orders-fp orders-clang orders-dwarf words-fp events kernel; do
		perfrep report $symfs "$@" testdata/$name.data 2>&1
		perfrep report $symfs "$@" --sort=sym,srcline testdata/$name.data 2>&1
		perfrep fold $symfs "$@" testdata/$name.data 2>&1
	done
}
same() {
	cmp expected "$2" && note "$1: the same"
}
# used WHAT: addresses of orders-fp that came from the cache, of how many.
used() {
	perfrep fold $symfs --timings testdata/orders-fp.data 2>&1 >/dev/null |
		sed -n "s/^symbols */$1: /p" | sed 's/; .*//'
}

outputs --no-cache >expected
[ -e "$cache" ] && note "--no-cache made a cache"
outputs >cold && same cold cold
stat -c '# %A %n' "$cache" | sed "s|$HOME|~|"
find "$cache" -type f ! -perm 600 -printf '# %m %f\n'
outputs >warm && same warm warm
used warm

for file in "$cache"/*; do
	truncate -s -1 "$file"
done
used 'one byte cut off'
used 'written anew'
for file in "$cache"/*; do
	printf X | dd of="$file" bs=1 seek=400 conv=notrunc status=none
done
used 'one byte changed'
for file in "$cache"/*; do
	: >"$file"
done
outputs >empty && same 'empty files' empty

# what others can write to is not used
chmod 777 "$cache"
outputs >shared && same 'writable for all' shared
used 'writable for all'
chmod 700 "$cache"
chmod 666 "$cache"/*
used 'files writable for all'
rm -rf "$cache" && mkdir elsewhere && ln -s "$PWD/elsewhere" "$cache"
outputs >linked && same 'a link' linked
note "written behind the link: $(ls elsewhere | wc -l) files"

rm "$cache"
for i in 1 2 3 4; do
	outputs >together.$i &
done
wait
for i in 1 2 3 4; do
	same "together $i" together.$i
done
note "left over: $(ls "$cache" | grep -vcE '^[0-9a-f]{32}\.sym$')"
used 'together'

# ten find no directory at the same time
rm -rf "$cache"
perfrep fold $symfs --no-cache testdata/orders-clang.data >expected 2>&1
for ((i = 0; i < 10; i++)); do
	perfrep fold $symfs testdata/orders-clang.data >first.$i 2>&1 &
done
wait
alike=0
for ((i = 0; i < 10; i++)); do
	cmp expected first.$i && alike=$((alike + 1))
done
note "ten at once: $alike the same"
note "left over: $(ls "$cache" | grep -vcE '^[0-9a-f]{32}\.sym$')"
