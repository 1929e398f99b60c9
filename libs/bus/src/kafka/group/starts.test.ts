import test from 'ava';
import { recordingLogger } from '@ranger-relay/runtime/testing';
import { startsOf } from './starts.ts';

const of = (offset: bigint) => async (_: string, partitions: readonly number[]) =>
  new Map(partitions.map((partition) => [partition, offset]));

const world = (committed: Record<number, bigint>, from: 'earliest' | 'latest' = 'earliest') => {
  const { log, lines } = recordingLogger();
  const stored: Record<number, bigint>[] = [];
  const parts = {
    topic: 'topic',
    from,
    log,
    place: () => ({ memberId: 'm', generation: 1 }),
    ends: { earliest: of(3n), latest: of(10n) },
    coordinator: {
      committed: async () => new Map(Object.entries(committed).map(([p, offset]) => [Number(p), offset])),
      commit: async (_: unknown, __: string, offsets: ReadonlyMap<number, bigint>) =>
        void stored.push(Object.fromEntries(offsets)),
    },
  };
  const starts = async (...partitions: number[]) => Object.fromEntries(await startsOf(parts as never, partitions));
  return { starts, stored, lines };
};

test('a group goes on where it stands, also at the end', async (t) => {
  const { starts, lines } = world({ 0: 5n, 1: 10n });
  t.deepEqual(await starts(0, 1), { 0: 5n, 1: 10n });
  t.deepEqual(lines, []);
});

test('a group without an offset starts at the first record that there is, and stores nothing', async (t) => {
  const { starts, stored } = world({ 0: 5n });
  t.deepEqual(await starts(0, 1), { 0: 5n, 1: 3n });
  t.deepEqual(stored, []);
});

test('a group that starts at the latest stores where that is, so that it does not move', async (t) => {
  const { starts, stored } = world({ 0: 5n }, 'latest');
  t.deepEqual(await starts(0, 1), { 0: 5n, 1: 10n });
  t.deepEqual(stored, [{ 1: 10n }]);
});

test('an offset behind the end means a topic made anew: it is read from its start, and that is said', async (t) => {
  const { starts, lines } = world({ 0: 11n, 1: 4n });
  t.deepEqual(await starts(0, 1), { 0: 3n, 1: 4n });
  t.deepEqual(
    lines.map(({ level }) => level),
    ['error'],
  );
});
