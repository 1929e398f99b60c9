import { readFileSync } from 'node:fs';
import test from 'ava';
import { version } from './version.ts';

test('the version is that of the package', (t) => {
  const file = new URL('../../package.json', import.meta.url);
  t.is(version, (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version);
});
