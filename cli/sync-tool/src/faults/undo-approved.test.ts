import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { siteFaults } from '@ranger-relay/simulators';
import { writeContractSample } from '../bundle/sample/contract-sample.ts';
import { employee, id, named, transport, writeTestBundle } from '../test/bundle.ts';
import { openHarness, type Harness } from '../test/harness.ts';

const synced = async (t: ExecutionContext): Promise<Harness> => {
  const here = await openHarness(t, (folder) => writeContractSample(folder));
  await here.sync();
  here.writes();
  return here;
};

const undo = (here: Harness, ...more: readonly string[]) =>
  here.run('undo', here.recordPath(), ...here.onSite, '--output', 'json', ...more);

/** Hash of what an undo would take back now. */
const planned = async (here: Harness, ...more: readonly string[]): Promise<string> => {
  const call = ['--dry-run', 'undo', here.recordPath(), ...here.onSite, '--output', 'json', ...more];
  return String((await here.run(...call)).json()['plan_hash']);
};

test('an undo whose plan was approved takes back what the plan showed', async (t) => {
  const here = await synced(t);
  const hash = await planned(here);
  t.regex(hash, /^[0-9a-f]{64}$/);
  const { code, json } = await undo(here, '--approved', hash);
  t.is(code, 0);
  t.is(json()['plan_hash'], hash);
  t.true(here.site.state().choices.every(({ is_active }) => !is_active));
});

test('an undo that would take back something else than was approved writes nothing', async (t) => {
  const here = await synced(t);
  const hash = await planned(here);
  const [first, ...others] = here.site.state().choices;
  here.site.seed({ choices: [{ ...first, display: 'Edited' } as never, ...others] });
  for (const more of [[], ['--delete-subjects']]) {
    const { code, json } = await undo(here, '--approved', hash, ...more);
    t.is(code, 1);
    t.is(json()['reason'], 'plan_outdated');
  }
  t.deepEqual(here.writes(), []);
});

test('other options are another plan', async (t) => {
  const here = await synced(t);
  const hashes = [
    await planned(here),
    await planned(here, '--delete-subjects'),
    await planned(here, '--force', 'choice'),
  ];
  t.is(new Set(hashes).size, 3);
});

test('an undo that was broken off goes on with the approval that it has', async (t) => {
  const here = await synced(t);
  const hash = await planned(here);
  here.site.faults.set({ ...siteFaults.broken, method: 'PATCH', path: 'choices/*', skip: 2, count: 2 });
  t.is((await undo(here, '--approved', hash)).code, 1);
  t.is(await planned(here), hash);
  t.is((await undo(here, '--approved', hash)).code, 0);
  t.true(here.site.state().choices.every(({ is_active }) => !is_active));
});

const mandate = (label: string) => [{ uuid: id('d1'), key: 'routine', ...named(label) }];

test('a dry run of several runs takes each undone entry into account, so that its lines and its hash are those of the undo', async (t) => {
  const here = await openHarness(t, (folder) => writeTestBundle(folder, { mandates: mandate('Routine') }));
  await here.sync();
  const gone = employee('f1', { employment: { start: '2019-03-01', end: '2020-01-01' } });
  const type = { ...transport('b1', 'foot'), ...named('Walk') };
  const zone = { uuid: id('e1'), key: 'zone', type: 'NUMERIC', ...named('Zone') };
  const second = { mandates: mandate('Daily'), transports: [type], patrol_attributes: [zone], employees: [gone] };
  await writeTestBundle(here.bundle, second);
  t.is((await here.sync('--max-deactivations', '9')).code, 0);
  t.is(here.records().length, 2);
  const call = ['undo', ...here.records().map((name) => join(here.folder, name)), ...here.onSite, '--output', 'json'];
  const dry = await here.run('--dry-run', ...call);
  t.is(dry.code, 0, dry.err);
  const { plan_hash, entries } = dry.json() as { plan_hash: string; entries: { reason: string | null }[] };
  const real = await here.run(...call, '--approved', plan_hash);
  t.is(real.code, 0);
  const withoutFiles = (list: typeof entries) =>
    list.map((entry) => ({ ...entry, reason: entry.reason?.startsWith('the form before') ? null : entry.reason }));
  t.deepEqual(withoutFiles(real.json()['entries'] as typeof entries), entries);
  t.deepEqual(here.site.state().types, []);
});
