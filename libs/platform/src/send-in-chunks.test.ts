import { RelayError } from '@ranger-relay/errors';
import { fc, testProp } from '@fast-check/ava';
import test from 'ava';
import { sendInChunks, type Settle } from './send-in-chunks.ts';

const setUp = () => {
  const lists: (readonly number[])[] = [];
  const taken: number[] = [];
  const refused: number[] = [];
  const settle: Settle<number, { kind: 'accepted'; ids: readonly string[] }> = {
    async accepted(list, { ids }) {
      if (ids.length !== list.length) throw new Error('the answer is not that of the list');
      taken.push(...list);
    },
    async refused(entry) {
      refused.push(entry);
    },
  };
  return { lists, taken, refused, settle };
};

testProp(
  'whatever is refused, named or not, it alone is; the rest is taken in order, in lists of at most 100',
  [fc.nat(320), fc.uniqueArray(fc.nat(320), { maxLength: 6 }), fc.boolean()],
  async (t, count, bad, named) => {
    const { lists, taken, refused, settle } = setUp();
    const entries = Array.from({ length: count }, (_, n) => n);
    await sendInChunks(
      entries,
      async (list) => {
        lists.push(list);
        const offenders = list.flatMap((n, index) => (bad.includes(n) ? [{ index, reason: 'bad' }] : []));
        if (offenders.length === 0) return { kind: 'accepted', ids: list.map(String) };
        return named ? { kind: 'refused', offenders } : { kind: 'refused_list', reason: 'bad' };
      },
      settle,
    );
    t.deepEqual(
      taken,
      entries.filter((n) => !bad.includes(n)),
    );
    t.deepEqual(
      refused,
      entries.filter((n) => bad.includes(n)),
    );
    t.true(lists.every(({ length }) => length > 0 && length <= 100));
  },
);

test('a failure that may pass ends the sending; what was settled stays settled', async (t) => {
  const { taken, settle } = setUp();
  const entries = Array.from({ length: 150 }, (_, n) => n);
  const error = new RelayError('platform_unavailable', { details: { reason: 'test' } });
  const post = async (list: readonly number[]) => {
    if (taken.length > 0) throw error;
    return { kind: 'accepted', ids: list.map(String) } as const;
  };
  await t.throwsAsync(sendInChunks(entries, post, settle), { is: error });
  t.is(taken.length, 100);
});
