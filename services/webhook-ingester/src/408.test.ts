import test from 'ava';
import { body, wire } from './test/events.ts';
import { headOf, openConnection } from './test/socket.ts';
import { metricOf, start, harness } from './test/harness.ts';

const content = body([wire()]);
const answerEnd = /\r\n\r\n.*\}$/s;

test('a body that is not complete in 10 s is refused and its bytes are free again', async (t) => {
  const w = harness(t, { WEBHOOK_MAX_BODY_BYTES: '2000', WEBHOOK_MAX_BUFFERED_BYTES: '2000' });
  const port = await start(t, w);
  const idle = w.clock.pending();
  const slow = await openConnection(t, port);
  slow.write(headOf({ 'content-length': '2000' }) + content.slice(0, 100));
  while (w.clock.pending() === idle) await new Promise((resolve) => setImmediate(resolve));

  const other = await openConnection(t, port);
  other.write(headOf({ 'content-length': String(content.length) }) + content);
  t.regex(await other.received(answerEnd), /^HTTP\/1.1 503 /);

  await w.clock.advance(9_999);
  t.is(await metricOf(w, 'relay_webhook_requests_total{status="408"}'), undefined);
  await w.clock.advance(1);
  const answer = await slow.received(answerEnd);
  t.regex(answer, /^HTTP\/1.1 408 /);
  t.regex(answer, /body_timeout/);

  const again = await openConnection(t, port);
  again.write(headOf({ 'content-length': String(content.length) }) + content);
  t.regex(await again.received(answerEnd), /^HTTP\/1.1 200 /);
});

test('a chunked body that trickles is refused at the same moment', async (t) => {
  const w = harness(t);
  const port = await start(t, w);
  const idle = w.clock.pending();
  const slow = await openConnection(t, port);
  slow.write(`${headOf({ 'transfer-encoding': 'chunked' })}5\r\n{"Eve\r\n`);
  while (w.clock.pending() === idle) await new Promise((resolve) => setImmediate(resolve));
  await w.clock.advance(10_000);
  const answer = await slow.received(answerEnd);
  t.regex(answer, /^HTTP\/1.1 408 /);
  t.regex(answer, /connection: close/i);
  await w.clock.advance(2_000);
  await slow.closed;
});

test('a sender that goes away in the middle leaves nothing behind', async (t) => {
  const w = harness(t, { WEBHOOK_MAX_BODY_BYTES: '2000', WEBHOOK_MAX_BUFFERED_BYTES: '2000' });
  const port = await start(t, w);
  const idle = w.clock.pending();
  const gone = await openConnection(t, port);
  gone.write(headOf({ 'content-length': '2000' }) + content.slice(0, 100));
  while (w.clock.pending() === idle) await new Promise((resolve) => setImmediate(resolve));
  gone.socket.destroy();
  while (w.clock.pending() > idle) await new Promise((resolve) => setImmediate(resolve));

  const next = await openConnection(t, port);
  next.write(headOf({ 'content-length': String(content.length) }) + content);
  t.regex(await next.received(answerEnd), /^HTTP\/1.1 200 /);
  t.is(w.events().length, 1);
});

test('a body that comes in many small pieces is taken', async (t) => {
  const w = harness(t);
  const connection = await openConnection(t, await start(t, w));
  connection.write(headOf({ 'transfer-encoding': 'chunked' }));
  for (const letter of content) connection.write(`1\r\n${letter}\r\n`);
  connection.write('0\r\n\r\n');
  t.regex(await connection.received(answerEnd), /^HTTP\/1.1 200 /);
});
