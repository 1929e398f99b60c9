import { sourceEventSchema } from '@ranger-relay/contracts';
import { cleanJson } from '@ranger-relay/errors';
import { fc, testProp } from '@fast-check/ava';
import { mapEvent, noFixPoint, receipt, wire } from './test/events.ts';

const fixtures = [
  wire(),
  wire({ messageCode: 3, freeText: 'Back at noon', addresses: [{ address: '+254700000000' }] }),
  wire({ messageCode: 66, payload: 'aGVsbG8=', point: undefined, timeStamp: undefined, status: { lowBattery: 0 } }),
  wire({ messageCode: 4, point: noFixPoint }),
  wire({ imei: '300434030000000,300434030000001', transportMode: 'Internet' }),
  wire({ mediaBytes: 'QUJD', mediaId: 'm', mediaType: 'audio/ogg', transcription: 'hello' }),
];

/** Any value that a JSON text can bring, prototype names included. */
const json = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom<unknown>(Infinity, -0, '\ud800', JSON.parse('{"__proto__":{"imei":"1"},"constructor":null}')),
);

const keys = [...Object.keys(wire()), 'mediaId', '__proto__', 'constructor', 'toString', 'hasOwnProperty', 'toJSON'];

/** A fixture with some members replaced, as JSON.parse would give it. */
const variation = fc
  .tuple(fc.constantFrom(...fixtures), fc.array(fc.tuple(fc.constantFrom(...keys), json), { maxLength: 4 }))
  .map(([fixture, changes]) => {
    const event: Record<string, unknown> = structuredClone(fixture);
    for (const [key, value] of changes)
      Object.defineProperty(event, key, { value, enumerable: true, configurable: true, writable: true });
    return event;
  });

const settings = fc.record({
  include_observations: fc.boolean(),
  include_messages: fc.boolean(),
  include_no_fix: fc.boolean(),
  message_codes: fc.subarray([0, 3, 4, 66]),
});

testProp(
  'mapping is total: every variation of a fixture is mapped, counted or rejected',
  [variation, settings],
  (t, event, wanted) => {
    const mapped = mapEvent(event, receipt(wanted));
    t.true(['mapped', 'counted', 'rejected'].includes(mapped.kind));
  },
);

testProp('mapping is total on anything JSON can hold', [json], (t, value) => {
  t.true(['mapped', 'counted', 'rejected'].includes(mapEvent(value, receipt()).kind));
});

testProp(
  'every record survives its way over the bus unchanged and fits the contract',
  [variation, settings],
  (t, event, wanted) => {
    const mapped = mapEvent(event, receipt(wanted));
    if (mapped.kind !== 'mapped') return t.pass();
    const travelled: unknown = JSON.parse(cleanJson(mapped.record));
    t.deepEqual(sourceEventSchema.parse(travelled), travelled as never);
    t.true(mapped.record.observation !== null || mapped.record.message !== null);
  },
);

testProp('mapping the same event twice gives the same record', [variation, settings], (t, event, wanted) => {
  t.deepEqual(mapEvent(event, receipt(wanted)), mapEvent(structuredClone(event), receipt(wanted)));
});

testProp('no event reaches into a prototype', [variation], (t, event) => {
  mapEvent(event, receipt());
  t.deepEqual(Object.keys(Object.prototype), []);
  t.is(({} as Record<string, unknown>)['imei'], undefined);
});
