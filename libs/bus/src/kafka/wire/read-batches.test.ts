import { gzipSync, zstdCompressSync } from 'node:zlib';
import { fc, testProp } from '@fast-check/ava';
import test from 'ava';
import { compressed, withAttributes } from '../test/wire.ts';
import { readBatches } from './read-batches.ts';
import { encodeBatch } from './record-batch.ts';

/** Batches of the same two records as a real broker stored them, by its setting `compression.type`. */
const stored: Readonly<Record<string, string>> = {
  none: 'AAAAAAAAAAAAAAEnAAAAAAIf18p4AAAAAAABAAABogxGBPkAAAGiDEYE+f//////////////////AAAAAvIBAAAABGsxwgF7Im4iOjEsInRleHQiOiJ0aGUgcmFuZ2VyIGlzIHdlbGwsIHRoZSByYW5nZXIgaXMgd2VsbCwgdGhlIHJhbmdlciBpcyB3ZWxsLCB0aGUgcmFuZ2VyIGlzIHdlbGwsICJ9AhZ0cmFjZXBhcmVudAR0MfIBAAACBGsywgF7Im4iOjIsInRleHQiOiJ0aGUgcmFuZ2VyIGlzIHdlbGwsIHRoZSByYW5nZXIgaXMgd2VsbCwgdGhlIHJhbmdlciBpcyB3ZWxsLCB0aGUgcmFuZ2VyIGlzIHdlbGwsICJ9AhZ0cmFjZXBhcmVudAR0Mg==',
  gzip: 'AAAAAAAAAAAAAACUAAAAAALbaQIjAAEAAAABAAABogxGCgUAAAGiDEYKBf//////////////////AAAAAh+LCAAAAAAAAP/7xMjAwMCSbXiIsVopT8nKUEepJLWiRMlKqSQjVaEoMS89tUghs1ihPDUnR0eBEjGlWiaxkqLE5NSCxKLUvBKWEsNPQKuZWLKNoFYb0c9qIwBxC8DD9gAAAA==',
  snappy:
    'AAAAAAAAAAAAAACeAAAAAALC7xCtAAIAAAABAAABogxGCmYAAAGiDEYKZv//////////////////AAAAAoJTTkFQUFkAAAAAAQAAAAEAAABZ9gGw8gEAAAAEazHCAXsibiI6MSwidGV4dCI6InRoZSByYW5nZXIgaXMgd2VsbCwg7hQARCJ9AhZ0cmFjZXBhcmVudAR0MQF7DAIEazINewAy/nsApnsAADI=',
  lz4: 'AAAAAAAAAAAAAACaAAAAAAJGckx1AAMAAAABAAABogxGCzIAAAGiDEYLMv//////////////////AAAAAgQiTRhgQIJaAAAA/x7yAQAAAARrMcIBeyJuIjoxLCJ0ZXh0IjoidGhlIHJhbmdlciBpcyB3ZWxsLCAUACnwAyJ9AhZ0cmFjZXBhcmVudAR0MXsAQwIEazJ7AB8yewBTUG50BHQyAAAAAA==',
  zstd: 'AAAAAAAAAAAAAACTAAAAAALf1hZDAAQAAAABAAABogxGC7kAAAGiDEYLuf//////////////////AAAAAii1L/0AWLQCAJQE8gEAAAAEazHCAXsibiI6MSwidGV4dCI6InRoZSByYW5nZXIgaXMgd2VsbCwgIn0CFnRyYWNlcGFyZW50BHQx8gEAAAIEazIyMgMAB5LQD+5oTpp6AQAA',
};

const wanted = { topic: 't', partition: 1, from: 0n, maxBytes: 1_048_576 };
const room = () => ({ bytes: 32 * 1_048_576 });
const read = (data: Buffer, more: Partial<typeof wanted> = {}) => readBatches(data, { ...wanted, ...more }, room());
const textOf = (value: Uint8Array): string => Buffer.from(value).toString();
const batchOf = (base: bigint, ...values: readonly string[]): Buffer => {
  const batch = encodeBatch(
    values.map((value) => ({ key: 'k', value })),
    1_000,
  );
  batch.writeBigInt64BE(base, 0);
  return batch;
};

const big = (base: bigint): Buffer => {
  const batch = compressed(batchOf(base, 'x'.repeat(1_000_000)), 4, (records) => zstdCompressSync(records));
  batch.writeBigInt64BE(base, 0);
  return batch;
};

