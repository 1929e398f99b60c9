import test from 'ava';
import { manualClock, recordingLogger, seededRandom } from '@ranger-relay/runtime/testing';
import { FakeCoordinator, goodLine, type Line } from '../test/coordinator.ts';
import { Field, groupWaits, Worker } from '../test/group.ts';
import type { Coordinator } from './coordinator.ts';
import { startMember } from './member.ts';

const harness = (partitions = 4) => {
  const clock = manualClock();
  const random = seededRandom(1);
  const { log, lines } = recordingLogger();
  const coordinator = new FakeCoordinator(clock);
  const field = new Field(partitions);
  let names = 0;
  const worker = (line: Line = goodLine, sessionMs: number = groupWaits.sessionMs, keepsWhileAway = false): Worker =>
    new Worker(`w${(names += 1)}`, field, coordinator, line, { clock, random, log, sessionMs, keepsWhileAway });
  const of = (one: Worker): number[] =>
    [...field.workers].flatMap(([partition, its]) => (its === one ? [partition] : [])).sort();
  const said = (level: string): number => lines.filter((line) => line['level'] === level).length;
  return { clock, random, log, lines, coordinator, field, worker, of, said };
};

test('one member has every partition soon, two share them, and a third moves no more than it must', async (t) => {
  const { clock, worker, of, field } = harness(6);
  const members = [worker()];
  await clock.advance(500);
  t.deepEqual(of(members[0] as Worker), [0, 1, 2, 3, 4, 5]);
  members.push(worker());
  await clock.advance(5_000);
  const before = members.map(of);
  members.push(worker());
  await clock.advance(5_000);
  t.deepEqual(
    members.map((one) => of(one).length),
    [2, 2, 2],
  );
  for (const [index, one] of members.slice(0, 2).entries())
    t.true(of(one).every((partition) => before[index]?.includes(partition)));
  t.deepEqual(field.problems, []);
});

test('a member is ready while others join and leave, and no longer once its session has expired', async (t) => {
  const { clock, worker } = harness(6);
  const network = { silent: false };
  const one = worker({ ...goodLine, losesCall: () => network.silent });
  t.false(one.member.ready());
  await clock.advance(500);
  const passed = async (ms: number): Promise<{ ready: boolean; settled: boolean }> => {
    const seen = { ready: true, settled: true };
    for (let gone = 0; gone < ms; gone += 10) {
      await clock.advance(10);
      seen.ready &&= one.member.ready();
      seen.settled &&= one.member.unsettledMs() === 0;
    }
    return seen;
  };
  const two = worker();
  t.deepEqual(await passed(5_000), { ready: true, settled: false });
  const leaving = two.member.leave(1_000);
  t.deepEqual(await passed(5_000), { ready: true, settled: false });
  await leaving;
  network.silent = true;
  t.true((await passed(groupWaits.sessionMs - 1_000)).ready);
  await clock.advance(2_000);
  t.false(one.member.ready());
});

test('a member that stood still for longer than a session owns nothing from the moment it goes on, before any timer has run', async (t) => {
  const { clock, worker } = harness();
  const one = worker();
  await clock.advance(500);
  t.true(one.member.owned());
  clock.block(groupWaits.sessionMs);
  t.false(one.member.owned());
});

test('while handlers end for longer than a session, and others join meanwhile, their partitions are nobody else’s', async (t) => {
  const { clock, worker, of, field, coordinator } = harness(3);
  const one = worker(goodLine, 4_000);
  await clock.advance(500);
  one.handlerMs = 9_000;
  const two = worker(goodLine, 4_000);
  await clock.advance(2_500);
  const three = worker(goodLine, 4_000);
  await clock.advance(5_000);
  t.deepEqual([of(one), of(two), of(three)], [[0, 1, 2], [], []]);
  await clock.advance(20_000);
  t.deepEqual(
    [one, two, three].map((its) => of(its).length),
    [1, 1, 1],
  );
  t.deepEqual([...field.problems, ...coordinator.problems], []);
});

test('a member whose coordinator is silent lets go before the others can have its partitions', async (t) => {
  const { clock, worker, field, of } = harness();
  const weather = { silent: false };
  const one = worker({ ...goodLine, losesCall: () => weather.silent });
  await clock.advance(500);
  const two = worker();
  await clock.advance(5_000);
  weather.silent = true;
  await clock.advance(60_000);
  t.deepEqual(field.problems, []);
  t.deepEqual(of(two), [0, 1, 2, 3]);
  weather.silent = false;
  await clock.advance(40_000);
  t.is(of(one).length, 2);
  t.deepEqual([one.member.unsettledMs(), two.member.unsettledMs()], [0, 0]);
});

