import test from 'ava';
import type { Progress } from './summary.ts';
import { runLoad, type RunOptions } from './run.ts';
import { answered, broken, scripted } from './test/scripted.ts';

const options: RunOptions = {
  devices: 4,
  rate: 20,
  batch: 2,
  duplicates: 0,
  disorder: 0,
  bad: 0,
  sos: 0,
  seed: 1,
  durationMs: 3_000,
  connections: 2,
  graceMs: 5_000,
};

const begin = (ingester: ReturnType<typeof scripted>, more: Partial<RunOptions> = {}) => {
  const told: Progress[] = [];
  const interrupt = new AbortController();
  const running = runLoad(
    { ...options, ...more },
    { ...ingester.parts, interrupted: interrupt.signal, onProgress: (progress) => told.push(progress) },
  );
  return { running, told, interrupt: () => interrupt.abort() };
};

test('a run sends as many events as rate and duration ask for, and tells each second how far it is', async (t) => {
  const ingester = scripted([answered(200)]);
  const { running, told } = begin(ingester);
  await ingester.clock.advance(10_000);
  const { tally } = await running;
  t.is(tally.made.events, 60);
  t.like(tally, { posts: 30, acknowledgedPosts: 30, acknowledgedEvents: 60, retries: 0 });
  t.deepEqual(
    told.map(({ elapsedMs }) => elapsedMs),
    [1_000, 2_000],
  );
});

test('lanes begin one after the other, not all at once', async (t) => {
  const ingester = scripted([answered(200)]);
  const { running } = begin(ingester);
  await ingester.clock.advance(10_000);
  await running;
  t.deepEqual(
    ingester.sent.slice(0, 4).map(({ at }) => at),
    [0, 100, 200, 300],
  );
});

test('POSTs that fail are tried on for the grace and then stay unacknowledged', async (t) => {
  const ingester = scripted([broken]);
  const { running } = begin(ingester);
  await ingester.clock.advance(8_000);
  const { tally, elapsedMs } = await running;
  t.is(elapsedMs, 8_000);
  t.is(tally.acknowledgedPosts, 0);
  t.is(tally.posts, 2);
  t.true(tally.retries > 4);
});

test('an interruption ends the run at once', async (t) => {
  const ingester = scripted([answered(200)]);
  const { running, interrupt } = begin(ingester);
  await ingester.clock.advance(1_050);
  interrupt();
  const { tally, elapsedMs } = await running;
  t.is(elapsedMs, 1_050);
  t.is(tally.posts, 11);
});

test('after the run nothing is left waiting', async (t) => {
  const ingester = scripted([answered(200)]);
  const { running } = begin(ingester);
  await ingester.clock.advance(10_000);
  await running;
  t.is(ingester.clock.pending(), 0);
});

test('there are never more lanes than devices', async (t) => {
  const ingester = scripted([answered(200)], 1_000);
  const { running } = begin(ingester, { devices: 1, connections: 8, durationMs: 1_000 });
  await ingester.clock.advance(20_000);
  t.is((await running).tally.posts, 1);
});
