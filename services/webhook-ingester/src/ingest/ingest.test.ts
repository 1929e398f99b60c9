import { createDeadLetters } from '@ranger-relay/bus';
import { memoryBus } from '@ranger-relay/bus/testing';
import { defaultSettings } from '@ranger-relay/device';
import { RelayError } from '@ranger-relay/errors';
import { manualClock, testContext } from '@ranger-relay/runtime/testing';
import { createSosLog } from '@ranger-relay/service';
import test from 'ava';
import { body, eventsOn, lettersOn, parkA, startMs, text, wire } from '../test/events.ts';
import { ingestBody, type IngestRequest, storeWithinMs } from './ingest.ts';

const setUp = (parts: Partial<IngestRequest> = {}, keepRejected = true) => {
  const clock = manualClock(startMs);
  const bus = memoryBus(clock);
  const context = testContext({ clock });
  const { metrics } = context;
  const sosLog = createSosLog({ ...context, bus });
  const take = (content: string | Uint8Array) =>
    ingestBody(
      { bus, clock, metrics, sosLog, ...(keepRejected ? { deadLetters: createDeadLetters({ ...context, bus }) } : {}) },
      {
        integrationId: parkA,
        settings: defaultSettings,
        bytes: Buffer.from(content),
        receivedAt: startMs,
        reference: startMs,
        ...parts,
      },
    );
  return { bus, take, metrics, events: () => eventsOn(bus), letters: () => lettersOn(bus) };
};

test('a stored body can be taken in again: same ids, the first receipt, no dead letters', async (t) => {
  const content = body([wire(), text('a'), wire({ imei: null })]);
  const first = setUp();
  await first.take(content);
  const again = setUp({}, false);
  const result = await again.take(content);
  t.deepEqual(again.events(), first.events());
  t.is(first.letters().length, 1);
  t.is(again.letters().length, 0);
  t.is(result.counts.rejected, 1);
});

test('an SOS event that cannot be read is counted as such', async (t) => {
  const { take, letters } = setUp();
  const result = await take(body([wire({ imei: null, messageCode: 4 }), wire({ imei: null }), 'text']));
  t.is(result.rejectedSos, 1);
  t.is(letters().length, 1);
});

test('a body of many large events goes in several calls, all before the result', async (t) => {
  const { take, bus, events } = setUp();
  const long = 'ä'.repeat(60_000);
  const result = await take(body(Array.from({ length: 20 }, (_, n) => text(`${n}${long}`))));
  t.is(result.counts.messages, 20);
  t.true(bus.published.length > 3);
  t.is(events().length, 20);
});

test('an event over 256 KiB is rejected and kept, its media do not count', async (t) => {
  const { take, events } = setUp();
  const big = 'x'.repeat(300_000);
  const result = await take(body([text(big), wire({ mediaBytes: big }), wire()]));
  t.deepEqual(
    result.rejected.map(({ index, code }) => [index, code]),
    [[0, 'event_too_large']],
  );
  t.is(events().length, 2);
});

test('dead letters are counted only once they are stored', async (t) => {
  const { take, metrics, bus } = setUp();
  bus.before = () => Promise.reject(new Error('down'));
  await t.throwsAsync(take('nonsense'));
  t.notRegex(await metrics.render(), /relay_dead_letters_total\{/);
  bus.before = () => undefined;
  await take('nonsense');
  t.regex(await metrics.render(), /relay_dead_letters_total\{kind="webhook_body",reason="invalid_json"\} 1/);
});

test('the time to store is the contract’s', (t) => {
  t.is(storeWithinMs, 4_000);
});

test('SOS events are counted once they are stored, and those that cannot be read by themselves', async (t) => {
  const { take, metrics, bus } = setUp();
  const content = body([wire({ messageCode: 4 }), wire(), wire({ imei: null, messageCode: 6 })]);
  bus.before = () => Promise.reject(new Error('down'));
  await t.throwsAsync(take(content));
  t.notRegex(await metrics.render(), /relay_sos_events_total\{/);
  bus.before = () => undefined;
  await take(content);
  const text = await metrics.render();
  t.regex(text, /relay_sos_events_total\{outcome="stored"\} 1\n/);
  t.regex(text, /relay_sos_events_total\{outcome="rejected"\} 1\n/);
});

test('no text of a device goes onto the bus that a database behind the platform refuses', async (t) => {
  const { take, bus, events } = setUp();
  const long = `${'x'.repeat(199)}😀 and more`;
  await take(
    body([text('a\u0000b\uD83D', { transportMode: long, mediaId: 'm\u0001', addresses: [{ address: long }] })]),
  );
  const [event] = events();
  t.is(event?.message?.text, 'ab\uFFFD');
  t.like(event?.message?.additional, {
    transport_mode: `${'x'.repeat(199)}😀`,
    recipient_addresses: [`${'x'.repeat(199)}😀`],
    media_id: 'm',
  });
  t.notRegex(String(bus.published[0]?.records[0]?.value), /\\u(?:0|d)/);
});

test('an SOS goes to the topic of emergencies and nowhere else, all other events to theirs', async (t) => {
  const { take, bus } = setUp();
  await take(body([wire(), wire({ messageCode: 4 }), text('a'), wire({ messageCode: 7 })]));
  const codes = (topic: string): unknown[] => bus.values(topic).map((event) => event['message_code']);
  t.deepEqual(codes('emergencies'), [4, 7]);
  t.deepEqual(codes('source-events'), [0, 3]);
});

test('the rejected events of a body are one dead letter: an envelope of them alone, with their places', async (t) => {
  const { take, metrics, letters } = setUp();
  const events = [wire(), wire({ imei: null, messageCode: 4, mediaBytes: 'x'.repeat(5_000) }), 7, wire({ imei: null })];
  await take(body(events));
  const [letter, ...more] = letters();
  t.deepEqual(more, []);
  t.like(letter, {
    kind: 'webhook_event',
    reason: 'missing_imei',
    rejected: { missing_imei: [1, 3], not_an_object: [2] },
  });
  t.is(letter?.detail, '3 of 4 events: 2 missing_imei, 1 not_an_object');
  t.deepEqual(JSON.parse(Buffer.from(letter?.body_base64 ?? '', 'base64').toString()), {
    Version: '3.0',
    Events: [{ ...(events[1] as object), mediaBytes: null }, 7, events[3]],
  });
  t.regex(await metrics.render(), /relay_dead_letters_total\{kind="webhook_event",reason="missing_imei"\} 1\n/);
});

test('a dead letter of rejected events can be taken in again', async (t) => {
  const first = setUp();
  await first.take(body([wire({ imei: null }), wire()], { toString: 'no version' }));
  const kept = Buffer.from(first.letters()[0]?.body_base64 ?? '', 'base64');
  const repaired = kept.toString().replace('"imei":null', '"imei":"300434030000000"');
  const again = setUp({}, false);
  t.like(await again.take(repaired), { counts: { observations: 1 } });
  t.deepEqual(again.events(), first.events());
});

test('events that are too large are the first to go when a dead letter is cut', async (t) => {
  const { take, letters } = setUp();
  const large = text('x'.repeat(1_500_000));
  await take(body([large, large, wire({ imei: null, freeText: 'keep me' })]));
  const [letter] = letters();
  t.true(letter?.truncated);
  t.true(
    Buffer.from(letter?.body_base64 ?? '', 'base64')
      .toString()
      .includes('keep me'),
  );
});

test('20 KB of rejected events with headers of 14 KB are one small dead letter', async (t) => {
  const headers = Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`x-${n}`, 'h'.repeat(350)]));
  const { take, bus } = setUp({ headers: () => headers });
  const result = await take(`{"Events":[${'0,'.repeat(9_999)}0]}`);
  t.is(result.rejected.length, 10_000);
  const [call, ...more] = bus.published;
  t.deepEqual(more, []);
  t.true(String(call?.records[0]?.value).length < 120_000);
});