test('a member that keeps its partitions while its coordinator is away gives them up once another one is told to have them', async (t) => {
  const { clock, worker, of } = harness();
  const network = { silent: false };
  const one = worker({ ...goodLine, losesCall: () => network.silent }, groupWaits.sessionMs, true);
  await clock.advance(500);
  network.silent = true;
  await clock.advance(120_000);
  t.deepEqual([of(one), one.member.owned()], [[0, 1, 2, 3], true]);
  clock.block(2 * groupWaits.sessionMs);
  t.false(one.member.owned(), 'one that stood still knows nothing');
  await clock.advance(5_000);
  network.silent = false;
  await clock.advance(60_000);
  t.deepEqual([of(one), one.member.owned(), one.member.unsettledMs()], [[0, 1, 2, 3], true, 0]);
});

test('a member that leaves while it joins is gone, and nothing of it works on', async (t) => {
  const { clock, worker, field, coordinator, of } = harness();
  const one = worker();
  await clock.advance(500);
  one.pause();
  const two = worker();
  await clock.advance(2_000);
  const left = two.member.leave(1_000);
  await clock.advance(3_000);
  await left;
  one.wake();
  await clock.advance(20_000);
  t.deepEqual(of(one), [0, 1, 2, 3]);
  t.is(coordinator.members(), 1);
  t.deepEqual(field.problems, []);
});

test('a member that leaves while its join waits for others is out at once', async (t) => {
  const { clock, worker, coordinator, field } = harness();
  const [one, two] = [worker(), worker()];
  await clock.advance(5_000);
  one.pause();
  worker();
  await clock.advance(2_000);
  t.deepEqual([coordinator.members(), coordinator.state], [3, 'preparing']);
  const started = clock.monotonic();
  let endedAt = 0;
  void two.member.leave(1_000).then(() => (endedAt = clock.monotonic()));
  await clock.advance(500);
  t.is(coordinator.members(), 2);
  await clock.advance(2_000);
  t.true(endedAt - started < 2_000);
  t.deepEqual(field.problems, []);
});

/** Partitions that are noted and not worked on. */
const paperWork = (stopMs = 0, clock = manualClock()) => {
  const owned = new Set<number>();
  const signals: AbortSignal[] = [];
  return {
    signals,
    owned: () => [...owned],
    start: async (partitions: readonly number[], signal: AbortSignal) => {
      signals.push(signal);
      for (const partition of partitions) owned.add(partition);
    },
    stop: async (partitions: readonly number[]) => {
      if (stopMs > 0) await clock.sleep(stopMs);
      for (const partition of partitions) owned.delete(partition);
    },
  };
};

test('a member that leaves takes up nothing more from the first moment on', async (t) => {
  const { clock, random, log, coordinator } = harness();
  const work = paperWork(3_000, clock);
  const parts = { topic: 'topic', work, waits: groupWaits, partitionsOf: async () => 2, clock, random, log };
  const member = startMember({ ...parts, coordinator: coordinator.client(goodLine) });
  await clock.advance(500);
  t.false(work.signals[0]?.aborted);
  const left = member.leave(5_000);
  t.true(work.signals[0]?.aborted);
  await clock.advance(5_000);
  await left;
  t.is(coordinator.members(), 0);
});

test('what a member let go while it joined is given free: it joins once more without it', async (t) => {
  const { clock, random, log } = harness();
  const blocked = Promise.withResolvers<void>();
  const claims: (readonly number[])[] = [];
  const other = { id: 'other', topics: ['topic'], owned: new Map(), generation: -1 };
  let generation = 0;
  const coordinator: Coordinator = {
    join: async (self) => {
      claims.push(self.owned.get('topic') ?? []);
      if (claims.length === 2) await blocked.promise;
      generation += 1;
      return { memberId: 'm', generation, members: [{ ...self, id: 'm' }, ...(generation > 1 ? [other] : [])] };
    },
    sync: async ({ memberId }, shares) => shares.get(memberId) ?? new Map(),
    heartbeat: async (place) => {
      if (claims.length === 1) throw Object.assign(new Error('sharing'), { type: 'REBALANCE_IN_PROGRESS' });
      if (place.generation !== generation || claims.length === 2)
        throw Object.assign(new Error('other generation'), { type: 'ILLEGAL_GENERATION' });
    },
    leave: async () => undefined,
    commit: async () => undefined,
    committed: async () => new Map(),
  };
  const work = paperWork();
  const parts = { topic: 'topic', work, waits: groupWaits, partitionsOf: async () => 4, clock, random, log };
  const member = startMember({ ...parts, coordinator });
  await clock.advance(groupWaits.sessionMs + 2_000);
  t.deepEqual(work.owned(), []);
  blocked.resolve();
  await clock.advance(2_000);
  t.deepEqual(claims, [[], [0, 1, 2, 3], [0, 1]]);
  t.is(member.unsettledMs(), 0);
  await Promise.all([member.leave(1_000), clock.advance(3_000)]);
});

