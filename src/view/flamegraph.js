// SPDX-License-Identifier: MIT
// What a flame graph does when it is touched.
//
// The picture is complete without it.  A frame is a <rect> with a <title>, in depth-first order,
// so its callees follow it; zooming moves one group by one transform, whatever the number of
// frames, and only the labels are laid out anew.  What is shown is in the address behind "#", so
// that a link brings a colleague to the same place, and "back" goes back.
(function () {
'use strict';
const NS = 'http://www.w3.org/2000/svg', HTML = 'http://www.w3.org/1999/xhtml';
const svg = document.currentScript.parentNode;
const get = id => svg.querySelector('#' + id);
const F = get('f'), T = get('t'), head = get('head'), foot = get('foot');
const details = get('details'), sub = get('sub');
const [baseWidth, frameHeight, top, up, fluid] = svg.getAttribute('data-view').split(' ').map(Number);
const pad = 10, base = baseWidth - 2 * pad, height = svg.viewBox.baseVal.height;
const rects = Array.from(F.children), n = rects.length;
// of a chart: the boxes of threads; each has its own rows above the one before
const lane = rects.map(r => r.classList.contains('l')), lanes = lane.filter(l => l).length || 1;
const X = new Float64Array(n), W = new Float64Array(n), Y = new Float64Array(n);
let view = base, width = baseWidth, k = 1, tx = 0, column = 7.3;
let zoomed = -1, selected = -1, hovered = -1, pattern = '', expression = null, matches = [];
let faded = [], names = null, input = null;

for (let i = 0; i < n; i++) {
	const r = rects[i];
	X[i] = +r.getAttribute('x');
	W[i] = +r.getAttribute('width');
	Y[i] = +r.getAttribute('y');
	r.i = i;
}

// ---- frames ----

const inner = (a, b) => up ? Y[a] < Y[b] : Y[a] > Y[b];
const info = i => rects[i].firstChild.textContent;

function name(i) {
	if (!names)
		names = new Array(n);
	if (names[i] === undefined) {
		const first = info(i).split('\n', 1)[0];
		names[i] = first.slice(0, first.lastIndexOf(' ('));
	}
	return names[i];
}

// The callers of a frame: before it, one a row.
function callers(i) {
	const list = [];
	for (let at = i, j = lane[i] ? 0 : i - 1; j >= 0; j--)
		if (inner(at, j) && X[j] <= X[i] + W[i] / 2 && X[j] + W[j] >= X[i] + W[i] / 2) {
			list.push(j);
			at = j;
			if (lane[j])
				j = 1;
		}
	return list;
}

// The widest callee.
function callee(i) {
	let best = -1;
	const row = Y[i] + (up ? -frameHeight : frameHeight);
	for (let j = i + 1; j < n && inner(j, i); j++)
		if (Math.abs(Y[j] - row) < 1 && (best < 0 || W[j] > W[best]))
			best = j;
	return best;
}

function neighbour(i, step) {
	for (let j = i + step; j >= 0 && j < n; j += step)
		if (Y[j] === Y[i])
			return j;
	return -1;
}

// ---- labels ----

function columns(s) {
	let c = 0;
	for (const ch of s)
		c += ch.codePointAt(0) < 0x1100 || ch === '…' ? 1 : 2;
	return c;
}

// Without template arguments and parameters; an operator's brackets are its name.
function bare(s) {
	const end = s.search(/\boperator\b/), whole = end < 0 ? '' : s.slice(end);
	let out = '', depth = 0;
	for (let i = 0; i < s.length - whole.length && depth >= 0; i++) {
		const c = s[i];
		if (!depth && s.startsWith('(anonymous namespace)', i)) {
			out += '(anonymous namespace)';
			i += 20;
		} else if (c === '<' || c === '(') {
			depth++;
		} else if ((c === '>' && s[i - 1] !== '-') || c === ')') {
			depth--;
		} else if (!depth) {
			out += c;
		}
	}
	return depth ? s : (out + whole).replace(/^::/, '') || s;
}

// As much of a name as fits: the end of a qualified name says more than its start.
function fit(s, room) {
	if (columns(s) <= room)
		return s;
	const b = bare(s);
	let rest = b, c = 0, out = '';
	if (columns(b) <= room)
		return b;
	for (let at = b.indexOf('::'); at >= 0; at = b.indexOf('::', at + 2)) {
		rest = b.slice(at + 2);
		if (columns(rest) < room)
			return '…' + rest;
	}
	for (const ch of rest) {
		c += columns(ch);
		if (c >= room)
			break;
		out += ch;
	}
	return out + '…';
}

function text(parent, x, y, content, attributes) {
	const t = document.createElementNS(NS, 'text');
	t.setAttribute('x', x);
	t.setAttribute('y', y);
	for (const a in attributes || {})
		t.setAttribute(a, attributes[a]);
	t.textContent = content;
	parent.appendChild(t);
	return t;
}

function drawLabels() {
	const list = document.createDocumentFragment(), right = pad + view;
	for (let i = 0; i < n; i++) {
		const from = Math.max(X[i] * k + tx, pad), to = Math.min((X[i] + W[i]) * k + tx, right);
		const room = Math.floor((to - from - 6) / column);
		if (room >= 3)
			text(list, (from + 3).toFixed(1), Y[i] + frameHeight - 4.5, fit(name(i), room));
	}
	T.textContent = '';
	T.appendChild(list);
}

// ---- the view ----

function draw() {
	const i = zoomed;
	k = view / (i < 0 ? base : W[i]);
	tx = pad - (i < 0 ? pad : X[i]) * k;
	F.setAttribute('transform', 'translate(' + tx + ' 0) scale(' + k + ' 1)');
	for (const j of faded)
		rects[j].classList.remove('p');
	faded = i < 0 ? [] : callers(i);
	for (const j of faded)
		rects[j].classList.add('p');
	reset.style.display = i < 0 && !expression ? 'none' : '';
	drawLabels();
	tellMatches();
}

function tell(i) {
	details.textContent = i < 0 ? '' : info(i).replace(/\n/g, ' · ');
}

// The bars stay in sight, whatever is scrolled.
function place() {
	const y = window.scrollY || 0, bottom = Math.min(height, y + window.innerHeight);
	head.setAttribute('transform', 'translate(0 ' + Math.max(0, Math.min(y, height - top)) + ')');
	foot.setAttribute('transform', 'translate(0 ' + Math.min(0, bottom - height) + ')');
}

function resize() {
	if (fluid && window.top === window)
		width = Math.max(320, document.documentElement.clientWidth || window.innerWidth);
	view = width - 2 * pad;
	svg.setAttribute('width', width);
	svg.setAttribute('viewBox', '0 0 ' + width + ' ' + height);
	for (const r of svg.querySelectorAll('.bar>rect:first-child,#clip rect'))
		r.setAttribute('width', r.parentNode.id === 'clip' ? view : width);
	get('title').setAttribute('x', width / 2);
	sub.setAttribute('x', width / 2);
	get('matched').setAttribute('x', width - pad);
	find.setAttribute('x', width - pad);
	draw();
	place();
}

// ---- what is in the address ----

function address() {
	const parts = [];
	if (zoomed >= 0)
		parts.push('zoom=' + zoomed);
	if (pattern)
		parts.push('search=' + encodeURIComponent(pattern));
	return parts.length ? '#' + parts.join('&') : '';
}

function remember(replace) {
	const to = location.pathname + location.search + address();
	try {
		history[replace ? 'replaceState' : 'pushState'](null, '', to);
	} catch (e) {
		// a document without an address of its own has nothing to remember
	}
}

function restore() {
	const h = new URLSearchParams(location.hash.slice(1).replace(/\+/g, '%2B'));
	const i = parseInt(h.get('zoom'), 10);
	zoomed = i >= 0 && i < n ? i : -1;
	search(h.get('search') || '');
	draw();
}

function zoom(i) {
	if (i === zoomed)
		return;
	zoomed = i;
	remember();
	draw();
}

// ---- search ----

function compile(s) {
	const flags = s === s.toLowerCase() ? 'i' : '';
	try {
		return new RegExp(s, flags);
	} catch (e) {
		return new RegExp(s.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), flags);
	}
}

function search(s) {
	const known = new Map();
	pattern = s;
	expression = s ? compile(s) : null;
	for (const i of matches)
		rects[i].classList.remove('m');
	matches = [];
	for (let i = 0; expression && i < n; i++) {
		const t = name(i);
		if (!known.has(t))
			known.set(t, expression.test(t));
		if (known.get(t)) {
			matches.push(i);
			rects[i].classList.add('m');
		}
	}
}

// What the matches cover of FROM … TO; a match within a match counts once.
function covered(from, to) {
	let sum = 0, end = -1;
	let at = 0;
	for (const i of matches) {
		for (; at < i; at++)
			if (lane[at + 1])
				end = -1;
		if (X[i] < end - 1e-6)
			continue;
		end = X[i] + W[i];
		sum += Math.max(0, Math.min(end, to) - Math.max(X[i], from));
	}
	return sum / (to - from) / lanes;
}

function percent(v) {
	return (100 * v).toFixed(2) + '%';
}

// 100 % is what the graph shows, or the frame that is zoomed into.
function tellMatches() {
	let s = '';
	if (expression) {
		s = 'Matched: ' + percent(covered(X[0], X[0] + W[0]) * share) + ' · ' +
			matches.length + (matches.length === 1 ? ' frame' : ' frames');
		if (zoomed >= 0)
			s += ' · ' + percent(covered(X[zoomed], X[zoomed] + W[zoomed])) + ' of the view';
	}
	get('matched').textContent = s;
}

function openSearch() {
	if (!input) {
		const box = document.createElementNS(NS, 'foreignObject');
		box.setAttribute('width', 240);
		box.setAttribute('height', 24);
		input = document.createElementNS(HTML, 'input');
		input.setAttribute('placeholder', 'regular expression');
		input.setAttribute('aria-label', 'Search frames');
		box.appendChild(input);
		input.addEventListener('input', () => {
			search(input.value);
			remember(true);
			draw();
		});
		input.addEventListener('keydown', e => {
			e.stopPropagation();
			if (e.key === 'Escape') {
				search('');
				remember(true);
				closeSearch();
				draw();
			} else if (e.key === 'Enter') {
				closeSearch();
				step(e.shiftKey ? -1 : 1);
			}
		});
	}
	input.parentNode.setAttribute('x', Math.max(pad, width - pad - 240));
	input.parentNode.setAttribute('y', 6);
	head.appendChild(input.parentNode);
	find.style.display = 'none';
	input.value = pattern;
	input.focus();
	input.select();
}

function closeSearch() {
	if (input && input.parentNode.parentNode) {
		input.blur();
		head.removeChild(input.parentNode);
	}
	find.style.display = '';
}

// ---- selecting, by keyboard ----

function select(i) {
	if (i < 0)
		return;
	if (selected >= 0)
		rects[selected].classList.remove('s');
	selected = i;
	rects[i].classList.add('s');
	tell(i);
	const y = Y[i];
	if (y < window.scrollY + top || y + frameHeight > window.scrollY + window.innerHeight - 40)
		window.scrollTo(window.scrollX, y - window.innerHeight / 2);
}

function unselect() {
	if (selected >= 0)
		rects[selected].classList.remove('s');
	selected = -1;
	tell(hovered);
}

// The next match, in the order of the picture.
function step(by) {
	if (!matches.length)
		return;
	const at = matches.indexOf(selected);
	select(matches[at < 0 ? (by > 0 ? 0 : matches.length - 1) :
		(at + by + matches.length) % matches.length]);
}

function copied(what, ok) {
	details.textContent = (ok ? 'Copied: ' : 'The browser does not let a name be copied: ') + what;
}

function copy(i) {
	if (i < 0)
		return;
	const what = name(i);
	if (!navigator.clipboard) {
		copied(what, false);
		return;
	}
	navigator.clipboard.writeText(what).then(() => copied(what, true), () => copied(what, false));
}

const help = '/ search · n N next, previous match · arrows move · Enter zoom · Backspace out · ' +
	'c copy name · Esc undo';

function key(e) {
	const here = selected >= 0 ? selected : hovered >= 0 ? hovered : Math.max(zoomed, 0);
	const first = selected < 0;
	if ((e.ctrlKey || e.metaKey) && e.key.toLowerCase() === 'f') {
		openSearch();
	} else if (e.ctrlKey || e.metaKey || e.altKey) {
		return;
	} else if (e.key === '/') {
		openSearch();
	} else if (e.key === 'ArrowUp' || e.key === 'ArrowDown') {
		const inwards = (e.key === 'ArrowUp') === !!up;
		select(first ? here : inwards ? callee(here) : (callers(here)[0] ?? -1));
	} else if (e.key === 'ArrowLeft' || e.key === 'ArrowRight') {
		select(first ? here : neighbour(here, e.key === 'ArrowLeft' ? -1 : 1));
	} else if (e.key === 'Enter' && selected >= 0) {
		zoom(selected);
	} else if (e.key === 'Backspace' && zoomed >= 0) {
		zoom(callers(zoomed)[0] ?? -1);
	} else if (e.key === 'n' || e.key === 'N') {
		step(e.key === 'n' ? 1 : -1);
	} else if (e.key === 'c') {
		copy(selected >= 0 ? selected : hovered);
	} else if (e.key === '?') {
		details.textContent = help;
	} else if (e.key === 'Escape') {
		if (selected >= 0) {
			unselect();
		} else if (expression) {
			search('');
			remember();
			draw();
		} else {
			zoom(-1);
		}
	} else {
		return;
	}
	e.preventDefault();
}

// ---- start ----

const share = parseFloat(svg.getAttribute('data-share'));
const reset = text(head, pad, 24, 'Reset', { 'class': 'button', id: 'reset' });
const find = text(head, width - pad, 24, 'Search', { 'class': 'button', id: 'search', 'text-anchor': 'end' });

reset.addEventListener('click', () => {
	zoomed = -1;
	search('');
	unselect();
	remember();
	draw();
});
find.addEventListener('click', openSearch);
F.addEventListener('click', e => {
	const r = e.target.closest('rect');
	if (r)
		zoom(r.i === 0 ? -1 : r.i);
});
F.addEventListener('mouseover', e => {
	const r = e.target.closest('rect');
	hovered = r ? r.i : -1;
	tell(hovered);
});
F.addEventListener('mouseleave', () => {
	hovered = -1;
	tell(selected);
});
window.addEventListener('keydown', key);
window.addEventListener('popstate', restore);
window.addEventListener('hashchange', restore);
window.addEventListener('scroll', place);
window.addEventListener('resize', resize);

// How wide this reader's font is.
const ruler = text(T, 0, 0, 'm'.repeat(100));
column = (ruler.getComputedTextLength && ruler.getComputedTextLength() / 100) || column;
T.removeChild(ruler);
resize();
if (location.hash)
	restore();
// the outermost frames are at the bottom
if (up && height > window.innerHeight)
	window.scrollTo(0, height);
place();
})();
