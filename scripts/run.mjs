#!/usr/bin/env node
// What every npm script calls. Runs on Node 20 with nothing installed.
import { fileURLToPath } from 'node:url';
import { main } from './run/main.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
process.exitCode = await main(process.argv.slice(2), root);
