import { topics } from '@ranger-relay/contracts';
import { RelayError } from '@ranger-relay/errors';
import { beginEpoch } from '@ranger-relay/kv';
import { type MemorySpace, memorySpace } from '@ranger-relay/kv/testing';
import type { Clock } from '@ranger-relay/runtime';
import { manualClock, seededRandom } from '@ranger-relay/runtime/testing';
import test from 'ava';
import { createTries } from './dedup/tries.ts';
import { event, parkA, parkB, record } from './test/events.ts';
import { failure, harness } from './test/harness.ts';

test('a lost answer makes the repetition of a text look different', async (t) => {
  const w = harness();
  w.platform.script = ({ part }) => (part === 'message' ? failure.outage(true) : undefined);
  await w.handle([event(1, { text: 'a' })]);
  await w.clock.advance(2_000);
  await w.handle([event(1, { text: 'a' })]);
  w.platform.script = () => undefined;
  await w.clock.advance(5_000);
  await w.handle([event(1, { text: 'a' })]);
  const sent = w.calls
    .filter(({ part }) => part === 'message')
    .map(({ items }) => items[0]?.additional['delivery_attempt']);
  t.deepEqual(sent, [undefined, 2, 3]);
});

test('a position whose answer was lost looks different as well, also from another process; one that was surely not taken does not', async (t) => {
  for (const [ambiguous, attempt] of [
    [true, 2],
    [false, undefined],
  ] as const) {
    const w = harness();
    w.platform.script = () => failure.outage(ambiguous);
    await w.handle([event(1), event(2)]);
    const heir = harness({ owner: 'worker-2', state: w.state, clock: w.clock });
    await heir.handle([event(1), event(2)]);
    t.deepEqual(
      heir.calls[0]?.items.map(({ additional }) => additional['delivery_attempt']),
      [attempt, attempt],
    );
  }
});

test('a position that was in flight when its worker ended without a word looks different', async (t) => {
  const w = harness();
  await w.state.set(`event.${parkA}.event-1`, 'claimed:worker-1/s3#0', { ttlMs: 15_000 });
  await w.state.set(`event.${parkA}.event-2`, 'claimed:worker-2/s3#1', { ttlMs: 15_000 });
  await w.handle([event(1), event(2)]);
  await w.clock.advance(16_000);
  await w.handle([event(2), event(3)]);
  t.deepEqual(
    w.calls.flatMap(({ items }) => items.map(({ additional }) => additional['delivery_attempt'])),
    [2, 2, undefined],
  );
});

test('no two tries of a position look the same, however often its worker ends in the middle of a call', async (t) => {
  const first = harness();
  const seen: unknown[] = [];
  for (let n = 0; n < 4; n += 1) {
    const w = harness({ state: first.state, clock: first.clock });
    const inFlight = Promise.withResolvers<void>();
    w.platform.script = ({ items }) => {
      seen.push(items[0]?.additional['delivery_attempt']);
      inFlight.resolve();
      return new Promise(() => undefined);
    };
    void w.handle([event(1)]);
    await inFlight.promise;
  }
  t.deepEqual(seen, [undefined, 2, 3, 4]);
});

test('the position of an SOS is repeated with its attempt as well', async (t) => {
  const w = harness();
  w.platform.script = () => failure.outage(true);
  await w.handle([event(1, { sos: 'declared', message_code: 4 })]);
  w.platform.script = () => undefined;
  await w.clock.advance(2_000);
  await w.handle([event(1, { sos: 'declared', message_code: 4 })]);
  t.is(w.calls.at(-1)?.items[0]?.additional['delivery_attempt'], 2);
});

const unavailable = (): RelayError => new RelayError('kv_unavailable', { details: { reason: 'no answer' } });

const isUnknown = (attempt: unknown): boolean => typeof attempt === 'number' && attempt > 1_000;

const attempts = (w: ReturnType<typeof harness>, part: string): unknown[] =>
  w.calls.filter((call) => call.part === part).map(({ items }) => items[0]?.additional['delivery_attempt']);

test('another process marks the repetition of a text whose answer was lost, also when it comes by way of the parked topic', async (t) => {
  const w = harness();
  w.platform.script = ({ part }) => (part === 'message' ? failure.outage(true) : undefined);
  await w.handle([event(1, { text: 'a' })]);
  const heir = harness({ owner: 'worker-2', state: w.state, clock: w.clock });
  await heir.handle([event(1, { text: 'a' })]);
  t.deepEqual(attempts(heir, 'message'), [2]);
  w.state.entries.clear();
  const last = harness({ owner: 'worker-3', state: w.state, clock: w.clock });
  await last.handle([event(2, { text: 'a' })], {
    records: [{ ...record(event(2, { text: 'a' }), 1), headers: { 'delivery-attempts': '0,3' } }],
  });
  t.deepEqual(attempts(last, 'message'), [4]);
});

