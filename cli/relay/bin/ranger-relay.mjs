#!/usr/bin/env node
// The command runs on Node 24. This launcher runs on Node 20 too, and finds a newer one.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { launch } from './launch.mjs';

const service = JSON.parse(readFileSync(new URL('service-process.json', import.meta.url), 'utf8'));
const isService = process.argv[2] === 'up';

await launch({
  name: 'ranger-relay',
  sources: fileURLToPath(new URL('../src/main.ts', import.meta.url)),
  bundle: fileURLToPath(new URL('../dist/ranger-relay.js', import.meta.url)),
  flags: isService ? service.flags : [],
  env: isService ? service.env : {},
});
