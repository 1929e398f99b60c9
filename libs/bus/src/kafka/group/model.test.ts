import { fc, testProp } from '@fast-check/ava';
import { manualClock, seededRandom, silentLogger } from '@ranger-relay/runtime/testing';
import { FakeCoordinator, goodLine, type Line } from '../test/coordinator.ts';
import { Field, Worker } from '../test/group.ts';

const partitions = 5;

const move = fc.record({
  kind: fc.constantFrom('join', 'join', 'leave', 'crash', 'pause', 'pass'),
  who: fc.nat({ max: 3 }),
  ms: fc.oneof(fc.nat({ max: 300 }), fc.nat({ max: 15_000 })),
  handlerMs: fc.constantFrom(0, 500, 9_000),
});
const loss = fc.constantFrom(0, 0.02, 0.2);

testProp(
  'whoever joins, leaves, dies or hangs: no partition has two workers, offsets go forward, and all is worked on again soon',
  [fc.array(move, { minLength: 1, maxLength: 14 }), loss, fc.nat()],
  async (t, moves, losing, seed) => {
    const rejections: unknown[] = [];
    const onRejection = (reason: unknown): void => void rejections.push(reason);
    process.on('unhandledRejection', onRejection);
    const clock = manualClock();
    const random = seededRandom(seed);
    const log = silentLogger();
    const coordinator = new FakeCoordinator(clock);
    const field = new Field(partitions);
    const weather = { loss: losing };
    const loses = (): boolean => random.next() < weather.loss / 2;
    const line: Line = { delayMs: () => Math.floor(random.next() * 30), losesCall: loses, losesAnswer: loses };
    const workers: Worker[] = [];
    const leaving: Promise<void>[] = [];

    for (const { kind, who, ms, handlerMs } of moves) {
      const worker = workers[who];
      if (kind === 'join' && workers.length < 4)
        workers.push(
          new Worker(`w${workers.length}`, field, coordinator, losing === 0 ? goodLine : line, { clock, random, log }),
        );
      if (worker && !worker.dead && !worker.left) {
        worker.handlerMs = handlerMs;
        if (kind === 'crash') worker.die(field);
        if (kind === 'pause') {
          worker.pause();
          clock.after(Math.min(ms, 8_000), () => worker.dead || worker.wake());
        }
        if (kind === 'leave') {
          worker.left = true;
          leaving.push(worker.member.leave(10_000));
        }
      }
      await clock.advance(ms);
    }
    weather.loss = 0;
    await clock.advance(120_000);
    const alive = workers.filter(({ dead, left }) => !dead && !left);
    t.deepEqual([...field.problems, ...coordinator.problems], []);
    t.is(field.workers.size, alive.length === 0 ? 0 : partitions);
    t.true(alive.every(({ member }) => member.unsettledMs() === 0));
    t.is(coordinator.members(), alive.length);
    if (workers.every(({ dead }) => !dead)) await Promise.all(leaving);

    for (const worker of alive) await Promise.all([worker.member.leave(10_000), clock.advance(20_000)]);
    for (const { done } of alive)
      for (const [partition, offset] of done)
        t.true((coordinator.offsets.get(partition) ?? 0n) >= offset, `${partition} was done up to ${offset}`);
    t.is(field.workers.size, 0);
    t.is(coordinator.members(), 0);
    process.off('unhandledRejection', onRejection);
    t.deepEqual(rejections, []);
  },
  { numRuns: 40 },
);
