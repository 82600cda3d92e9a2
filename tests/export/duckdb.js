// SPDX-License-Identifier: GPL-2.0-or-later
//
// usage: duckdb.js NODE_MODULES MANUAL
// In a folder with stacks.jsonl and facts.jsonl: runs the SQL that the manual shows (blocks after a line
// `.\" DUCKDB-TEST`), and prints each result: a line a row, columns separated by tabs.
'use strict';

const fs = require('fs');
const path = require('path');

const [modules, manual] = process.argv.slice(2);
const { DuckDBInstance } = require(path.join(modules, '@duckdb/node-api'));

function blocks(text) {
	const found = [];
	const pattern = /^\.\\" DUCKDB-TEST\n\.EX\n([^]*?)^\.EE$/gm;

	for (let m; (m = pattern.exec(text));)
		found.push(m[1].replace(/\\f(\[[A-Z]*\]|[A-Z])/g, '').replace(/\\&/g, '').replace(/\\-/g, '-')
			.replace(/\\\(aq/g, "'").replace(/\\\(dq/g, '"').replace(/\\e/g, '\\'));
	return found;
}

(async () => {
	const db = await (await DuckDBInstance.create(':memory:')).connect();
	const list = blocks(fs.readFileSync(manual, 'utf8'));

	if (list.length === 0)
		throw new Error('the manual shows no SQL');
	for (const block of list) {
		for (const sql of block.split(/;\s*$/m).filter((s) => s.trim())) {
			const rows = await (await db.run(sql)).getRowsJson();

			console.log(`-- ${sql.trim().split('\n')[0]}`);
			for (const r of rows)
				console.log(r.map((c) => c === null ? '' : Array.isArray(c) ? c.join(';') : c).join('\t'));
		}
	}
})().catch((e) => {
	console.log(e.stack);
	process.exit(1);
});
