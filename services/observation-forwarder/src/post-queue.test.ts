import { RelayError } from '@ranger-relay/errors';
import { fc, testProp } from '@fast-check/ava';
import type { ListAnswer } from '@ranger-relay/platform';
import test from 'ava';
import { createPostQueue, Stopped } from './post-queue.ts';
import { accepted } from './test/harness.ts';

type Pending = { readonly list: readonly number[]; answer(answer: ListAnswer | Error): void };

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** A queue whose calls the test answers. */
const setUp = (slots = 1) => {
  const calls: Pending[] = [];
  const stopped = new Set<number>();
  const queue = createPostQueue<number>(
    (_, list) => {
      const { promise, resolve, reject } = Promise.withResolvers<ListAnswer>();
      calls.push({ list, answer: (answer) => (answer instanceof Error ? reject(answer) : resolve(answer)) });
      return promise;
    },
    () => slots,
  );
  const post = (items: readonly number[], alone = false, prepare = async () => items) =>
    queue.post('park', {
      count: items.length,
      alone,
      prepare,
      isStopped: () => stopped.has(items[0] ?? -1),
    });
  return { calls, stopped, post };
};

test('what several lanes have ready goes in one call, and each gets its part of the answer', async (t) => {
  const { calls, post } = setUp();
  const first = post([0]);
  const lanes = [post([1, 2]), post([3])];
  await turn();
  calls[0]?.answer(accepted(1));
  await turn();
  t.deepEqual(calls[1]?.list, [1, 2, 3]);
  calls[1]?.answer({ kind: 'accepted', ids: ['a', undefined, 'c'] });
  t.deepEqual(await first, accepted(1));
  t.deepEqual(await Promise.all(lanes), [
    { kind: 'accepted', ids: ['a', undefined] },
    { kind: 'accepted', ids: ['c'] },
  ]);
});

test('items that must not be sent any more are left out of a call that others held up', async (t) => {
  const { calls, stopped, post } = setUp();
  const first = post([0]);
  const gate = Promise.withResolvers<void>();
  const lost = post([1]);
  const slow = post([2], false, async () => (await gate.promise, [2]));
  await turn();
  calls[0]?.answer(accepted(1));
  await first;
  await turn();
  stopped.add(1);
  gate.resolve();
  await t.throwsAsync(lost, { instanceOf: Stopped });
  await turn();
  t.deepEqual(calls[1]?.list, [2]);
  calls[1]?.answer(accepted(1));
  await slow;
});

test('an integration has no more calls in flight than it may, and no list is longer than a chunk', async (t) => {
  const { calls, post } = setUp(3);
  for (let n = 0; n < 10; n += 1) void post(Array.from({ length: 60 }, () => n));
  await turn();
  t.is(calls.length, 3);
  calls[0]?.answer(accepted(60));
  await turn();
  t.is(calls.length, 4);
  t.true(calls.every(({ list }) => list.length <= 100));
});

test('items that are named as refused belong to their lane; the others are posted again', async (t) => {
  const { calls, post } = setUp();
  const first = post([0], true);
  const good = post([1]);
  const bad = post([2, 3]);
  await turn();
  calls[0]?.answer(accepted(1));
  await turn();
  calls[1]?.answer({ kind: 'refused', offenders: [{ index: 2, reason: 'no' }] });
  t.deepEqual(await bad, { kind: 'refused', offenders: [{ index: 1, reason: 'no' }] });
  await turn();
  t.deepEqual(calls[2]?.list, [1]);
  calls[2]?.answer(accepted(1));
  t.deepEqual(await Promise.all([first, good]), [accepted(1), accepted(1)]);
});

test('a list that is refused without a name is posted lane by lane', async (t) => {
  const { calls, post } = setUp();
  void post([0]);
  const lanes = [post([1]), post([2])];
  await turn();
  calls[0]?.answer(accepted(1));
  await turn();
  calls[1]?.answer({ kind: 'refused_list', reason: 'no' });
  await turn();
  calls[2]?.answer({ kind: 'refused_list', reason: 'no' });
  await turn();
  calls[3]?.answer(accepted(1));
  t.deepEqual(await Promise.all(lanes), [{ kind: 'refused_list', reason: 'no' }, accepted(1)]);
});

test('a lane that may not send any more takes no other along, and a lost answer withdraws nothing', async (t) => {
  const { calls, post } = setUp();
  void post([0]);
  const stopped = post([1], false, async () => Promise.reject(new Error('stopped')));
  const other = post([2]);
  await turn();
  calls[0]?.answer(accepted(1));
  await t.throwsAsync(stopped, { message: 'stopped' });
  t.deepEqual(calls[1]?.list, [2]);
  calls[1]?.answer(new RelayError('platform_unavailable', { details: { reason: 'lost' }, ambiguous: true }));
  await t.throwsAsync(other);
  const sure = post([3]);
  await turn();
  calls[2]?.answer(new RelayError('platform_rate_limited', { details: { reason: '429' } }));
  await t.throwsAsync(sure);
});

const isBad = (n: number): boolean => n % 7 === 0;

testProp(
  'every lane gets the answer about its own items, whatever is refused',
  [
    fc.array(fc.uniqueArray(fc.nat(9_999), { minLength: 1, maxLength: 40 }), { minLength: 1, maxLength: 12 }),
    fc.boolean(),
    fc.integer({ min: 1, max: 3 }),
  ],
  async (t, lanes, named, slots) => {
    const queue = createPostQueue<number>(
      async (_, list) => {
        const offenders = list.flatMap((n, index) => (isBad(n) ? [{ index, reason: String(n) }] : []));
        if (offenders.length > 0) return named ? { kind: 'refused', offenders } : { kind: 'refused_list', reason: '' };
        return { kind: 'accepted', ids: list.map(String) };
      },
      () => slots,
    );
    const answers = await Promise.all(
      lanes.map((items) =>
        queue.post('park', {
          count: items.length,
          alone: false,
          prepare: async () => items,
          isStopped: () => false,
        }),
      ),
    );
    for (const [index, answer] of answers.entries()) {
      const items = lanes[index] ?? [];
      if (answer.kind === 'accepted') t.deepEqual(answer.ids, items.map(String));
      else t.true(items.some(isBad));
      if (answer.kind === 'refused')
        t.deepEqual(
          answer.offenders.map(({ index: at }) => items[at]),
          items.filter(isBad),
        );
    }
  },
);
