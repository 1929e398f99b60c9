import { topics } from '@ranger-relay/contracts';
import test from 'ava';
import { deliveredOf } from './delivered.ts';
import { event, parkA, parkB } from './test/events.ts';
import { failure, kinds, harness } from './test/harness.ts';

test('observations of a batch reach the platform before its messages', async (t) => {
  const w = harness();
  t.is(kinds(await w.handle([event(1, { text: 'a' }), event(2), event(3, { text: 'b' })])), 'done done done');
  t.deepEqual(
    w.calls.map(({ part, items }) => [part, items.length]),
    [
      ['observation', 3],
      ['message', 2],
    ],
  );
});

test('numbers beyond 53 bits reach the platform, and the dead letters, with every digit, beside texts that are cleaned', async (t) => {
  const w = harness();
  const digits = ['9007199254740993', '-9223372036854775807', '0.1234567890123456789'];
  const raw = (n: number): string =>
    JSON.stringify(event(n)).replace('"additional":{', `"additional":{"deep":{"a\\u0000":[${digits.join()}]},`);
  w.platform.script = ({ items }) =>
    items.length > 1 ? undefined : { kind: 'refused', offenders: [{ index: 0, reason: 'no' }] };
  await w.handle([raw(1), raw(2)]);
  await w.handle([raw(3)]);
  const letter = Buffer.from(w.letters()[0]?.body_base64 ?? '', 'base64').toString();
  for (const text of [...(w.calls[0]?.items ?? []).map((item) => JSON.stringify(item)), letter])
    t.true(text.includes(`"deep":{"a":[${digits.join()}]}`), text);
  t.is(w.calls[0]?.items.length, 2);
});

test('lists of a call hold at most 100 items, in order', async (t) => {
  const w = harness();
  await w.handle(Array.from({ length: 250 }, (_, n) => event(n)));
  t.deepEqual(
    w.calls.map(({ items }) => items.length),
    [100, 100, 50],
  );
  t.deepEqual(
    w.posted('observation'),
    Array.from({ length: 250 }, (_, n) => n),
  );
});

test('an event that was sent before is not sent again', async (t) => {
  const w = harness();
  await w.handle([event(1, { text: 'a' })]);
  t.is(kinds(await w.handle([event(1, { text: 'a' }), event(2)])), 'done done');
  t.deepEqual(w.posted('observation'), [1, 2]);
  t.deepEqual(w.posted('message'), [1]);
});

test('identical events of one batch are sent once', async (t) => {
  const w = harness();
  t.is(kinds(await w.handle([event(1), event(1), event(2), event(1)])), 'done done done done');
  t.deepEqual(w.posted('observation'), [1, 2]);
});

test('a delivery is recorded only after the platform took the event', async (t) => {
  const w = harness();
  w.platform.script = async () => {
    t.is(await deliveredOf(w.state, event(1)), undefined);
    return undefined;
  };
  await w.handle([event(1)]);
  t.is(await deliveredOf(w.state, event(1)), 'done');
});

test('a batch ends only after what it delivered is recorded', async (t) => {
  const w = harness();
  const gate = Promise.withResolvers<void>();
  w.state.before = ({ op, key }) => (op !== 'get' && key.startsWith('device.') ? gate.promise : undefined);
  const ended: string[] = [];
  const handling = w.handle([event(1)]).then((outcomes) => void ended.push(kinds(outcomes)));
  await w.clock.advance(0);
  t.deepEqual([w.posted('observation'), ended], [[1], []]);
  gate.resolve();
  await handling;
  t.deepEqual([ended, await deliveredOf(w.state, event(1))], [['done'], 'done']);
});

test('when only messages fail, only messages are sent again', async (t) => {
  const w = harness();
  w.platform.script = ({ part }) => (part === 'message' ? failure.outage() : undefined);
  t.is(kinds(await w.handle([event(1), event(2, { text: 'a' }), event(3)])), 'done retry done');
  t.is(await deliveredOf(w.state, event(2)), 'observation');
  w.platform.script = () => undefined;
  await w.clock.advance(2_000);
  t.is(kinds(await w.handle([event(2, { text: 'a' }), event(3)])), 'done done');
  t.deepEqual(w.posted('observation'), [1, 2, 3]);
  t.deepEqual(w.posted('message'), [2, 2]);
});

