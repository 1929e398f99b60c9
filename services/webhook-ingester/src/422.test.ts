import { createHash } from 'node:crypto';
import { deadLetterBodyLimit, deadLetterSchema } from '@ranger-relay/contracts';
import test from 'ava';
import { body, parkA, startMs, wire } from './test/events.ts';
import { metricOf, post, tokens, harness } from './test/harness.ts';

const deep = (levels: number): string => `{"Events":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;

const bad: readonly (readonly [string, string | Uint8Array<ArrayBuffer>, string, RegExp])[] = [
  ['an empty body', '', 'invalid_json', /empty/],
  ['blanks alone', ' \n ', 'invalid_json', /empty/],
  ['a text', 'hello', 'invalid_json', /syntax/],
  ['a truncated body', body([wire()]).slice(0, -5), 'invalid_json', /syntax/],
  ['invalid UTF-8', new Uint8Array([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d]), 'invalid_json', /UTF-8/],
  ['a body 20,000 levels deep', deep(20_000), 'invalid_json', /deeper than 64/],
  ['a body 65 levels deep', deep(65), 'invalid_json', /deeper than 64/],
  ['unclosed brackets without end', '['.repeat(100_000), 'invalid_json', /deeper than 64/],
  ['null', 'null', 'not_an_envelope', /Events/],
  ['a number', '5', 'not_an_envelope', /Events/],
  ['a list', '[]', 'not_an_envelope', /Events/],
  ['an empty object', '{}', 'not_an_envelope', /Events/],
  ['events that are no list', '{"Version":"2.0","Events":{}}', 'not_an_envelope', /Events/],
  ['events in the prototype', '{"__proto__":{"Events":[]}}', 'not_an_envelope', /Events/],
];

for (const [name, content, code, reason] of bad)
  test(`${name} is stored and acknowledged, or refused when that is asked for`, async (t) => {
    for (const [mode, expected] of [
      ['ack', 200],
      ['reject', 422],
    ] as const) {
      const w = harness(t, { WEBHOOK_INVALID_BODY: mode });
      const { status, json } = await post(w, content);
      t.is(status, expected);
      t.like(json, { total_observations: 0, total_messages: 0 });
      const [rejected, ...more] = json['rejected'] as { index: null; code: string; reason: string }[];
      t.like(rejected, { index: null, code });
      t.regex(rejected?.reason ?? '', reason);
      t.is(more.length, 0);
      const [letter] = w.letters();
      t.like(letter, { kind: 'webhook_body', reason: code, integration_id: parkA });
      t.deepEqual(Buffer.from(letter?.body_base64 ?? '', 'base64'), Buffer.from(content));
    }
  });

test('64 levels are not too deep', async (t) => {
  const w = harness(t);
  const { status, json } = await post(w, deep(64));
  t.is(status, 200);
  t.like(json, { rejected: [{ index: 0, code: 'not_an_object' }] });
});

test('brackets inside texts do not count as levels', async (t) => {
  const w = harness(t);
  const { json } = await post(w, body([wire({ messageCode: 3, freeText: `"\\${'[{'.repeat(1_000)}` })]));
  t.deepEqual(json, { total_observations: 1, total_messages: 1 });
});

test('a byte order mark before the body does no harm', async (t) => {
  const w = harness(t);
  t.like((await post(w, `\ufeff${body([wire()])}`)).json, { total_observations: 1 });
});

test('prototype names in an envelope and its events are plain members', async (t) => {
  const w = harness(t);
  const event = JSON.stringify(wire()).replace('{', '{"__proto__":{"imei":"1"},"constructor":{"prototype":{}},');
  const { json } = await post(w, `{"__proto__":{"Events":[1,2]},"constructor":1,"Version":"2.0","Events":[${event}]}`);
  t.deepEqual(json, { total_observations: 1, total_messages: 0 });
  t.is(({} as Record<string, unknown>)['imei'], undefined);
});

test('the reason never quotes the body', async (t) => {
  const w = harness(t);
  const { json } = await post(w, '{"freeText":"meet me at the river" oops');
  t.false(JSON.stringify(json).includes('river'));
  t.false(JSON.stringify(w.lines).includes('river'));
});

test('a dead letter says where from and when, without secrets', async (t) => {
  const w = harness(t);
  const headers = {
    authorization: `Bearer ${tokens.a}`,
    cookie: 'session=1',
    apikey: tokens.a2,
    'x-request-id': 'r-1',
  };
  await post(w, 'nonsense', { headers, path: `/webhooks?apikey=${tokens.a}` });
  const [letter] = w.letters();
  t.deepEqual(deadLetterSchema.parse(letter), letter);
  t.is(letter?.received_at, new Date(startMs).toISOString());
  t.is(letter?.headers['x-request-id'], 'r-1');
  t.is(letter?.headers['x-integration-id'], parkA);
  for (const name of ['authorization', 'cookie', 'apikey', 'x-outbound-auth-token'])
    t.is(letter?.headers[name], '**********', name);
  t.false(JSON.stringify(letter).includes('park-a'));
});

test('a large bad body is cut, not refused', async (t) => {
  const w = harness(t);
  const content = 'x'.repeat(deadLetterBodyLimit + 1_000);
  t.is((await post(w, content)).status, 200);
  const [letter] = w.letters();
  t.like(letter, {
    truncated: true,
    bytes: content.length,
    sha256: createHash('sha256').update(content).digest('hex'),
  });
  t.is(Buffer.from(letter?.body_base64 ?? '', 'base64').length, deadLetterBodyLimit);
});

const unreadableSos: readonly (readonly [string, string | Uint8Array<ArrayBuffer>, number])[] = [
  ['is cut off', body([wire({ messageCode: 4 }), wire({ messageCode: '6' }), wire()]).slice(0, -1), 2],
  ['is UTF-16', new Uint8Array(Buffer.from(body([wire({ messageCode: 7 })]), 'utf16le')), 1],
  ['has no envelope', JSON.stringify([wire({ messageCode: 4 })]), 1],
  ['holds other codes', body([wire({ messageCode: 44 }), wire({ messageCode: 60 })]).slice(0, -1), 0],
];
for (const [what, content, count] of unreadableSos)
  test(`of a body that ${what}, ${count} SOS are counted and told`, async (t) => {
    const w = harness(t);
    await post(w, content);
    t.is(await metricOf(w, 'relay_sos_events_total{outcome="rejected"}'), count);
    t.is(
      w.lines.filter(({ msg }) => String(msg).startsWith('SOS events could not be read')).length,
      Math.min(count, 1),
    );
  });
