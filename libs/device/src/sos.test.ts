import { fc, testProp } from '@fast-check/ava';
import test from 'ava';
import { noFixPoint, recordOf, wire } from './test/events.ts';

const states = [
  [4, 'declared'],
  [6, 'confirmed'],
  [7, 'cancelled'],
] as const;

for (const [messageCode, sos] of states) {
  test(`code ${messageCode} with a fix is an observation with the mark, and no message unless its code is listed`, (t) => {
    const record = recordOf(wire({ messageCode }));
    t.is(record.sos, sos);
    t.is(record.observation?.additional['sos'], sos);
    t.is(record.message, null);
    t.is(recordOf(wire({ messageCode, freeText: 'help' }), { message_codes: [messageCode] }).message?.text, 'help');
  });

  for (const point of [undefined, null, noFixPoint, { ...noFixPoint, latitude: 100 }])
    test(`code ${messageCode} with point ${JSON.stringify(point)} is a message whatever the settings say`, (t) => {
      for (const settings of [{}, { include_observations: false, include_messages: false, message_codes: [] }]) {
        const { message, observation, sos: state } = recordOf(wire({ messageCode, point }), settings);
        t.is(state, sos);
        t.is(observation, null);
        t.is(message?.text, `SOS ${sos}`);
        t.is(message?.location, undefined);
        t.is(message?.additional['sos'], sos);
      }
      t.is(recordOf(wire({ messageCode, point, freeText: 'leg broken' })).message?.text, `SOS ${sos} leg broken`);
    });

  for (const point of ['here', { latitude: 'abc', longitude: 36.8, gpsFix: 2 }])
    test(`code ${messageCode} at the unreadable place ${JSON.stringify(point)} is a message without a place, marked`, (t) => {
      for (const settings of [{}, { include_no_fix: true }, { include_observations: false, message_codes: [] }]) {
        const { message, observation } = recordOf(wire({ messageCode, point }), settings);
        t.is(observation, null);
        t.is(message?.text, `SOS ${sos}`);
        t.is(message?.location, undefined);
        t.is(message?.additional['fix_unreadable'], true);
      }
      t.is(recordOf(wire({ messageCode, point: noFixPoint })).message?.additional['fix_unreadable'], undefined);
    });

  test(`code ${messageCode} with a fix that is wanted as nothing is a message with its location`, (t) => {
    const { message } = recordOf(wire({ messageCode }), { include_observations: false, message_codes: [3] });
    t.is(message?.text, `SOS ${sos}`);
    t.deepEqual(message?.location, { latitude: -1.28612, longitude: 36.81722 });
  });

  for (const timeStamp of ['noon', 0, 4_102_444_800_000, -62_135_596_800_000])
    test(`code ${messageCode} with the bad time ${timeStamp} goes out at the receive time, marked`, (t) => {
      const { observation, message } = recordOf(wire({ messageCode, timeStamp }), { message_codes: [messageCode] });
      for (const part of [observation, message]) {
        t.is(part?.recorded_at, '2024-04-23T13:00:00Z');
        t.is(part?.additional['time_from'], 'receipt');
      }
    });

  test(`code ${messageCode} without a time is a message at the receive time, with its location`, (t) => {
    const { observation, message } = recordOf(wire({ messageCode, timeStamp: null }));
    t.is(observation, null);
    t.like(message, { recorded_at: '2024-04-23T13:00:00Z', location: { latitude: -1.28612, longitude: 36.81722 } });
    t.is(message?.additional['time_from'], 'receipt');
  });
}

test('0,0 wanted as a position is beside the message, not in its place', (t) => {
  const { observation, message } = recordOf(wire({ messageCode: 4, point: noFixPoint }), { include_no_fix: true });
  t.is(observation?.additional['no_fix'], true);
  t.is(message?.text, 'SOS declared');
  t.is(message?.location, undefined);
});

const settings = fc.record({
  include_observations: fc.boolean(),
  include_messages: fc.boolean(),
  include_no_fix: fc.boolean(),
  message_codes: fc.subarray([0, 3, 4, 6, 7]),
});

const members = fc.record(
  {
    timeStamp: fc.anything(),
    point: fc.oneof(fc.anything(), fc.record({ latitude: fc.double(), longitude: fc.double(), gpsFix: fc.anything() })),
    freeText: fc.oneof(fc.string(), fc.anything()),
    status: fc.anything(),
    addresses: fc.anything(),
  },
  { requiredKeys: [] },
);

testProp(
  'an SOS never ends in nothing',
  [fc.constantFrom(4, 6, 7), members, settings],
  (t, messageCode, parts, wanted) => {
    const { observation, message, sos } = recordOf({ imei: '300434030000000', messageCode, ...parts }, wanted);
    t.truthy(sos);
    t.true(observation !== null || message !== null);
    t.true(message !== null || observation?.additional['no_fix'] === undefined);
  },
);