test('a heartbeat proves the session from when it was sent: a slow answer makes it no longer', async (t) => {
  const { clock, random, log, coordinator } = harness();
  const network = { silent: false, arrivedAt: 0 };
  const slow: Coordinator = {
    ...coordinator.client(goodLine),
    async heartbeat() {
      if (network.silent) return new Promise(() => undefined);
      network.arrivedAt = clock.monotonic();
      await clock.sleep(1_900);
    },
  };
  const parts = {
    topic: 'topic',
    work: paperWork(),
    waits: groupWaits,
    partitionsOf: async () => 4,
    clock,
    random,
    log,
  };
  const member = startMember({ ...parts, coordinator: slow });
  await clock.advance(20_000);
  network.silent = true;
  while (member.owned()) await clock.advance(10);
  t.true(clock.monotonic() <= network.arrivedAt + groupWaits.sessionMs);
});

const refused = (type: string): Error => Object.assign(new Error(`Not authorized: ${type}`), { type });

const refusing = (error: Error): Coordinator & { calls: number } => {
  const refuse = async (): Promise<never> => {
    throw error;
  };
  const coordinator = {
    calls: 0,
    join: async () => {
      coordinator.calls += 1;
      return refuse();
    },
    sync: refuse,
    heartbeat: refuse,
    leave: refuse,
    commit: refuse,
    committed: refuse,
  };
  return coordinator;
};

for (const type of ['GROUP_AUTHORIZATION_FAILED', 'TOPIC_AUTHORIZATION_FAILED', 'UNKNOWN_MEMBER_ID'])
  test(`a group that answers ${type} is asked at most once a second, in one line, and the reason shows`, async (t) => {
    const { clock, random, log, said } = harness();
    const coordinator = refusing(refused(type));
    const work = { owned: () => [], start: async () => undefined, stop: async () => undefined };
    const member = startMember({
      topic: 'topic',
      coordinator,
      work,
      waits: groupWaits,
      partitionsOf: async () => 1,
      clock,
      random,
      log,
    });
    await clock.advance(60_000);
    t.true(coordinator.calls > 30 && coordinator.calls < 80);
    t.is(said('warn') + said('error'), 1);
    t.regex(member.failure() ?? '', /Not authorized/);
    t.false(member.ready());
    await Promise.all([member.leave(1_000), clock.advance(3_000)]);
    const { calls } = coordinator;
    await clock.advance(60_000);
    t.is(coordinator.calls, calls);
    t.is(clock.pending(), 1, 'only the sweep of the fake is left');
  });

test('a topic whose partitions cannot be counted now takes nothing from those who work on it', async (t) => {
  const { clock, random, log, coordinator } = harness();
  const counts = { error: null as Error | null, topic: 2 };
  const owned = new Set<number>();
  const stops: number[] = [];
  const work = {
    owned: () => [...owned],
    start: async (partitions: readonly number[]) => partitions.forEach((partition) => owned.add(partition)),
    stop: async (partitions: readonly number[]) => {
      for (const partition of partitions) owned.delete(partition);
      stops.push(...partitions);
    },
  };
  const member = startMember({
    topic: 'topic',
    coordinator: coordinator.client(goodLine),
    work,
    waits: groupWaits,
    partitionsOf: async () => {
      if (counts.error) throw counts.error;
      return counts.topic;
    },
    clock,
    random,
    log,
  });
  await clock.advance(500);
  t.deepEqual([...owned], [0, 1]);
  counts.error = new Error('away');
  await clock.advance(30_000);
  t.deepEqual([[...owned], stops], [[0, 1], []]);
  Object.assign(counts, { error: null, topic: 3 });
  await clock.advance(10_000);
  t.deepEqual([...owned].sort(), [0, 1, 2]);
  t.is(member.unsettledMs(), 0);
  await Promise.all([member.leave(1_000), clock.advance(3_000)]);
});
