import { PassThrough, Readable } from 'node:stream';
import { isRelayError } from '@ranger-relay/errors';
import { manualClock } from '@ranger-relay/runtime/testing';
import test from 'ava';
import { createBodyReader } from './body.ts';

const limits = { maxBytes: 10, maxBufferedBytes: 25 };
const streamOf = (...parts: readonly string[]): Readable => Readable.from(parts.map((part) => Buffer.from(part)));

test('a body within the limit is whole', async (t) => {
  const body = await createBodyReader(limits, manualClock())(streamOf('01234', '56789'));
  t.like(body, { size: 10, tooLarge: false });
  t.is(String(body.bytes), '0123456789');
});

test('of one over the limit the start is kept and the rest counted', async (t) => {
  const body = await createBodyReader(limits, manualClock())(streamOf('01234567', '89abcdef', 'ghi'));
  t.like(body, { size: 19, tooLarge: true });
  t.is(String(body.bytes), '0123456789');
});

test('bodies that are held share a budget, which each gives back once', async (t) => {
  const read = createBodyReader(limits, manualClock());
  const [one] = [await read(streamOf('0123456789')), await read(streamOf('0123456789'))];
  const refused = await t.throwsAsync(read(streamOf('0123456789')));
  t.true(isRelayError(refused, 'too_busy'));
  one.release();
  one.release();
  await t.notThrowsAsync(read(streamOf('0123456789')));
  t.true(isRelayError(await t.throwsAsync(read(streamOf('0123456789'))), 'too_busy'));
});

test('the largest body is taken although it is larger than all bodies may be together', async (t) => {
  const read = createBodyReader({ maxBytes: 30, maxBufferedBytes: 25 }, manualClock());
  const body = await read(streamOf('0123456789', '0123456789', '0123456789'));
  t.like(body, { size: 30, tooLarge: false });
  t.true(isRelayError(await t.throwsAsync(read(streamOf('0'))), 'too_busy'));
});

test('a sender that stops is not waited for', async (t) => {
  const clock = manualClock();
  const stream = new PassThrough();
  const reading = t.throwsAsync(createBodyReader(limits, clock)(stream));
  stream.write('0');
  await clock.advance(10_000);
  t.true(isRelayError(await reading, 'body_timeout'));
  t.is(clock.pending(), 0);
});

test('a sender that goes away before its body is complete is an error, and its bytes are given back', async (t) => {
  const read = createBodyReader(limits, manualClock());
  for (let round = 0; round < 5; round += 1) {
    const stream = new PassThrough();
    const reading = read(stream);
    stream.write('012345678');
    setImmediate(() => stream.destroy());
    t.true(isRelayError(await t.throwsAsync(reading), 'body_timeout'));
  }
  await t.notThrowsAsync(read(streamOf('0123456789')));
});
