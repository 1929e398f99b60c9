import { PassThrough } from 'node:stream';
import { manualClock } from '@ranger-relay/runtime/testing';
import test from 'ava';
import { lingeringAnswer } from './answer.ts';

const textOf = (stream: ReadableStream<Uint8Array>): Promise<string> => new Response(stream).text();

test('the answer is there at once and ends when the sender has finished', async (t) => {
  const incoming = new PassThrough();
  const clock = manualClock();
  const answer = lingeringAnswer('refused', incoming, clock);
  const reader = answer.getReader();
  t.is(Buffer.from((await reader.read()).value ?? []).toString(), 'refused');
  incoming.end(Buffer.alloc(100_000));
  t.true((await reader.read()).done);
  t.is(clock.pending(), 0);
});

test('a sender that does not stop is waited for a bounded while', async (t) => {
  const clock = manualClock();
  const text = textOf(lingeringAnswer('refused', new PassThrough(), clock));
  await clock.advance(2_000);
  t.is(await text, 'refused');
});

test('a sender that sends without end is cut', async (t) => {
  const incoming = new PassThrough();
  const text = textOf(lingeringAnswer('refused', incoming, manualClock()));
  for (let sent = 0; sent < 70; sent++) {
    incoming.write(Buffer.alloc(1_048_576));
    await new Promise((resolve) => setImmediate(resolve));
  }
  t.is(await text, 'refused');
});

test('a sender that has gone is not waited for', async (t) => {
  const incoming = new PassThrough();
  incoming.destroy();
  t.is(await textOf(lingeringAnswer('refused', incoming, manualClock())), 'refused');
});

test('an answer nobody reads any more ends quietly', async (t) => {
  const incoming = new PassThrough();
  const answer = lingeringAnswer('refused', incoming, manualClock());
  await answer.cancel();
  incoming.destroy(new Error('reset'));
  await new Promise((resolve) => setImmediate(resolve));
  t.is(incoming.listenerCount('data'), 0);
});
