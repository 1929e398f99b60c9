import { setTimeout } from 'node:timers/promises';
import test from 'ava';
import { ledgerKey } from './ledger/entry.ts';
import { appHarness } from './test/app-harness.ts';
import { answer, coded, endings, type Ending } from './test/vendor.ts';
import { imeiA, imeiB, imeiC, integrationId, messageTo, textCanary } from './test/harness.ts';

const success = (...accepted: string[]) => ({ status: 'success', accepted, failed: [], unknown: [] });
const html = '<html><body>Bad gateway</body></html>';

test('a text that the vendor takes is 200 with the result, Started, Message Delivered and Complete', async (t) => {
  const w = await appHarness(t);
  const { status, json } = await w.push([imeiA, imeiB]);
  t.deepEqual([status, json], [200, success(imeiA, imeiB)]);
  t.deepEqual(w.vendor.texts, [imeiA, imeiB]);
  t.deepEqual(w.kinds(), ['Started', 'Message Delivered', 'Complete']);
  t.like(w.entries[1]?.payload, {
    level: 20,
    data: { delivery_id: 'd1', recipients: [imeiA, imeiB], attributes: { destination_id: integrationId } },
  });
  t.like(w.entries[2]?.payload, { result: success(imeiA, imeiB) });
  t.is(w.letters().length, 0);
});

test('the same push five times at once is one call, and so is every repeat', async (t) => {
  const w = await appHarness(t);
  const one = w.envelope([imeiA], { id: 'm1' });
  const answers = await Promise.all([1, 2, 3, 4, 5].map(() => w.post('/push-data', one)));
  t.deepEqual(
    answers.map(({ status }) => status),
    [200, 200, 200, 200, 200],
  );
  t.is((await w.post('/push-data', one)).status, 200);
  t.deepEqual(w.vendor.texts, [imeiA]);
  t.deepEqual(w.kinds(), ['Started', 'Message Delivered', 'Complete']);
});

test('five messages of one delivery at once are one call', async (t) => {
  const w = await appHarness(t);
  const answers = await Promise.all([1, 2, 3, 4, 5].map(() => w.push([imeiA])));
  for (const { status } of answers) t.true(status === 200 || status === 500, String(status));
  t.true(answers.some(({ status }) => status === 200));
  t.is((await w.push([imeiA])).status, 200);
  t.deepEqual(w.vendor.texts, [imeiA]);
  t.is(w.kinds().filter((kind) => kind === 'Message Delivered').length, 1);
});

const accepted: readonly (readonly [string, Ending])[] = [
  ['an empty body', answer(200)],
  ['a count', answer(200, '{"count":1}')],
  ['201', answer(201, '{"count":1}')],
  ['204', answer(204)],
];
for (const [what, ending] of accepted)
  test(`a 2xx with ${what} is accepted`, async (t) => {
    const w = await appHarness(t, [ending]);
    t.deepEqual((await w.push([imeiA])).json, success(imeiA));
    t.like(w.entryOf(imeiA), { state: 'accepted', attempts: 1 });
  });

test('a text that is refused with an old password is sent with the one that was saved since, in the same run', async (t) => {
  const passwords: string[] = [];
  const noting =
    (ending: Ending): Ending =>
    (request) => {
      const [, encoded = ''] = String(request.headers['authorization']).split(' ');
      passwords.push(Buffer.from(encoded, 'base64').toString().split(':')[1] ?? '');
      return ending(request);
    };
  const w = await appHarness(t, [noting(coded(403, 3)), noting(endings.accept)]);
  const { auth, ...rest } = w.platform.configs;
  w.platform.saved = { ...rest, auth: { ...(auth as object), password: 'new-one' } };
  t.deepEqual((await w.push([imeiA])).json, success(imeiA));
  t.deepEqual(passwords, ['c4n4ry-p4ss', 'new-one']);
  t.deepEqual(
    w.entries.map(({ kind }) => kind).filter((kind) => kind === 'Failed'),
    [],
  );
});

/** Only a call that hangs is to run into its limit. */
const timeoutOf = (ending: Ending): NodeJS.ProcessEnv => (ending === endings.hang ? { PUSH_TIMEOUT_S: '2' } : {});

