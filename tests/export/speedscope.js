// SPDX-License-Identifier: GPL-2.0-or-later
//
// usage: speedscope.js NODE_MODULES FILE
// Checks a file against speedscope's own schema, and prints each profile's sum: NAME TOTAL.
'use strict';

const assert = require('assert');
const fs = require('fs');
const path = require('path');

const [modules, file] = process.argv.slice(2);
const Ajv = require(path.join(modules, 'ajv'));
const schema = JSON.parse(fs.readFileSync(path.join(modules, 'speedscope/dist/release/file-format-schema.json')));
const profile = JSON.parse(fs.readFileSync(file));
const validate = new Ajv({ strict: false, allErrors: true }).compile(schema);

assert(validate(profile), JSON.stringify(validate.errors, null, 1));
const n = profile.shared.frames.length;
for (const p of profile.profiles) {
	assert.strictEqual(p.samples.length, p.weights.length);
	for (const s of p.samples)
		assert(s.length > 0 && s.every((f) => f >= 0 && f < n), 'a sample refers to no frame');
	const sum = p.weights.reduce((a, b) => a + b, 0);
	assert.strictEqual(p.endValue - p.startValue, sum);
	console.log(`${p.name} ${sum}`);
}
assert(profile.activeProfileIndex < profile.profiles.length);
console.log(`default ${profile.profiles[profile.activeProfileIndex].name}`);
