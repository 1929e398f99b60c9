import { createHash } from 'node:crypto';
import test from 'ava';
import { mapEvent, now, receipt, recordOf, sentAt, wire } from './test/events.ts';

const sha = (text: string): string => createHash('sha256').update(text).digest('hex');
const all = { message_codes: [0, 3, 66], include_no_fix: true };
const id = (parts: Record<string, unknown>): string => recordOf(wire(parts), all).event_id;

test('the id is the documented digest', (t) => {
  const parts = [
    '11111111-1111-4111-8111-111111111111',
    '300434030000000',
    String(sentAt),
    3,
    -1.28612,
    36.81722,
    sha('Back at noon'),
  ];
  t.is(id({ messageCode: 3, freeText: 'Back at noon' }), sha(JSON.stringify(parts)));
});

test('the id is the same in every form of the same values', (t) => {
  const plain = id({});
  for (const parts of [
    { imei: 300434030000000 },
    { messageCode: '0' },
    { timeStamp: String(sentAt) },
    { freeText: '' },
    { freeText: undefined, payload: undefined, addresses: null },
    { status: null, transportMode: 'Internet', somethingNew: { a: 1 } },
  ])
    t.is(id(parts), plain, JSON.stringify(parts));
});

test('each part that tells events apart changes the id', (t) => {
  const point = { latitude: -1.28612, longitude: 36.81722, gpsFix: 2 };
  const ids = [
    id({}),
    id({ imei: '300434030000001' }),
    id({ messageCode: 3 }),
    id({ timeStamp: sentAt + 1 }),
    id({ freeText: 'a' }),
    id({ payload: 'aGVsbG8=' }),
    id({ point: { ...point, latitude: -1.286_12 - 1e-9 } }),
    id({ point: { ...point, longitude: 36.8 } }),
    id({ point: { ...point, latitude: 0, longitude: 0, gpsFix: 0 } }),
    id({ mediaId: 'a' }),
    id({ mediaId: 'b' }),
    id({ mediaId: `${'b'.repeat(300)}1` }),
    id({ mediaId: `${'b'.repeat(300)}2` }),
  ];
  t.is(new Set(ids).size, ids.length);
});

test('the integration is part of the id', (t) => {
  const other = mapEvent(wire(), receipt({}, { integrationId: '22222222-2222-4222-8222-222222222222' }));
  t.true(other.kind === 'mapped' && other.record.event_id !== id({}));
});

const idWithoutTime = (receivedAt: number): string => {
  const mapped = mapEvent(wire({ messageCode: 3, timeStamp: undefined }), receipt({}, { receivedAt }));
  return mapped.kind === 'mapped' ? mapped.record.event_id : '';
};

test('without a time the UTC date of receipt stands in, so a repetition of the day is the same event', (t) => {
  t.is(idWithoutTime(now), idWithoutTime(now + 3_600_000));
  t.not(idWithoutTime(now), idWithoutTime(now + 86_400_000));
  t.is(id({ messageCode: 3, timeStamp: null }), idWithoutTime(now));
});

test('an event without media has the id that it always had, whatever stands in the place of its media id', (t) => {
  for (const mediaId of [null, undefined, '', {}]) t.is(id({ mediaId }), id({}), JSON.stringify(mediaId));
});

const halfHour = 1_800_000;

for (const messageCode of [4, 6, 7])
  for (const timeStamp of [undefined, null, '', 0, 'noon', -62_135_596_800_000, 4_102_444_800_000])
    test(`SOS code ${messageCode} at the unusable time ${JSON.stringify(timeStamp)} is one for half an hour of receipts`, (t) => {
      const received = (receivedAt: number): string => {
        const mapped = mapEvent(wire({ messageCode, timeStamp }), receipt({}, { receivedAt }));
        return mapped.kind === 'mapped' ? mapped.record.event_id : t.fail();
      };
      const slot = now - (now % halfHour);
      t.is(received(slot), received(slot + halfHour - 1));
      t.not(received(slot), received(slot + halfHour));
      t.not(received(slot), received(slot + 3 * 86_400_000));
    });

test('an SOS with a usable time is the same whenever it is received', (t) => {
  const received = (receivedAt: number): string => {
    const mapped = mapEvent(wire({ messageCode: 4 }), receipt({}, { receivedAt }));
    return mapped.kind === 'mapped' ? mapped.record.event_id : t.fail();
  };
  t.is(received(now), received(now + 5 * 86_400_000));
});

test('a lone surrogate in a text makes an id', (t) => {
  t.regex(id({ messageCode: 3, freeText: '\ud800' }), /^[0-9a-f]{64}$/);
});
