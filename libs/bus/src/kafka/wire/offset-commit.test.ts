import { fc, testProp } from '@fast-check/ava';
import { anyCharacter } from '@ranger-relay/runtime/testing';
import test from 'ava';
import { rawBroker, Reader } from '../test/wire.ts';
import { commitOffsets, keepsOffsets } from './requests.ts';

const years = (ms: bigint): number => Number(ms) / (365 * 86_400_000);

const read = (body: Buffer) => {
  const r = new Reader(body);
  const head = { groupId: r.text(), generation: r.int32(), memberId: r.text(), keepMs: r.int64() };
  const topics = r.list(() => ({
    topic: r.text(),
    offsets: new Map(r.list(() => [r.int32(), { offset: r.int64(), metadata: r.text() }] as const)),
  }));
  return { ...head, topics, left: body.length - r.at };
};

const answerOf = (topic: string, codes: readonly number[]): Buffer => {
  const name = Buffer.from(topic);
  const buffer = Buffer.alloc(4 + 4 + 2 + name.length + 4 + codes.length * 6);
  buffer.writeInt32BE(1, 4);
  buffer.writeInt16BE(name.length, 8);
  name.copy(buffer, 10);
  buffer.writeInt32BE(codes.length, 10 + name.length);
  for (const [index, code] of codes.entries()) {
    buffer.writeInt32BE(index, 14 + name.length + index * 6);
    buffer.writeInt16BE(code, 18 + name.length + index * 6);
  }
  return buffer;
};

testProp(
  'every offset reaches the broker with its text and the wish to keep it for years, and each partition gets its own code',
  [
    fc.string({ unit: anyCharacter, maxLength: 20 }).map((text) => text.toWellFormed()),
    fc.nat(),
    fc.array(fc.record({ offset: fc.bigInt({ min: 0n, max: 2n ** 62n }), code: fc.constantFrom(0, 25, 27) }), {
      maxLength: 9,
    }),
  ],
  async (t, name, generation, parts) => {
    const offsets = new Map(parts.map(({ offset }, partition) => [partition, { offset, metadata: name }]));
    let seen: unknown;
    const broker = rawBroker((key, body) => {
      seen = [key, read(body)];
      return answerOf(
        name,
        parts.map(({ code }) => code),
      );
    });
    const refused = await commitOffsets(broker, { groupId: name, generation, memberId: 'm', topic: name, offsets });
    t.like(seen, [8, { groupId: name, generation, memberId: 'm', topics: [{ topic: name, offsets }], left: 0 }]);
    t.true(years((seen as [number, { keepMs: bigint }])[1].keepMs) >= 10);
    t.deepEqual(
      [...refused],
      parts.flatMap(({ code }, partition) => (code === 0 ? [] : [[partition, code]])),
    );
  },
);

test('only a broker that takes the version with a time is asked to keep offsets', (t) => {
  t.true(keepsOffsets({ versions: { 8: { minVersion: 2, maxVersion: 10 } } }));
  t.false(keepsOffsets({ versions: { 8: { minVersion: 5, maxVersion: 11 } } }));
  t.false(keepsOffsets({ versions: null }));
});
