#!/bin/sh
# SPDX-License-Identifier: MIT
# embed.sh DIR: a header that holds flamegraph.css and flamegraph.js of DIR as strings, without
# their comments, indentation and empty lines.
set -eu

# A line of text as a line of a C string.
string() {
	printf 'static const char %s[] =\n' "$1"
	sed -e 's/^[	 ]*//' -e '/^$/d' -e '/^\/\//d' -e '/^\/\*.*\*\/$/d' \
		-e 's/[\\"]/\\&/g' -e 's/.*/	"&\\n"/' "$2"
	printf '	;\n'
}

printf '/* SPDX-License-Identifier: MIT */\n'
printf '/* Made by embed.sh from flamegraph.css and flamegraph.js. */\n'
string flamegraph_css "$1/flamegraph.css"
string flamegraph_js "$1/flamegraph.js"
