import { fc, testProp } from '@fast-check/ava';
import type { KvSpace } from '@ranger-relay/kv';
import { memorySpace } from '@ranger-relay/kv/testing';
import { manualClock } from '@ranger-relay/runtime/testing';
import test from 'ava';
import { createDedup } from './dedup.ts';
import { event, parkA } from '../test/events.ts';
import { runWorkers, type Turn } from '../test/workers.ts';
import { kinds, harness } from '../test/harness.ts';

const turn: fc.Arbitrary<Turn> = fc.record({
  act: fc.oneof(
    { weight: 14, arbitrary: fc.constant('call' as const) },
    { weight: 4, arbitrary: fc.constant('pass' as const) },
    { weight: 1, arbitrary: fc.constant('kill' as const) },
    { weight: 1, arbitrary: fc.constant('freeze' as const) },
    { weight: 2, arbitrary: fc.constant('thaw' as const) },
  ),
  who: fc.integer({ min: 0, max: 1 }),
});

testProp(
  'no schedule of two workers, deaths, standstills and expired leases sends a part twice, or loses it',
  [fc.array(turn, { maxLength: 80, size: 'max' })],
  async (t, turns) => {
    const { observations, messages, excused, mark } = await runWorkers(turns);
    t.is(mark, 'done');
    t.true(observations >= 1 && messages >= 1);
    if (!excused) t.deepEqual({ observations, messages }, { observations: 1, messages: 1 });
  },
  { numRuns: 400 },
);

const key = `event.${parkA}.event-1`;
const lease = `lease.${parkA}.event-1`;
const withText = event(1, { text: 'a' });

const open = () => {
  const clock = manualClock();
  const memory = memorySpace(clock);
  const worker = (name: string, state: KvSpace = memory) => {
    const dedup = createDedup(state, clock);
    return { claim: () => dedup.claim(name, [withText]) };
  };
  return { clock, memory, worker };
};

test('an accepted observation is known for six days, though the worker with the message died', async (t) => {
  const { clock, memory, worker } = open();
  const dying = await worker('w1').claim();
  await dying.mark(withText, 'obs');
  t.is(await memory.get(key), 'obs:w1#1');
  t.is(await memory.get(lease), 'w1#1');
  memory.away = true;
  await clock.advance(16_000);
  memory.away = false;
  t.is(await memory.get(lease), null);
  t.is(await memory.get(key), 'obs:w1#1');
  t.deepEqual((await worker('w2').claim()).found, ['message']);
  t.is(await memory.get(key), 'obs:w2#1');
});

test('between observation and message nobody else may have the event, however long it takes', async (t) => {
  const { clock, worker } = open();
  const slow = await worker('w1').claim();
  await slow.mark(withText, 'obs');
  await clock.advance(120_000);
  t.deepEqual((await worker('w2').claim()).found, ['busy']);
  t.true(await slow.stillOurs([withText]));
});

test('a worker that stood still past its lease learns that another has the event', async (t) => {
  const { clock, memory, worker } = open();
  const slow = await worker('w1').claim();
  memory.entries.clear();
  t.deepEqual((await worker('w2').claim()).found, ['all']);
  await clock.advance(12_000);
  t.false(await slow.stillOurs([withText]));
});

test('an answer that comes when the lease is over again is no permission', async (t) => {
  const { clock, memory, worker } = open();
  const slow = await worker('w1', {
    ...memory,
    compareAndSet: async (...args) => {
      const answer = await memory.compareAndSet(...args);
      memory.entries.delete(key);
      await clock.advance(16_000);
      return answer;
    },
  }).claim();
  memory.away = true;
  await clock.advance(11_000);
  memory.away = false;
  t.false(await slow.stillOurs([withText]));
});

test('a late mark never says less than the store knows', async (t) => {
  const { memory, worker } = open();
  const late = await worker('w1').claim();
  await memory.set(key, 'done');
  await late.mark(withText, 'obs');
  t.is(await memory.get(key), 'done');
  t.false(await late.stillOurs([withText]));
});

test('an accepted observation is noted over the claim of a worker that has not sent it yet', async (t) => {
  const { memory, worker } = open();
  const late = await worker('w1').claim();
  memory.entries.clear();
  const second = await worker('w2').claim();
  await late.mark(withText, 'obs');
  t.is(await memory.get(key), 'obs:w1#1');
  await second.mark(withText, 'obs');
  t.false(await second.stillOurs([withText]));
  t.true(await late.stillOurs([withText]));
});

test('released claims are free at once, marks stay', async (t) => {
  const { memory, worker } = open();
  const first = await worker('w1').claim();
  await first.release();
  t.is(await memory.get(key), null);
  const second = await worker('w2').claim();
  await second.mark(withText, 'obs');
  await second.release();
  t.is(await memory.get(key), 'obs');
  t.is(await memory.get(lease), null);
});

for (const part of ['event', 'message'] as const)
  test(`a release that the store executes late frees no ${part} that a later batch of the same worker has claimed`, async (t) => {
    const { clock, memory, worker } = open();
    const w1 = worker('w1');
    const first = await w1.claim();
    if (part === 'message') await first.mark(withText, 'obs');
    memory.delays = true;
    await first.release();
    memory.delays = false;
    await clock.advance(1_000);
    const second = await w1.claim();
    for (let n = 0; n < 3; n += 1) memory.arrive();
    t.deepEqual((await worker('w2').claim()).found, ['busy']);
    t.true(await second.stillOurs([withText]));
    await second.release();
  });

