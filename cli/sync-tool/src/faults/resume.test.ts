import { appendFileSync, readFileSync, renameSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { writeContractSample } from '../bundle/sample/contract-sample.ts';
import { writeTestBundle } from '../test/bundle.ts';
import { openHarness, type Harness } from '../test/harness.ts';

const sample = (t: ExecutionContext): Promise<Harness> => openHarness(t, (folder) => writeContractSample(folder));

/** Makes the record look as a kill leaves it: not finished, and its journal beside it with the first lines. */
const killed = async (here: Harness, lines = Infinity, torn = ''): Promise<string> => {
  await here.sync();
  const path = here.recordPath();
  const record = JSON.parse(readFileSync(path, 'utf8')) as { changes: Record<string, unknown>[] };
  const journal = record.changes.flatMap((change, i) => {
    const id = 'id' in change ? change['id'] : null;
    const intent = change['action'] === 'created' && change['kind'] !== 'roster' ? { ...change, id: '' } : change;
    return [JSON.stringify({ intent: i, change: intent }), JSON.stringify({ result: i, outcome: 'done', id })];
  });
  const text = journal.slice(0, lines).join('\n');
  writeFileSync(path.replace('.json', '.journal.jsonl'), `${text}\n${torn}`);
  writeFileSync(path, JSON.stringify({ ...record, status: 'interrupted', finished_at: null, changes: [] }));
  return path;
};

const reasonOf = ({ json }: Awaited<ReturnType<Harness['run']>>): unknown => json()['reason'];

test('a journal whose last line is torn is read up to it; what it does not know is asked of the site', async (t) => {
  const here = await sample(t);
  const path = await killed(here, 27, '{"result":13,"outc');
  here.writes();
  const { code, err } = await here.run('resume', path, ...here.onSite);
  t.is(code, 0, err);
  t.deepEqual(here.writes(), []);
  t.regex((await here.run('undo', here.recordPath(), ...here.onSite)).out, /^14 undone, 0 left, 0 failed$/m);
});

test('undo of a run that was killed works from its journal, and asks the site about the write that was under way', async (t) => {
  const here = await sample(t);
  const path = await killed(here, 27);
  const { code } = await here.run('undo', path, ...here.onSite);
  t.is(code, 0);
  t.is(here.site.state().groups[1]?.subjects.length, 0);
  t.true(here.site.state().subjects.every(({ is_active }) => !is_active));
  t.deepEqual(here.site.state().types, []);
});

/** Takes the results of all writes of types out of the journal of a killed run, and the types off the site: their requests never arrived. */
const withoutTypes = async (
  here: Harness,
): Promise<{ readonly path: string; readonly types: ReturnType<Harness['site']['state']>['types'] }> => {
  const path = await killed(here);
  const journal = path.replace('.json', '.journal.jsonl');
  const lines = readFileSync(journal, 'utf8').trim().split('\n');
  const changes = lines.map(
    (line) => JSON.parse(line) as { intent?: number; result?: number; change?: { kind: string } },
  );
  const ofTypes = new Set(changes.flatMap(({ intent, change }) => (change?.kind === 'patrol_type' ? [intent] : [])));
  writeFileSync(journal, lines.filter((_, n) => !ofTypes.has(changes[n]?.result)).join('\n'));
  const { types } = here.site.state();
  here.site.seed({ types: [] });
  return { path, types };
};

test('what somebody creates after an undo stays, though the write of the killed run that was under way would have created the same', async (t) => {
  const here = await sample(t);
  const { path, types } = await withoutTypes(here);
  t.is((await here.run('undo', path, ...here.onSite)).code, 0);
  here.site.seed({ types });
  t.is((await here.run('undo', path, ...here.onSite)).code, 0);
  t.deepEqual(
    here.site.state().types.map(({ value }) => value),
    types.map(({ value }) => value),
  );
});

test('undo of a killed run alone leaves what the run that finished it created', async (t) => {
  const here = await sample(t);
  const { path, types } = await withoutTypes(here);
  t.is((await here.sync()).code, 0);
  t.is(here.site.state().types.length, types.length);
  await here.run('undo', path, ...here.onSite);
  t.is(here.site.state().types.length, types.length);
});

test('a list that cannot be read leaves its entry open and the undo of all others goes on', async (t) => {
  const here = await sample(t);
  const path = await killed(here, 27);
  here.site.faults.set({ fault: 'status', status: 403, path: 'subjectgroup/*' });
  const { code, out } = await here.run('undo', path, ...here.onSite);
  t.is(code, 1);
  t.regex(out, /^failed: roster group "Rangers"/m);
  t.deepEqual(here.site.state().types, []);
});

test('a record without its journal is refused: it would look as if there were nothing to undo', async (t) => {
  const here = await sample(t);
  const path = await killed(here);
  unlinkSync(path.replace('.json', '.journal.jsonl'));
  for (const command of ['undo', 'resume']) {
    const call = await here.run(command, path, ...here.onSite, '--output', 'json');
    t.is(call.code, 1);
    t.is(reasonOf(call), 'record_invalid');
    t.regex(String(call.json()['message']), /journal/);
  }
});

test('resume of a finished run names the command that brings its checklist up to date', async (t) => {
  const here = await sample(t);
  t.is((await here.sync()).code, 0);
  const { code, out } = await here.run('resume', here.recordPath(), ...here.onSite);
  t.is(code, 0);
  t.regex(out, /^Bring its checklist up to date, .*: .* verify --bundle \S+ --checklist \S+checklist\.md/m);
});

test('a journal beside a finished record changes nothing', async (t) => {
  const here = await sample(t);
  await killed(here);
  const path = here.recordPath();
  const record = JSON.parse(readFileSync(path, 'utf8')) as object;
  writeFileSync(path, JSON.stringify({ ...record, status: 'complete', finished_at: '2026-01-31T00:00:00.000Z' }));
  const { json } = await here.run('resume', path, ...here.onSite, '--output', 'json');
  t.like(json(), { ok: true, finished: true });
  t.is((await here.run('undo', path, ...here.onSite)).code, 0);
  t.deepEqual(here.site.state().types, []);
});

test('resume is refused for another bundle', async (t) => {
  const here = await sample(t);
  const path = await killed(here, 4);
  await writeTestBundle(here.bundle);
  here.writes();
  const call = await here.run('resume', path, ...here.onSite, '--output', 'json');
  t.is(reasonOf(call), 'record_invalid');
  t.regex(String(call.json()['message']), /bundle/);
  t.deepEqual(here.writes(), []);
});

test('resume finds a bundle that has moved with --bundle', async (t) => {
  const here = await sample(t);
  const path = await killed(here, 4);
  renameSync(here.bundle, join(here.folder, 'moved'));
  t.is((await here.run('resume', path, ...here.onSite)).code, 1);
  t.is((await here.run('resume', path, ...here.onSite, '--bundle', join(here.folder, 'moved'))).code, 0);
});

test('resume and undo are refused on another site than that of the record', async (t) => {
  const here = await sample(t);
  const path = await killed(here, 4);
  const other = await sample(t);
  for (const command of ['resume', 'undo']) {
    const call = await here.run(command, path, ...other.onSite, '--output', 'json');
    t.is(call.code, 1);
    t.is(reasonOf(call), 'record_invalid');
    t.regex(String(call.json()['message']), /site/);
  }
  t.deepEqual(other.site.log.entries(), []);
});

test('what is no record is refused, named, before the site is asked', async (t) => {
  const here = await sample(t);
  const path = join(here.folder, 'none.json');
  for (const content of [undefined, 'x', '{}', '[]']) {
    if (content !== undefined) writeFileSync(path, content);
    for (const command of ['resume', 'undo']) {
      const call = await here.run(command, path, ...here.onSite, '--output', 'json');
      t.is(reasonOf(call), 'record_invalid');
      t.true(String(call.json()['message']).includes(path));
    }
  }
  t.deepEqual(here.site.log.entries(), []);
});

test('a dry run of resume shows what is left, and writes nothing', async (t) => {
  const here = await sample(t);
  const path = await killed(here, 4);
  here.site.seed({ subjects: [] });
  here.writes();
  const { code, out } = await here.run('--dry-run', 'resume', path, ...here.onSite);
  t.is(code, 0);
  t.regex(out, /^\+ subject "Ranger One"$/m);
  t.deepEqual(here.writes(), []);
});

test('lines of a journal that nobody understands are passed over', async (t) => {
  const here = await sample(t);
  const path = await killed(here);
  appendFileSync(path.replace('.json', '.journal.jsonl'), '\n{"result":99,"outcome":"done","id":null}\nnull\n');
  t.is((await here.run('resume', path, ...here.onSite)).code, 0);
  t.regex((await here.run('undo', here.recordPath(), ...here.onSite)).out, /^14 undone, 0 left, 0 failed$/m);
});