/** What the vendor does, then state of the ledger, `error_type`, title and status of the Failed event. */
const transient: readonly (readonly [string, Ending, string, string, RegExp, number | undefined])[] = [
  ['401 without a body', answer(401), 'pending', 'auth', /^Authentication failed — /, 401],
  ['403 with a page', answer(403, html), 'pending', 'auth', /^Authentication failed — /, 403],
  ['403 code 3', coded(403, 3), 'pending', 'auth', /code 3/, 403],
  ['422 code 3', coded(422, 3), 'pending', 'auth', /code 3/, 422],
  ['422 code 6', coded(422, 6), 'pending', 'bad_response', /code 6/, 422],
  [
    '429 that asks for two minutes',
    coded(429, 2, { 'retry-after': '120' }),
    'pending',
    'rate_limit',
    /^Rate limited — /,
    429,
  ],
  ['500 code 1', coded(500, 1), 'pending', 'bad_response', /^Bad response — /, 500],
  ['500 with an unknown code', coded(500, 99), 'pending', 'bad_response', /^Bad response — /, 500],
  ['501', answer(501), 'pending', 'bad_response', /^Bad response — /, 501],
  ['502', answer(502, html), 'pending', 'connectivity', /^Connection failed — /, 502],
  ['503', answer(503, html), 'pending', 'connectivity', /^Connection failed — /, 503],
  ['504', answer(504, html), 'unknown', 'connectivity', /^Connection failed — /, 504],
  ['a redirect', answer(307, '', { location: 'http://127.0.0.1:1/' }), 'pending', 'connectivity', /redirect/, 307],
  ['404 with a page', answer(404, html), 'pending', 'connectivity', /^Connection failed — /, 404],
  ['422 with a text', answer(422, '"refused"'), 'pending', 'connectivity', /^Connection failed — /, 422],
  ['half an answer', endings.half, 'unknown', 'timeout', /^Connection failed — /, undefined],
  ['a reset after sending', endings.reset, 'unknown', 'timeout', /^Connection failed — /, undefined],
  ['no answer in time', endings.hang, 'unknown', 'timeout', /^Connection failed — /, undefined],
];
for (const [what, ending, state, type, sentence, status] of transient)
  test(`${what} is 500 with one Failed event and no dead letter, and the next delivery sends the text`, async (t) => {
    const w = await appHarness(t, [ending], timeoutOf(ending));
    const first = await w.push([imeiA]);
    t.is(first.status, 500);
    const { detail } = first.json as { detail: Record<string, unknown> };
    t.is(detail['error_type'], type);
    t.deepEqual(w.kinds(), ['Started', 'Failed']);
    const failed = w.entries[1]?.payload ?? {};
    const { error_type: _, integration_id: _id, action_id: _action, ...told } = detail;
    t.deepEqual(told, JSON.parse(JSON.stringify(failed)));
    t.regex(String(failed['error']), sentence);
    t.is(failed['server_response_status'], status);
    t.true(String(failed['error_traceback']).length > 0);
    t.deepEqual(JSON.parse(String(failed['request_data'])), { delivery_id: 'd1', recipients: [imeiA] });
    t.is(w.entryOf(imeiA)?.state, state as never);
    t.is(w.letters().length, 0);
    t.deepEqual((await w.push([imeiA])).json, success(imeiA));
    t.deepEqual(w.kinds(), ['Started', 'Failed', 'Started', 'Message Delivered', 'Complete']);
    t.deepEqual(w.vendor.texts, [imeiA, imeiA]);
  });

test('a connection that is refused is transient, and told without an answer', async (t) => {
  const w = await appHarness(t);
  w.platform.configs['auth'] = { api_url: 'http://127.0.0.1:1', username: 'u', password: 'p4ss' };
  const { status, json } = await w.push([imeiA]);
  t.is(status, 500);
  t.like((json as { detail: object }).detail, { error_type: 'connectivity' });
  t.is(w.entryOf(imeiA)?.state, 'pending');
});

test('a wait that is too long for the run is told to the caller', async (t) => {
  const w = await appHarness(t, [coded(429, 2, { 'retry-after': '120' })]);
  const { status, headers } = await w.push([imeiA]);
  t.deepEqual([status, headers.get('retry-after')], [500, '120']);
});

test('a short wait is waited for inside the run', async (t) => {
  const w = await appHarness(t, [endings.throttle]);
  t.deepEqual((await w.push([imeiA])).json, success(imeiA));
  t.deepEqual([w.vendor.texts, w.slept], [[imeiA, imeiA], [1_000]]);
  t.deepEqual(w.kinds(), ['Started', 'Message Delivered', 'Complete']);
});

