import { readdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { openSyncWorld, type SyncWorld } from './harness/sync.ts';
import { until } from './harness/until.ts';

const sample = ['--contract'];
const latencyMs = 30;
const staleMs = 120_000;

/** What the site holds by its own names, without ids. */
const essence = ({ site }: SyncWorld): object => {
  const { types, choices, subjects, groups, form } = site.state();
  return {
    types: types.map(({ value, display, is_active }) => `${value} ${display} ${is_active}`).sort(),
    choices: choices.map(({ field, value, is_active }) => `${field} ${value} ${is_active}`).sort(),
    subjects: subjects.map(({ name, is_active }) => `${name} ${is_active}`).sort(),
    members: groups.map(({ name, subjects: members }) => `${name} ${members.length}`).sort(),
    form,
  };
};

/** The lock of a process that is gone is free a minute later; here it is made older instead. */
const ageLocks = ({ folder }: SyncWorld): void => {
  const then = new Date(Date.now() - staleMs);
  for (const name of readdirSync(folder)) if (name.endsWith('.lock')) utimesSync(join(folder, name), then, then);
};

/** Runs the sync and kills it with -9 once the site has begun so many writes. */
const killedAfter = async (world: SyncWorld, writes: number): Promise<void> => {
  const { site, bundle, onSite, start } = world;
  const run = start('patrol-datamodel', '--bundle', bundle, ...onSite);
  await until(`write ${writes}`, () => site.log.writes().length >= writes);
  await run.end('SIGKILL');
  await until('the site has finished what it was sent', () => site.log.inFlight() === 0);
  ageLocks(world);
};

for (const writes of [1, 5, 12])
  test.serial(`a run that is killed with -9 at write ${writes} and resumed ends as one that was not`, async (t) => {
    t.timeout(60_000);
    const whole = await openSyncWorld(sample);
    t.teardown(() => whole.remove());
    t.is((await whole.run('patrol-datamodel', '--bundle', whole.bundle, ...whole.onSite)).code, 0);

    const world = await openSyncWorld(sample, { latencyMs });
    t.teardown(() => world.remove());
    await killedAfter(world, writes);
    const [record = ''] = world.records();
    const { code, stderr } = await world.run('resume', record, ...world.onSite);
    t.is(code, 0, stderr);
    t.deepEqual(essence(world), essence(whole));
    t.is(world.records().length, 1);
  });

for (const writes of [3, 10])
  test.serial(`a run that is killed with -9 at write ${writes} and undone leaves nothing active behind`, async (t) => {
    t.timeout(60_000);
    const world = await openSyncWorld(sample, { latencyMs });
    t.teardown(() => world.remove());
    await killedAfter(world, writes);
    const { code, stderr } = await world.run('undo', world.records()[0] ?? '', ...world.onSite);
    t.is(code, 0, stderr);
    const { types, choices, subjects, groups } = world.site.state();
    t.deepEqual(types, []);
    t.deepEqual(
      choices.filter(({ is_active }) => is_active),
      [],
    );
    t.deepEqual(
      subjects.filter(({ is_active }) => is_active),
      [],
    );
    t.deepEqual(groups.find(({ name }) => name === 'Rangers')?.subjects, []);
  });

test.serial('SIGINT finishes the write in flight, says how to go on and exits with 130', async (t) => {
  t.timeout(60_000);
  const world = await openSyncWorld(sample, { latencyMs });
  t.teardown(() => world.remove());
  const run = world.start('patrol-datamodel', '--bundle', world.bundle, ...world.onSite);
  await until('write 4', () => world.site.log.writes().length >= 4, 30_000);
  t.is(await run.end('SIGINT'), 130);
  const [record = ''] = world.records();
  t.true(run.output().includes(`sync-tool resume ${record}`), run.output());
  const written = world.site.log.writes().length;
  t.true(written < 14);
  t.is((await world.run('resume', record, ...world.onSite)).code, 0);
  t.is(world.site.log.writes().length, 14);
});
