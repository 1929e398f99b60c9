import { randomInt } from 'node:crypto';
import { webhookDefaults } from '@ranger-relay/device';
import test, { type ExecutionContext } from 'ava';
import type { Fault } from './faults.ts';
import { type AnyReport, services, sync, type WorldKind } from './kinds.ts';
import { textCodes } from './population.ts';
import { drawWorld, runWorld } from './run.ts';
import { sealed } from './sealed.ts';
import { createSimulation } from './simulation.ts';
import { drawSyncWorld, runSyncWorld } from './sync/run.ts';
import { settings } from './sync/world.ts';
import { keptCases, lineOf, storyOf, violationsIn } from './tell.ts';
import type { WorldOptions } from './world.ts';

const small = (seed: number): WorldOptions =>
  drawWorld(seed, { ms: 3_600_000, parks: 2, devices: 4, intervalMs: 120_000, faultEveryMs: 240_000 });

test.serial('two runs of one seed have the same history, byte for byte, and another seed has another', async (t) => {
  const histories = [3, 3, 4].map(() => '');
  for (const [index, seed] of [3, 3, 4].entries())
    await runWorld(small(seed), { history: (line) => void (histories[index] = (histories[index] ?? '') + line) });
  const [first = '', second = '', other = ''] = histories;
  t.true(first.length > 100_000);
  t.is(first, second);
  t.not(first, other);
});

for (const [what, ask] of [
  ['Date.now', () => Date.now()],
  ['new Date()', () => new Date()],
  ['performance.now', () => performance.now()],
  ['Math.random', () => Math.random()],
  ['setTimeout', () => setTimeout(() => undefined, 1)],
  ['setImmediate', () => setImmediate(() => undefined)],
  ['AbortSignal.timeout', () => AbortSignal.timeout(1)],
  ['fetch', () => fetch('http://127.0.0.1:1')],
] as const)
  test.serial(`${what} inside the world is an error that names it`, async (t) => {
    const error = await t.throwsAsync(sealed(createSimulation(1).chance('bytes'), async () => ask()));
    t.true(error?.message.startsWith(`${what} was called inside the world`), error?.message);
    t.true(Date.now() > 0, 'and afterwards it works again');
  });

for (const { why, world, sync: syncWorld } of keptCases())
  test.serial(`a world that failed once holds: ${why}`, async (t) => {
    if (world) t.deepEqual((await runWorld(world)).violations, []);
    if (syncWorld) t.deepEqual((await runSyncWorld(syncWorld)).violations, []);
  });

const fresh = async <Options extends { readonly faults: readonly Fault[] }, Found extends AnyReport>(
  t: ExecutionContext,
  kind: WorldKind<Options, Found>,
  ms: number,
  flag: string,
): Promise<void> => {
  t.timeout(10 * ms + 60_000);
  const end = performance.now() + ms;
  let worlds = 0;
  for (let seed = randomInt(2 ** 31); performance.now() < end; seed += 1) {
    const world = kind.draw(seed);
    const report = await kind.run(world);
    worlds += 1;
    t.log(lineOf(kind, report));
    if (report.violations.length > 0)
      return t.fail(
        `npm run world -- ${flag}--seed ${seed}\n${violationsIn(report)}\n${await storyOf(kind, world, report)}`,
      );
  }
  t.true(worlds > 0);
};

test.serial('fresh worlds of the services hold', (t) => fresh(t, services, 15_000, ''));
test.serial('fresh worlds of the sync hold', (t) => fresh(t, sync, 5_000, '--sync '));

test.serial('in a world without faults everything arrives once', async (t) => {
  const { violations, repeats, events, rows, texts } = await runWorld({ ...small(5), faults: [] });
  t.deepEqual(violations, []);
  t.is(repeats, 0);
  t.true(events > 200 && rows > 5 && texts > 1);
});

test.serial('two runs of one seed of the sync have the same history, byte for byte', async (t) => {
  const histories = ['', ''];
  for (const index of [0, 1])
    await runSyncWorld(drawSyncWorld(3), { history: (line) => void (histories[index] += line) });
  t.true((histories[0] ?? '').length > 50_000);
  t.is(histories[0], histories[1]);
});

for (const setting of settings)
  test.serial(`without faults and edits every call of the sync that is not refused succeeds: ${setting}`, async (t) => {
    const { violations, kills } = await runSyncWorld({
      ...drawSyncWorld(5),
      setting,
      faults: [],
      editShare: 0,
      editEveryMs: 1e9,
    });
    t.deepEqual(violations, []);
    t.is(kills, 0);
  });

test('the world expects a message from every code that becomes one by default', (t) => {
  t.deepEqual([...textCodes], [...webhookDefaults.message_codes]);
});
