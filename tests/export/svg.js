// SPDX-License-Identifier: GPL-2.0-or-later
//
// usage: svg.js BROWSER graph|diff|hostile|large FILE [TOTAL]
// Opens a flame graph, and does what people do with it.
'use strict';

const assert = require('assert');
const path = require('path');
const { Browser } = require('./browser.js');

// What the page shows. Its data is read anew here, not asked of its script.
const STATE = `(() => {
	const group = document.getElementById('zoom') || document.getElementById('frames');
	const data = JSON.parse(document.getElementById('data').textContent);
	const step = data.diff ? 6 : 4, whole = data.frames[3];
	return [...group.children].map((r) => {
		const b = r.getBoundingClientRect(), f = data.frames.slice(r.flameIndex * step);
		const title = r.querySelector('title');
		return {
			name: data.names[f[1]], title: title ? title.textContent : null, x: b.x, w: b.width,
			value: f[3], now: f[4], old: f[5], whole,
			above: r.classList.contains('above'), hit: r.classList.contains('hit'),
			fill: getComputedStyle(r).fill,
		};
	});
})()`;
// Frames that have no element, and the mouse over each that has a title: the script says the same.
const TITLES = `[...document.querySelectorAll('#frames > rect')].filter((r) => r.firstChild).map((r) => {
	const file = r.firstChild.textContent;
	r.dispatchEvent(new MouseEvent('mousemove', { bubbles: true }));
	return [file, document.getElementById('details').textContent];
})`;
const LABELS = `[...(document.getElementById('zoomlabels') || document.getElementById('labels')).children]
	.map((t) => { const b = t.getBoundingClientRect();
		return { text: t.textContent, x: b.x, w: b.width, y: b.y + b.height / 2 }; })`;
const text = (id) => `document.getElementById('${id}').textContent`;

// Each label lies in its frame.
async function checkLabels(b) {
	const labels = await b.evaluate(LABELS);

	assert(labels.length > 0, 'no labels');
	const outside = await b.evaluate(`${LABELS}.filter((l) => {
		const r = document.elementFromPoint(l.x + 1, l.y), b = r.getBoundingClientRect();
		return r.flameIndex === undefined || l.x < b.x || l.x + l.w > b.x + b.width + 1;
	}).map((l) => l.text)`);
	assert.deepStrictEqual(outside.slice(0, 5), [], 'text beyond its frame');
}

function checkDrawing(frames) {
	assert(frames.length > 1, 'no frames');
	assert(Math.abs(frames[0].w - 1180) < 0.5, `the whole is ${frames[0].w} wide`);
	for (const f of frames) {
		assert(f.w >= 0.999, `'${f.name}' is ${f.w} wide`);
		assert(f.x >= frames[0].x - 0.01 && f.x + f.w <= frames[0].x + frames[0].w + 0.05,
			`'${f.name}' is outside`);
	}
	// Width is value.
	for (const f of frames)
		assert(Math.abs(f.w - 1180 * f.value / frames[0].value) < 0.01, `width of '${f.name}'`);
}

async function checkUse(b) {
	const before = await b.evaluate(STATE);
	// A frame that is wide enough to hit, and not the whole
	const i = before.findIndex((f, k) => k > 2 && f.w > 20 && f.w < 600);

	assert(i > 0, 'no frame to click at');
	await b.click(`#frames > rect:nth-child(${i + 1})`);
	let now = await b.evaluate(STATE);
	const clicked = now.find((f) => f.name === before[i].name && !f.above);
	assert(Math.abs(clicked.w - 1180) < 0.5, 'a click zooms in');
	const ancestors = now.filter((f) => f.above);
	assert(ancestors.length >= 1 && ancestors.every((f) => Math.abs(f.w - 1180) < 0.5),
		'ancestors stay, as wide as all');
	assert(now.length < before.length, 'others are hidden');
	await checkLabels(b);
	assert(!(await b.evaluate(`document.getElementById('reset').classList.contains('hidden')`)));
	await b.click('#reset');
	now = await b.evaluate(STATE);
	assert.deepStrictEqual(now.map((f) => [f.x, f.w]), before.map((f) => [f.x, f.w]),
		'reset brings everything back');

	const name = before[i].name.split(' ')[0];
	const word = name.replace(/[^\w]/g, '.');
	await b.evaluate(`window.prompt = () => '^${word}$'; 0`);
	await b.click('#search');
	now = await b.evaluate(STATE);
	const hits = now.filter((f) => f.hit);
	assert(hits.length > 0 && hits.some((f) => f.name === before[i].name), `'${name}' is found`);
	const m = /^Matched: ([\d.]+)% in (\d+) frames?$/.exec(await b.evaluate(text('matched')));
	assert(m && +m[2] === hits.length, 'the number of matches is told');
	assert(+m[1] <= 100.05 && +m[1] + 0.06 >= 100 * before[i].value / before[0].value,
		`matched ${m[1]} %`);
	await b.click('#search');
	assert.strictEqual(await b.evaluate(text('matched')), '', 'a second click clears the search');
	await b.evaluate(`window.prompt = () => '('; 0`);
	await b.key('/');
	assert(/^bad regular expression/.test(await b.evaluate(text('details'))));

	await b.key('Home');
	await b.key('ArrowUp');
	assert((await b.evaluate(text('details'))).length > 0, 'a key tells of a frame');
	await b.key('ArrowUp');
	await b.key('Enter');
	assert((await b.evaluate(STATE)).some((f) => f.above), 'Enter zooms');
	await b.key('Escape');
	assert(!(await b.evaluate(STATE)).some((f) => f.above), 'Escape resets');
	const titles = await b.evaluate(TITLES);
	assert(titles.length > 2);
	for (const [file, script] of titles)
		assert.strictEqual(script, file, 'the mouse tells what the file does');
}

