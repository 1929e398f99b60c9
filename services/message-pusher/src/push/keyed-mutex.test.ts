import { fc, testProp } from '@fast-check/ava';
import { RelayError } from '@ranger-relay/errors';
import type { KeyedMutex } from '@ranger-relay/runtime';
import { manualClock, type ManualClock, seededRandom } from '@ranger-relay/runtime/testing';
import test from 'ava';
import { memorySpace } from '@ranger-relay/kv/testing';
import { createReplicaMutex } from './keyed-mutex.ts';

/** Replicas over one store, with what runs at a time. */
const setUpReplicas = (count: number, clock: ManualClock = manualClock()) => {
  const state = memorySpace(clock);
  const running = { now: 0, most: 0 };
  const log: string[] = [];
  const replicas = Array.from({ length: count }, (_, n): KeyedMutex =>
    createReplicaMutex(state, { clock, random: seededRandom(n + 1) }),
  );
  const task = (name: string, ms: number) => async (): Promise<string> => {
    running.now += 1;
    running.most = Math.max(running.most, running.now);
    log.push(name);
    await clock.sleep(ms);
    running.now -= 1;
    return name;
  };
  return { clock, state, replicas, running, log, task };
};

const passTime = async (clock: ManualClock, ms: number): Promise<void> => {
  for (let passed = 0; passed < ms; passed += 50) await clock.advance(50);
};

testProp(
  'over replicas one task of a name runs at a time, and each that waits gets its turn',
  [
    fc.array(
      fc.record({ replica: fc.nat({ max: 2 }), after: fc.nat({ max: 2_000 }), ms: fc.integer({ min: 1, max: 1_500 }) }),
      { maxLength: 12 },
    ),
  ],
  async (t, asked) => {
    const { clock, replicas, running, task } = setUpReplicas(3);
    const all = asked.map(async ({ replica, after, ms }) => {
      await clock.sleep(after);
      return replicas[replica]?.take('park', 120_000, task('task', ms));
    });
    await passTime(clock, 60_000);
    t.deepEqual(
      await Promise.all(all),
      asked.map(() => 'task'),
    );
    t.true(running.most <= 1, String(running.most));
  },
  { numRuns: 30 },
);

test('integrations do not wait for each other', async (t) => {
  const { clock, replicas, running, task } = setUpReplicas(2);
  const [one, other] = replicas as [KeyedMutex, KeyedMutex];
  const both = Promise.all([one.take('a', 1_000, task('a', 500)), other.take('b', 1_000, task('b', 500))]);
  await passTime(clock, 1_000);
  t.deepEqual(await both, ['a', 'b']);
  t.is(running.most, 2);
});

test('a long queue of one replica does not keep the text of another waiting', async (t) => {
  const { clock, replicas, log, task } = setUpReplicas(2);
  const [one, other] = replicas as [KeyedMutex, KeyedMutex];
  const queue = Array.from({ length: 40 }, () => one.take('park', 600_000, task('queue', 1_000)));
  await passTime(clock, 500);
  const late = other.take('park', 600_000, task('late', 1_000));
  await passTime(clock, 60_000);
  await Promise.all([...queue, late]);
  t.true(log.indexOf('late') <= 3, String(log.indexOf('late')));
});

test('a turn that does not come in time, or whose run is stopped, is given up, and holds up nobody', async (t) => {
  const { clock, replicas, log, task } = setUpReplicas(3);
  const [one, two, three] = replicas as [KeyedMutex, KeyedMutex, KeyedMutex];
  const stop = new AbortController();
  const first = one.take('park', 60_000, task('first', 10_000));
  await passTime(clock, 50);
  const late = two.take('park', 1_000, task('late', 1));
  const stopped = three.take('park', 60_000, task('stopped', 1), stop.signal);
  await passTime(clock, 2_000);
  stop.abort();
  await passTime(clock, 500);
  t.deepEqual([await late, await stopped], [undefined, undefined]);
  const next = two.take('park', 60_000, task('next', 1));
  await passTime(clock, 15_000);
  t.deepEqual([await first, await next], ['first', 'next']);
  t.deepEqual(log, ['first', 'next']);
});

test('the turn of a replica that was killed is free after 30 s', async (t) => {
  const { clock, state, replicas, task } = setUpReplicas(1);
  await state.set('push-turn.park', 'killed', { ttlMs: 30_000 });
  const next = replicas[0]?.take('park', 60_000, task('next', 1));
  await passTime(clock, 29_000);
  t.is(state.entries.get('push-turn.park')?.value, 'killed');
  await passTime(clock, 2_000);
  t.is(await next, 'next');
});

test('without the store nobody waits, and each process still runs one at a time', async (t) => {
  const { clock, state, replicas, running, task } = setUpReplicas(1);
  state.away = true;
  const both = Promise.all([1, 2].map(() => replicas[0]?.take('park', 60_000, task('sent', 100))));
  await passTime(clock, 300);
  t.deepEqual(await both, ['sent', 'sent']);
  t.is(running.most, 1);
});

test('a store that goes away and comes back leaves no turn that this process waits for', async (t) => {
  const { clock, state, replicas, task } = setUpReplicas(1);
  const first = replicas[0]?.take('park', 1_000, async () => {
    state.away = true;
    return 'first';
  });
  await passTime(clock, 100);
  state.away = false;
  const next = replicas[0]?.take('park', 1_000, task('next', 1));
  await passTime(clock, 300);
  t.deepEqual([await first, await next], ['first', 'next']);
});

test('a turn is given back after its task, also when the place of the next could not be read', async (t) => {
  const { clock, state, replicas, task } = setUpReplicas(2);
  state.before = ({ op, key }) => {
    if (op === 'get' && key === 'push-turn.park.next') throw new RelayError('kv_unavailable');
  };
  const first = replicas[0]?.take('park', 1_000, task('first', 100));
  await passTime(clock, 200);
  state.before = () => undefined;
  const next = replicas[1]?.take('park', 60_000, task('next', 1));
  await passTime(clock, 61_000);
  t.deepEqual([await first, await next], ['first', 'next']);
});
