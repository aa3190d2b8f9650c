# SPDX-License-Identifier: MIT
"""flamegraph.py PERFREP: a flame graph in a browser does what it should when it is touched."""
import math
import os
import subprocess
import sys
import tempfile

from chromium import Page

HOSTILE = "</title><script>alert(1)</script>"
MORE_HOSTILE = ["]]><script>alert(2)</script>", "\"'&<b>&amp;", "\x1b[31mred", "javascript:alert(3)",
                "a‮b", "\xff", "--><!--", "</style></svg>"]
FOLDED = "\n".join([
    "app;main;parse;read 30", "app;main;parse;skip 10", "app;main;std::vector<int>::push_back(int&&) 40",
    f"app;main;{HOSTILE} 8", f"app;main;parse_{HOSTILE} 2", "app;main 10",
    *(f"hostile;{name} 1" for name in MORE_HOSTILE)]).encode("utf-8", "surrogateescape") + b"\nhostile;\xff\xfe 1\n"
TOTAL = 109

HELPERS = """
const name = r => { const t = r.firstChild.textContent.split('\\n')[0]; return t.slice(0, t.lastIndexOf(' (')); };
const frames = () => [...document.querySelectorAll('#f rect')];
window.frame = n => frames().find(r => name(r) === n);
window.middle = n => { const b = frame(n).getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2, b.width]; };
window.content = id => document.getElementById(id).textContent;
window.labels = () => [...document.querySelectorAll('#t text')].map(t => t.textContent);
window.marked = c => frames().filter(r => r.classList.contains(c)).map(name);
"""

checks = 0


def margin(p):
    """Half of Wilson's 95 % interval, in percent, rounded up."""
    z = 1.959963984540054
    half = z * math.sqrt(p * (1 - p) / TOTAL + z * z / (4 * TOTAL * TOTAL)) / (1 + z * z / TOTAL)
    return f"{math.ceil(10000 * half) / 100:.2f}"


def same(what, got, want):
    global checks
    checks += 1
    assert got == want, f"{what}: got {got!r}, wanted {want!r}"


def near(what, got, want, by=1.0):
    global checks
    checks += 1
    assert abs(got - want) <= by, f"{what}: got {got}, wanted about {want}"


def click(page, frame):
    x, y, _ = page.run(f"middle({frame!r})")
    page.mouse(x, y)


def test_reading(page):
    x, y, width = page.run("middle('parse')")
    near("width of parse", width, 980 * 40 / TOTAL)
    page.mouse(x, y, click=False)
    same("details", page.run("content('details')"), f"parse (40 samples, 36.70% ±{margin(40 / TOTAL)})")
    same("tooltip", page.run("frame('main').firstChild.textContent"),
         f"main (100 samples, 91.74% ±{margin(100 / TOTAL)})\nself 9.17%")
    page.mouse(500, 5, click=False)
    same("no details", page.run("content('details')"), "")


def test_zoom(page):
    click(page, "parse")
    near("zoomed width", page.run("middle('parse')")[2], 980)
    near("its callee", page.run("middle('read')")[2], 980 * 30 / 40)
    same("faded callers", page.run("marked('p')"), ["all", "app", "main"])
    same("labels of the view", page.run("labels()"), ["all", "app", "main", "parse", "read", "skip"])
    same("fragment", page.run("location.hash"), "#zoom=" + str(page.run("[...document.querySelectorAll('#f rect')].indexOf(frame('parse'))")))
    page.run("document.getElementById('reset').dispatchEvent(new MouseEvent('click', {bubbles: true}))")
    page.settle()
    near("width after reset", page.run("middle('parse')")[2], 980 * 40 / TOTAL)
    same("fragment after reset", page.run("location.hash"), "")
    click(page, "main")
    page.run("history.back()")
    page.run("new Promise(r => setTimeout(r, 200))")
    near("width after going back", page.run("middle('parse')")[2], 980 * 40 / TOTAL)


def test_search(page):
    page.key("/")
    same("the field has the focus", page.run("document.activeElement.localName"), "input")
    page.type("parse|read")
    same("matched share", page.run("content('matched')"), f"Matched: {100 * 42 / TOTAL:.2f}% · 3 frames")
    same("marked", page.run("marked('m')"), ["parse", "read", "parse_" + HOSTILE])
    page.key("Enter")
    same("first match is selected", page.run("marked('s')"), ["parse"])
    page.key("n")
    same("second match is selected", page.run("marked('s')"), ["read"])
    click(page, "main")
    same("share of the view", page.run("content('matched')"),
         f"Matched: {100 * 42 / TOTAL:.2f}% · 3 frames · 42.00% of the view")
    for _ in range(3):
        page.key("Escape")
    same("nothing is left of it", page.run("[marked('m').length, marked('s').length, content('matched'), location.hash]"),
         [0, 0, "", ""])
    page.key("/")
    page.type("[")
    same("no regular expression", page.run("content('matched')").split(" · ")[1], "1 frame")
    page.key("Escape")
    page.key("/")
    page.type("PARSE")
    same("capitals are meant", page.run("marked('m')"), [])
    page.key("Escape")


