import { manualClock, silentLogger } from '@ranger-relay/runtime/testing';
import test from 'ava';
import { createDoneRecords } from './delete-done.ts';

const setUp = (answer: () => Error | undefined = () => undefined) => {
  const clock = manualClock();
  const asked: { nodeId: string; partitions: object[] }[] = [];
  const cluster = {
    refreshMetadata: async () => undefined,
    findLeaderForPartitions: (_: string, partitions: number[]) =>
      Object.groupBy(partitions, (partition) => (partition % 2 === 1 ? 1 : 2)),
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

/** The error of the library for a broker that refuses a partition. */
const refusedBy = (type: string, partition: number): Error =>
  Object.assign(new Error('Error while deleting records'), {
    partitions: [{ partition, error: Object.assign(new Error(type), { type }) }],
  });

test('a broker that refuses leaves the records of the others to be deleted', async (t) => {
  let refusals = 1;
  const { clock, asked, records } = setUp(() => (refusals-- > 0 ? refusedBy('NOT_LEADER', 1) : undefined));
  records.stored(
    new Map([
      [1, 5n],
      [2, 4n],
    ]),
  );
  await clock.advance(minutes(10));
  await clock.advance(minutes(30));
  t.deepEqual(
    asked.map(({ nodeId }) => nodeId),
    ['1', '2', '1'],
  );
});

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
  let error: Error = Object.assign(new Error('away'), { type: 'NOT_LEADER' });
  const { clock, asked, records } = setUp(() => error);
  records.stored(new Map([[1, 5n]]));
  await clock.advance(minutes(10));
  await clock.advance(minutes(10));
  t.is(asked.length, 2);
  error = refusedBy('TOPIC_AUTHORIZATION_FAILED', 1);
  await clock.advance(minutes(10));
  t.is(asked.length, 3);
  records.stored(new Map([[1, 6n]]));
  await clock.advance(minutes(60));
  t.is(asked.length, 3);
});

test('of a partition that was revoked, and of a log that has lost records, nothing is deleted any more', async (t) => {
  const { clock, asked, records } = setUp(() => refusedBy('OFFSET_OUT_OF_RANGE', 1));
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
