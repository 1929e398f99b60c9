// Writes values, schemas, facts and tables of the charts: npm run charts [-- --check | --list]
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chartFiles } from './charts/outputs.mjs';
import { charts } from './charts/specs/index.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const [mode] = process.argv.slice(2);

if (mode === '--list') process.stdout.write(`${JSON.stringify(charts)}\n`);
else
  for (const { file, is, should } of await chartFiles(root)) {
    if (is === should) continue;
    if (mode !== '--check') writeFileSync(join(root, file), should);
    else process.exitCode = 1;
    process.stdout.write(`${file} ${mode === '--check' ? 'is not up to date; npm run charts writes it' : 'written'}\n`);
  }
