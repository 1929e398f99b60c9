import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { edgeCases } from '../bundle/sample/edge-cases.ts';
import { countsOf } from './sample-counts.ts';
import { call, freshPath } from './test/call.ts';

const small = ['--patrols', '20', '--employees', '9', '--stations', '4', '--options', '3', '--tree-nodes', '3'];
const bytesOf = (path: string): Record<string, string> =>
  Object.fromEntries(readdirSync(path).map((name) => [name, readFileSync(join(path, name), 'latin1')]));

test('a sample holds as much as the options say, and is valid', async (t) => {
  const path = freshPath(t);
  const { code, json } = await call('bundle', 'sample', path, ...small, '--languages', '3', '--output', 'json');
  t.is(code, 0);
  const files = json()['files'] as { kind: string; records: number }[];
  const records = Object.fromEntries(files.map(({ kind, records: count }) => [kind, count]));
  t.like(records, { patrols: 20, employees: 9, stations: 4, transports: 8 });
  const valid = await call('bundle', 'validate', path, '--output', 'json');
  t.like(valid.json(), { ok: true, patrols: 20, warnings: [] });
  const shown = (await call('bundle', 'show', path, '--output', 'json')).json();
  t.is((shown['languages'] as unknown[]).length, 3);
});

test('the same seed makes the same bytes, another one others', async (t) => {
  const [one, same, other] = [freshPath(t), freshPath(t), freshPath(t)];
  await call('bundle', 'sample', one, ...small, '--seed', '4');
  await call('bundle', 'sample', same, ...small, '--seed', '4');
  await call('bundle', 'sample', other, ...small, '--seed', '5');
  t.deepEqual(bytesOf(one), bytesOf(same));
  t.notDeepEqual(bytesOf(one)['patrols.jsonl'], bytesOf(other)['patrols.jsonl']);
});

test('every edge case can be asked for, all of them at once, and leaves the sample valid', async (t) => {
  const path = freshPath(t);
  const asked = edgeCases.flatMap((name) => ['--edge-case', name]);
  t.is((await call('bundle', 'sample', ...asked, path, ...small)).code, 0);
  const { code, json } = await call('bundle', 'validate', path, '--output', 'json');
  t.is(code, 0);
  t.true((json()['warnings'] as string[]).length > 5);
});

test('the sample of the contract has its four employees and one patrol, of either format', async (t) => {
  for (const version of ['1.0', '1.1']) {
    const path = freshPath(t);
    await call('bundle', 'sample', path, '--contract', '--format-version', version);
    const counts = (await call('bundle', 'show', path, '--output', 'json')).json()['counts'] as Record<string, unknown>;
    t.like(counts, { patrols: 1, employees: { all: 4, used: 3, logins: version === '1.0' ? null : 2 } });
  }
});

test('the sample of the contract is written in the format of the exporter too', async (t) => {
  const path = freshPath(t);
  await call('bundle', 'sample', path, '--contract', '--format', 'exported');
  t.deepEqual(readdirSync(path).sort(), [
    'attachments',
    'manifest.json',
    'patrols.json',
    'reference.json',
    'tracks.json',
  ]);
  const { code, json } = await call('bundle', 'validate', path, '--output', 'json');
  t.is(code, 0);
  t.like(json(), { patrols: 1, warnings: [] });
});

test('a folder that holds anything is left alone', async (t) => {
  const path = freshPath(t);
  mkdirSync(path);
  writeFileSync(join(path, 'mine'), 'precious');
  const { code, err } = await call('bundle', 'sample', path, '--contract');
  t.is(code, 2);
  t.regex(err, /is not empty; name a new folder/);
  t.deepEqual(readdirSync(path), ['mine']);
});

test('a file in the place of the folder is left alone', async (t) => {
  const path = freshPath(t);
  writeFileSync(path, 'precious');
  const { code, err } = await call('bundle', 'sample', path, '--contract');
  t.is(code, 2);
  t.regex(err, /is not a folder/);
  t.is(readFileSync(path, 'utf8'), 'precious');
});

for (const wrong of [
  ['--preset', 'huge'],
  ['--seed', 'x'],
  ['--languages', '0'],
  ['--languages', '11'],
  ['--edge-case', 'none-such'],
  ['--format', 'other'],
  ['--format', 'exported', '--edge-case', 'crlf'],
  ['--format', 'exported', '--format-version', '1.1'],
  ['--timezone', '+08:00'],
  ['--area', 'far too long'],
  ['--contract', '--patrols', '3'],
  ['--contract', '--edge-case', 'crlf'],
  ['--logins', '5', '--employees', '4'],
])
  test(`the wrong call "bundle sample ${wrong.join(' ')}" ends with 2 and writes nothing`, async (t) => {
    const path = freshPath(t);
    t.is((await call('bundle', 'sample', path, ...wrong)).code, 2);
    t.throws(() => readdirSync(path), { code: 'ENOENT' });
  });

test('a count that is part of another one shrinks with it', (t) => {
  t.like(countsOf('typical', { employees: 4, stations: 1 }), { employees: 4, logins: 4, unnamedStations: 1 });
  t.like(countsOf('typical', { employees: 4, logins: 1 }), { logins: 1 });
});
