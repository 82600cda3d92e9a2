// SPDX-License-Identifier: GPL-2.0-or-later
//
// usage: firefox.js NODE_MODULES FILE
// Loads a file with the Firefox Profiler's command line, and prints what it says: "total SUM", and
// "FUNCTION SELF" for each function with samples of its own.
'use strict';

const { spawnSync } = require('child_process');
const path = require('path');

const [modules, file] = process.argv.slice(2);
const cli = path.join(modules, '@firefox-devtools/profiler-cli/dist/profiler-cli.js');
const session = `smtool-${process.pid}`;

function run(...args) {
	const r = spawnSync(process.execPath, [cli, ...args], { encoding: 'utf8', timeout: 100000 });

	return r.status === 0 ? r.stdout : Promise.reject(new Error(`${args.join(' ')}: ${r.stdout}${r.stderr}`));
}

// On a busy machine its daemon isn't ready as soon as it would like.
async function retry(...args) {
	for (let n = 0; ; n++) {
		try {
			return await run(...args);
		} catch (e) {
			if (args[0] === 'load' && /already running/.test(e.message))
				return '';
			if (n === 20)
				throw e;
			await new Promise((resolve) => setTimeout(resolve, 1000));
		}
	}
}

(async () => {
	try {
		await retry('load', '--session', session, file);
		const samples = JSON.parse(await retry('thread', 'samples', '--session', session, '--json'));
		const functions = JSON.parse(
			await retry('thread', 'functions', '--session', session, '--json', '--limit', '10000'));

		console.log(`total ${samples.categoryBreakdown.totalSamples} ${samples.weightType}`);
		for (const f of functions.functions.filter((f) => f.selfSamples !== 0))
			console.log(`${f.name.replace(/^.*!/, '')} ${f.selfSamples}`);
	} finally {
		await retry('stop', session).catch(() => {});
	}
})().catch((e) => {
	console.log(e.message);
	process.exit(1);
});
