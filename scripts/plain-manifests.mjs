// Writes manifests for those without Helm from the charts; needs helm: node scripts/plain-manifests.mjs [--check]
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { plainText } from './charts/plain.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const file = 'k8s/patrol-sync.yaml';
const values = 'charts/patrol-sync/ci/plain-values.yaml';

const rendered = execFileSync('helm', ['template', 'patrol-sync', 'charts/patrol-sync', '--values', values], {
  cwd: root,
  encoding: 'utf8',
  stdio: ['ignore', 'pipe', 'ignore'],
});
const text = plainText(rendered);
const isWritten = readFileSync(`${root}${file}`, { encoding: 'utf8', flag: 'a+' }) === text;

if (isWritten) process.stdout.write(`${file} is up to date\n`);
else if (process.argv[2] === '--check') {
  process.stdout.write(`${file} is not what the chart renders; node scripts/plain-manifests.mjs writes it\n`);
  process.exitCode = 1;
} else {
  writeFileSync(`${root}${file}`, text);
  process.stdout.write(`${file} written\n`);
}
