import { topics } from '@ranger-relay/contracts';
import test from 'ava';
import { deliveredOf } from './delivered.ts';
import { event, parkA, parkB } from './test/events.ts';
import { failure, kinds, harness } from './test/harness.ts';

test('the item the platform names goes to the dead letters, the rest is posted again', async (t) => {
  const w = harness();
  w.platform.script = ({ items }) => {
    const index = items.findIndex(({ additional }) => additional['n'] === 2);
    return index < 0 ? undefined : { kind: 'refused', offenders: [{ index, reason: 'location: out of range' }] };
  };
  t.is(kinds(await w.handle([event(1), event(2, { text: 'hi' }), event(3)])), 'done done done');
  t.deepEqual(
    w.calls.map(({ items }) => items.length),
    [3, 2, 1],
  );
  const [letter] = w.letters();
  t.like(letter, {
    kind: 'observation',
    reason: 'item_refused',
    detail: 'location: out of range',
    integration_id: parkA,
  });
  const body = JSON.parse(Buffer.from(letter?.body_base64 ?? '', 'base64').toString()) as { message: unknown };
  t.is(body.message, null);
});

test('a list refused without a name is halved until the offender stands alone', async (t) => {
  const w = harness();
  w.platform.script = ({ items }) =>
    items.some(({ additional }) => additional['n'] === 37) ? { kind: 'refused_list', reason: 'bad' } : undefined;
  t.true((await w.handle(Array.from({ length: 100 }, (_, n) => event(n)))).every(({ kind }) => kind === 'done'));
  t.is(w.letters().length, 1);
  t.is(await deliveredOf(w.state, event(36)), 'done');
  t.true(w.calls.length <= 16);
});

test('events of an integration end in the dead letters, both parts, once it was said to be gone for a quarter of an hour', async (t) => {
  const w = harness();
  w.platform.script = ({ integrationId }) => (integrationId === parkA ? failure.gone() : undefined);
  for (let n = 0; n < 3; n += 1) {
    t.is(kinds(await w.handleParked([event(1, { text: 'a' })])), 'retry');
    t.deepEqual(w.letters(), []);
    await w.handle([event(1_000 + n, { integration_id: parkB })]);
    await w.clock.advance(300_000);
  }
  t.is(kinds(await w.handleParked([event(1, { text: 'a' })])), 'done');
  t.deepEqual(
    w.letters().map(({ kind, reason }) => [kind, reason]),
    [
      ['observation', 'integration_gone'],
      ['message', 'integration_gone'],
    ],
  );
});

test('without a dead letter stored nothing is given up', async (t) => {
  const w = harness();
  w.platform.script = () => {
    w.bus.away = true;
    return { kind: 'refused', offenders: [{ index: 0, reason: 'no' }] };
  };
  t.is(kinds(await w.handle([event(1)])), 'retry');
  t.deepEqual(await w.state.list('event.'), []);
});

test('more than twenty refusals in a row give nothing up any more; an acceptance ends the row', async (t) => {
  const w = harness();
  const events = Array.from({ length: 30 }, (_, n) => event(n, { source: `device-${n}` }));
  w.platform.script = ({ integrationId, items }) =>
    integrationId === parkA
      ? { kind: 'refused', offenders: items.map((_, index) => ({ index, reason: 'location: required' })) }
      : undefined;
  await w.handle(events);
  t.is(w.letters().length, 20);
  const parked = w.bus.records(topics.sourceEventsParked.name);
  t.is(parked.length, 10);
  const restarted = harness({ state: w.state, clock: w.clock });
  restarted.platform.script = w.platform.script;
  t.is(kinds(await restarted.handleParked([events[20]], { lane: 'device-20' })), 'retry');
  t.is(restarted.letters().length, 0, 'also after a restart');
  w.platform.script = () => undefined;
  await w.clock.advance(600_000);
  t.is(kinds(await w.handleParked([event(50, { source: 'healthy' })], { lane: 'healthy' })), 'done');
  w.platform.script = () => ({ kind: 'refused', offenders: [{ index: 0, reason: 'location: required' }] });
  t.is(kinds(await w.handleParked([events[20]], { lane: 'device-20' })), 'done');
  t.is(w.letters().length, 21);
});

test('texts that are accepted end no row of refused positions', async (t) => {
  const w = harness();
  w.platform.script = ({ part, items }) =>
    part === 'observation'
      ? { kind: 'refused', offenders: items.map((_, index) => ({ index, reason: 'location: required' })) }
      : undefined;
  for (let n = 0; n < 5; n += 1) {
    await w.handleParked(Array.from({ length: 19 }, (_, m) => event(20 * n + m, { source: `device-${m}`, text: 'a' })));
    await w.clock.advance(600_000);
  }
  t.is(w.letters().length, 20);
});

const fleet = Array.from({ length: 100 }, (_, n) => event(n, { source: `device-${n % 10}` }));
const failsOn =
  (bad: number) => (call: { integrationId: string; items: readonly { additional: Record<string, unknown> }[] }) =>
    call.integrationId === parkA && call.items.some(({ additional }) => additional['n'] === bad)
      ? failure.outage(true)
      : undefined;