test('a failed batch records nothing', async (t) => {
  const w = harness();
  w.platform.script = () => failure.outage();
  await w.handle([event(1)]);
  t.deepEqual(await w.state.list('device.'), []);
});

test('a record that is no SourceEvent is dead; its neighbours go on', async (t) => {
  const w = harness();
  const outcomes = await w.handle([event(1), 'not json', { v: 1 }, { v: { toString: 0 } }, event(3)]);
  t.is(kinds(outcomes), 'done dead dead dead done');
  t.deepEqual(w.posted('observation'), [1, 3]);
});

test('a record of a newer version waits with all behind it, and is parked as it is in the end', async (t) => {
  const w = harness();
  const newer = { ...event(2), v: 2 };
  t.is(kinds(await w.handle([event(1), newer, event(3)])), 'done retry retry');
  t.deepEqual(w.posted('observation'), [1]);
  t.is(kinds(await w.handle([newer, event(3)])), 'retry retry');
  t.deepEqual(w.letters(), []);
  for (let n = 0; n < 7; n += 1) {
    await w.clock.advance(10_000);
    await w.handle([event(100 + n, { integration_id: parkB })]);
  }
  t.is(kinds(await w.handle([newer, event(3)])), 'done done');
  const parked = w.bus.records(topics.sourceEventsParked.name);
  t.deepEqual(
    parked.map(({ value }) => (JSON.parse(String(value)) as { v: number }).v),
    [2, 1],
  );
});

test('an SOS that becomes a dead letter makes an ERROR entry', async (t) => {
  const w = harness();
  w.platform.script = () => ({ kind: 'refused', offenders: [{ index: 0, reason: 'no' }] });
  await w.handleEmergency([event(1, { sos: 'declared', message_code: 4 })]);
  t.is(w.activity.filter(({ payload }) => payload['level'] === 40).length, 1);
});

const titles = ({ activity }: Pick<ReturnType<typeof harness>, 'activity'>): unknown[] =>
  activity.map(({ payload }) => payload['title']);

test('the entry of an SOS comes at once in an outage, and once over restarts', async (t) => {
  const w = harness();
  w.platform.script = () => failure.outage();
  await w.handle([event(1)]);
  const sos = event(2, { sos: 'declared', message_code: 4 });
  await w.handle([event(1), sos]);
  t.is(w.activity.length, 1);
  const restarted = harness({ state: w.state, clock: w.clock });
  await restarted.handle([sos]);
  t.deepEqual(titles(restarted), ['SOS declared by device 300434030000001 accepted after 0.0 s']);
});

test('an SOS makes one entry in the activity log, however often it is tried, and one when it is accepted', async (t) => {
  const w = harness();
  w.platform.script = () => failure.outage();
  const sos = event(1, { sos: 'declared', message_code: 4 });
  await w.handle([sos]);
  await w.clock.advance(60_000);
  w.platform.script = () => undefined;
  await w.handle([sos, sos]);
  await w.handle([sos]);
  t.deepEqual(titles(w), [
    'SOS declared by device 300434030000001',
    'SOS declared by device 300434030000001 accepted after 60.0 s',
  ]);
  t.is(w.activity[1]?.payload['level'], 20);
  t.like(w.activity[0], {
    integrationId: parkA,
    payload: { level: 30, data: { imei: sos.source, message_code: 4, sos: 'declared' } },
  });
});

test('with the store away events are sent all the same, and counted', async (t) => {
  const w = harness();
  w.state.away = true;
  t.is(kinds(await w.handle([event(1, { text: 'a' })])), 'done');
  t.deepEqual(w.posted('message'), [1]);
  t.regex(await w.context.metrics.render(), /relay_events_undeduplicated_total 1/);
});

test('what the store did not take is known to this process, and recorded with the next delivery of the device', async (t) => {
  const w = harness();
  w.state.away = true;
  await w.handle([event(1)]);
  t.is(kinds(await w.handle([event(1), event(2)])), 'done done');
  w.state.away = false;
  await w.clock.advance(1_000);
  await w.handle([event(3)]);
  t.deepEqual(w.posted('observation'), [1, 2, 3]);
  const heir = harness({ state: w.state, clock: w.clock });
  await heir.handle([event(1), event(2), event(3)]);
  t.deepEqual(heir.calls, []);
});