const CHECKS = {
	async graph(b, frames, total) {
		assert.strictEqual(frames[0].value, +total, 'the whole is what top counts');
		await checkUse(b);
	},
	async diff(b, frames) {
		const grown = frames.filter((f) => f.now > f.old);
		const shrunk = frames.filter((f) => f.now < f.old);
		const reds = (f) => f.fill.match(/\d+/g).map(Number);

		assert(grown.length && shrunk.length, 'signs');
		assert((await b.evaluate(LABELS)).every((l) => /^[-+=] /.test(l.text)), 'labels have signs');
		assert(grown.every((f) => reds(f)[0] >= reds(f)[2]), 'what grew is red');
		assert(shrunk.every((f) => reds(f)[2] >= reds(f)[0]), 'what shrank is blue');
		assert(shrunk.some((f) => !f.now && f.w > 20 && /, gone\)$/.test(f.title)), 'what vanished');
		assert(grown.some((f) => !f.old && f.w > 20 && /, new\)$/.test(f.title)), 'what is new');
		assert(frames.every((f) => !f.title || f.title.startsWith(
			f.now > f.old ? '+ ' : f.now < f.old ? '- ' : '= ')));
		await checkUse(b);
	},
	async hostile(b) {
		assert.strictEqual(await b.evaluate('typeof window.pwned'), 'undefined', 'nothing ran');
		assert.strictEqual(await b.evaluate(`document.querySelectorAll('script').length`), 1);
		assert.strictEqual(await b.evaluate(`document.querySelectorAll('#frames [onload]').length`), 0);
		assert.strictEqual(await b.evaluate(`document.querySelectorAll('parsererror').length`), 0);
	},
	// Told in the browser's own time; how fast the machine is, nobody knows.
	async large(b) {
		const n = await b.evaluate(
			`JSON.parse(document.getElementById('data').textContent).frames.length / 4`);
		const zoom = await b.evaluate(`(() => {
			const begin = performance.now();
			const r = [...document.querySelectorAll('#frames rect')].find(
				(r, i) => i > 5 && +r.getAttribute('width') < 300);
			r.dispatchEvent(new MouseEvent('click', { bubbles: true }));
			return performance.now() - begin;
		})()`);
		assert(await b.evaluate(`document.querySelectorAll('#zoom .above').length`) > 0);
		const load = await b.evaluate(`performance.getEntriesByType('navigation')[0].loadEventStart`);
		console.log(`${n} frames: loaded in ${Math.round(load)} ms, zoom ${Math.round(zoom)} ms`);
		assert(n >= 100000, 'not a large one');
		assert(zoom < 5000, 'a zoom takes too long');
	},
};

(async () => {
	const [where, what, file, ...args] = process.argv.slice(2);
	const b = new Browser(where);

	try {
		await b.open(`file://${path.resolve(file)}`);
		const frames = what === 'large' ? null : await b.evaluate(STATE);

		if (frames) {
			checkDrawing(frames);
			await checkLabels(b);
		}
		await CHECKS[what](b, frames, ...args);
		assert.deepStrictEqual(b.problems, []);
		assert.deepStrictEqual(b.requests.filter((r) => !r.startsWith('file:')), [], 'no net is needed');
	} catch (e) {
		console.log(e.stack);
		process.exitCode = 1;
	} finally {
		b.close();
	}
})();