test('an event on which the platform always fails is found, and the other devices of its park go on', async (t) => {
  const w = harness();
  w.platform.script = failsOn(37);
  let outcomes = '';
  for (let n = 0; n < 6 && !/^(done ?)+$/.test(outcomes); n += 1) {
    await w.handle([event(1_000 + n, { integration_id: parkB })]);
    outcomes = kinds(await w.handle(fleet));
    await w.clock.advance(2_100);
  }
  t.regex(outcomes, /^(done ?)+$/);
  const sent = new Set(w.posted('observation'));
  const taken = fleet.filter(({ source }, n) => source !== 'device-7' || n < 37);
  t.true(taken.every((_, n) => sent.has(taken[n]?.observation?.additional['n'])));
  const parked = w.bus.records(topics.sourceEventsParked.name);
  t.deepEqual(
    parked.map(({ key }) => key.split(':')[1]),
    Array.from({ length: 7 }, () => 'device-7'),
  );
});

test('an event that fails alone five times over ten minutes, while its neighbours pass, becomes a dead letter', async (t) => {
  const w = harness();
  w.platform.script = failsOn(37);
  const device7 = fleet.filter(({ source }, n) => source === 'device-7' && n >= 37);
  const startedAt = w.clock.now();
  let outcomes = '';
  for (let n = 0; n < 200 && !outcomes.startsWith('done'); n += 1) {
    await w.handleParked([event(1_000 + n, { source: 'device-1' })], { lane: 'device-1' });
    outcomes = kinds(await w.handleParked(device7, { lane: 'device-7' }));
    await w.clock.advance(5_000);
  }
  t.is(outcomes, kinds(device7.map(() => ({ kind: 'done' }))));
  t.true(w.clock.now() - startedAt >= 600_000);
  t.deepEqual(
    w.letters().map(({ reason }) => reason),
    ['item_fails'],
  );
});

test('while nothing else of its integration passes, a failing event is not given up', async (t) => {
  const w = harness();
  w.platform.script = ({ integrationId }) => (integrationId === parkA ? failure.outage(true) : undefined);
  for (let n = 0; n < 300; n += 1) {
    await w.handle([event(1_000 + n, { integration_id: parkB })]);
    await w.handleParked(fleet.slice(0, 3), { lane: 'some' });
    await w.clock.advance(60_000);
  }
  t.deepEqual(w.letters(), []);
});

test('where nobody else could prove that the platform works, a failing event is found too, and an outage parks nobody', async (t) => {
  const w = harness();
  w.platform.script = failsOn(37);
  let outcomes = '';
  for (let n = 0; n < 40 && !/^(done ?)+$/.test(outcomes); n += 1) {
    outcomes = kinds(await w.handle(fleet));
    await w.clock.advance(61_000);
  }
  t.regex(outcomes, /^(done ?)+$/);
  t.true(w.clock.now() > 0);
  const down = harness();
  down.platform.script = () => failure.outage(true);
  for (let n = 0; n < 30; n += 1) {
    const before = down.calls.length;
    t.regex(kinds(await down.handle(fleet)), /^(retry ?)+$/);
    t.true(down.calls.length - before <= 2, 'calls in an outage');
    await down.clock.advance(61_000);
  }
  t.deepEqual(down.bus.published, []);
});

const sos = event(1, { sos: 'declared', message_code: 4, text: 'SOS declared' });
const isSos = ({ items }: { items: readonly { additional: Record<string, unknown> }[] }): boolean =>
  items[0]?.additional['n'] === 1;

for (const [what, fail] of [
  ['fails on it', () => failure.outage(true)],
  ['does not take positions now', () => failure.outage(false)],
  ['refuses too much of its park', () => ({ kind: 'refused', offenders: [{ index: 0, reason: 'no' }] }) as const],
] as const)
  test(`the text of an SOS does not wait for its position while the platform ${what}; each is accepted once`, async (t) => {
    const w = harness();
    await w.state.set(`refusals.${parkA}.observation`, '20', { ttlMs: 86_400_000 });
    w.platform.script = ({ part, integrationId }) =>
      part === 'observation' && integrationId === parkA ? fail() : undefined;
    for (let n = 0; n < 6; n += 1) {
      await w.handle([event(1_000 + n, { integration_id: parkB, text: 'a' })]);
      t.is(kinds(await w.handleEmergency([sos], { lane: 'device' })), 'retry');
      await w.clock.advance(3_000);
    }
    t.is(w.calls.filter((call) => call.part === 'message' && isSos(call)).length, 1);
    const heir = harness({ state: w.state, clock: w.clock });
    await heir.clock.advance(16_000);
    t.is(kinds(await heir.handleEmergency([sos], { lane: 'device' })), 'done');
    t.deepEqual(
      heir.calls.map(({ part }) => part),
      ['observation'],
    );
  });
