import { fc, testProp } from '@fast-check/ava';
import { memoryBus } from '@ranger-relay/bus/testing';
import { manualClock } from '@ranger-relay/runtime/testing';
import test from 'ava';
import { chunkBytes, chunksOf, publishAll } from './ingest.ts';

const record = (value: string) => ({ key: 'k', value });

testProp(
  'chunks hold every record once, in order, none over the limit unless it is alone',
  [fc.array(fc.string({ maxLength: 30 })), fc.integer({ min: 1, max: 60 })],
  (t, values, limit) => {
    const chunks = chunksOf(values.map(record), limit);
    t.deepEqual(
      chunks.flat().map(({ value }) => value),
      values,
    );
    for (const chunk of chunks) {
      const bytes = chunk.reduce((sum, { value }) => sum + Buffer.byteLength(value), 0);
      t.true(chunk.length > 0 && (bytes <= limit || chunk.length === 1));
    }
  },
);

test('a small body is one call', async (t) => {
  const clock = manualClock();
  const bus = memoryBus(clock);
  await publishAll(bus, 'source-events', [record('a'), record('b')], { clock, deadline: clock.monotonic() + 4_000 });
  t.deepEqual(bus.calls, [{ topic: 'source-events', records: [record('a'), record('b')], deadlineMs: 4_000 }]);
});

test('a chunk is sent only after the one before is stored', async (t) => {
  const clock = manualClock();
  const bus = memoryBus(clock);
  bus.before = () => clock.sleep(100);
  const records = [record('a'.repeat(chunkBytes)), record('b'.repeat(chunkBytes))];
  const all = publishAll(bus, 'source-events', records, { clock, deadline: clock.monotonic() + 4_000 });
  await clock.advance(150);
  t.is(bus.published.length, 1);
  await clock.advance(50);
  await all;
  t.deepEqual(
    bus.published.map(({ deadlineMs }) => deadlineMs),
    [4_000, 3_900],
  );
});

test('nothing is sent once the time is up', async (t) => {
  const clock = manualClock();
  const bus = memoryBus(clock);
  const sending = publishAll(bus, 'source-events', [record('a')], { clock, deadline: clock.monotonic() });
  await t.throwsAsync(sending, { message: /did not finish/ });
  t.is(bus.calls.length, 0);
});

test('no records are no call', async (t) => {
  const clock = manualClock();
  const bus = memoryBus(clock);
  await publishAll(bus, 'source-events', [], { clock, deadline: clock.monotonic() });
  t.is(bus.calls.length, 0);
});