test('what a process remembers of a text is never less than what another one has sent since', async (t) => {
  const w = harness();
  w.platform.script = ({ part }) => (part === 'message' ? failure.outage(true) : undefined);
  const other = harness({ owner: 'worker-2', state: w.state, clock: w.clock });
  other.platform.script = w.platform.script;
  for (const one of [w, other, w, other]) {
    await one.handle([event(1, { text: 'a' })]);
    await w.clock.advance(60_000);
  }
  t.deepEqual([...attempts(w, 'message'), ...attempts(other, 'message')], [undefined, 3, 2, 4]);
});

test('parked records bring along how often they were sent', async (t) => {
  const w = harness();
  w.platform.script = ({ integrationId, part }) =>
    integrationId === parkA && part === 'message' ? failure.outage(true) : undefined;
  for (let n = 0; n < 5; n += 1) {
    await w.handle([event(100 + n, { integration_id: parkB })]);
    await w.handle([event(1, { text: 'a' })]);
    await w.clock.advance(10_000);
  }
  const [parked] = w.bus.records(topics.sourceEventsParked.name);
  t.regex(parked?.headers?.['delivery-attempts'] ?? '', /^0,[1-9]$/);
});

test('no two tries look the same when a worker ends in the call that follows a lost answer, the count being unknown', async (t) => {
  for (const part of ['observation', 'message'] as const) {
    const first = harness();
    const before = received(first.clock.now() - 1_000);
    const seen: unknown[] = [];
    for (const [n, ends] of ['with a lost answer', 'in its call', 'in its call', 'with a lost answer'].entries()) {
      const w = harness({ state: first.state, clock: first.clock, seed: n });
      const inFlight = Promise.withResolvers<void>();
      w.platform.script = ({ part: sent, items }) => {
        if (sent !== part) return undefined;
        seen.push(items[0]?.additional['delivery_attempt']);
        inFlight.resolve();
        return ends === 'in its call' ? new Promise(() => undefined) : failure.outage(true);
      };
      const handled = w.handle([event(1, { text: 'a', received_at: before })]);
      await (ends === 'in its call' ? inFlight.promise : handled);
    }
    t.is(seen.length, 4, part);
    t.is(new Set(seen).size, 4, `${part}: ${seen.join()}`);
  }
});

test('counts of positions are looked up only where one received in the same ten minutes lost its answer, in whatever process', async (t) => {
  const w = harness();
  const at = (n: number): string => new Date(w.clock.now() + (n > 2 ? 900_000 : 0) + n).toISOString();
  const batch = [1, 2, 3, 4].map((n) => event(n, { received_at: at(n) }));
  w.platform.script = ({ items }) => (items.length === 2 ? failure.outage(true) : undefined);
  await w.handle(batch.slice(0, 2));
  const heir = harness({ owner: 'worker-2', state: w.state, clock: w.clock });
  const looked: string[] = [];
  const { get } = w.state;
  w.state.get = (key) => {
    if (key.startsWith('tries.')) looked.push(key.split('.').at(-1) ?? '');
    return get(key);
  };
  await heir.handle(batch);
  t.deepEqual(looked, ['event-1', 'event-2']);
  t.deepEqual(
    heir.calls[0]?.items.map(({ additional }) => additional['delivery_attempt']),
    [2, 2, undefined, undefined],
  );
});

test('the count of a position is not lost when the store loses its answers, or is away until after the call', async (t) => {
  for (const trouble of ['answers', 'away'] as const) {
    const w = harness();
    const { set, get } = w.state;
    w.platform.script = () => {
      if (trouble === 'away') w.state.away = true;
      else
        Object.assign(w.state, {
          get: () => Promise.reject(unavailable()),
          set: async (...all: Parameters<typeof set>) => {
            await set(...all);
            throw unavailable();
          },
        });
      return failure.outage(true);
    };
    await w.handle([event(1)]);
    Object.assign(w.state, { set, get, away: false });
    if (trouble === 'away') await w.clock.advance(1_000);
    const heir = harness({ owner: 'worker-2', state: w.state, clock: w.clock });
    await w.clock.advance(16_000);
    await heir.handle([event(1)]);
    t.deepEqual(attempts(heir, 'observation'), [2], trouble);
  }
});

test('a copy of a position that another process tried meanwhile looks different, however new it is', async (t) => {
  const w = harness();
  const other = harness({ owner: 'worker-2', state: w.state, clock: w.clock });
  const { signal } = new AbortController();
  await other.handle([event(1)], { signal });
  await w.clock.advance(3_600_000);
  w.platform.script = () => failure.outage(true);
  const late = event(2, { received_at: received(w.clock.now()) });
  await w.handle([late]);
  await other.handle([late], { signal, records: [{ ...record(late, 2), timestamp: w.clock.now() }] });
  t.deepEqual(attempts(other, 'observation'), [undefined, 2]);
});

