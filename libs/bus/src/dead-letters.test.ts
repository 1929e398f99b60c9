import { hash } from 'node:crypto';
import { fc, testProp } from '@fast-check/ava';
import { deadLetterBodyLimit, deadLetterSchema, topics, type DeadLetter } from '@ranger-relay/contracts';
import { type RelayError, toRelayError } from '@ranger-relay/errors';
import { manualClock, recordingLogger, testContext } from '@ranger-relay/runtime/testing';
import test from 'ava';
import { createDeadLetters, deadLetterOf, type DeadLetterFacts, replayHeaders } from './dead-letters.ts';
import { memoryBus } from './testing/memory-bus.ts';
import { memoryStorage } from './testing/memory-storage.ts';

const start = Date.UTC(2026, 0, 1);
const { random } = testContext();

const facts = (more: Partial<DeadLetterFacts> = {}): DeadLetterFacts => ({
  kind: 'webhook_body',
  integrationId: 'i-1',
  reason: 'invalid_json',
  detail: 'why',
  body: Buffer.from('the body'),
  receivedAt: start,
  ...more,
});
const letterOf = (more: Partial<DeadLetterFacts> = {}): DeadLetter =>
  deadLetterOf(facts(more), { now: start + 1, random });
const origin = { topic: 'source-events', partition: 3, offset: 7n };

/** A broker whose records may have so many bytes. */
const brokerTaking = (maxBytes: number) => {
  const { log, lines } = recordingLogger();
  const context = testContext({ log, clock: manualClock(start) });
  const storage = memoryStorage([{ ...topics.deadLetters, maxRecordBytes: maxBytes }]);
  const bus = memoryBus(context.clock, { storage });
  const letters = createDeadLetters({ ...context, bus });
  const kept = (): DeadLetter => deadLetterSchema.parse(bus.values(topics.deadLetters.name).at(-1));
  return { letters, bus, kept, lines, context };
};

test('a dead letter is what the contract says', (t) => {
  const letter = letterOf();
  t.deepEqual(deadLetterSchema.parse(letter), letter);
  t.like(letter, {
    received_at: '2026-01-01T00:00:00.000Z',
    failed_at: '2026-01-01T00:00:00.001Z',
    attempts: 1,
    origin: null,
  });
  t.is(letter.truncated, undefined);
});

test('secrets in headers are masked, whatever the header is called that holds a web token or a query', (t) => {
  const token = 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl';
  const { headers } = letterOf({
    headers: {
      'x-jwt-assertion': 'plain',
      'x-custom': token,
      'x-wrapped': `JWT ${token}`,
      'x-original-uri': '/webhooks?apikey=abc&x=1',
      authorization: 'Bearer k',
      accept: ['text/html', 'a\u0000/b'],
      missing: undefined,
    },
  });
  t.deepEqual(headers, {
    'x-jwt-assertion': '**********',
    'x-custom': '**********',
    'x-wrapped': 'JWT **********',
    'x-original-uri': '/webhooks?**********',
    authorization: '**********',
    accept: 'text/html,a/b',
    missing: '',
  });
});

test('the number and the length of headers, and the length of the detail, are bounded', (t) => {
  const headers = Object.fromEntries(
    Array.from({ length: 200 }, (_, n) => [`x-${n}-${'n'.repeat(2_000)}`, 'v'.repeat(20_000)]),
  );
  const letter = letterOf({ headers, detail: 'd'.repeat(5_000) });
  t.true(JSON.stringify(letter).length < 100_000);
  t.is(letter.detail.length, 1_000);
});

test('the same thing given up again for the same reason has the same id, anything else another', (t) => {
  const id = letterOf({ origin }).id;
  t.is(deadLetterOf(facts({ origin: { ...origin, offset: '7' }, attempts: 9 }), { now: 0, random }).id, id);
  t.is(letterOf({ identity: ['row'], body: Buffer.from('at 6') }).id, letterOf({ identity: ['row'] }).id);
  const others = [
    letterOf({ origin: { ...origin, offset: 8n } }),
    letterOf({ origin, reason: 'other' }),
    letterOf({ origin, kind: 'message' }),
    letterOf({ origin, body: Buffer.from('other') }),
    letterOf({ origin, identity: ['group'] }),
    letterOf({ identity: ['row'] }),
    letterOf(),
    letterOf(),
  ];
  t.is(new Set([id, ...others.map((letter) => letter.id)]).size, others.length + 1);
});

test('a body is kept whole up to the limit, beyond it its start with size and digest', (t) => {
  const whole = Buffer.alloc(deadLetterBodyLimit, 'x');
  t.is(letterOf({ body: whole }).body_base64, whole.toString('base64'));
  const longer = Buffer.alloc(deadLetterBodyLimit + 1, 'x');
  const letter = letterOf({ body: longer });
  t.is(Buffer.from(letter.body_base64, 'base64').byteLength, deadLetterBodyLimit);
  t.like(letter, { bytes: longer.byteLength, truncated: true, sha256: hash('sha256', longer) });
});

