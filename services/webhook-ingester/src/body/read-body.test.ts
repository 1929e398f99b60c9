import { PassThrough, Readable } from 'node:stream';
import { fc, testProp } from '@fast-check/ava';
import { manualClock } from '@ranger-relay/runtime/testing';
import test from 'ava';
import { type BodyLimits, createByteBudget, createByteRate, readBody, SenderGone } from './read-body.ts';

test('what an integration brings over its bytes of a minute is refused, until the next one', async (t) => {
  const clock = manualClock();
  const rate = createByteRate(100, clock);
  t.true(rate.take('a', 60));
  t.false(rate.take('a', 41));
  t.true(rate.take('a', 40));
  t.true(rate.take('b', 100));
  await clock.advance(59_999);
  t.false(rate.take('a', 1));
  await clock.advance(1);
  t.true(rate.take('a', 100));
});

testProp(
  'no integration gets more than its bytes in any minute of the clock',
  [fc.array(fc.record({ id: fc.constantFrom('a', 'b'), bytes: fc.nat(80), pause: fc.nat(20_000) }), { maxLength: 60 })],
  async (t, bodies) => {
    const clock = manualClock();
    const rate = createByteRate(100, clock);
    const passed = new Map<string, number>();
    for (const { id, bytes, pause } of bodies) {
      const minute = `${id} ${Math.floor(clock.monotonic() / 60_000)}`;
      if (rate.take(id, bytes)) passed.set(minute, (passed.get(minute) ?? 0) + bytes);
      await clock.advance(pause);
    }
    t.true([...passed.values()].every((sum) => sum <= 200));
  },
);

const limits = (parts: Partial<BodyLimits> = {}): BodyLimits => ({
  maxBytes: 100,
  timeoutMs: 10_000,
  budget: createByteBudget(200),
  admit: () => undefined,
  clock: manualClock(),
  ...parts,
});

test('a body is whole, and its bytes are taken until it is released', async (t) => {
  const { budget, ...rest } = limits();
  const body = await readBody(
    { stream: Readable.from([Buffer.from('ab'), Buffer.from('cd')]), declared: 4 },
    { budget, ...rest },
  );
  t.is(Buffer.from(body.bytes).toString(), 'abcd');
  t.is(budget.taken(), 4);
  body.release();
  t.is(budget.taken(), 0);
});

test('what is declared is taken before the first byte', async (t) => {
  const { budget, clock, ...rest } = limits();
  const stream = new PassThrough();
  const reading = readBody({ stream, declared: 80 }, { budget, clock, ...rest });
  t.is(budget.taken(), 80);
  stream.destroy();
  await t.throwsAsync(reading, { instanceOf: SenderGone });
  t.is(budget.taken(), 0);
});

test('beyond the budget a body is put off, and nothing stays taken', async (t) => {
  const budget = createByteBudget(50);
  await t.throwsAsync(readBody({ stream: new PassThrough(), declared: 60 }, limits({ budget })), {
    message: /Too many bodies/,
  });
  const chunks = Readable.from([Buffer.alloc(30), Buffer.alloc(30)]);
  await t.throwsAsync(readBody({ stream: chunks, declared: undefined }, limits({ budget })), {
    message: /Too many bodies/,
  });
  t.is(budget.taken(), 0);
});

test('a declared length over the limit is refused unread', async (t) => {
  const stream = new PassThrough();
  await t.throwsAsync(readBody({ stream, declared: 101 }, limits()), { message: /over 100 bytes/ });
  t.is(stream.listenerCount('data'), 0);
});

test('reading stops at the limit', async (t) => {
  const stream = new PassThrough();
  const reading = readBody({ stream, declared: undefined }, limits());
  stream.write(Buffer.alloc(101));
  await t.throwsAsync(reading, { message: /over 100 bytes/ });
  t.true(stream.isPaused());
});

test('a slow body ends at its time, and no timer is left', async (t) => {
  const clock = manualClock();
  const budget = createByteBudget(200);
  const reading = readBody({ stream: new PassThrough(), declared: 10 }, limits({ clock, budget }));
  const refused = t.throwsAsync(reading, { message: /within 10 s/ });
  await clock.advance(10_000);
  await refused;
  t.is(clock.pending(), 0);
  t.is(budget.taken(), 0);
});

test('a finished body leaves no timer and no listener', async (t) => {
  const clock = manualClock();
  const stream = Readable.from([Buffer.from('a')]);
  await readBody({ stream, declared: 1 }, limits({ clock }));
  t.is(clock.pending(), 0);
  t.is(stream.listenerCount('data'), 0);
});

test('a stream that was destroyed before is a sender that went away', async (t) => {
  const stream = new PassThrough();
  stream.destroy();
  await t.throwsAsync(readBody({ stream, declared: 5 }, limits()), { instanceOf: SenderGone });
});

testProp(
  'a body arrives whole however it is cut, or is refused; either way the budget is even',
  [fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 6 }), fc.boolean()],
  async (t, pieces, chunked) => {
    const whole = Buffer.concat(pieces);
    const budget = createByteBudget(150);
    const stream = Readable.from(pieces.filter(({ length }) => length > 0).map((piece) => Buffer.from(piece)));
    const result = await readBody({ stream, declared: chunked ? undefined : whole.length }, limits({ budget })).catch(
      () => undefined,
    );
    t.is(result === undefined, whole.length > 100);
    if (result) {
      t.deepEqual(Buffer.from(result.bytes), whole);
      result.release();
    }
    t.is(budget.taken(), 0);
  },
);
