#!/usr/bin/env node
// The tool runs on Node 24. This launcher runs on Node 20 too, and finds a newer one.
import { existsSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';

const pathOf = (/** @type {string} */ place) => fileURLToPath(new URL(place, import.meta.url));

// A checkout has the launcher beside the other tool; a packed installation has it in a bundle.
const launcher = ['../../relay/bin/launch.mjs', '../dist/launch.js'].map(pathOf).find((path) => existsSync(path));
if (launcher === undefined) {
  process.stderr.write('sync-tool is incomplete: install it again.\n');
  process.exitCode = 1;
} else {
  const { launch } = await import(pathToFileURL(launcher).href);
  const sources = pathOf('../src/main.ts');
  await launch({ name: 'sync-tool', sources, bundle: pathOf('../dist/sync-tool.js'), flags: [], env: {} });
}
