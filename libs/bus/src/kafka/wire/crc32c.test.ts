import { fc, testProp } from '@fast-check/ava';
import test from 'ava';
import { crc32c } from './record-batch.ts';

/** One bit after the other, straight from the definition. */
const bitwise = (data: Uint8Array): number => {
  let c = 0xffffffff;
  for (const byte of data) {
    c ^= byte;
    for (let bit = 0; bit < 8; bit += 1) c = c & 1 ? (c >>> 1) ^ 0x82f63b78 : c >>> 1;
  }
  return ~c >>> 0;
};

test('the known vectors of the standard come out', (t) => {
  const ascending = Uint8Array.from({ length: 32 }, (_, i) => i);
  t.is(crc32c(Buffer.from('123456789')), 0xe3069283);
  t.is(crc32c(new Uint8Array(0)), 0);
  t.is(crc32c(new Uint8Array(32)), 0x8a9136aa);
  t.is(crc32c(new Uint8Array(32).fill(0xff)), 0x62a8ab43);
  t.is(crc32c(ascending), 0x46dd794e);
  t.is(crc32c(ascending.toReversed()), 0x113fdb5c);
});

testProp(
  'any bytes give the checksum of the definition, also those of a part',
  [fc.uint8Array({ maxLength: 100 }), fc.nat({ max: 20 }), fc.nat({ max: 20 })],
  (t, data, start, cut) => {
    const end = Math.max(start, data.length - cut);
    t.is(crc32c(data), bitwise(data));
    t.is(crc32c(data, start, Math.min(end, data.length)), bitwise(data.subarray(start, end)));
  },
);
