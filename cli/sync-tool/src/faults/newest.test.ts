import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { writeContractSample } from '../bundle/sample/contract-sample.ts';
import { writeTestBundle } from '../test/bundle.ts';
import { openFront } from '../test/front.ts';
import { testShell } from '../test/shell.ts';
import { openHarness, runTool, type Harness } from '../test/harness.ts';

const sample = (t: ExecutionContext): Promise<Harness> => openHarness(t, (folder) => writeContractSample(folder));

/** Two runs whose records are of different seconds; the second one writes what was taken away between them. */
const twoRuns = async (t: ExecutionContext): Promise<Harness> => {
  const here = await sample(t);
  await here.sync();
  const [first = ''] = here.records();
  renameSync(join(here.folder, first), join(here.folder, 'patrol-datamodel-run-20250101T000000Z.json'));
  here.site.seed({ choices: [] });
  await here.sync();
  here.writes();
  return here;
};

const undo = (here: Harness, ...more: readonly string[]) =>
  here.run('undo', here.folder, ...here.onSite, '--output', 'json', ...more);

test('a folder stands for its newest record, which is said aloud', async (t) => {
  const here = await twoRuns(t);
  const newest = here.records().at(-1) ?? '';
  const { code, err, json } = await undo(here);
  t.is(code, 0);
  t.true(err.includes(`Run record: ${join(here.folder, newest)}, the newest of 2 in ${here.folder}`));
  t.deepEqual([...new Set((json()['entries'] as { record: string }[]).map(({ record }) => record))], [newest]);
  t.is(here.site.state().types.length, 2);
});

test('a repeated undo of a folder does not go on to the run before', async (t) => {
  const here = await twoRuns(t);
  await undo(here);
  here.writes();
  t.is((await undo(here)).code, 0);
  for (const { method, path, body } of here.writes()) {
    t.is(`${method} ${path.split('/')[0]}`, 'PATCH choices');
    t.deepEqual(body, { is_active: false });
  }
  t.is(here.site.state().types.length, 2);
});

test('resume of a folder finishes its newest run, and does nothing once that is complete', async (t) => {
  const here = await sample(t);
  const shell = testShell();
  const front = await openFront(t, here.site, ({ method, path }) => {
    if (method === 'POST' && path === 'subjects/') shell.interrupt();
  });
  const onFront = [...here.onSite, '--site-endpoint', front];
  t.is((await runTool(shell, ['patrol-datamodel', '--bundle', here.bundle, ...onFront])).code, 130);
  t.is((await here.run('resume', here.folder, ...onFront)).code, 0);
  t.is(here.record().status, 'complete');
  here.writes();
  const again = await here.run('resume', here.folder, ...onFront);
  t.is(again.code, 0);
  t.regex(again.out, /was finished/);
  t.deepEqual(here.writes(), []);
});

test('a folder with an unfinished run beside its newest record names that run, which the call leaves', async (t) => {
  const here = await twoRuns(t);
  const [first = ''] = here.records();
  const path = join(here.folder, first);
  writeFileSync(path, readFileSync(path, 'utf8').replace('"status": "complete"', '"status": "failed"'));
  const said = `Warning: the run recorded in ${path} did not finish, and this call leaves it; name its record too`;
  t.true((await undo(here)).err.includes(said));
  t.is((await here.run('undo', path, ...here.onSite)).code, 0);
  t.notRegex((await undo(here)).err, /did not finish/);
});

test('a folder without a record of this site is refused, whatever else lies there', async (t) => {
  const here = await sample(t);
  const empty = await undo(here);
  t.is(empty.code, 1);
  t.is(empty.json()['reason'], 'record_missing');
  await here.sync();
  const record = readFileSync(here.recordPath(), 'utf8');
  writeFileSync(here.recordPath(), record.replace(/"site": "[^"]+"/, '"site": "other.example"'));
  here.writes();
  t.is((await undo(here)).json()['reason'], 'record_missing');
  t.deepEqual(here.writes(), []);
});

test('records of several areas in one folder are not chosen among; the newest of each area is named to choose from', async (t) => {
  const here = await twoRuns(t);
  await writeTestBundle(here.bundle, { area: { uuid: 'bb'.repeat(16), id: '052', name: 'Other' } });
  const old = here.records().at(-1) ?? '';
  renameSync(join(here.folder, old), join(here.folder, 'patrol-datamodel-run-20250102T000000Z.json'));
  await here.sync();
  here.writes();
  const named = [`${join(here.folder, here.records().at(-1) ?? '')} (area 052)`, '20250102T000000Z.json (area 051)'];
  for (const command of ['undo', 'resume']) {
    const { code, json } = await here.run(command, here.folder, ...here.onSite, '--output', 'json');
    t.is(code, 1);
    t.is(json()['reason'], 'record_ambiguous');
    for (const each of named) t.true(String(json()['message']).includes(each), each);
    t.notRegex(String(json()['message']), /20250101T000000Z|not a valid/);
  }
  t.deepEqual(here.writes(), []);
});

const newer = 'patrol-datamodel-run-20990101T000000Z';

test('a newest record that cannot be read is not passed over', async (t) => {
  const here = await twoRuns(t);
  writeFileSync(join(here.folder, `${newer}.json`), '{"format":');
  const { code, json } = await undo(here);
  t.is(code, 1);
  t.is(json()['reason'], 'record_invalid');
  t.true(String(json()['message']).includes(newer));
  t.deepEqual(here.writes(), []);
});

test('a run that was killed before its record was whole wrote nothing: its record is passed over', async (t) => {
  const here = await twoRuns(t);
  writeFileSync(join(here.folder, `${newer}.json`), '');
  writeFileSync(join(here.folder, `${newer}.journal.jsonl`), '');
  t.is((await undo(here)).code, 0);
  t.true(here.writes().length > 0);
});

test('an old record that cannot be read is named, because it may be of an area that needs what is undone; moved away, it keeps nobody from the newest', async (t) => {
  const here = await twoRuns(t);
  const old = join(here.folder, 'patrol-datamodel-run-20240101T000000Z.json');
  writeFileSync(old, 'x');
  const refused = await undo(here);
  t.is(refused.code, 1);
  t.true(`${refused.out}${refused.err}`.includes(old));
  renameSync(old, `${old}.damaged`);
  t.is((await undo(here)).code, 0);
});

test('a folder that cannot be read is named', async (t) => {
  const here = await sample(t);
  mkdirSync(join(here.folder, 'empty'));
  const { code, json } = await here.run('resume', join(here.folder, 'empty'), ...here.onSite, '--output', 'json');
  t.is(code, 1);
  t.is(json()['reason'], 'record_missing');
});
