import { fc, testProp } from '@fast-check/ava';
import { queueWorld, type Fate, type QueueWorld } from '../test/queue-world.ts';

type Op =
  | { readonly op: 'add'; readonly key: string }
  | { readonly op: 'later'; readonly key: string; readonly ms: number }
  | { readonly op: 'pass'; readonly ms: number };

const key = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');
const op: fc.Arbitrary<Op> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ op: fc.constant('add' as const), key }) },
  {
    weight: 2,
    arbitrary: fc.record({ op: fc.constant('later' as const), key, ms: fc.integer({ min: 0, max: 9_000 }) }),
  },
  { weight: 3, arbitrary: fc.record({ op: fc.constant('pass' as const), ms: fc.integer({ min: 0, max: 3_000 }) }) },
);
const ops = fc.array(op, { minLength: 1, maxLength: 60, size: 'max' });
const fate: fc.Arbitrary<Fate> = fc.record({
  ms: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 5_000 })),
  ends: fc.constantFrom('done', 'done', 'again', 'fails', 'throttled'),
  afterMs: fc.integer({ min: 0, max: 20_000 }),
});
const fates = fc.array(fate, { maxLength: 40, size: 'max' });
const concurrency = fc.integer({ min: 1, max: 4 });
const seed = fc.integer({ min: 0, max: 2 ** 31 });

interface Wish {
  readonly key: string;
  readonly at: number;
  readonly due: number;
}

/** Does the operations and says what was wished for. */
const play = async ({ clock, queue }: QueueWorld, todo: readonly Op[]): Promise<Wish[]> => {
  const wishes: Wish[] = [];
  for (const each of todo) {
    const at = clock.monotonic();
    if (each.op === 'add') {
      wishes.push({ key: each.key, at, due: at });
      queue.add(each.key);
    } else if (each.op === 'later') {
      wishes.push({ key: each.key, at, due: at + each.ms });
      queue.addAfter(each.key, each.ms);
    } else await clock.advance(each.ms);
  }
  return wishes;
};

/** Longer than everything that can be waited for. */
const longMs = 5_000_000;

testProp(
  'no key runs twice at once, never more run than may, and none is lost: each wish has a run that began after it',
  [ops, fates, concurrency, seed],
  async (t, todo, ends, most, seed) => {
    const world = queueWorld({ fates: ends, concurrency: most, seed });
    const wishes = await play(world, todo);
    await world.clock.advance(longMs);
    t.deepEqual(world.problems, []);
    for (const wish of wishes)
      t.true(
        world.runsOf(wish.key).some(({ at }) => at >= wish.at),
        JSON.stringify(wish),
      );
    t.is(world.queue.running(), 0);
    t.is(world.queue.waiting(), 0);
  },
  { numRuns: 400 },
);

testProp(
  'bursts coalesce: there are never more runs than wishes, failures and runs that wanted another one',
  [ops, fates, concurrency, seed],
  async (t, todo, ends, most, seed) => {
    const world = queueWorld({ fates: ends, concurrency: most, seed });
    const wishes = await play(world, todo);
    await world.clock.advance(longMs);
    const again = ends.slice(0, world.runs.length).filter((each) => each.ends !== 'done').length;
    t.true(world.runs.length <= wishes.length + again);
  },
  { numRuns: 200 },
);

testProp(
  'however often a key is added before its run and during it, these are two runs',
  [fc.integer({ min: 1, max: 50 }), fc.integer({ min: 1, max: 50 }), fc.integer({ min: 1, max: 5_000 })],
  async (t, before, during, ms) => {
    const world = queueWorld({
      concurrency: 1,
      fates: [
        { ms: 10, ends: 'done', afterMs: 0 },
        { ms, ends: 'done', afterMs: 0 },
      ],
    });
    world.queue.add('other');
    for (let n = 0; n < before; n += 1) world.queue.add('a');
    await world.clock.advance(10);
    for (let n = 0; n < during; n += 1) world.queue.add('a');
    await world.clock.advance(longMs);
    t.is(world.runsOf('a').length, 2);
  },
  { numRuns: 200 },
);

testProp(
  'with room to run, a delayed wish is fulfilled at its time to the millisecond, and of several the earliest counts',
  [fc.array(fc.tuple(key, fc.integer({ min: 1, max: 100_000 })), { minLength: 1, maxLength: 40 })],
  async (t, delays) => {
    const world = queueWorld({ concurrency: 10 });
    for (const [name, ms] of delays) world.queue.addAfter(name, ms);
    await world.clock.advance(200_000);
    for (const name of new Set(delays.map(([name]) => name))) {
      const earliest = Math.min(...delays.filter(([other]) => other === name).map(([, ms]) => ms));
      t.deepEqual(
        world.runsOf(name).map(({ at }) => at),
        [earliest],
      );
    }
  },
  { numRuns: 200 },
);

testProp(
  'a key that keeps failing runs again after its back-off, longer each time up to the most, and begins anew after a success',
  [fc.integer({ min: 1, max: 12 }), seed],
  async (t, failures, seed) => {
    const fails: Fate[] = Array.from({ length: failures }, () => ({ ms: 0, ends: 'fails', afterMs: 0 }));
    const fates = [...fails, { ms: 0, ends: 'done', afterMs: 0 }, { ms: 0, ends: 'fails', afterMs: 0 }] as Fate[];
    const world = queueWorld({ fates, seed });
    world.queue.add('a');
    await world.clock.advance(2_000_000);
    t.is(world.runs.length, failures + 1);
    const waits = world.runs.slice(1).map(({ at }, n) => at - (world.runs[n]?.at ?? 0));
    for (const [n, wait] of waits.entries()) {
      const whole = Math.min(1_000 * 2 ** n, 60_000);
      t.true(wait >= whole * 0.8 && wait <= whole * 1.2, `${n}: ${wait}`);
    }
    world.queue.add('a');
    await world.clock.advance(1_200);
    t.is(world.runs.length, failures + 3);
  },
  { numRuns: 200 },
);

testProp(
  'a drain ends: at once when nothing runs, with the last run, or at its deadline; nothing begins after it',
  [ops, fates, concurrency, fc.integer({ min: 0, max: 6_000 })],
  async (t, todo, ends, most, deadline) => {
    const world = queueWorld({ fates: ends, concurrency: most });
    await play(world, todo);
    await world.clock.advance(0);
    const [before, at] = [world.runs.length, world.clock.monotonic()];
    const open = world.runs.filter(({ ended }) => ended === undefined);
    let left: number | undefined;
    void world.queue.drain(deadline).then((n) => (left = n));
    world.queue.add('late');
    world.queue.addAfter('late', 10);
    await world.clock.advance(deadline);
    t.is(left, open.filter(({ ended }) => ended === undefined).length);
    await world.clock.advance(longMs);
    await world.queue.settled();
    t.is(world.runs.length, before);
    t.is(world.queue.waiting(), 0);
    t.true(open.every(({ ended }) => (ended ?? Infinity) <= at + 5_000));
  },
  { numRuns: 300 },
);
