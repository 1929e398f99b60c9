import test from 'ava';
import { openSyncHarness, type SyncHarness } from './harness/sync.ts';
import { until } from './harness/until.ts';

const sample = ['--contract'];
const latencyMs = 30;

/** Content of the site by its own names, without ids. */
const essence = ({ site }: SyncHarness): object => {
  const { types, choices, subjects, groups, form } = site.state();
  return {
    types: types.map(({ value, display, is_active }) => `${value} ${display} ${is_active}`).sort(),
    choices: choices.map(({ field, value, is_active }) => `${field} ${value} ${is_active}`).sort(),
    subjects: subjects.map(({ name, is_active }) => `${name} ${is_active}`).sort(),
    members: groups.map(({ name, subjects: members }) => `${name} ${members.length}`).sort(),
    form,
  };
};

/** Runs the sync and kills it with -9 once the site has begun so many writes. */
const killedAfter = async (harness: SyncHarness, writes: number): Promise<void> => {
  const { site, bundle, onSite, start } = harness;
  const run = start('patrol-datamodel', '--bundle', bundle, ...onSite);
  await until(`write ${writes}`, () => site.log.writes().length >= writes);
  await run.end('SIGKILL');
  await until('the site has finished what it was sent', () => site.log.inFlight() === 0);
};

test.serial('a run that is killed with -9 and resumed ends as one that was not', async (t) => {
  t.timeout(60_000);
  const whole = await openSyncHarness(sample);
  t.teardown(() => whole.remove());
  t.is((await whole.run('patrol-datamodel', '--bundle', whole.bundle, ...whole.onSite)).code, 0);

  const harness = await openSyncHarness(sample, { latencyMs });
  t.teardown(() => harness.remove());
  await killedAfter(harness, 5);
  const [record = ''] = harness.records();
  const { code, stderr } = await harness.run('resume', record, ...harness.onSite);
  t.is(code, 0, stderr);
  t.deepEqual(essence(harness), essence(whole));
  const [, second = ''] = harness.records().toSorted();
  t.is((await harness.run('undo', second, ...harness.onSite)).code, 0);
  t.deepEqual(harness.site.state().types, []);
});

test.serial('a run that is killed with -9 and undone leaves nothing active behind', async (t) => {
  t.timeout(60_000);
  const harness = await openSyncHarness(sample, { latencyMs });
  t.teardown(() => harness.remove());
  await killedAfter(harness, 10);
  const { code, stderr } = await harness.run('undo', harness.records()[0] ?? '', ...harness.onSite);
  t.is(code, 0, stderr);
  const { types, choices, subjects, groups } = harness.site.state();
  t.deepEqual(types, []);
  const active = [...choices, ...subjects].filter(({ is_active }) => is_active);
  t.deepEqual(active, []);
  t.deepEqual(groups.find(({ name }) => name === 'Rangers')?.subjects, []);
});

test.serial('SIGINT finishes the write in flight, says how to go on and exits with 130', async (t) => {
  t.timeout(60_000);
  const harness = await openSyncHarness(sample, { latencyMs });
  t.teardown(() => harness.remove());
  const run = harness.start('patrol-datamodel', '--bundle', harness.bundle, ...harness.onSite);
  await until('write 4', () => harness.site.log.writes().length >= 4, 30_000);
  t.is(await run.end('SIGINT'), 130);
  const [record = ''] = harness.records();
  t.true(run.output().includes(`sync-tool resume ${record}`), run.output());
  const written = harness.site.log.writes().length;
  t.true(written < 14);
  t.is((await harness.run('resume', record, ...harness.onSite)).code, 0);
  t.is(harness.site.log.writes().length, 14);
});
