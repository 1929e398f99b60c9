import test, { type ExecutionContext } from 'ava';
import { siteFaults } from '@ranger-relay/simulators';
import { writeContractSample } from '../bundle/sample/contract-sample.ts';
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
