import test from 'ava';
import { body, wire } from './test/events.ts';
import { headOf, openConnection, type RawConnection } from './test/socket.ts';
import { headersOf, post, start, harness } from './test/harness.ts';

const MiB = 1_048_576;
const answerEnd = /\r\n\r\n.*\}$/s;

test('a declared length over the limit is refused before the body is read', async (t) => {
  const w = harness(t);
  const connection = await openConnection(t, await start(t, w));
  connection.write(headOf({ 'content-length': String(17 * MiB) }));
  const answer = await connection.received(answerEnd);
  t.regex(answer, /^HTTP\/1.1 413 /);
  t.regex(answer, /connection: close/i);
  t.regex(answer, /body_too_large/);
});

const sendAll = (connection: RawConnection, piece: Uint8Array, times: number): Promise<void> =>
  new Promise((resolve) => {
    let left = times;
    const more = (): void => {
      while (left-- > 0) if (!connection.socket.write(piece)) return void connection.socket.once('drain', more);
      resolve();
    };
    connection.socket.once('close', () => resolve());
    more();
  });

test('an upload of 17 MiB gets its 413 although it goes on sending', async (t) => {
  const w = harness(t);
  const connection = await openConnection(t, await start(t, w));
  connection.write(headOf({ 'content-length': String(17 * MiB) }));
  await sendAll(connection, Buffer.alloc(MiB, 0x20), 17);
  t.regex(await connection.received(answerEnd), /^HTTP\/1.1 413 /);
  await connection.closed;
  t.is(w.bus.published.length, 0);
});

test('an upload of 17 MiB without a declared length is stopped at the limit', async (t) => {
  const w = harness(t);
  const connection = await openConnection(t, await start(t, w));
  connection.write(headOf({ 'transfer-encoding': 'chunked' }));
  const chunk = Buffer.concat([Buffer.from(`${MiB.toString(16)}\r\n`), Buffer.alloc(MiB, 0x20), Buffer.from('\r\n')]);
  await sendAll(connection, chunk, 17);
  connection.write('0\r\n\r\n');
  const answer = await connection.received(answerEnd);
  t.regex(answer, /^HTTP\/1.1 413 /);
  await connection.closed;
});

test('the next request on a new connection is served', async (t) => {
  const w = harness(t, { WEBHOOK_MAX_BODY_BYTES: '100000', WEBHOOK_MAX_BUFFERED_BYTES: '100000' });
  const port = await start(t, w);
  const send = (content: string): Promise<Response> =>
    fetch(`http://127.0.0.1:${port}/webhooks`, { method: 'POST', headers: headersOf({}), body: content });
  t.is((await send('x'.repeat(100_001))).status, 413);
  t.is((await send(body([wire()]))).status, 200);
});

test('a body of exactly the limit is read', async (t) => {
  const content = body([wire()]);
  const size = { WEBHOOK_MAX_BODY_BYTES: '2000', WEBHOOK_MAX_BUFFERED_BYTES: '2000' };
  t.is((await post(harness(t, size), content.padEnd(2_000))).status, 200);
  t.is((await post(harness(t, size), content.padEnd(2_001))).status, 413);
});

const events = (count: number): string => `{"Events":[${Array.from({ length: count }, () => '0').join(',')}]}`;

test('10,000 events are taken, 10,001 are not', async (t) => {
  const w = harness(t);
  const full = await post(w, events(10_000));
  t.is(full.status, 200);
  t.is((full.json['rejected'] as unknown[]).length, 10_000);
  t.is(w.letters().length, 1);
  const over = await post(harness(t), events(10_001));
  t.is(over.status, 413);
  t.like(over.json, { detail: { code: 'too_many_events' } });
  t.is(w.bus.published.length, 1);
});

const manyValues = (count: number): string =>
  `{"Events":[{"a":[${Array.from({ length: count - 4 }, () => '{}').join(',')}]}]}`;

test('a body of 500,000 values is taken, of one more it is not, and nothing of it is parsed', async (t) => {
  t.is((await post(harness(t), manyValues(500_000))).status, 200);
  const parse = JSON.parse;
  t.teardown(() => void (JSON.parse = parse));
  JSON.parse = (text: string) => (text.startsWith('{"Events":[{"a":[{}') ? t.fail() : (parse(text) as unknown));
  const over = await post(harness(t), manyValues(500_001));
  t.is(over.status, 413);
  t.like(over.json, { detail: { code: 'too_many_values' } });
});
