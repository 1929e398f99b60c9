import { fc, testProp } from '@fast-check/ava';
import { memorySpace } from '@ranger-relay/kv/testing';
import { manualClock } from '@ranger-relay/runtime/testing';
import test from 'ava';
import { createDeliveredRecords, deliveredOf, deviceKey, type Mark } from './delivered.ts';
import { event } from './test/events.ts';

const dayMs = 86_400_000;
const setUp = () => {
  const clock = manualClock();
  const state = memorySpace(clock);
  return { clock, state, log: createDeliveredRecords(state, clock) };
};

const accept = async (log: ReturnType<typeof createDeliveredRecords>, ...events: ReturnType<typeof event>[]) =>
  (await log.read(events)).accept(events.map((each) => ({ event: each, mark: 'done' })));

test('six days of a device at an event in ten minutes take at most 8 kB', async (t) => {
  const { clock, state, log } = setUp();
  for (let n = 0; n < 864; n += 144) {
    await accept(log, ...Array.from({ length: 144 }, (_, k) => event(n + k)));
    await clock.advance(dayMs);
  }
  const text = (await state.get(deviceKey(event(0)))) ?? '';
  t.true(Buffer.byteLength(text) <= 8_000, `${Buffer.byteLength(text)} bytes`);
  for (const n of [0, 431, 863]) t.is(await deliveredOf(state, event(n)), 'done');
  t.is(await deliveredOf(state, event(864)), undefined);
});

test('the oldest days go first, and a record that is not used for eight days goes', async (t) => {
  const { clock, state, log } = setUp();
  for (let day = 0; day < 10; day += 1) {
    await accept(log, event(day));
    await clock.advance(dayMs);
  }
  // Of ten days the seven newest.
  const known = await Promise.all(Array.from({ length: 10 }, (_, n) => deliveredOf(state, event(n))));
  t.deepEqual(known, [...Array<undefined>(3), ...Array<Mark>(7).fill('done')]);
  await clock.advance(9 * dayMs);
  t.is(await deliveredOf(state, event(9)), undefined);
});

test('a back-fill of a site takes no more than its newest entries', async (t) => {
  const { state, log } = setUp();
  for (let n = 0; n < 5_000; n += 500)
    await accept(log, ...Array.from({ length: 500 }, (_, k) => event(n + k, { kind: 'site' })));
  t.true(((await state.get(deviceKey(event(0)))) ?? '').length < 20_000);
  t.is(await deliveredOf(state, event(0, { kind: 'site' })), undefined);
  t.is(await deliveredOf(state, event(4_999, { kind: 'site' })), 'done');
});

test('an SOS is known by its whole id, in a record of its own', async (t) => {
  const { state, log } = setUp();
  await accept(log, event(1, { sos: 'declared' }));
  t.is(await deliveredOf(state, event(1, { sos: 'declared' })), 'done');
  t.is(await deliveredOf(state, event(1)), undefined);
  t.regex((await state.get(deviceKey(event(1, { sos: 'declared' })))) ?? '', /"[\w-]{43}"/);
});

test('two processes that write one record at a time keep what both delivered', async (t) => {
  const { clock, state, log } = setUp();
  const other = createDeliveredRecords(state, clock);
  const [mine, theirs] = [await log.read([event(1)]), await other.read([event(2)])];
  await mine.accept([{ event: event(1), mark: 'done' }]);
  await theirs.accept([{ event: event(2), mark: 'observation' }]);
  await mine.accept([{ event: event(3), mark: 'done' }]);
  t.deepEqual(await Promise.all([1, 2, 3].map((n) => deliveredOf(state, event(n)))), ['done', 'observation', 'done']);
});

test('one part each from two processes is all of an event', async (t) => {
  const { clock, state, log } = setUp();
  const other = createDeliveredRecords(state, clock);
  const [mine, theirs] = [await log.read([event(1)]), await other.read([event(1)])];
  await mine.accept([{ event: event(1), mark: 'message' }]);
  await theirs.accept([{ event: event(1), mark: 'observation' }]);
  t.is(await deliveredOf(state, event(1)), 'done');
});

test('what the store has not taken counts beside an older record that it still has', async (t) => {
  for (const mark of ['message', 'done'] as const) {
    const { clock, state, log } = setUp();
    const one = event(1, { text: 'a' });
    await (await log.read([one])).accept([{ event: one, mark: 'observation' }]);
    state.away = true;
    await (await log.read([one])).accept([{ event: one, mark }]);
    state.away = false;
    await clock.advance(1_000);
    t.is((await log.read([one])).markOf(one), 'done', mark);
  }
});

test('a clock that goes back drops nothing of what was delivered lately', async (t) => {
  const { clock, state, log } = setUp();
  for (let day = 0; day < 8; day += 1) {
    await accept(log, event(day));
    await clock.advance(dayMs);
  }
  clock.jump(-30 * dayMs);
  await accept(log, event(100));
  t.is(await deliveredOf(state, event(100)), 'done');
});

test('what the store has not taken of many events takes little memory', async (t) => {
  const { state, log } = setUp();
  state.away = true;
  const before = process.memoryUsage().heapUsed;
  for (let n = 0; n < 100; n += 1)
    await accept(log, ...Array.from({ length: 200 }, (_, k) => event(n * 1_000 + k, { source: `device ${n}` })));
  t.true(process.memoryUsage().heapUsed - before < 50_000_000);
  state.away = false;
  t.is((await log.read([event(0, { source: 'device 0' })])).markOf(event(0, { source: 'device 0' })), 'done');
});

test('a record that cannot be read counts as forgotten and is replaced', async (t) => {
  const { state, log } = setUp();
  for (const damaged of ['{', 'null', '[]', '{"days":7}']) {
    await state.set(deviceKey(event(1)), damaged);
    await accept(log, event(damaged.length));
    t.is(await deliveredOf(state, event(damaged.length)), 'done');
  }
});

testProp(
  'whatever is accepted in whatever batches, each event has its last mark, and no other event has one',
  [
    fc.array(fc.record({ n: fc.nat(40), mark: fc.constantFrom<Mark>('observation', 'message', 'done') }), {
      maxLength: 60,
    }),
    fc.integer({ min: 1, max: 7 }),
  ],
  async (t, accepted, size) => {
    const { state, log } = setUp();
    const model = new Map<number, Mark>();
    for (let from = 0; from < accepted.length; from += size) {
      const some = accepted.slice(from, from + size);
      const delivered = await log.read(some.map(({ n }) => event(n)));
      await delivered.accept(some.map(({ n, mark }) => ({ event: event(n), mark })));
      for (const { n, mark } of some) {
        const before = model.get(n);
        model.set(n, before === undefined || before === mark ? mark : 'done');
      }
    }
    for (let n = 0; n <= 40; n += 1) t.is(await deliveredOf(state, event(n)), model.get(n), `event ${n}`);
  },
);
