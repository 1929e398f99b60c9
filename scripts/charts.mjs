// Writes values, schemas, facts and tables of the charts, and the operator's definitions: npm run charts [-- --check | --list]
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chartFiles } from './charts/outputs.mjs';
import { charts } from './charts/specs/index.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const [mode] = process.argv.slice(2);

if (mode === '--list') process.stdout.write(`${JSON.stringify(charts)}\n`);
else
  for (const { file, is, should } of await chartFiles(root)) {
    if (is === should) continue;
    if (mode === '--check') process.exitCode = 1;
    else {
      mkdirSync(dirname(join(root, file)), { recursive: true });
      writeFileSync(join(root, file), should);
    }
    process.stdout.write(`${file} ${mode === '--check' ? 'is not up to date; npm run charts writes it' : 'written'}\n`);
  }
