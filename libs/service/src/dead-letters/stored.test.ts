import { fc, testProp } from '@fast-check/ava';
import { memoryKv } from '@ranger-relay/kv/testing';
import { manualClock } from '@ranger-relay/runtime/testing';
import test from 'ava';
import { letterMark, markLetter, outstandingLetters, sosOf } from './stored.ts';

const stored = (body: unknown, kind = 'message') => ({
  kind,
  body_base64: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)).toString('base64'),
});
const call = { imei: '300434030000001', messageCode: 4, timeStamp: 1 };

test('an event that the platform refused says that it is an SOS, and of which device', (t) => {
  const message = { recorded_at: '2026-01-01T00:00:00Z', text: 'help' };
  const body = { sos: 'declared', source: '300434030000001', event_id: 'e'.repeat(64), observation: null, message };
  const expected = {
    state: 'declared',
    source: body.source,
    event_id: body.event_id,
    recorded_at: message.recorded_at,
    parts: ['message'],
  } as const;
  t.deepEqual(sosOf(stored(body)), expected);
  t.deepEqual(sosOf(stored(body, 'observation')), expected);
  t.is(sosOf(stored({ ...body, sos: null })), null);
  t.deepEqual(sosOf(stored({ ...body, event_id: 'r'.repeat(64), replay_of: body.event_id })), expected);
});

test('an SOS that the webhook refused is told by its code', (t) => {
  const expected = { state: 'declared', source: call.imei, event_id: null, recorded_at: null, parts: [] } as const;
  t.deepEqual(sosOf(stored(call, 'webhook_event')), expected);
  const bodies = {
    Version: '2.0',
    Events: [
      { imei: '1', messageCode: 0 },
      { ...call, messageCode: '4' },
    ],
  };
  t.deepEqual(sosOf(stored(bodies, 'webhook_event')), expected);
  t.is(sosOf(stored({ ...call, messageCode: 0 }, 'webhook_event')), null);
});

test('a body that is no JSON, or was cut, may still hold an SOS', (t) => {
  const cut = JSON.stringify({ Events: [call] }).slice(0, -4);
  t.deepEqual(sosOf(stored(cut, 'webhook_body')), {
    state: 'declared',
    source: null,
    event_id: null,
    recorded_at: null,
    parts: [],
  });
});

testProp(
  'no body makes the look fail',
  [fc.jsonValue(), fc.constantFrom('message', 'webhook_event')],
  (t, body, kind) => {
    t.notThrows(() => sosOf(stored(body, kind)));
  },
);

const harness = () => {
  const clock = manualClock(Date.parse('2026-01-01T00:00:00Z'));
  return { clock, kv: memoryKv(clock) };
};

const a = { id: 'a', attempts: 1 };

test('a letter without a mark is live', async (t) => {
  const { kv } = harness();
  t.is(await letterMark(kv.state, a), null);
  t.true((await outstandingLetters(kv.state))(a));
});

test('a mark says what was decided and when', async (t) => {
  const { kv, clock } = harness();
  await clock.advance(1_500);
  await markLetter(kv.state, clock, a, 'replayed');
  t.deepEqual(await letterMark(kv.state, a), { state: 'replayed', at: '2026-01-01T00:00:01.500Z', attempts: 1 });
});

test('marked letters are found by their ids alone; claims of replays under way are none', async (t) => {
  const { kv, clock } = harness();
  await markLetter(kv.state, clock, a, 'dropped');
  await markLetter(kv.state, clock, { id: 'b.c', attempts: 1 }, 'replayed');
  await kv.state.set('dlq-claim.d', 'claimed');
  const isLive = await outstandingLetters(kv.state);
  t.deepEqual(
    ['a', 'b.c', 'd'].filter((id) => isLive({ id, attempts: 1 })),
    ['d'],
  );
});

test('a letter that was replayed and refused again is outstanding again', async (t) => {
  const { kv, clock } = harness();
  await markLetter(kv.state, clock, a, 'replayed');
  const again = { id: 'a', attempts: 2 };
  t.true((await outstandingLetters(kv.state))(again));
  t.is(await letterMark(kv.state, again), null);
});
