import { maybeSentHeader, topics } from '@ranger-relay/contracts';
import { RelayError } from '@ranger-relay/errors';
import test from 'ava';
import { event, parkA, parkB, record } from './test/events.ts';
import { failure, harness } from './test/harness.ts';

type Harness = ReturnType<typeof harness>;

const attempts = (w: Harness, part: 'observation' | 'message' = 'observation'): unknown[] =>
  w.calls
    .filter((call) => call.part === part)
    .flatMap(({ items }) => items.map(({ additional }) => additional['delivery_attempt']));

const isNumber = (attempt: unknown): boolean => Number.isSafeInteger(attempt) && Number(attempt) >= 2;

const fullDisk = async (): Promise<never> => {
  throw new RelayError('bus_unavailable', { details: { reason: 'disk full' } });
};

/** Delivers an event again as the bus does: maybe sent when its last outcome says so. */
const repeat = async (w: Harness, one: ReturnType<typeof event>, times: number): Promise<void> => {
  let maybeSent = false;
  for (let n = 0; n < times; n += 1) {
    const [outcome] = await w.handle([one], { maybeSent: [maybeSent], attempt: n });
    maybeSent ||= outcome?.kind === 'retry' && outcome.maybeSent === true;
    await w.clock.advance(60_000);
  }
};

test('what cannot have been sent carries no number, whatever the store holds', async (t) => {
  for (const trouble of ['none', 'away', 'emptied'] as const) {
    const w = harness();
    w.state.away = trouble === 'away';
    await w.handle([event(1, { text: 'a' }), event(2)]);
    if (trouble === 'emptied') w.state.entries.clear();
    await w.handleEmergency([event(3, { text: 'a', sos: 'declared', message_code: 4 })]);
    t.deepEqual(new Set([...attempts(w), ...attempts(w, 'message')]), new Set([undefined]), trouble);
  }
});

test('no two tries of a position or text look the same after a lost answer', async (t) => {
  for (const part of ['observation', 'message'] as const) {
    const w = harness();
    w.platform.script = (call) => (call.part === part ? failure.outage(true) : undefined);
    await repeat(w, event(1, { text: 'a' }), 4);
    const [first, ...others] = attempts(w, part);
    t.is(first, undefined);
    t.is(others.length, 3);
    t.true(others.every(isNumber) && new Set(others).size === 3, part);
  }
});

test('the halves of a list that failed without a certain answer differ from it', async (t) => {
  const w = harness();
  w.platform.script = ({ items }) => (items.length > 1 ? failure.outage(true) : undefined);
  let halved = 0;
  for (let round = 0; round < 8; round += 1) {
    w.calls.splice(0);
    await w.handle([0, 1, 2, 3].map((n) => event(10 * round + n)));
    const tries = Map.groupBy(
      w.calls.flatMap(({ items }) => items),
      ({ additional }) => additional['n'],
    );
    for (const [first, ...others] of tries.values()) {
      t.is(first?.additional['delivery_attempt'], undefined);
      t.true(others.every(({ additional }) => isNumber(additional['delivery_attempt'])));
      halved += others.length;
    }
    await w.clock.advance(60_000);
  }
  t.true(halved > 0);
});

test('a call that surely took nothing leaves a repetition as it was', async (t) => {
  const w = harness();
  w.platform.script = () => failure.outage(false);
  await repeat(w, event(1, { text: 'a' }), 3);
  t.deepEqual(new Set(attempts(w)), new Set([undefined]));
});

test('what an earlier owner had announced is sent with a number: positions, texts and emergencies', async (t) => {
  const w = harness();
  await w.handle([event(1, { text: 'a' }), event(2)], { maybeSent: [true, false] });
  t.deepEqual(attempts(w).map(isNumber), [true, false]);
  t.deepEqual(attempts(w, 'message').map(isNumber), [true]);
  await w.handleEmergency([event(3, { sos: 'declared', message_code: 4 })], { maybeSent: [true] });
  t.true(isNumber(attempts(w).at(-1)));
});

test('one event in two copies of a batch is maybe sent when either is', async (t) => {
  const w = harness();
  const one = event(1);
  await w.handle([one, one], { maybeSent: [false, true] });
  t.deepEqual(attempts(w).map(isNumber), [true]);
});