const permanent: readonly (readonly [string, Ending, number | string])[] = [
  ...[4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17].map(
    (code) => [`422 code ${code}`, coded(422, code), code] as const,
  ),
  ['422 with an unknown code', coded(422, 99), 99],
  ['500 code 4', coded(500, 4), 4],
];
for (const [what, ending, code] of permanent)
  test(`${what} is 200 with the device among the failed, one Failed event and one dead letter`, async (t) => {
    const w = await appHarness(t, [ending]);
    const { status, json } = await w.push([imeiA, imeiB]);
    t.is(status, 200);
    const body = json as { status: string; accepted: string[]; failed: object[]; unknown: string[] };
    t.like(body, { status: 'failed', accepted: [imeiB], unknown: [] });
    t.is(body.failed.length, 1);
    t.like(body.failed[0], { recipient: imeiA, code });
    t.deepEqual(w.kinds(), ['Started', 'Message Delivered', 'Failed']);
    t.deepEqual(
      w.letters().map(({ kind, reason }) => [kind, reason]),
      [['push_message', 'vendor_refused']],
    );
    t.like(w.entryOf(imeiA), { state: 'failed', attempts: 1 });
    await w.push([imeiA, imeiB]);
    t.deepEqual(w.vendor.texts, [imeiA, imeiB]);
    t.is(w.letters().length, 1);
  });

const invalid: readonly (readonly [string, object, string])[] = [
  ['an empty text', messageTo([imeiA], { Message: '' }), 'text_invalid'],
  ['a text of 161 characters', messageTo([imeiA], { Message: 'x'.repeat(161) }), 'text_invalid'],
  ['a bad sender', messageTo([imeiA], { Sender: 'Ops' }), 'text_invalid'],
  ['a bad recipient', messageTo(['ranger']), 'text_invalid'],
  ['no recipients', messageTo([]), 'push_data_invalid'],
  ['a payload that is none', { ...messageTo([]), payload: 'x' }, 'push_data_invalid'],
];
for (const [what, data, code] of invalid)
  test(`${what} is 200 without a call, with one Failed event and one dead letter`, async (t) => {
    const w = await appHarness(t);
    const { status, json } = await w.push([], { data });
    t.is(status, 200);
    t.like((json as { failed: object[] }).failed[0], { code });
    t.deepEqual(w.kinds(), ['Started', 'Failed']);
    t.deepEqual(
      w.letters().map(({ kind, reason }) => [kind, reason]),
      [['push_message', code]],
    );
    t.deepEqual(w.vendor.texts, []);
  });

test('without an auth configuration a text waits for one, and is given up after ten minutes', async (t) => {
  const w = await appHarness(t);
  w.platform.configs = {};
  t.is((await w.push([imeiA])).status, 500);
  t.is(w.letters().length, 0);
  w.entries.length = 0;
  const key = ledgerKey(integrationId, 'd1', imeiA);
  const entry = { ...w.entryOf(imeiA), first_seen_at: new Date(Date.now() - 600_000).toISOString() };
  await w.state.set(key, JSON.stringify(entry), { ttlMs: 60_000 });
  t.like((await w.push([imeiA])).json, { status: 'failed' });
  t.deepEqual(
    w.letters().map(({ reason }) => reason),
    ['push_unconfigured'],
  );
  t.deepEqual(w.kinds(), ['Started', 'Failed']);
});

test('a disabled integration is acknowledged with one dead letter; nothing is sent and nothing told', async (t) => {
  const w = await appHarness(t);
  w.platform.enabled = false;
  t.is((await w.push([imeiA])).status, 200);
  t.deepEqual(
    w.letters().map(({ kind, reason }) => [kind, reason]),
    [['push_message', 'integration_disabled']],
  );
  t.deepEqual([w.vendor.texts, w.entries], [[], []]);
});

test('data of another type is acknowledged with a dead letter', async (t) => {
  const w = await appHarness(t);
  t.is((await w.push([], { data: { ...messageTo([imeiA]), event_type: 'ObservationTransformed' } })).status, 200);
  t.deepEqual(
    w.letters().map(({ reason }) => reason),
    ['data_model_unknown'],
  );
});

test('an event type without a star is taken exactly', async (t) => {
  const w = await appHarness(t, [], { PUSH_MESSAGE_EVENT_TYPE: 'MessageTransformedInReach' });
  t.is((await w.push([imeiA])).status, 200);
  t.is((await w.push([imeiB], { data: { ...messageTo([imeiB]), event_type: 'MessageTransformed' } })).status, 200);
  t.deepEqual(w.vendor.texts, [imeiA]);
});

test('while the platform is away a push is 500 and comes again', async (t) => {
  const w = await appHarness(t);
  w.platform.down = true;
  t.is((await w.push([imeiA])).status, 500);
  w.platform.down = false;
  t.is((await w.push([imeiA])).status, 200);
});

test('a device that is given up and one to be repeated: 500 until only the given-up one is left', async (t) => {
  const w = await appHarness(t, [coded(422, 4), answer(503)]);
  t.is((await w.push([imeiA, imeiB])).status, 500);
  t.deepEqual(w.kinds(), ['Started', 'Failed']);
  t.is(w.letters().length, 1);
  const { status, json } = await w.push([imeiA, imeiB]);
  t.is(status, 200);
  t.like(json as object, { status: 'failed', accepted: [imeiB] });
  t.is(w.letters().length, 1);
  t.deepEqual(w.vendor.texts, [imeiA, imeiB, imeiB]);
});