test('Retry-After of the platform is honoured', async (t) => {
  const w = harness();
  w.platform.script = () => failure.outage(false, 42_000);
  t.deepEqual(await w.handleParked([event(1)]), [{ kind: 'retry', afterMs: 42_000 }]);
  await w.clock.advance(41_999);
  t.is(kinds(await w.handle([event(1)])), 'retry');
  t.is(w.calls.length, 1);
  await w.clock.advance(1);
  await w.handle([event(1)]);
  t.is(w.calls.length, 2);
});

test('a long Retry-After of one integration is waited for in the parking, not in front of others', async (t) => {
  const w = harness();
  w.platform.script = ({ integrationId }) => (integrationId === parkA ? failure.outage(false, 3_600_000) : undefined);
  const [outcome] = await w.handle([event(1)]);
  t.true(outcome?.kind === 'retry' && outcome.afterMs <= 15_000);
  await w.clock.advance(1);
  await w.handle([event(2, { integration_id: parkB })]);
  await w.clock.advance(15_000);
  t.is(kinds(await w.handle([event(1)])), 'done');
  t.is(w.bus.published.filter(({ topic }) => topic === topics.sourceEventsParked.name).length, 1);
  t.is(w.calls.filter(({ integrationId }) => integrationId === parkA).length, 1);
});

test('events that cannot be parked now wait; a bus that is away makes no dead letters of them', async (t) => {
  const w = harness();
  w.platform.script = ({ integrationId }) => (integrationId === parkA ? failure.keyRefused() : undefined);
  await w.handle([event(1)]);
  await w.clock.advance(1);
  await w.handle([event(1, { integration_id: parkB })]);
  w.bus.away = true;
  for (let n = 0; n < 10; n += 1) t.is(kinds(await w.handle([event(1), event(2)])), 'retry retry');
  w.bus.away = false;
  t.is(kinds(await w.handle([event(1), event(2)])), 'done done');
  t.is(w.bus.published.flatMap(({ records }) => records).length, 2);
});

test('while the parked topic is missing, events of a failing integration wait where they are and go out once it recovers', async (t) => {
  const w = harness();
  w.platform.reads = false;
  w.bus.topicProblems = () => [{ topic: topics.sourceEventsParked.name, problem: 'it is missing', isMissing: true }];
  w.platform.script = ({ integrationId }) => (integrationId === parkA ? failure.keyRefused() : undefined);
  for (let n = 0; n < 5; n += 1) {
    t.is(kinds(await w.handle([event(1)])), 'retry');
    t.is(kinds(await w.handle([event(n, { integration_id: parkB })])), 'done');
    await w.clock.advance(30_000);
  }
  t.deepEqual(w.bus.records(topics.sourceEventsParked.name), []);
  w.platform.script = () => undefined;
  await w.clock.advance(600_000);
  t.is(kinds(await w.handle([event(1)])), 'done');
});

test('a count that cannot be read starts over and holds up nothing', async (t) => {
  const w = harness();
  for (const damaged of ['{', 'null', '{"observations":"x"}']) {
    await w.state.set(`accepted.${parkA}.s3`, damaged);
    t.is(kinds(await w.handle([event(damaged.length)])), 'done');
    t.like(JSON.parse((await w.state.get(`accepted.${parkA}.s3`)) ?? ''), { observations: 1, messages: 0 });
  }
});

test('while an integration waits, nothing of it is posted', async (t) => {
  const w = harness();
  w.platform.script = () => failure.outage();
  await w.handle([event(1)]);
  t.is(kinds(await w.handle([event(2)], { partition: 5 })), 'retry');
  t.is(w.calls.length, 1);
});

test('the end of an outage wakes the integrations that it held', async (t) => {
  const w = harness();
  w.platform.script = () => failure.outage();
  await w.handle([event(1)]);
  await w.handle([event(2, { integration_id: parkB })]);
  w.platform.script = () => undefined;
  await w.clock.advance(5_000);
  await w.handle([event(1)]);
  t.true(w.wakes.count > 0);
  t.is(kinds(await w.handle([event(2, { integration_id: parkB })])), 'done');
});

