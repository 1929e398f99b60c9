import { fc, testProp } from '@fast-check/ava';
import test from 'ava';
import { action } from '../test/actions.ts';
import { base64, envelope, httpHarness } from '../test/http-harness.ts';
import { park } from '../test/harness.ts';

const open = (limits: object = {}) => {
  const w = httpHarness({ action_work: action('generic'), action_text: action('push') }, limits);
  w.platform.configs = { work: {}, text: {} };
  return w;
};

const good = { integration_id: park, action_id: 'work' };
const deep = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);

const envelopes: [string, unknown, string][] = [
  ['nothing', '', 'missing'],
  ['no JSON', '{', 'json_invalid'],
  ['a text', '"x"', 'invalid_type'],
  ['null', 'null', 'invalid_type'],
  ['a list', [], 'invalid_type'],
  ['no message', {}, 'missing'],
  ['a message that is none', { message: 7 }, 'invalid_type'],
  ['no data', { message: {} }, 'missing'],
  ['data that is no text', { message: { data: {} } }, 'invalid_type'],
  ['data that is no base64', { message: { data: '§§' } }, 'base64_invalid'],
  ['base64 that ends early', { message: { data: 'abcde' } }, 'base64_invalid'],
  ['empty data', { message: { data: '' } }, 'missing'],
  ['data that is no JSON', envelope('{'), 'json_invalid'],
  ['data that is no UTF-8', { message: { data: Buffer.from([0xff, 0xfe]).toString('base64') } }, 'unicode_invalid'],
  ['data that is no object', envelope('[]'), 'dict_type'],
  ['data that is null', envelope('null'), 'dict_type'],
  ['data nested too deep', envelope(`{"a":${deep(5_000)}}`), 'too_deep'],
  ['attributes that are no object', { message: { data: 'e30=', attributes: 'x' } }, 'invalid_type'],
];

for (const path of ['/', '/push-data'])
  for (const [what, body, type] of envelopes)
    test(`${path}: ${what} is acknowledged and kept`, async (t) => {
      const w = open();
      const answer = await w.post(path, body);
      t.is(answer.status, 200);
      t.like(answer.json, { detail: [{ type }] });
      const [letter] = w.letters();
      t.like(letter, { kind: 'push_envelope', reason: 'request_malformed', integration_id: null, origin: null });
      const sent = typeof body === 'string' ? body : JSON.stringify(body);
      t.is(Buffer.from(letter?.body_base64 ?? '', 'base64').toString(), sent);
      t.false(JSON.stringify(letter).includes('right-token'));
    });

const commands: [string, object][] = [
  ['no integration', { action_id: 'work' }],
  ['no action', { integration_id: park }],
  ['an id that is no text', { ...good, integration_id: 7 }],
  ['overrides that are no object', { ...good, config_overrides: 'x' }],
  ['overrides that are a list', { ...good, config_overrides: [] }],
];
for (const [what, body] of commands)
  test(`a command with ${what}: 422 for a call, 200 and kept as a push`, async (t) => {
    const w = open();
    const called = await w.post('/v1/actions/execute', body);
    t.is(called.status, 422);
    const [detail] = (called.json as { detail: { loc: unknown[]; msg: string; type: string }[] }).detail;
    t.is(detail?.loc[0], 'body');
    t.true((detail?.msg ?? '') !== '' && (detail?.type ?? '') !== '');
    t.is((await w.post('/', envelope(body))).status, 200);
    t.is(w.letters().length, 1);
    t.deepEqual(w.kinds(), []);
  });

test('a call says where it is wrong, in the form that callers know', async (t) => {
  const w = open();
  const { json } = await w.post('/v1/actions/execute', { action_id: 'work' });
  t.deepEqual(json, { detail: [{ loc: ['body', 'integration_id'], msg: 'Field required', type: 'missing' }] });
  t.like((await w.post('/v1/actions/execute', '{')).json, { detail: [{ loc: ['body'], type: 'json_invalid' }] });
});

test('pushed data without a destination or a type is kept', async (t) => {
  const w = open();
  await w.post('/push-data', envelope({ event_type: 'TextX' }));
  await w.post('/push-data', envelope({ event_type: 'TextX' }, { attributes: { destination_id: 'None' } }));
  await w.post('/push-data', envelope({}, { attributes: { destination_id: park } }));
  t.deepEqual(
    w.letters().map(({ detail }) => detail),
    [
      'body.message.attributes.destination_id: Field required',
      'body.message.attributes.destination_id: Field required',
      'body.message.data.event_type: Field required',
    ],
  );
});

test('a body over 10 MB: 413 for a call, 200 and its start kept as a push', async (t) => {
  const w = open();
  const large = JSON.stringify(envelope({ ...good, more: 'x'.repeat(11_000_000) }));
  t.is((await w.post('/v1/actions/execute', large)).status, 413);
  t.is((await w.post('/push-data', large)).status, 200);
  const [letter] = w.letters();
  t.like(letter, { truncated: true });
  t.is(Buffer.from(letter?.body_base64 ?? '', 'base64').byteLength, 2 * 1_048_576);
});

test('a body of just under 10 MB is worked on', async (t) => {
  const w = open();
  const large = { ...good, config_overrides: { more: 'x'.repeat(9_000_000) } };
  t.is((await w.post('/v1/actions/execute', large)).status, 200);
});

test('more bytes of bodies than may be held at once: 503 with Retry-After, and they are free again', async (t) => {
  const w = open({ maxBodyBytes: 2_000, maxBufferedBytes: 1_000 });
  const held = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(new TextEncoder().encode('{'.padEnd(1_900))),
  });
  const init = { method: 'POST', headers: { authorization: 'Bearer right-token' }, body: held, duplex: 'half' };
  const holding = Promise.resolve(w.hono.request('/v1/actions/execute', init as RequestInit));
  await w.clock.advance(1);
  const answer = await w.post('/v1/actions/execute', { ...good, more: 'x'.repeat(500) });
  t.is(answer.status, 503);
  t.is(answer.headers.get('retry-after'), '10');
  await w.clock.advance(30_000);
  t.is((await holding).status, 408);
  for (let n = 0; n < 20; n += 1) t.is((await w.post('/v1/actions/execute', good)).status, 200);
});

test('a body that does not end is given up after 30 s', async (t) => {
  const w = open();
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(new TextEncoder().encode('{')),
  });
  const init = { method: 'POST', headers: { authorization: 'Bearer right-token' }, body, duplex: 'half' };
  const asked = w.hono.request('/v1/actions/execute', init as RequestInit);
  await w.clock.advance(30_000);
  t.is((await asked).status, 408);
});

testProp(
  'any JSON as an envelope or as its data is answered, never with a crash',
  [fc.jsonValue()],
  async (t, value) => {
    const w = open();
    for (const path of ['/', '/push-data', '/config-events'])
      for (const body of [value, envelope(value), { message: value }]) {
        const { status } = await w.post(path, JSON.stringify(body));
        t.is(status, 200);
      }
    t.is((await w.post('/v1/actions/execute', JSON.stringify(value))).status, 422);
    t.is(base64(''), '');
  },
);