test('an attempt whose count the store did not take looks like none of the next process', async (t) => {
  const w = harness();
  const now = received(w.clock.now() + 1_000);
  const { set } = w.state;
  w.state.set = (key, ...rest) => (key.startsWith('tries.') ? Promise.reject(unavailable()) : set(key, ...rest));
  w.platform.script = ({ part }) => (part === 'message' ? failure.outage(true) : undefined);
  await w.handle([event(1, { text: 'a', received_at: now })]);
  w.state.set = set;
  const heir = harness({ owner: 'worker-2', state: w.state, clock: w.clock });
  await w.clock.advance(16_000);
  await heir.handle([event(1, { text: 'a', received_at: now })]);
  const sent = [...attempts(w, 'message'), ...attempts(heir, 'message')];
  t.is(sent.length, 2);
  t.is(new Set(sent).size, 2);
});

const received = (at: number): string => new Date(at).toISOString();

test('a count that cannot be known begins anywhere from 1,000 up: the store is away, was emptied after the receipt, or has forgotten', async (t) => {
  const away = harness();
  away.state.away = true;
  await away.handle([event(1, { text: 'a' })]);
  t.true(isUnknown(attempts(away, 'message')[0]));
  const emptied = harness();
  const before = received(emptied.clock.now() - 1_000);
  await emptied.handle([event(1, { text: 'a', received_at: before })]);
  await emptied.clock.advance(1_000);
  await emptied.handle([event(2, { text: 'a', received_at: received(emptied.clock.now()) })]);
  await emptied.clock.advance(7 * 86_400_000);
  await emptied.handle([event(3, { text: 'a', received_at: received(emptied.clock.now() - 6 * 86_400_000) })]);
  // The forwarder and the store can have died in the middle of the call of a position, too.
  for (const part of ['message', 'observation']) {
    const sent = attempts(emptied, part);
    t.deepEqual(sent.map(isUnknown), [true, false, true], part);
    t.is(sent[1], undefined);
  }
});

test('the first batch of a new installation carries no number', async (t) => {
  const w = harness();
  await beginEpoch(w.state, w.clock);
  await w.clock.advance(1);
  const now = received(w.clock.now());
  await w.handle([event(1, { text: 'a', received_at: now }), event(2, { received_at: now })]);
  await w.handleEmergency([event(3, { text: 'a', sos: 'declared', received_at: now })]);
  for (const part of ['message', 'observation'])
    t.true(
      attempts(w, part).every((attempt) => attempt === undefined),
      part,
    );
});

test('no two tries of a text or position look the same, however often its worker ends in a call and the store is emptied', async (t) => {
  const first = harness();
  const before = received(first.clock.now() - 1_000);
  for (const part of ['observation', 'message'] as const) {
    const seen: unknown[] = [];
    for (let n = 0; n < 6; n += 1) {
      first.state.entries.clear();
      const w = harness({ state: first.state, clock: first.clock, owner: `worker-${n}`, seed: n });
      w.platform.script = ({ part: sent, items }) => {
        if (sent !== part) return undefined;
        seen.push(items[0]?.additional['delivery_attempt']);
        return failure.outage(true);
      };
      await w.handle([event(1, { text: 'a', received_at: before })]);
    }
    t.is(new Set(seen).size, 6, part);
  }
});

test('a call that surely took nothing leaves a text as it was', async (t) => {
  const w = harness();
  const now = new Date(w.clock.now() + 1_000).toISOString();
  w.platform.script = ({ part }) => (part === 'message' ? failure.outage(false) : undefined);
  await w.handle([event(1, { text: 'a', received_at: now })]);
  w.platform.script = () => undefined;
  await w.clock.advance(5_000);
  await w.handle([event(1, { text: 'a', received_at: now })]);
  t.deepEqual(attempts(w, 'message'), [undefined, undefined]);
});

const counts = (state: MemorySpace, clock: Clock) => {
  const tries = createTries(state, clock, seededRandom(1));
  const tried = {
    event: event(1, { text: 'a' }),
    tries: { observation: 0, message: 0 },
    due: { observation: true, message: true },
  };
  return { tries, tried, begin: () => tries.begin('message', [tried]) };
};

test('no count that the store executes late lets the next sender reach an attempt that was made', async (t) => {
  const clock = manualClock();
  const state = memorySpace(clock);
  const first = counts(state, clock);
  await first.tries.load([first.tried]);
  await first.begin();
  state.delays = true;
  await first.tries.withdraw('message', [first.tried]);
  state.delays = false;
  await clock.advance(1_000);
  await first.begin();
  state.arrive();
  const heir = counts(state, clock);
  await heir.tries.load([heir.tried]);
  for (let n = 0; n < 5; n += 1) {
    await heir.begin();
    t.not(heir.tried.tries.message, first.tried.tries.message);
  }
});

test('no count that the store executes late has a text sent again that was accepted before its position', async (t) => {
  const clock = manualClock();
  const state = memorySpace(clock);
  const first = counts(state, clock);
  state.delays = true;
  await first.begin();
  state.delays = false;
  await clock.advance(1_000);
  await first.tries.took(first.tried.event);
  state.arrive();
  const heir = counts(state, clock);
  await heir.tries.load([heir.tried]);
  t.deepEqual(heir.tried.due, { observation: true, message: false });
});
