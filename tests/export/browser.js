// SPDX-License-Identifier: GPL-2.0-or-later
//
// A headless Chromium, driven over a pair of pipes by the DevTools protocol.
'use strict';

const { spawn, execSync } = require('child_process');
const fs = require('fs');
const os = require('os');
const path = require('path');

// Folders with shared libraries below one where packages were unpacked.
function libraryFolders(root) {
	const out = [];
	const walk = (dir, depth) => {
		let hasLibrary = false;

		for (const e of fs.readdirSync(dir, { withFileTypes: true })) {
			if (e.isDirectory() && depth < 4)
				walk(path.join(dir, e.name), depth + 1);
			else if (/\.so(\.|$)/.test(e.name))
				hasLibrary = true;
		}
		if (hasLibrary)
			out.push(dir);
	};
	for (const lib of ['lib', 'usr/lib'])
		if (fs.existsSync(path.join(root, lib)))
			walk(path.join(root, lib), 0);
	return out;
}

class Browser {
	// `where`: the program, or the folder where its packages were unpacked.
	constructor(where) {
		const packed = fs.statSync(where).isDirectory();
		const env = { ...process.env };
		const program = packed ? path.join(where, 'usr/lib/chromium/chromium') : where;

		if (packed)
			env.LD_LIBRARY_PATH = libraryFolders(where).join(':');
		this.home = fs.mkdtempSync(path.join(os.tmpdir(), 'smtool-browser.'));
		this.child = spawn(program, ['--headless', '--no-sandbox', '--disable-gpu',
			'--disable-dev-shm-usage', '--no-first-run', '--remote-debugging-pipe',
			'--window-size=1300,900', `--user-data-dir=${this.home}`, 'about:blank'],
			{ env, stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] });
		this.waiting = new Map();
		this.handlers = [];
		this.next = 1;
		let rest = '';
		this.child.stdio[4].on('data', (data) => {
			const parts = (rest + data).split('\0');

			rest = parts.pop();
			for (const p of parts)
				this.receive(JSON.parse(p));
		});
		this.child.on('exit', (code, signal) => {
			for (const w of this.waiting.values())
				w.reject(new Error(`the browser ended: ${code === null ? signal : code}`));
		});
		this.child.stdio[3].on('error', () => {});
	}

	receive(m) {
		const w = this.waiting.get(m.id);

		if (!w) {
			for (const h of this.handlers)
				h(m);
			return;
		}
		this.waiting.delete(m.id);
		if (m.error)
			w.reject(new Error(m.error.message));
		else
			w.resolve(m.result);
	}

	send(method, params = {}) {
		const id = this.next++;

		return new Promise((resolve, reject) => {
			this.waiting.set(id, { resolve, reject });
			this.child.stdio[3].write(JSON.stringify(
				{ id, method, params, sessionId: this.session }) + '\0');
		});
	}

	// Resolves once the page is loaded.
	async open(url) {
		const { targetId } = await this.send('Target.createTarget', { url: 'about:blank' });
		const { sessionId } = await this.send('Target.attachToTarget', { targetId, flatten: true });

		this.session = sessionId;
		this.requests = [];
		this.problems = [];
		let loaded;
		const done = new Promise((resolve) => { loaded = resolve; });
		this.handlers.push((m) => {
			if (m.method === 'Network.requestWillBeSent')
				this.requests.push(m.params.request.url);
			else if (m.method === 'Page.loadEventFired')
				loaded();
			else if (m.method === 'Runtime.exceptionThrown')
				this.problems.push(m.params.exceptionDetails.text);
			else if (m.method === 'Log.entryAdded')
				this.problems.push(m.params.entry.text);
		});
		for (const domain of ['Page', 'Network', 'Runtime', 'Log'])
			await this.send(`${domain}.enable`);
		await this.send('Page.navigate', { url });
		await done;
	}

	async evaluate(expression) {
		const r = await this.send('Runtime.evaluate', { expression, returnByValue: true });

		if (r.exceptionDetails)
			throw new Error(r.exceptionDetails.exception.description);
		return r.result.value;
	}

	async click(selector) {
		const p = await this.evaluate(`(() => {
			const r = document.querySelector('${selector}').getBoundingClientRect();
			return { x: r.x + r.width / 2, y: r.y + r.height / 2 };
		})()`);

		for (const type of ['mousePressed', 'mouseReleased'])
			await this.send('Input.dispatchMouseEvent', { type, ...p, button: 'left', clickCount: 1 });
	}

	async key(key) {
		const text = key.length === 1 ? key : key === 'Enter' ? '\r' : undefined;

		await this.send('Input.dispatchKeyEvent', { type: 'keyDown', key, text });
		await this.send('Input.dispatchKeyEvent', { type: 'keyUp', key });
	}

	close() {
		this.child.kill('SIGKILL');
		this.child.on('exit', () => fs.rmSync(this.home, { recursive: true, force: true, maxRetries: 5 }));
	}
}

module.exports = { Browser };