test('a body whose rest was dropped has its whole size and no digest', (t) => {
  const letter = letterOf({ body: Buffer.from('start'), size: 9_000_000 });
  t.like(letter, { body_base64: Buffer.from('start').toString('base64'), bytes: 9_000_000, truncated: true });
  t.is(letter.sha256, undefined);
});

testProp(
  'what the catalogue allows is stored whole or not handled; of more, what the broker takes is stored',
  [fc.integer({ min: 2_000, max: 4_000_000 }), fc.integer({ min: 0, max: 3_000_000 })],
  async (t, maxBytes, size) => {
    const body = Buffer.alloc(size, 'x');
    const { letters, kept, bus } = brokerTaking(maxBytes);
    const headers = { 'x-long': 'h'.repeat(400), 'x-longer': 'h'.repeat(500) };
    const written = await letters.write(facts({ body, headers, rejected: { bad_time: [1, 2] } })).catch(toRelayError);
    if (written) {
      t.like(written, { code: 'bus_unavailable', next: 'retry' });
      t.deepEqual([size <= deadLetterBodyLimit, bus.published.length], [true, 0]);
      return;
    }
    const letter = kept();
    const start = Buffer.from(letter.body_base64, 'base64');
    t.is(Buffer.compare(start, body.subarray(0, start.length)), 0);
    t.is(bus.published.length, 1);
    if (size > deadLetterBodyLimit) t.like(letter, { truncated: true, bytes: size, sha256: hash('sha256', body) });
    else t.deepEqual([letter.truncated, start.length], [undefined, size]);
  },
  { numRuns: 20 },
);

test('what is too large for any topic loses the end of its body first, then its headers', async (t) => {
  const body = Buffer.alloc(deadLetterBodyLimit + 1, 'x');
  const keptOf = async (maxBytes: number): Promise<DeadLetter> => {
    const { letters, kept } = brokerTaking(maxBytes);
    await letters.write(facts({ body, headers: { a: 'b' } }));
    return kept();
  };
  const million = await keptOf(1_000_000);
  t.is(Buffer.from(million.body_base64, 'base64').length, 524_288);
  t.deepEqual(million.headers, { a: 'b' });
  t.like(await keptOf(10_000), { body_base64: '', headers: {} });
});

test('a topic that takes not even a letter without a body is unavailable: what failed is kept and tried again', async (t) => {
  const { letters, bus } = brokerTaking(100);
  t.like(await t.throwsAsync(letters.write(facts())), { code: 'bus_unavailable', next: 'retry' });
  t.deepEqual(bus.published, []);
});

test('any other failure of the bus is the caller’s', async (t) => {
  const context = testContext();
  const bus = memoryBus(context.clock);
  bus.away = true;
  const error = await t.throwsAsync(createDeadLetters({ ...context, bus }).write(facts()));
  t.is((error as unknown as RelayError).code, 'bus_unavailable');
  t.is(bus.calls.length, 1);
});

test('a flood of letters is counted, each, and logged once a minute and cause, without what they hold', async (t) => {
  const { letters, lines, context, bus } = brokerTaking(10_000);
  for (let n = 0; n < 100; n++) await letters.write(facts({ body: Buffer.from('secret') }));
  await letters.write(facts({ reason: 'not_an_envelope' }));
  t.is(bus.published.length, 101);
  t.deepEqual(
    lines.map(({ msg, reason }) => [msg, reason]),
    [
      ['a dead letter was written', 'invalid_json'],
      ['a dead letter was written', 'not_an_envelope'],
    ],
  );
  t.notRegex(JSON.stringify(lines), /secret|why/);
  t.regex(await context.metrics.render(), /relay_dead_letters_total\{kind="webhook_body",reason="invalid_json"\} 100/);
});

test('a record is keyed by its integration unless it is said otherwise, and carries the headers of the caller', async (t) => {
  const { letters, bus } = brokerTaking(10_000);
  await letters.write(facts());
  await letters.write(facts({ integrationId: null }));
  await letters.write(facts(), { key: 'k', recordHeaders: { traceparent: '00-1' }, deadlineMs: 50 });
  const ids = bus.values(topics.deadLetters.name).map(({ id }) => id);
  t.deepEqual(
    bus.records(topics.deadLetters.name).map(({ key }) => key),
    ['i-1', ids[1], 'k'],
  );
  t.like(bus.published[2], { records: [{ headers: { traceparent: '00-1' } }], deadlineMs: 50 });
});

test('what replays a dead letter and is refused again is that letter, with more attempts; headers from outside make none', (t) => {
  const headers = replayHeaders({ id: 'letter-1', attempts: 3 });
  t.like(letterOf({ origin: { ...origin, headers }, attempts: 2 }), { id: 'letter-1', attempts: 5 });
  t.is(letterOf({ origin: { ...origin, headers }, attempts: 0 }).attempts, 4);
  t.not(letterOf({ headers }).id, 'letter-1');
  t.not(letterOf({ origin: { ...origin, headers: { 'dead-letter': 'x letter-1' } } }).id, 'letter-1');
});
