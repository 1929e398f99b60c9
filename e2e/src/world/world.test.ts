import { randomInt } from 'node:crypto';
import test from 'ava';
import { drawWorld, runWorld } from './run.ts';
import { sealed } from './sealed.ts';
import { createSimulation } from './simulation.ts';
import { keptCases, lineOf, storyOf } from './tell.ts';
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

for (const { why, world } of keptCases())
  test.serial(`a world that failed once holds: ${why}`, async (t) => {
    t.deepEqual((await runWorld(world)).violations, []);
  });

const freshMs = 20_000;

test.serial('fresh worlds hold', async (t) => {
  t.timeout(10 * freshMs);
  const end = performance.now() + freshMs;
  let worlds = 0;
  for (let seed = randomInt(2 ** 31); performance.now() < end; seed += 1) {
    const world = drawWorld(seed);
    const report = await runWorld(world);
    worlds += 1;
    t.log(lineOf(report));
    if (report.violations.length > 0) return t.fail(`npm run world -- --seed ${seed}\n${await storyOf(world, report)}`);
  }
  t.true(worlds > 0);
});

test.serial('in a world without faults everything arrives once', async (t) => {
  const { violations, repeats, events, rows, texts } = await runWorld({ ...small(5), faults: [] });
  t.deepEqual(violations, []);
  t.is(repeats, 0);
  t.true(events > 200 && rows > 5 && texts > 1);
});
