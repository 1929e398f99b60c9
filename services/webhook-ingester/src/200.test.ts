import { sourceEventSchema } from '@ranger-relay/contracts';
import test from 'ava';
import { body, closedPark, noFixPoint, parkA, startMs, text, wire } from './test/events.ts';
import { metricOf, post, harness } from './test/harness.ts';

for (const path of [
  '/webhooks',
  '/webhooks/',
  `/webhooks?integration_id=${parkA}`,
  `/webhooks/?integration_id=${parkA}`,
])
  test(`${path} takes a body and answers with the totals`, async (t) => {
    const w = harness(t);
    const { status, json } = await post(w, body([wire(), text('Back at noon')]), { path });
    t.is(status, 200);
    t.deepEqual(json, { total_observations: 2, total_messages: 1 });
    t.is(w.events().length, 2);
  });

test('each event becomes one record keyed by integration and device', async (t) => {
  const w = harness(t);
  await post(w, body([wire({ imei: '1' }), text('a', { imei: '2' })]));
  t.deepEqual(
    w.bus.published.map(({ topic, records }) => [topic, records.map(({ key }) => key)]),
    [['source-events', [`${parkA}:1`, `${parkA}:2`]]],
  );
  for (const event of w.events()) {
    t.deepEqual(sourceEventSchema.parse(event), event);
    t.is(event.received_at, new Date(startMs).toISOString());
    t.is(event.integration_id, parkA);
  }
});

test('an event whose numbers came as texts is stored like any other, its unreadable members are counted', async (t) => {
  const w = harness(t);
  const point = { latitude: '-1.28612', longitude: '36.81722', altitude: 'high', gpsFix: '2' };
  const { json } = await post(w, body([wire({ point, status: { lowBattery: '1' } })]));
  t.deepEqual(json, { total_observations: 1, total_messages: 0 });
  t.like(w.events()[0]?.observation, { location: { lat: -1.286_12, lon: 36.817_22 } });
  t.like(w.events()[0]?.observation?.additional, { gpsFix: 2, altitude: null, low_battery_label: 'low' });
  t.is(await metricOf(w, 'relay_webhook_unreadable_members_total{member="altitude"}'), 1);
});

test('an empty list of events is fine and stores nothing', async (t) => {
  const w = harness(t);
  t.deepEqual((await post(w, body([]))).json, { total_observations: 0, total_messages: 0 });
  t.is(w.bus.published.length, 0);
});

test('a bad event is named and kept, its neighbours pass', async (t) => {
  const w = harness(t);
  const nowhere = wire({ point: { latitude: 'abc', longitude: '36.8' } });
  const bad = [wire({ timeStamp: 'noon' }), 'text', wire({ imei: null }), wire({ messageCode: null }), nowhere];
  const { status, json } = await post(w, body([wire(), ...bad, text('a')]));
  t.is(status, 200);
  t.like(json, { total_observations: 2, total_messages: 1 });
  const rejected = json['rejected'] as { index: number; code: string; reason: string }[];
  t.deepEqual(
    rejected.map(({ index, code }) => [index, code]),
    [
      [1, 'bad_time'],
      [2, 'not_an_object'],
      [3, 'missing_imei'],
      [4, 'missing_message_code'],
      [5, 'bad_number'],
    ],
  );
  t.true(rejected.every(({ reason }) => reason.length > 10));
  t.deepEqual(
    w.letters().map(({ kind, rejected: places }) => [kind, places]),
    [['webhook_event', Object.fromEntries(rejected.map(({ index, code }) => [code, [index]]))]],
  );
  const kept = Buffer.from(w.letters()[0]?.body_base64 ?? '', 'base64').toString();
  t.deepEqual(JSON.parse(kept), { Version: '3.0', Events: bad });
});

test('totals count what is stored, so events that yield nothing are not in them', async (t) => {
  const w = harness(t);
  const events = [wire({ point: noFixPoint }), wire({ timeStamp: null }), wire({ imei: '300234010961140' })];
  t.deepEqual((await post(w, body(events))).json, { total_observations: 0, total_messages: 0 });
  t.is(w.bus.published.length, 0);
  t.is(await metricOf(w, 'relay_webhook_events_total{outcome="skipped_no_fix"}'), 1);
  t.is(await metricOf(w, 'relay_webhook_events_total{outcome="skipped_no_time"}'), 1);
  t.is(await metricOf(w, 'relay_webhook_events_total{outcome="test_events"}'), 1);
});

test('the settings of the integration decide', async (t) => {
  const w = harness(t);
  const settings = { include_observations: false, message_codes: [14], unknown_key: 1 };
  w.integrations.set(parkA, { id: parkA, enabled: true, settings });
  const { json } = await post(w, body([wire(), text('a'), wire({ messageCode: 14 })]));
  t.deepEqual(json, { total_observations: 0, total_messages: 1 });
  t.is(await metricOf(w, 'relay_webhook_events_total{outcome="counted"}'), 2);
});