test('events are announced before the call, and none is sent by whom the partition has left meanwhile', async (t) => {
  const w = harness();
  const leave = new AbortController();
  const order: string[] = [];
  w.platform.script = () => void order.push('call');
  await w.handle([event(1)], { announce: async () => order.push('announced') > 0 });
  t.deepEqual(order, ['announced', 'call']);
  const outcomes = await w.handle([event(2)], { announce: async () => (leave.abort(), true), signal: leave.signal });
  t.deepEqual(
    outcomes.map((outcome) => outcome.kind === 'retry' && outcome.maybeSent),
    [undefined],
  );
  t.is(w.calls.length, 1);
});

test('an event that cannot be announced is sent at once, with a number', async (t) => {
  const w = harness();
  await w.handle([event(1, { text: 'a' })], { announce: fullDisk });
  t.true([...attempts(w), ...attempts(w, 'message')].every(isNumber));
  t.is(w.calls.length, 2);
});

test('that it may have been sent travels with a parked record and with a dead letter', async (t) => {
  const w = harness();
  w.platform.script = ({ integrationId, part }) =>
    integrationId === parkA && part === 'message' ? failure.outage(true) : undefined;
  let maybeSent = false;
  for (let n = 0; n < 5; n += 1) {
    await w.handle([event(100 + n, { integration_id: parkB })]);
    const [outcome] = await w.handle([event(1, { text: 'a' })], { maybeSent: [maybeSent] });
    maybeSent ||= outcome?.kind === 'retry' && outcome.maybeSent === true;
    await w.clock.advance(10_000);
  }
  const [parked] = w.bus.records(topics.sourceEventsParked.name);
  t.is(parked?.headers?.[maybeSentHeader], 'yes');

  const heir = harness();
  heir.platform.script = () => ({ kind: 'refused', offenders: [{ index: 0, reason: 'bad' }] });
  const headers = { [maybeSentHeader]: 'yes' };
  await heir.handleParked([event(1)], { records: [{ ...record(event(1), 1), headers }] });
  t.true(isNumber(attempts(heir).at(-1)));
  t.is(heir.letters().at(-1)?.headers[maybeSentHeader], 'yes');
});

test('a text that was accepted ahead of the position of its emergency is not sent again, by anybody', async (t) => {
  const w = harness();
  w.platform.script = ({ part }) => (part === 'observation' ? failure.outage(false) : undefined);
  const sos = event(1, { text: 'help', sos: 'declared', message_code: 4 });
  for (let n = 0; n < 5; n += 1) {
    await w.handleEmergency([sos], { attempt: n });
    await w.clock.advance(5_000);
  }
  t.is(attempts(w, 'message').length, 1);
  const heir = harness({ state: w.state, clock: w.clock });
  await w.clock.advance(16_000);
  await heir.handleEmergency([sos], { maybeSent: [true] });
  t.is(attempts(heir, 'message').length, 0);
  t.true(attempts(heir).every(isNumber));
});

test('that it may have been sent outlives a parking that fails', async (t) => {
  const w = harness();
  w.platform.script = ({ integrationId }) => (integrationId === parkA ? failure.outage(true) : undefined);
  w.bus.before = async () => fullDisk();
  let maybeSent = false;
  for (let n = 0; n < 5; n += 1) {
    await w.handle([event(100 + n, { integration_id: parkB })]);
    const [outcome] = await w.handle([event(1)], { maybeSent: [maybeSent] });
    maybeSent = outcome?.kind === 'retry' && outcome.maybeSent === true;
    t.true(maybeSent, `delivery ${n}`);
    await w.clock.advance(10_000);
  }
});

test('a record of a newer version is parked with its mark', async (t) => {
  const w = harness();
  const newer = { ...event(2), v: 2 };
  for (let n = 0; n < 8; n += 1) {
    await w.handle([event(100 + n, { integration_id: parkB })]);
    const [outcome] = await w.handle([newer], { maybeSent: [true] });
    if (outcome?.kind === 'retry') t.true(outcome.maybeSent);
    await w.clock.advance(10_000);
  }
  t.is(w.bus.records(topics.sourceEventsParked.name)[0]?.headers?.[maybeSentHeader], 'yes');
});

test('nothing is sent by whom the partition does not belong any more', async (t) => {
  const w = harness();
  const outcomes = await w.handle([event(1, { text: 'a' })], { announce: async () => false });
  t.like(outcomes, [{ kind: 'retry' }]);
  t.deepEqual(w.calls, []);
});
