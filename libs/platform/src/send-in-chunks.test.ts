import { isRelayError, RelayError } from '@ranger-relay/errors';
import { fc, testProp } from '@fast-check/ava';
import test from 'ava';
import { sendInChunks, type Settle } from './sensors.ts';

const setUp = () => {
  const lists: (readonly number[])[] = [];
  const taken: number[] = [];
  const refused: number[] = [];
  const settle: Settle<number> = {
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

testProp(
  'entries that an answer does not acknowledge are not taken, and searched or left as the caller says',
  [fc.integer({ min: 1, max: 250 }), fc.uniqueArray(fc.nat(250), { maxLength: 5 }), fc.constantFrom('halve', 'leave')],
  async (t, count, lost, decision) => {
    const { taken, settle } = setUp();
    const entries = Array.from({ length: count }, (_, n) => n);
    const left: number[] = [];
    const isAmbiguous: unknown[] = [];
    await sendInChunks(
      entries,
      async (list) => ({ kind: 'accepted', ids: list.map((n) => (lost.includes(n) ? undefined : String(n))) }),
      {
        ...settle,
        accepted: async (list) => void taken.push(...list),
        failed: async (list, error) => {
          isAmbiguous.push(isRelayError(error) && error.ambiguous);
          const end = decision === 'leave' || list.length === 1;
          if (end) left.push(...list);
          return end ? 'leave' : 'halve';
        },
      },
    );
    t.deepEqual(
      taken,
      entries.filter((n) => !lost.includes(n)),
    );
    // The platform may have stored what it did not acknowledge.
    t.false(isAmbiguous.includes(false));
    t.deepEqual(
      [...new Set(left)],
      entries.filter((n) => lost.includes(n)),
    );
  },
);

test('an answer that acknowledges nothing is no acceptance', async (t) => {
  const { settle } = setUp();
  const accepted: unknown[] = [];
  await sendInChunks([1, 2], async (list) => ({ kind: 'accepted', ids: list.map(() => undefined) }), {
    ...settle,
    accepted: async (list) => void accepted.push(list),
    failed: async () => 'leave',
  });
  t.deepEqual(accepted, []);
});

test('the one entry on which every call fails is found, and what may not be sent before it is settled stays behind', async (t) => {
  const { taken, settle } = setUp();
  const entries = Array.from({ length: 100 }, (_, n) => n);
  let blocked = false;
  await sendInChunks(
    entries,
    async (list) => {
      if (list.includes(37)) throw new RelayError('platform_unavailable', { details: { reason: 'test' } });
      return { kind: 'accepted', ids: list.map(String) };
    },
    {
      ...settle,
      failed: async (list) => {
        blocked ||= list.length === 1;
        return list.length === 1 ? 'leave' : 'halve';
      },
      open: (n) => !blocked || n % 2 === 0,
    },
  );
  t.deepEqual(
    taken,
    entries.filter((n) => n < 37 || (n > 37 && n % 2 === 0)),
  );
});

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
