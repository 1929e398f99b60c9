import { fc, testProp } from '@fast-check/ava';
import { queueHarness, type Fate, type QueueHarness } from '../test/queue-harness.ts';

type Op = { readonly op: 'add'; readonly key: string } | { readonly op: 'pass'; readonly ms: number };

const key = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');
const op: fc.Arbitrary<Op> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ op: fc.constant('add' as const), key }) },
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

interface QueueRequest {
  readonly key: string;
  readonly at: number;
  readonly due: number;
}

/** Does the operations and says what was requested for. */
const play = async ({ clock, queue }: QueueHarness, todo: readonly Op[]): Promise<QueueRequest[]> => {
  const requests: QueueRequest[] = [];
  for (const each of todo) {
    const at = clock.monotonic();
    if (each.op === 'add') {
      requests.push({ key: each.key, at, due: at });
      queue.add(each.key);
    } else await clock.advance(each.ms);
  }
  return requests;
};

/** Longer than everything that can be waited for. */
const longMs = 5_000_000;

testProp(
  'no key runs twice at once, never more run than may, and none is lost: each request has a run that began after it',
  [ops, fates, concurrency, seed],
  async (t, todo, ends, most, seed) => {
    const harness = queueHarness({ fates: ends, concurrency: most, seed });
    const requests = await play(harness, todo);
    await harness.clock.advance(longMs);
    t.deepEqual(harness.problems, []);
    for (const request of requests)
      t.true(
        harness.runsOf(request.key).some(({ at }) => at >= request.at),
        JSON.stringify(request),
      );
    t.true(harness.runs.every(({ ended }) => ended !== undefined));
  },
  { numRuns: 400 },
);

testProp(
  'bursts coalesce: there are never more runs than requests, failures and runs that wanted another one',
  [ops, fates, concurrency, seed],
  async (t, todo, ends, most, seed) => {
    const harness = queueHarness({ fates: ends, concurrency: most, seed });
    const requests = await play(harness, todo);
    await harness.clock.advance(longMs);
    const again = ends.slice(0, harness.runs.length).filter((each) => each.ends !== 'done').length;
    t.true(harness.runs.length <= requests.length + again);
  },
  { numRuns: 200 },
);

testProp(
  'however often a key is added before its run and during it, these are two runs',
  [fc.integer({ min: 1, max: 50 }), fc.integer({ min: 1, max: 50 }), fc.integer({ min: 1, max: 5_000 })],
  async (t, before, during, ms) => {
    const harness = queueHarness({
      concurrency: 1,
      fates: [
        { ms: 10, ends: 'done', afterMs: 0 },
        { ms, ends: 'done', afterMs: 0 },
      ],
    });
    harness.queue.add('other');
    for (let n = 0; n < before; n += 1) harness.queue.add('a');
    await harness.clock.advance(10);
    for (let n = 0; n < during; n += 1) harness.queue.add('a');
    await harness.clock.advance(longMs);
    t.is(harness.runsOf('a').length, 2);
  },
  { numRuns: 200 },
);

testProp(
  'a key that keeps failing runs again after its back-off, longer each time up to the most, and begins anew after a success',
  [fc.integer({ min: 1, max: 12 }), seed],
  async (t, failures, seed) => {
    const fails: Fate[] = Array.from({ length: failures }, () => ({ ms: 0, ends: 'fails', afterMs: 0 }));
    const fates = [...fails, { ms: 0, ends: 'done', afterMs: 0 }, { ms: 0, ends: 'fails', afterMs: 0 }] as Fate[];
    const harness = queueHarness({ fates, seed });
    harness.queue.add('a');
    await harness.clock.advance(2_000_000);
    t.is(harness.runs.length, failures + 1);
    const waits = harness.runs.slice(1).map(({ at }, n) => at - (harness.runs[n]?.at ?? 0));
    for (const [n, wait] of waits.entries()) {
      const whole = Math.min(1_000 * 2 ** n, 60_000);
      t.true(wait >= whole * 0.8 && wait <= whole * 1.2, `${n}: ${wait}`);
    }
    harness.queue.add('a');
    await harness.clock.advance(1_200);
    t.is(harness.runs.length, failures + 3);
  },
  { numRuns: 200 },
);

testProp(
  'the queue stops: at once when nothing runs, with the last run, or at its deadline; nothing begins after it',
  [ops, fates, concurrency, fc.integer({ min: 0, max: 6_000 })],
  async (t, todo, ends, most, deadline) => {
    const harness = queueHarness({ fates: ends, concurrency: most });
    await play(harness, todo);
    await harness.clock.advance(0);
    const [before, at] = [harness.runs.length, harness.clock.monotonic()];
    const open = harness.runs.filter(({ ended }) => ended === undefined);
    let left: number | undefined;
    void harness.queue.stop(deadline).then((n) => (left = n));
    harness.queue.add('late');
    await harness.clock.advance(deadline);
    t.is(left, open.filter(({ ended }) => ended === undefined).length);
    await harness.clock.advance(longMs);
    t.is(harness.runs.length, before);
    t.true(open.every(({ ended }) => (ended ?? Infinity) <= at + 5_000));
  },
  { numRuns: 300 },
);
