// The entry of a bundled service, `<name>.js`. The service itself, `<name>.service.js` beside it, runs on Node 24; this file runs on Node 20 too.
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { launch } from './launch.mjs';

const entry = fileURLToPath(import.meta.url);

await launch({
  name: basename(entry, '.js'),
  bundle: entry.replace(/\.js$/, '.service.js'),
  flags: [],
  env: {},
});
