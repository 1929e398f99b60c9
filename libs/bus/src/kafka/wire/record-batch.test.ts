import { fc, testProp } from '@fast-check/ava';
import { anyCharacter } from '@ranger-relay/runtime/testing';
import test from 'ava';
import type { OutgoingRecord } from '../../port.ts';
import { readBatch, type ReadRecord } from '../test/wire.ts';
import { batchOverhead, encodeBatch, recordSize } from './record-batch.ts';

const word = fc.oneof(fc.string({ unit: anyCharacter, maxLength: 20 }), fc.string({ maxLength: 300 }));
const record: fc.Arbitrary<OutgoingRecord> = fc.record(
  {
    key: word,
    value: fc.oneof(word, fc.uint8Array({ maxLength: 300 })),
    // The library's reader stumbles over names that every object has.
    headers: fc.dictionary(
      word.filter((name) => !(name in {})),
      word,
      { maxKeys: 5 },
    ),
  },
  { requiredKeys: ['key', 'value'] },
);

const bytesOf = (value: string | Uint8Array): string => Buffer.from(value as string).toString('hex');

const wanted = ({ key, value, headers = {} }: OutgoingRecord) => ({
  key: bytesOf(key),
  value: bytesOf(value),
  headers: Object.entries(headers).map(([name, text]) => [Buffer.from(name).toString(), bytesOf(text)]),
});

const found = ({ key, value, headers }: ReadRecord) => ({
  key: bytesOf(key ?? 'null'),
  value: bytesOf(value ?? 'null'),
  headers: Object.entries(headers).map(([name, text]) => [name, bytesOf(text)]),
});

testProp(
  'the library reads back what was encoded, in order, within the size that was foretold',
  [fc.array(record, { minLength: 1, maxLength: 12 }), fc.nat()],
  async (t, records, at) => {
    const batch = encodeBatch(records, at);
    const read = await readBatch(batch);
    t.deepEqual(read.map(found), records.map(wanted));
    t.deepEqual(
      read.map(({ offset, timestamp }) => [offset, timestamp]),
      records.map((_, i) => [String(i), String(at)]),
    );
    t.true(batch.length <= records.reduce((sum, each) => sum + recordSize(each), batchOverhead));
  },
);

test('a batch of many large records keeps every byte', async (t) => {
  const records = Array.from({ length: 500 }, (_, i) => ({ key: `k${i}`, value: Buffer.alloc(i * 37, i) }));
  const read = await readBatch(encodeBatch(records, Date.UTC(2026, 0, 1)));
  t.deepEqual(read.map(found), records.map(wanted));
});

test('a part of a larger buffer is encoded alone', async (t) => {
  const [read] = await readBatch(encodeBatch([{ key: 'k', value: Buffer.from('abcdef').subarray(2, 4) }], 0));
  t.is(read?.value?.toString(), 'cd');
});
