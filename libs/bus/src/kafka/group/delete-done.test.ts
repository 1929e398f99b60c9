import { manualClock, silentLogger } from '@ranger-relay/runtime/testing';
import test from 'ava';
import { createDoneRecords } from './delete-done.ts';

const setUp = (answer: () => Error | undefined = () => undefined) => {
  const clock = manualClock();
  const asked: { nodeId: string; partitions: object[] }[] = [];
  const cluster = {
    findLeaderForPartitions: (_: string, partitions: number[]) => ({
      1: partitions.filter((partition) => partition % 2 === 1),
      2: partitions.filter((partition) => partition % 2 === 0),
    }),
    findBroker: async ({ nodeId }: { nodeId: string }) => ({
      async deleteRecords({ topics }: { topics: { partitions: object[] }[] }) {
        asked.push({ nodeId, partitions: topics[0]?.partitions ?? [] });
        const error = answer();
        if (error) throw error;
      },
    }),
  };
  const records = createDoneRecords(cluster as never, 'parked', clock, silentLogger());
  return { clock, asked, records };
};

const minutes = (n: number): number => n * 60_000;

test('what the group has stored is deleted from the leader of each partition, every ten minutes at most', async (t) => {
  const { clock, asked, records } = setUp();
  records.stored(new Map([[1, 5n]]));
  records.stored(
    new Map([
      [1, 9n],
      [2, 4n],
    ]),
  );
  await clock.advance(minutes(9));
  t.deepEqual(asked, []);
  await clock.advance(minutes(1));
  t.deepEqual(asked, [
    { nodeId: '1', partitions: [{ partition: 1, offset: '9' }] },
    { nodeId: '2', partitions: [{ partition: 2, offset: '4' }] },
  ]);
  await clock.advance(minutes(60));
  t.is(asked.length, 2);
});

test('a failure is tried again; without the right nothing more is asked', async (t) => {
  let error: (Error & { type?: string }) | undefined = Object.assign(new Error('away'), { type: 'NOT_LEADER' });
  const { clock, asked, records } = setUp(() => error);
  records.stored(new Map([[1, 5n]]));
  await clock.advance(minutes(10));
  await clock.advance(minutes(10));
  t.is(asked.length, 2);
  error = Object.assign(new Error('no'), { type: 'TOPIC_AUTHORIZATION_FAILED' });
  await clock.advance(minutes(10));
  t.is(asked.length, 3);
  records.stored(new Map([[1, 6n]]));
  await clock.advance(minutes(60));
  t.is(asked.length, 3);
});

test('of a partition that was revoked, and of a log that has lost records, nothing is deleted any more', async (t) => {
  const { clock, asked, records } = setUp(() => Object.assign(new Error('range'), { type: 'OFFSET_OUT_OF_RANGE' }));
  records.stored(
    new Map([
      [1, 5n],
      [3, 7n],
    ]),
  );
  records.forget([3]);
  await clock.advance(minutes(60));
  t.deepEqual(asked, [{ nodeId: '1', partitions: [{ partition: 1, offset: '5' }] }]);
});
