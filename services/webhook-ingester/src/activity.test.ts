import test from 'ava';
import { body, closedPark, noFixPoint, parkA, parkB, text, wire } from './test/events.ts';
import { appOf, headersOf, post, tokens, harness } from './test/harness.ts';

test('a POST is told as started and complete, with its counts', async (t) => {
  const w = harness(t);
  const settings = { include_messages: true };
  w.integrations.set(parkA, { id: parkA, enabled: true, settings });
  const events = [
    wire(),
    text('a'),
    wire({ point: noFixPoint }),
    wire({ timeStamp: null }),
    wire({ imei: '300234010961140' }),
  ];
  await post(w, body([...events, 'bad']));
  await w.clock.advance(1_000);
  t.deepEqual(w.entries, [
    { type: 'Started', integrationId: parkA, payload: { config_data: settings } },
    {
      type: 'Complete',
      integrationId: parkA,
      payload: {
        config_data: settings,
        result: {
          total_observations: 2,
          total_messages: 1,
          skipped_no_fix: 1,
          skipped_no_time: 1,
          test_events: 1,
          rejected: 1,
        },
      },
    },
  ]);
});

const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0);

test('the POSTs of an integration within a second share one pair of entries, with the sums', async (t) => {
  const w = harness(t);
  const app = appOf(w);
  for (let n = 0; n < 40; n += 1) {
    const headers = headersOf(n % 4 === 3 ? { integration: parkB, token: tokens.b } : {});
    await app.request('/webhooks', { method: 'POST', headers, body: body([wire(), text('a')]) });
    await w.clock.advance(50);
  }
  await w.clock.advance(1_000);
  const completed = (id: string) =>
    w.entries.flatMap(({ type, integrationId, payload }) =>
      type === 'Complete' && integrationId === id
        ? (payload['result'] as { total_observations: number }).total_observations
        : [],
    );
  for (const [id, observations] of [
    [parkA, 60],
    [parkB, 20],
  ] as const) {
    t.is(sum(completed(id)), observations);
    t.true(completed(id).length <= 3);
  }
  t.is(w.entries.filter(({ type }) => type === 'Started').length, completed(parkA).length + completed(parkB).length);
});

test('refused and disabled requests tell nothing', async (t) => {
  const w = harness(t);
  await post(w, body([wire()]), { token: 'wrong' });
  await post(w, body([wire()]), { integration: closedPark });
  t.deepEqual(w.entries, []);
});

const warnings = (w: ReturnType<typeof harness>): unknown[] =>
  w.entries
    .filter(({ type }) => type === 'CustomLog')
    .map(({ integrationId, payload }) => [integrationId, payload['level']]);

test('a bad body is a warning, once an hour and integration', async (t) => {
  const w = harness(t);
  const app = appOf(w);
  const send = async (integration: string, token: string): Promise<void> => {
    const answer = await app.request('/webhooks', {
      method: 'POST',
      headers: headersOf({ integration, token }),
      body: 'x',
    });
    t.is(answer.status, 200);
    await w.clock.advance(1);
  };
  for (let n = 0; n < 3; n++) await send(parkA, tokens.a);
  await send(parkB, tokens.b);
  t.deepEqual(warnings(w), [
    [parkA, 30],
    [parkB, 30],
  ]);
  w.kv.state.entries.clear();
  await w.clock.advance(3_600_000);
  await send(parkA, tokens.a);
  t.is(warnings(w).length, 3);
});

test('another replica’s warning of the hour counts, and without the store each replica warns for itself', async (t) => {
  const w = harness(t);
  await w.kv.state.set(`hourly.bad-body.${parkA}`, 'told');
  await post(w, 'x');
  await w.clock.advance(1);
  t.deepEqual(warnings(w), []);
  w.kv.state.away = true;
  const app = appOf(w);
  for (let n = 0; n < 3; n++) await app.request('/webhooks', { method: 'POST', headers: headersOf({}), body: 'x' });
  await w.clock.advance(1);
  t.deepEqual(warnings(w), [[parkA, 30]]);
});

test('an SOS event that cannot be read is a warning each time and an error line', async (t) => {
  const w = harness(t);
  for (let n = 0; n < 2; n++) await post(w, body([wire({ messageCode: 4, imei: null })]));
  t.deepEqual(warnings(w), [
    [parkA, 30],
    [parkA, 30],
  ]);
  t.is(w.lines.filter(({ level }) => level === 'error').length, 2);
});

test('wrong settings cost no event and are told', async (t) => {
  const w = harness(t);
  w.integrations.set(parkA, {
    id: parkA,
    enabled: true,
    settings: { message_codes: 'all', include_observations: 'maybe' },
  });
  t.like((await post(w, body([text('a')]))).json, { total_observations: 1, total_messages: 1 });
  await w.clock.advance(1);
  const told = w.entries.find(({ type }) => type === 'CustomLog');
  t.deepEqual(told?.payload['data'], { keys: ['include_observations', 'message_codes'] });
});

test('texts, positions, devices and tokens reach neither log nor activity nor metrics', async (t) => {
  const w = harness(t);
  const event = text('canary-text', {
    imei: '300434099999999',
    point: { latitude: 12.345_67, longitude: 65.432_1, gpsFix: 2 },
  });
  const bad = { ...event, timeStamp: 'x' };
  const path = `/webhooks?apikey=${tokens.a}&integration_id=${parkA}`;
  for (const content of [body([event]), body([bad]), 'canary-text', body([event], 'canary-version')])
    await post(w, content, { path, headers: { authorization: `Bearer ${tokens.a2}` } });
  await post(w, body([event]), { path, token: 'canary-token', headers: { apikey: 'x' }, integration: parkB });
  w.bus.before = () => Promise.reject(new TypeError('unexpected'));
  await post(w, body([event]));
  await w.clock.advance(1);
  const seen = JSON.stringify([w.lines, w.entries]) + (await w.context.metrics.render());
  t.true(w.lines.length > 6);
  for (const canary of ['canary-text', 'canary-token', '12.345', '65.432', '300434099999999', ...Object.values(tokens)])
    t.false(seen.includes(canary), canary);
});

test('a flood of requests of any outcome is a line a minute and cause, and hides no SOS', async (t) => {
  const w = harness(t);
  const app = appOf(w);
  const send = (content: string, options: Parameters<typeof headersOf>[0] = {}) =>
    app.request('/webhooks', { method: 'POST', headers: headersOf(options), body: content });
  for (let n = 0; n < 200; n++) {
    await send('{}', { token: 'wrong', integration: `${n}` });
    await send(body([wire()], '9.9'));
    await send('nonsense');
    await send(body([wire({ imei: null, messageCode: 4 })]));
  }
  const counts = new Map<unknown, number>();
  for (const { msg, level } of w.lines) if (level !== 'debug') counts.set(msg, (counts.get(msg) ?? 0) + 1);
  t.deepEqual(Object.fromEntries(counts), {
    '1 request of no integration was refused (401)': 1,
    'a condition ended': 1,
    'unknown envelope version': 1,
    'a dead letter was written': 2,
    'SOS events could not be read, or are too large for the bus; they are in the dead letters': 1,
  });
});
