import { temporaryBus } from '@ranger-relay/bus/testing';
import { topics } from '@ranger-relay/contracts';
import { manualClock, testContext } from '@ranger-relay/runtime/testing';
import test, { type ExecutionContext } from 'ava';
import { compose, forwarderGroup } from './compose.ts';
import { parseForwarderConfig } from './config.ts';
import { event, parkA } from './test/events.ts';
import { memorySpace } from './test/memory-kv.ts';
import { failure } from './test/world.ts';

const { name: topic } = topics.sourceEventsParked;

/** A composed forwarder on a real bus file whose clock is moved by hand; the platform refuses the key until it is mended. */
const running = async (t: ExecutionContext) => {
  const clock = manualClock();
  const context = testContext({ clock });
  const { bus } = await temporaryBus(t, { context });
  const state = memorySpace(clock);
  const taken: unknown[] = [];
  const platform = { broken: true, refused: 0 };
  await compose(
    context,
    {
      bus,
      kv: { state, config: memorySpace(clock), ready: () => true, close: async () => undefined },
      sensors: {
        postObservations: async (_, list) => {
          platform.refused += platform.broken ? 1 : 0;
          if (platform.broken) throw failure.keyRefused();
          taken.push(...list.map(({ additional }) => additional['n']));
          return { kind: 'accepted' };
        },
        postMessages: async () => ({ kind: 'accepted' }),
      },
      activity: { webhook: () => undefined },
      owner: 'test',
    },
    parseForwarderConfig({ PORT: '0', HOST: '127.0.0.1' }),
  );
  t.teardown(() => context.lifecycle.stop());

  /** Moves the clock in short steps, each behind what the file had to do, until something holds. */
  const until = async (holds: () => boolean | Promise<boolean>): Promise<void> => {
    for (let steps = 0; steps < 3_000 && !(await holds()); steps += 1) {
      await clock.advance(200);
      await bus.pending(topic, forwarderGroup);
    }
  };
  const stored = async (): Promise<number> => {
    const records = [];
    for await (const record of bus.read({ topic })) records.push(record);
    return records.length;
  };
  return { bus, clock, state, platform, taken, until, stored };
};

test('on a real bus, what cannot be sent for a day is appended again, once a day, and goes out in order', async (t) => {
  const f = await running(t);
  const count = 1_200;
  const numbers = Array.from({ length: count }, (_, n) => n);
  await f.bus.publish(
    topic,
    numbers.map((n) => ({ key: parkA, value: JSON.stringify(event(n)) })),
  );
  await f.until(() => f.platform.refused > 0);
  t.is(await f.stored(), count);

  const token = await f.state.get(`parked.${parkA}`);
  f.clock.jump(21 * 3_600_000);
  await f.until(async () => (await f.state.get(`parking.rotating.${parkA}`)) !== null);
  await f.until(async () => (await f.state.get(`parking.rotating.${parkA}`)) === null);
  t.is(await f.stored(), 2 * count);
  t.not(await f.state.get(`parked.${parkA}`), token);
  const [waiting] = await f.bus.pending(topic, forwarderGroup);
  t.is(waiting?.count, count);
  t.true(f.clock.now() - (waiting?.oldest ?? 0) < 3_600_000);

  f.platform.broken = false;
  await f.until(() => f.taken.length >= count);
  t.deepEqual(f.taken, numbers);
  t.is(await f.stored(), 2 * count);
});