test('a refused key parks the integration while others succeed', async (t) => {
  const w = harness();
  w.platform.script = ({ integrationId }) => (integrationId === parkA ? failure.keyRefused() : undefined);
  t.is(kinds(await w.handle([event(1), event(2)])), 'retry retry');
  await w.clock.advance(1);
  await w.handle([event(1, { integration_id: parkB })]);
  t.is(kinds(await w.handle([event(1), event(2)])), 'done done');
  t.is(kinds(await w.handle([event(3)])), 'done');
  t.deepEqual(
    w.bus.records(topics.sourceEventsParked.name).map(({ key }) => key),
    Array.from({ length: 3 }, () => `${parkA}:300434030000001`),
  );
});

test('a platform that fails for all is one short line of the log when it begins, and a condition of each integration where none of the platform says so', async (t) => {
  const w = harness();
  w.platform.script = () => failure.outage();
  for (let n = 0; n < 100; n += 1) {
    for (const integration_id of [parkA, parkB]) await w.handle([event(1, { integration_id })]);
    await w.clock.advance(1_000);
  }
  const failed = w.lines.filter(({ msg }) => String(msg).startsWith('sending failed'));
  t.true(failed.length <= 2);
  for (const line of failed) t.true(JSON.stringify(line).length < 500);
  t.deepEqual(
    w.context.conditions.active().map(({ name, subject }) => [name, subject]),
    [
      ['forwarding_failing', parkA],
      ['forwarding_failing', parkB],
    ],
  );
});

test('the condition of the platform tells of its failures, and an integration has none of its own', async (t) => {
  const w = harness();
  w.context.conditions.set('platform_unavailable', 'sensors');
  w.platform.script = () => failure.outage();
  for (let n = 0; n < 100; n += 1) {
    await w.handle([event(1)]);
    await w.clock.advance(1_000);
  }
  t.deepEqual(
    w.context.conditions.active().map(({ name }) => name),
    ['platform_unavailable'],
  );
});

test('with nobody else succeeding, nothing is parked', async (t) => {
  const w = harness();
  w.platform.script = () => failure.outage();
  for (let n = 0; n < 20; n += 1) {
    await w.handle([event(1)]);
    await w.handle([event(2, { integration_id: parkB })]);
    await w.clock.advance(30_000);
  }
  t.deepEqual(w.bus.records(topics.sourceEventsParked.name), []);
});

test('an outage of one integration alone parks it after ten seconds', async (t) => {
  const w = harness();
  w.platform.script = ({ integrationId }) => (integrationId === parkA ? failure.outage() : undefined);
  const seen: string[] = [];
  for (let n = 0; n < 12; n += 1) {
    await w.handle([event(n, { integration_id: parkB })]);
    seen.push(kinds(await w.handle([event(100)])));
    await w.clock.advance(2_000);
  }
  t.is(seen[0], 'retry');
  t.is(seen.at(-1), 'done');
  t.true(seen.indexOf('done') >= 5);
});

test('parked events wait where they are and go out in order once the fault is fixed', async (t) => {
  const w = harness();
  w.platform.script = () => failure.keyRefused();
  t.is(kinds(await w.handleParked([event(1), event(2)])), 'retry retry');
  w.platform.script = () => undefined;
  await w.clock.advance(40_000);
  t.is(kinds(await w.handleParked([event(1), event(2)])), 'done done');
  t.deepEqual(w.posted('observation'), [1, 2, 1, 2]);
});

test('what was accepted is counted per integration, repeats are not', async (t) => {
  const w = harness();
  await w.handle([event(1, { text: 'a' }), event(2)]);
  await w.handle([event(1, { text: 'a' })]);
  const [entry] = await w.state.list('accepted.');
  t.is(entry?.key, `accepted.${parkA}.s3`);
  t.deepEqual(JSON.parse(entry?.value ?? ''), {
    observations: 2,
    messages: 1,
    last_event_at: '2026-01-01T00:00:00.001Z',
  });
});

test('a batch whose partition is lost stops between calls and says so', async (t) => {
  const w = harness();
  const lost = new AbortController();
  w.platform.script = () => {
    lost.abort();
    return undefined;
  };
  t.is(kinds(await w.handle([event(1, { text: 'a' })], { signal: lost.signal })), 'retry');
  t.is(w.calls.length, 1);
});

test('an unexpected error is left to the bus, which counts and buries it', async (t) => {
  const w = harness();
  w.platform.script = () => new TypeError('a defect');
  await t.throwsAsync(w.handle([event(1)]), { instanceOf: TypeError });
});