test('a record that the broker finds too large becomes a dead letter, and its neighbours pass', async (t) => {
  const { take, bus, events, letters } = setUp();
  bus.before = ({ topic, records }) => {
    if (topic === 'dead-letters' || records.every(({ value }) => value.length < 10_000)) return;
    throw new RelayError('record_too_large', { details: { bytes: 1, limit: 1, topic } });
  };
  const result = await take(body([text('a'), text('x'.repeat(20_000)), text('b'), wire({ messageCode: 4 })]));
  t.deepEqual(result.rejected, []);
  t.deepEqual(
    events().map(({ message, sos }) => message?.text ?? sos),
    ['declared', 'a', 'b'],
  );
  const [letter] = letters();
  t.like(letter, { kind: 'observation', reason: 'record_too_large', integration_id: parkA });
  t.like(JSON.parse(Buffer.from(letter?.body_base64 ?? '', 'base64').toString()), {
    v: 1,
    message: { text: 'x'.repeat(20_000) },
  });
});

test('an SOS that the broker finds too large counts as rejected, and its log does not say that it is stored', async (t) => {
  const { take, bus, letters, metrics } = setUp();
  bus.before = ({ topic, records }) => {
    if (topic === 'emergencies' && records.some(({ value }) => String(value).includes('"sos":"declared"')))
      throw new RelayError('record_too_large', { details: { bytes: 1, limit: 1, topic } });
  };
  const result = await take(body([wire({ messageCode: 4 }), wire({ messageCode: 7 })]));
  t.is(result.rejectedSos, 1);
  t.like(letters(), [{ reason: 'record_too_large' }]);
  t.deepEqual(
    bus.values('sos-log').map(({ sos }) => sos),
    ['cancelled'],
  );
  const shown = await metrics.render();
  t.regex(shown, /relay_sos_events_total\{outcome="stored"\} 1\n/);
  t.regex(shown, /relay_sos_events_total\{outcome="rejected"\} 1\n/);
});

test('a text that neither its topic nor the dead letters take whole is not acknowledged', async (t) => {
  const { take, bus, letters } = setUp();
  bus.before = ({ topic, records }) => {
    const bytes = Math.max(...records.map(({ value }) => value.length));
    if (bytes > 20_000) throw new RelayError('record_too_large', { details: { bytes, limit: 20_000, topic } });
  };
  await t.throwsAsync(take(body([text('x'.repeat(30_000))])), { code: 'bus_unavailable' });
  t.deepEqual(letters(), []);
  bus.before = () => undefined;
  await take(body([text('x'.repeat(30_000))]));
  t.is(bus.values('source-events').length, 1);
});

test('an SOS is on its log once it is stored, and neither waits for that log nor fails with it', async (t) => {
  const { take, bus } = setUp();
  bus.before = ({ topic }) => (topic === 'sos-log' ? Promise.reject(new Error('forbidden')) : undefined);
  await take(body([wire({ messageCode: 4 })]));
  bus.before = ({ topic }) => (topic === 'sos-log' ? new Promise(() => undefined) : undefined);
  await take(body([wire({ messageCode: 6 })]));
  t.is(bus.values('emergencies').length, 2);
  t.deepEqual(bus.values('sos-log'), []);
  bus.before = () => undefined;
  await take(body([wire(), wire({ messageCode: 7 })]));
  const [event] = bus.values('emergencies').slice(-1);
  const [step, ...more] = bus.values('sos-log');
  t.deepEqual(more, []);
  t.like(step, { step: 'stored', sos: 'cancelled', event_id: event?.['event_id'], parts: ['observation'] });
});