test('a store that goes away does not stop what was claimed', async (t) => {
  const { clock, memory, worker } = open();
  const claims = await worker('w1').claim();
  memory.away = true;
  await clock.advance(30_000);
  t.true(await claims.stillOurs([withText]));
});

test('a claim whose answer was lost is given back, so that nobody waits for it', async (t) => {
  const { clock, memory, worker } = open();
  memory.losesAnswers = true;
  const claims = await worker('w1').claim();
  t.deepEqual(claims.found, ['unclaimed']);
  memory.losesAnswers = false;
  t.is(await memory.get(key), 'claimed:w1#1');
  await clock.advance(1_000);
  await claims.release();
  t.is(await memory.get(key), null);
});

test('two batches of one process never have the same event, as after a partition came back to it', async (t) => {
  const { memory, clock } = open();
  const dedup = createDedup(memory, clock);
  const running = await dedup.claim('w1', [withText]);
  t.deepEqual((await dedup.claim('w1', [withText])).found, ['busy']);
  await running.release();
  t.deepEqual((await dedup.claim('w1', [withText])).found, ['all']);
});

test('a batch whose owner died is taken over after the lease, looked at every second, in order', async (t) => {
  const dying = harness({ owner: 'worker-1' });
  const events = [1, 2, 3].map((n) => event(n));
  dying.platform.script = () => new Promise(() => undefined);
  void dying.handle(events);
  await dying.clock.advance(0);
  const { entries } = dying.state;
  const heir = harness({ owner: 'worker-2', state: dying.state, clock: dying.clock });
  const claimedUntil = entries.get(key)?.until ?? 0;
  // Its renewals end with it: the store refuses them from here on, as for a process that is gone.
  const { compareAndSet } = dying.state;
  dying.state.compareAndSet = async (...args) => (args[1] === 'claimed:worker-1/s3#1' ? false : compareAndSet(...args));
  const waits: unknown[] = [];
  while (heir.posted('observation').length === 0) {
    const [outcome] = await heir.handle(events);
    waits.push(outcome?.kind === 'retry' ? outcome.afterMs : 0);
    if (outcome?.kind === 'retry') await dying.clock.advance(outcome.afterMs);
  }
  t.true(heir.clock.monotonic() - claimedUntil <= 1_000);
  t.true(waits.slice(0, -1).every((ms) => ms === 1_000));
  t.deepEqual(heir.posted('observation'), [1, 2, 3]);
});

test('what comes behind an event of another worker is not kept from anybody', async (t) => {
  const w = harness();
  await w.state.set(key, 'claimed:worker-2/s3#1', { ttlMs: 15_000 });
  t.is(kinds(await w.handle([event(1), event(2), event(3)])), 'retry retry retry');
  t.deepEqual(
    (await w.state.list('event.')).map(({ key: name }) => name),
    [key],
  );
});

for (const [mark, found, kept] of [
  ['done', 'done', 'done'],
  ['obs', 'message', 'obs:w1#2'],
] as const)
  test(`what was sent (${mark}) while the store was away is not sent again when it is back, and the store learns of it`, async (t) => {
    const { clock, memory } = open();
    const dedup = createDedup(memory, clock);
    memory.away = true;
    const claims = await dedup.claim('w1', [withText]);
    t.deepEqual(claims.found, ['unclaimed']);
    await claims.mark(withText, mark);
    await claims.release();
    memory.away = false;
    await clock.advance(2_000);
    const again = await dedup.claim('w1', [withText]);
    t.deepEqual(again.found, [found]);
    t.is(await memory.get(key), kept);
    await again.release();
  });

for (const [mark, found] of [
  ['done', 'done'],
  ['obs', 'message'],
] as const)
  test(`what was sent (${mark}) while the store was away is not sent again by whoever gets the partition after it is back`, async (t) => {
    const { clock, memory, worker } = open();
    const claims = await worker('w1', memory).claim();
    memory.away = true;
    await claims.mark(withText, mark);
    await claims.release();
    await clock.advance(3_000);
    memory.away = false;
    await clock.advance(600);
    t.deepEqual((await worker('w2').claim()).found, [found]);
  });

test('marks that an emptied store missed are told in their thousands, each once, and then it is left alone', async (t) => {
  const { clock, memory } = open();
  let writes = 0;
  const dedup = createDedup(
    { ...memory, set: async (...args) => ((writes += Number(!memory.away)), memory.set(...args)) },
    clock,
  );
  memory.away = true;
  const events = Array.from({ length: 1_800 }, (_, n) => event(n));
  const claims = await dedup.claim('w1', events);
  for (const one of events) await claims.mark(one, 'done');
  memory.away = false;
  await clock.advance(600);
  t.is(writes, events.length);
  t.is((await memory.list('event.')).length, events.length);
  await clock.advance(60_000);
  t.is(writes, events.length);
});

test('a mark that the store missed is never told over what it knows by then', async (t) => {
  const { clock, memory, worker } = open();
  const claims = await worker('w1', memory).claim();
  memory.away = true;
  await claims.mark(withText, 'obs');
  memory.away = false;
  await memory.set(key, 'done');
  await clock.advance(600);
  t.is(await memory.get(key), 'done');
});
