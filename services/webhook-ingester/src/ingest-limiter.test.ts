import { fc, testProp } from '@fast-check/ava';
import { isRelayError } from '@ranger-relay/errors';
import { manualClock } from '@ranger-relay/runtime/testing';
import test from 'ava';
import { createIngestLimiter } from './ingest-limiter.ts';

const MiB = 1_048_576;

const setUp = () => {
  const clock = manualClock();
  const turns = createIngestLimiter(clock);
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const failed: string[] = [];
  /** Works for some milliseconds of the clock without giving the loop free, then until it is ended. */
  const begin = (name: string, bytes: number, spentMs = 0): void => {
    const work = (): Promise<void> => {
      started.push(name);
      clock.block(spentMs);
      return new Promise((resolve) => ends.set(name, resolve));
    };
    turns
      .run(bytes, work)
      .catch((error: unknown) => failed.push(isRelayError(error, 'too_busy') ? name : String(error)));
  };
  const end = async (name: string): Promise<void> => {
    ends.get(name)?.();
    await clock.advance(0);
  };
  return { clock, turns, started, failed, begin, end };
};

test('large bodies start one at a time, each as long after the one before as that kept the loop', async (t) => {
  const { clock, started, begin } = setUp();
  for (const name of ['a', 'b', 'c']) begin(name, MiB, 100);
  await clock.advance(0);
  t.deepEqual(started, ['a']);
  await clock.advance(99);
  t.deepEqual(started, ['a']);
  await clock.advance(1);
  t.deepEqual(started, ['a', 'b']);
  await clock.advance(100);
  t.deepEqual(started, ['a', 'b', 'c']);
});

test('after each step of a large body the loop is free for as long as that step kept it', async (t) => {
  const { clock, turns, started, begin } = setUp();
  const steps: string[] = [];
  const work = turns.run(16 * MiB, async (rest) => {
    for (const [step, spentMs] of [
      ['decoded', 50],
      ['parsed', 200],
      ['mapped', 0],
    ] as const) {
      steps.push(step);
      clock.block(spentMs);
      await rest();
    }
  });
  await clock.advance(49);
  t.deepEqual(steps, ['decoded']);
  await clock.advance(1);
  t.deepEqual(steps, ['decoded', 'parsed']);
  begin('small', 1_000);
  await clock.advance(199);
  t.deepEqual([...steps, ...started], ['decoded', 'parsed', 'small']);
  await clock.advance(1);
  t.deepEqual(steps, ['decoded', 'parsed', 'mapped']);
  await work;
});

test('no more than 16 MiB of large bodies are worked on until their records are stored', async (t) => {
  const { clock, started, begin, end } = setUp();
  for (const name of ['a', 'b']) begin(name, 9 * MiB);
  begin('c', MiB);
  await clock.advance(1);
  t.deepEqual(started, ['a']);
  await end('a');
  await clock.advance(1);
  t.deepEqual(started, ['a', 'b', 'c']);
});

test('a small body waits for no large one', async (t) => {
  const { clock, started, begin } = setUp();
  begin('a', 16 * MiB, 100);
  begin('b', 16 * MiB, 100);
  begin('small', 65_536);
  await clock.advance(0);
  t.deepEqual(started, ['small', 'a']);
});

test('a body for which there is no room for 5 s is put off, and those behind it go on', async (t) => {
  const { clock, started, failed, begin, end } = setUp();
  begin('a', 16 * MiB);
  begin('b', 16 * MiB);
  await clock.advance(4_999);
  begin('c', MiB);
  await clock.advance(1);
  t.deepEqual(failed, ['b']);
  await end('a');
  await clock.advance(1);
  t.deepEqual(started, ['a', 'c']);
});

test('a body that fails gives its room on, and its failure to its caller', async (t) => {
  const { clock, turns, started, begin } = setUp();
  const failing = turns.run(16 * MiB, () => {
    throw new Error('no');
  });
  await t.throwsAsync(failing, { message: 'no' });
  begin('next', 16 * MiB);
  await clock.advance(1);
  t.deepEqual(started, ['next']);
});

testProp(
  'every body is worked on once or put off, in order, and never more at once than there is room for',
  [fc.array(fc.record({ bytes: fc.integer({ min: 70_000, max: 20 * MiB }), ms: fc.nat(3_000), spent: fc.nat(50) }))],
  async (t, bodies) => {
    const clock = manualClock();
    const turns = createIngestLimiter(clock);
    const order: number[] = [];
    let working = 0;
    let max = 0;
    const ends = bodies.map(({ bytes, ms, spent }, index) =>
      turns
        .run(bytes, async () => {
          order.push(index);
          working += bytes;
          max = Math.max(max, working - bytes === 0 ? 0 : working);
          clock.block(spent);
          await clock.sleep(ms);
          working -= bytes;
        })
        .catch(() => undefined),
    );
    await clock.advance(60_000);
    await Promise.all(ends);
    t.is(working, 0);
    t.true(max <= 16 * MiB);
    t.deepEqual(
      order,
      order.toSorted((a, b) => a - b),
    );
  },
  { numRuns: 50 },
);