test('a disabled integration is answered with zero totals and nothing is stored', async (t) => {
  const w = harness(t);
  const good = await post(w, body([wire(), wire()]), { integration: closedPark });
  t.is(good.status, 200);
  t.deepEqual(good.json, { total_observations: 0, total_messages: 0 });
  t.is((await post(w, 'not json', { integration: closedPark })).status, 200);
  t.is(w.bus.published.length, 0);
  t.is(await metricOf(w, 'relay_webhook_events_total{outcome="dropped_disabled"}'), 3);
});

test('an SOS that is dropped with its disabled integration is said aloud', async (t) => {
  const w = harness(t);
  await post(w, body([wire({ messageCode: 4 }), wire()]), { integration: closedPark });
  t.is(await metricOf(w, 'relay_sos_events_total{outcome="dropped_disabled"}'), 1);
  t.true(w.lines.some(({ emergencies, integration }) => emergencies === 1 && integration === closedPark));
});

test('each SOS that is dropped with its disabled integration is in the log of SOS when it is answered, a repetition as the same', async (t) => {
  const w = harness(t);
  const sos = wire({ messageCode: 4 });
  await post(w, body([sos, wire(), wire({ messageCode: 7, imei: null })]), { integration: closedPark });
  const told = () => w.bus.values('sos-log');
  t.deepEqual(
    told().map(({ step, integration_id: id, source, sos: state }) => [step, id, source, state]),
    [
      ['dropped_disabled', closedPark, sos['imei'], 'declared'],
      ['dropped_disabled', closedPark, '', 'cancelled'],
    ],
  );
  await post(w, body([sos]), { integration: closedPark });
  t.is(told()[2]?.['event_id'], told()[0]?.['event_id']);
  await post(w, '{"Events":[{"messageCode":4},{"messageCode":4', { integration: closedPark });
  t.like(told()[3], { source: '', sos: 'declared' });
  t.is(told().length, 4);
});

test('an SOS whose code came as text is logged and counted like any other when it is dropped with its disabled integration', async (t) => {
  const w = harness(t);
  const sos = wire({ messageCode: '4' });
  await post(w, body([sos, wire({ messageCode: '0' })]), { integration: closedPark });
  t.is(await metricOf(w, 'relay_sos_events_total{outcome="dropped_disabled"}'), 1);
  t.true(w.lines.some(({ emergencies, integration }) => emergencies === 1 && integration === closedPark));
  t.like(w.bus.values('sos-log'), [{ step: 'dropped_disabled', source: sos['imei'], sos: 'declared' }]);
});

test('the answer to an SOS that is dropped with its disabled integration waits for the log of SOS: nothing else has it', async (t) => {
  const w = harness(t);
  const stored = Promise.withResolvers<void>();
  w.bus.before = ({ topic }) => (topic === 'sos-log' ? stored.promise : undefined);
  let isAnswered = false;
  const answer = post(w, body([wire({ messageCode: 4 })]), { integration: closedPark }).then(() => (isAnswered = true));
  await w.clock.advance(100);
  t.false(isAnswered);
  stored.resolve();
  await answer;
  t.is(w.bus.values('sos-log').length, 1);
});

test('the answer comes only after everything is durable', async (t) => {
  const w = harness(t);
  const stored = Promise.withResolvers<void>();
  w.bus.before = () => stored.promise;
  let answered = false;
  const answer = post(w, body([wire()])).then(() => (answered = true));
  await w.clock.advance(1_000);
  t.false(answered);
  stored.resolve();
  await answer;
  t.is(w.events().length, 1);
});

test('the content type is not looked at', async (t) => {
  const w = harness(t);
  for (const type of ['text/plain', 'application/octet-stream', 'multipart/form-data; boundary=x'])
    t.is((await post(w, body([wire()]), { headers: { 'content-type': type } })).status, 200);
});

for (const version of ['1.0', '2.0', '3.0', '4.0', '9.9', null, 3, { a: 1 }])
  test(`an envelope of version ${JSON.stringify(version)} is taken`, async (t) => {
    const w = harness(t);
    t.is((await post(w, body([wire()], version))).status, 200);
    const known = ['1.0', '2.0', '3.0', '4.0'].includes(version as string);
    t.is(w.lines.filter(({ msg }) => msg === 'unknown envelope version').length, known ? 0 : 1);
  });

test('records carry the trace of the request, or a new one', async (t) => {
  const w = harness(t);
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  await post(w, body([wire()]), { headers: { traceparent } });
  await post(w, body([wire()]), { headers: { traceparent: 'nonsense' } });
  const [first, second] = w.bus.published.map(({ records }) => records[0]?.headers?.['traceparent']);
  t.is(first, traceparent);
  t.regex(second ?? '', /^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
});

for (const version of ['{"toString":null}', '{"toString":1,"valueOf":1}', '[{"toString":null}]', '{}', 'null', '1e999'])
  test(`a Version of ${version} rejects nothing`, async (t) => {
    const w = harness(t);
    const { status, json } = await post(w, `{"Version":${version},"Events":[${JSON.stringify(wire())}]}`);
    t.is(status, 200);
    t.like(json, { total_observations: 1 });
  });
