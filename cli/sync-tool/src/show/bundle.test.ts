import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { reference, writeExportedBundle } from '../bundle/exported/test/exported-bundle.ts';
import { call, freshPath } from './test/call.ts';

const contractSample = async (t: ExecutionContext): Promise<string> => {
  const path = freshPath(t);
  await call('bundle', 'sample', path, '--contract');
  return path;
};

/** Puts a wrong record so many times into a file; the manifest fits, so that only the records are wrong. */
const spoil = (path: string, times: number): void => {
  const [bytes, records] = [Buffer.byteLength('{"uuid":1}\n') * times, times];
  appendFileSync(join(path, 'stations.jsonl'), '{"uuid":1}\n'.repeat(times));
  const manifest = JSON.parse(readFileSync(join(path, 'manifest.json'), 'utf8')) as {
    files: { path: string; bytes: number; records: number }[];
  };
  for (const file of manifest.files)
    if (file.path === 'stations.jsonl')
      Object.assign(file, { bytes: file.bytes + bytes, records: file.records + records });
  writeFileSync(join(path, 'manifest.json'), JSON.stringify(manifest));
};

test('a valid bundle is named with its area, its patrols and its warnings', async (t) => {
  const path = await contractSample(t);
  const { code, out } = await call('bundle', 'validate', path);
  t.is(code, 0);
  t.is(out, 'The bundle of Sample Area (051) is valid: 1 patrol, no warnings.');
});

test('an invalid bundle ends with 1, each problem on a line of its own, then their number and what to do', async (t) => {
  const path = await contractSample(t);
  spoil(path, 2);
  for (const command of ['validate', 'show']) {
    const { code, out, err } = await call('bundle', command, path);
    t.is(code, 1);
    t.is(out, '');
    const lines = err.split('\n');
    t.true(lines.filter((line) => /^stations\.jsonl:[45]: /.test(line)).length >= 2, err);
    t.regex(lines.at(-2) ?? '', new RegExp(`cannot be used: ${lines.length - 2} problems\\.$`));
    t.regex(lines.at(-1) ?? '', /^Check: /);
  }
});

test('of very many problems the first twenty are shown, and the total', async (t) => {
  const path = await contractSample(t);
  spoil(path, 50);
  const { code, json } = await call('bundle', 'validate', path, '--output', 'json');
  t.is(code, 1);
  const { ok, reason, total, problems } = json();
  t.false(ok);
  t.is(reason, 'bundle_invalid');
  t.is((problems as string[]).length, 20);
  t.true(Number(total) >= 50);
  const { err } = await call('bundle', 'validate', path);
  t.regex(err, new RegExp(`cannot be used: ${Number(total)} problems, the first 20 of them\\.`));
});

test('what is no bundle says what to name, in both forms', async (t) => {
  const path = freshPath(t);
  const { code, err } = await call('bundle', 'show', path);
  t.is(code, 1);
  t.regex(err, /name the folder that holds manifest\.json/);
  t.like((await call('bundle', 'show', path, '--output', 'json')).json(), { ok: false, reason: 'bundle_invalid' });
});

test('the summary tells who the bundle is and how much of each kind it holds', async (t) => {
  const { code, out } = await call('bundle', 'show', await contractSample(t));
  t.is(code, 0);
  t.regex(out, /^Area +Sample Area \(051\), a{32}$/m);
  t.regex(out, /^Timezone +UTC \(configured\)$/m);
  t.regex(out, /^Stations +3 +1 +2 without a name, 1 of them used$/m);
  t.regex(out, /^Employees +4 +3 +2 logins$/m);
  t.regex(out, /^Patrols +1$/m);
});

test('a count of one stands beside a noun in the singular', async (t) => {
  const path = freshPath(t);
  const sizes = ['employees', 'logins', 'options', 'patrols', 'stations', 'tree-nodes'].flatMap((name) => [
    `--${name}`,
    '1',
  ]);
  t.is((await call('bundle', 'sample', path, ...sizes)).code, 0);
  const { out } = await call('bundle', 'show', path);
  t.regex(out, /^Employees.* 1 login$/m);
  t.notRegex(out, /\b1 (?:logins|options|patrols)\b/);
});

test('the coverage table counts labels by language and kind', async (t) => {
  const path = await contractSample(t);
  const { out } = await call('bundle', 'show', path);
  t.regex(out, /^en English \(default\) +83\.3 % +2\/2 +1\/1 +1\/1 +1\/3 +1\/1 +2\/2 +2\/2$/m);
  const { languages, labelled_of } = (await call('bundle', 'show', path, '--output', 'json')).json();
  t.like(languages, { 0: { code: 'en', labelled: { stations: 1, options: 2 } } });
  t.like(labelled_of, { stations: 3, options: 2 });
});

test('of an exported bundle the summary tells where times come from, and what is wrong is named by list and index', async (t) => {
  const path = freshPath(t);
  const coverage = { leg_days: 7, track: 1, leg_day_times: 2, waypoints: 3, date_only: 1 };
  await writeExportedBundle(path, { manifest: { time_coverage: coverage } });
  const { out } = await call('bundle', 'show', path);
  t.regex(out, /^Times +7 days of legs: 1 by track, 2 entered, 3 by waypoints, 1 with the date alone$/m);
  t.deepEqual((await call('bundle', 'show', path, '--output', 'json')).json()['time_coverage'], coverage);
  t.regex((await call('bundle', 'validate', path)).out, /^The bundle of Sample Area \(SAMPLE\) is valid: 1 patrol/m);
  await writeExportedBundle(path, { reference: { stations: [{ ...reference.stations[0], labels: 1 }] } });
  const { code, err } = await call('bundle', 'validate', path);
  t.is(code, 1);
  t.regex(err, /^reference\.json: stations\[0\]: labels must be an object/m);
});
