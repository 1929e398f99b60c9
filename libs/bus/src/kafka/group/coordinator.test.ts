import { fc, testProp } from '@fast-check/ava';
import test from 'ava';
import { AssignerProtocol } from 'kafkajs';
import { decodeMember, decodeShare, encodeMember, encodeShare } from './coordinator.ts';

const topic = fc.string({ minLength: 1, maxLength: 10 }).filter((name) => !(name in {}));
const share = fc
  .dictionary(topic, fc.uniqueArray(fc.nat({ max: 500 }), { maxLength: 6 }))
  .map((its) => new Map(Object.entries(its)));

testProp(
  'what a member tells arrives as it was told',
  [fc.uniqueArray(topic, { maxLength: 4 }), share, fc.integer({ min: -1, max: 2 ** 31 - 1 })],
  (t, topics, owned, generation) => {
    const told = { topics, owned, generation };
    t.deepEqual(decodeMember('id', encodeMember({ id: '', ...told } as never)), { id: 'id', ...told });
  },
);

testProp('what a member gets arrives as it was given', [share], (t, its) => {
  t.deepEqual(decodeShare(encodeShare(its)), its);
});

test('a member that was given nothing reads nothing', (t) => {
  t.is(decodeShare(Buffer.alloc(0)).size, 0);
});

test('a claim that cannot be read is no claim', (t) => {
  for (const claim of [
    '',
    '{',
    '[]',
    '{"generation":1}',
    '{"generation":1,"owned":{"t":[-1]}}',
    '{"generation":1,"owned":{"t":[0.5]}}',
  ]) {
    const metadata = AssignerProtocol.MemberMetadata.encode({
      version: 1,
      topics: ['t'],
      userData: Buffer.from(claim),
    });
    t.deepEqual(decodeMember('id', metadata), { id: 'id', topics: ['t'], generation: -1, owned: new Map() });
  }
});