test('a failure whose dead letter cannot be stored is 500, and then one dead letter', async (t) => {
  const w = await appHarness(t, [coded(422, 4), coded(422, 4)]);
  w.bus.away = true;
  t.is((await w.push([imeiA])).status, 500);
  w.bus.away = false;
  t.is((await w.push([imeiA])).status, 200);
  t.is(w.letters().length, 1);
});

test('resend: a text whose call has no known end is sent again', async (t) => {
  const w = await appHarness(t, [endings.reset], { PUSH_AMBIGUOUS: 'resend' });
  t.is((await w.push([imeiA])).status, 500);
  t.is((await w.push([imeiA])).status, 200);
  t.deepEqual(w.vendor.texts, [imeiA, imeiA]);
});

for (const [what, ending] of [
  ['half an answer', endings.half],
  ['half an answer that began with 200', endings.halfGood],
  ['a web page with 200', answer(200, html, { 'content-type': 'text/html' })],
  ['a reset', endings.reset],
  ['a time-out', endings.hang],
  ['a 504', answer(504)],
] as const)
  test(`hold: after ${what} the text is held with WARNING and dead letter, and acknowledged`, async (t) => {
    const w = await appHarness(t, [ending], { ...timeoutOf(ending), PUSH_AMBIGUOUS: 'hold' });
    t.is((await w.push([imeiA, imeiB])).status, 500);
    const { status, json } = await w.push([imeiA, imeiB]);
    t.is(status, 200);
    t.deepEqual(json, { status: 'success', accepted: [imeiB], failed: [], unknown: [imeiA] });
    t.deepEqual(
      w.letters().map(({ reason }) => reason),
      ['ambiguous'],
    );
    const held = w.entries.find(({ payload }) => String(payload['title']).startsWith('Message held'));
    t.like(held?.payload, { level: 30, data: { delivery_id: 'd1', recipients: [imeiA] } });
    t.is(w.entryOf(imeiA)?.state, 'unknown');
    t.is(w.kinds().filter((kind) => kind === 'Failed').length, 1);
    await w.push([imeiA, imeiB]);
    t.is(w.letters().length, 1);
    t.deepEqual(w.vendor.texts, [imeiA, imeiB]);
  });

test('hold: a push that comes again without an entry in the ledger is held, because its entry may be lost', async (t) => {
  const w = await appHarness(t, [], { PUSH_AMBIGUOUS: 'hold' });
  const again = { ...w.envelope([imeiA]), deliveryAttempt: 2 };
  const { status, json } = await w.post('/push-data', again);
  t.deepEqual([status, json], [200, { status: 'success', accepted: [], failed: [], unknown: [imeiA] }]);
  t.deepEqual(
    w.letters().map(({ reason }) => reason),
    ['ambiguous'],
  );
  t.deepEqual(w.vendor.texts, []);
});

test('calls of one integration never overlap', async (t) => {
  const open = { now: 0, most: 0 };
  const slow: Ending = async () => {
    open.now += 1;
    open.most = Math.max(open.most, open.now);
    await setTimeout(20);
    open.now -= 1;
    return Response.json({});
  };
  const w = await appHarness(
    t,
    Array.from({ length: 6 }, () => slow),
  );
  const ids = [1, 2, 3, 4, 5, 6].map((n) => ({ attributes: { delivery_id: `d${n}` } }));
  const answers = await Promise.all(ids.map((more) => w.push([imeiC], more)));
  t.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
  t.deepEqual([w.vendor.texts.length, open.most], [6, 1]);
});

test('texts stand in dead letters alone, and credentials nowhere', async (t) => {
  const w = await appHarness(t, [coded(422, 4), answer(401, `c4n4ry-p4ss ${textCanary}`), endings.reset]);
  await w.push([imeiA], { attributes: { delivery_id: 'd1' } });
  await w.push([imeiA], { attributes: { delivery_id: 'd2' } });
  await w.push([imeiA], { attributes: { delivery_id: 'd3' } });
  t.is(w.kinds().filter((kind) => kind === 'Failed').length, 3);
  t.false(JSON.stringify([w.entries, w.lines, w.spans, [...w.state.entries.values()]]).includes('c4n4ry'));
  const [letter] = w.letters();
  t.false(JSON.stringify(letter).includes('c4n4ry'));
  t.true(
    Buffer.from(letter?.body_base64 ?? '', 'base64')
      .toString()
      .includes(textCanary),
  );
});