for (const [codec, base64] of Object.entries(stored))
  test(`a batch that a broker has stored with ${codec} is read`, (t) => {
    const { records, next, unreadable } = read(Buffer.from(base64, 'base64'));
    t.is(unreadable, undefined);
    t.is(next, 2n);
    t.deepEqual(
      records.map(({ topic, partition, offset, key, value, headers }) => [
        topic,
        partition,
        offset,
        key,
        (JSON.parse(textOf(value)) as { n: number }).n,
        headers,
      ]),
      [
        ['t', 1, 0n, 'k1', 1, { traceparent: 't1' }],
        ['t', 1, 1n, 'k2', 2, { traceparent: 't2' }],
      ],
    );
    t.true(records.every(({ timestamp }) => timestamp > 1.7e12));
  });

test('records come from the wanted offset on, and reading goes on behind the last batch', (t) => {
  const { records, next } = read(Buffer.concat([batchOf(4n, 'a', 'b'), batchOf(6n, 'c')]), { from: 5n });
  t.deepEqual(
    records.map(({ offset, value }) => [offset, textOf(value)]),
    [
      [5n, 'b'],
      [6n, 'c'],
    ],
  );
  t.is(next, 7n);
});

test('the time of the broker counts where the topic says so', (t) => {
  const batch = batchOf(0n, 'a');
  batch.writeBigInt64BE(2_000n, 35);
  t.is(read(withAttributes(batch, 0x08)).records[0]?.timestamp, 2_000);
  t.is(read(withAttributes(batch, 0)).records[0]?.timestamp, 1_000);
});

test('records before a batch that cannot be read are given, then the batch is named; nothing behind it is', (t) => {
  const cases: [Buffer, string, RegExp][] = [
    [Buffer.from(batchOf(2n, 'bad')).fill(0xff, 70, 72), 'none', /checksum/],
    [withAttributes(batchOf(2n, 'bad'), 5), 'codec 5', /does not support/],
    [withAttributes(batchOf(2n, 'bad'), 3), 'lz4', /invalid/],
    [withAttributes(batchOf(2n, 'bad'), 2), 'snappy', /invalid|more than/],
    [withAttributes(batchOf(2n, 'bad'), 4), 'zstd', /./],
    [withAttributes(batchOf(2n, 'bad'), 1), 'gzip', /./],
    [compressed(batchOf(2n, 'bad'), 1, () => gzipSync(Buffer.alloc(70 * 1_048_576))), 'gzip', /./],
    [compressed(batchOf(2n, 'bad'), 4, (records) => zstdCompressSync(records.subarray(3))), 'zstd', /./],
    [Buffer.concat([batchOf(2n, 'bad').fill(1, 16, 17)]), 'unknown', /record format 1/],
  ];
  for (const [bad, codec, problem] of cases) {
    const data = Buffer.concat([batchOf(0n, 'a', 'b'), bad, batchOf(3n, 'c')]);
    const { records, next, unreadable } = read(data);
    t.is(records.length, 2);
    t.is(next, 2n);
    t.like(unreadable, { offset: 2n, codec });
    t.regex(unreadable?.problem ?? '', problem);
    t.deepEqual(read(data, { from: 2n }).records, []);
  }
});

test('a first batch that is not there whole cannot be read; a later one comes with the next fetch', (t) => {
  t.regex(read(batchOf(0n, 'a').subarray(0, 65)).unreadable?.problem ?? '', /length/);
  t.regex(read(Buffer.from([1, 2, 3])).unreadable?.problem ?? '', /length/);
  const { records, next, unreadable } = read(Buffer.concat([batchOf(0n, 'a'), batchOf(1n, 'b').subarray(0, 9)]));
  t.deepEqual([records.length, next, unreadable], [1, 1n, undefined]);
});

test('what many small bytes grow to is bounded: by partition, and over all of an answer', (t) => {
  const data = Buffer.concat([big(0n), big(1n), big(2n), big(3n)]);
  t.is(read(data, { maxBytes: 1_500_000 }).records.length, 2);
  const shared = { bytes: 1_500_000 };
  t.is(readBatches(data, wanted, shared).records.length, 2);
  t.deepEqual(readBatches(data, wanted, shared), { records: [], next: 0n });
});

testProp(
  'whatever one byte of what a broker stored becomes: the records come as they were, or the batch is named',
  [fc.constantFrom(...Object.values(stored)), fc.nat(), fc.integer({ min: 0, max: 255 })],
  (t, base64, where, byte) => {
    const good = read(Buffer.from(base64, 'base64')).records.map(({ value }) => textOf(value));
    const data = Buffer.from(base64, 'base64');
    data[where % data.length] = byte;
    const { records, unreadable } = read(data, { from: -(2n ** 63n) });
    if (unreadable) t.deepEqual(records, []);
    else
      t.deepEqual(
        records.map(({ value }) => textOf(value)),
        good,
      );
  },
  { numRuns: 400 },
);