def test_keyboard(page):
    click(page, "all")
    page.mouse(500, 5, click=False)
    page.key("ArrowUp")
    same("starts at all", page.run("marked('s')"), ["all"])
    for _ in range(3):
        page.key("ArrowUp")
    same("up is inwards, the widest first", page.run("marked('s')"), ["parse"])
    page.key("ArrowRight")
    same("right", page.run("marked('s')"), ["parse_" + HOSTILE])
    page.key("ArrowLeft")
    page.key("Enter")
    near("Enter zooms", page.run("middle('parse')")[2], 980)
    page.key("Backspace")
    near("Backspace goes out", page.run("middle('main')")[2], 980)
    page.key("ArrowDown")
    same("down is outwards", page.run("marked('s')"), ["main"])
    page.key("Escape")
    page.key("Escape")
    near("Escape resets", page.run("middle('app')")[2], 980 * 100 / TOTAL)
    page.key("?")
    assert "search" in page.run("content('details')")


def test_hostile(page):
    same("stays text", page.run(f"frame({HOSTILE!r}) !== undefined"), True)
    same("scripts", page.run("document.querySelectorAll('script').length"), 1)
    same("tags", page.run("[...new Set([...document.querySelectorAll('*')].map(e => e.localName))].sort().join(' ')").replace(" foreignObject input", ""),
         "clipPath g rect script style svg text title")
    same("controls are visible", page.run("[frame('\\\\x1b[31mred') !== undefined, frame('a\\\\u{202e}b') !== undefined]"), [True, True])


def permalink(url):
    with Page(1000, 700) as page:
        page.open(url + "#zoom=3&search=rea.")
        page.run(HELPERS)
        same("search of a link", page.run("marked('m')"), ["read"])
        near("zoom of a link", page.run("document.querySelectorAll('#f rect')[3].getBoundingClientRect().width"), 980)
        same("errors", page.errors, [])
        page.call("Emulation.setDeviceMetricsOverride", width=600, height=700, deviceScaleFactor=1, mobile=False)
        page.settle()
        near("follows the window", page.run("document.querySelectorAll('#f rect')[3].getBoundingClientRect().width"), 580)


def without_script(url):
    with Page(1300, 700, script=False) as page:
        page.open(url)
        same("the script did not run", page.run("document.documentElement.getAttribute('width')"), "1200")
        labels = page.run("[...document.querySelectorAll('#t text')].map(t => t.textContent)")
        same("labels", labels[:9], ["all", "app", "main", "alert", "parse", "read", "skip", "std::vector<int>::push_back(int&&)", "hostile"])


def draw(perfrep, directory, name, text, *options):
    source, svg = (os.path.join(directory, name + end) for end in (".folded", ".svg"))
    with open(source, "wb") as f:
        f.write(text)
    subprocess.run([perfrep, "flamegraph", "-q", "-o", svg, *options, source], check=True)
    return "file://" + svg


def big(perfrep, directory):
    """100,000 frames, of which the narrow ones are not drawn."""
    lines = [f"app;main;f{i % 7};g{i % 301};h{i} {1 + 7919 * i % 50}" for i in range(97000)]
    url = draw(perfrep, directory, "big", "\n".join(lines).encode())
    with Page(1200, 800) as page:
        page.open("about:blank")
        seconds = page.open(url)
        page.settle()
        same("errors", page.errors, [])
        assert seconds < 5, f"opening took {seconds:.1f} s"  # a loaded machine is no reason to fail
        return seconds


def chart(perfrep, directory):
    """Lanes: callers end at the thread, and matches count in each of them."""
    source = os.path.join(os.path.dirname(__file__), "../../testdata")
    svg = os.path.join(directory, "chart.svg")
    subprocess.run([perfrep, "flamegraph", "--flamechart", "--symfs=" + source + "/symfs", source + "/orders-fp.data", "-o", svg], check=True)
    with Page(1000, 700) as page:
        page.open("file://" + svg)
        page.run(HELPERS)
        lanes = page.run("marked('l')")
        same("lanes", lanes, ["orders 24509", "orders 24511"])
        last = page.run("frames().length - 1")
        same("errors", page.errors, [])
    # another page: a fragment alone loads nothing
    with Page(1000, 700) as page:
        page.open("file://" + svg + f"#zoom={last}&search=^orders")
        page.run(HELPERS)
        same("faded: its own thread, once", page.run("marked('p').filter(n => n.startsWith('orders '))"), ["orders 24511"])
        same("and all", page.run("marked('p').filter(n => n === 'all')"), ["all"])
        share = page.run("(frame('orders 24509').width.baseVal.value + frame('orders 24511').width.baseVal.value) / 2 / frame('all').width.baseVal.value")
        near("share of both lanes", float(page.run("content('matched')").split(" ")[1].rstrip("%")), 100 * share, 0.02)
        same("errors", page.errors, [])


def main():
    perfrep = sys.argv[1]
    with tempfile.TemporaryDirectory(prefix="perfrep-flame.") as directory:
        url = draw(perfrep, directory, "small", FOLDED)
        with Page(1000, 700) as page:
            page.open(url)
            page.run(HELPERS)
            for test in (test_reading, test_zoom, test_search, test_keyboard, test_hostile):
                test(page)
            same("errors", page.errors, [])
            same("dialogs", page.dialogs, [])
        permalink(url)
        without_script(url)
        chart(perfrep, directory)
        seconds = big(perfrep, directory)
    print(f"{checks} checks; 100,000 frames opened in {seconds:.2f} s")


main()
