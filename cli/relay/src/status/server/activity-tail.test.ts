import { memoryBus } from '@ranger-relay/bus/testing';
import { topics } from '@ranger-relay/contracts';
import { createLifecycle } from '@ranger-relay/runtime';
import { manualClock, silentLogger, testContext } from '@ranger-relay/runtime/testing';
import test, { type ExecutionContext } from 'ava';
import { entry } from '../../activity/test/harness.ts';
import { createRunBook, followActivity, keptEntries } from './activity-tail.ts';

const ended = (n: number, type: string, more: Record<string, unknown>) => ({
  ...entry(n, more),
  event_type: `IntegrationAction${type}`,
});

test('the last run of each action counts, whatever its end', (t) => {
  const { note, runs } = createRunBook();
  note(ended(1, 'Complete', { integration_id: 'b', action_id: 'pull' }));
  note(ended(2, 'Complete', { integration_id: 'a', action_id: 'pull' }));
  note(ended(3, 'Failed', { integration_id: 'a', action_id: 'pull', error: 'late' }));
  note(ended(4, 'Complete', { integration_id: 'a', action_id: 'auth' }));
  t.deepEqual(
    runs().map((run) => `${run.integration_id} ${run.action_id} ${run.outcome}`),
    ['a auth complete', 'a pull failed', 'b pull complete'],
  );
  t.is(runs()[1]?.ended_at, entry(3).timestamp);
});

test('starts, messages of runs and webhooks are no ends of runs', (t) => {
  const { note, runs } = createRunBook();
  note(ended(1, 'Started', { integration_id: 'a', action_id: 'pull' }));
  note(ended(2, 'CustomLog', { integration_id: 'a', action_id: 'pull', title: 'x' }));
  note(entry(3, { webhook_id: 'w', result: {} }));
  t.deepEqual(runs(), []);
});

const name = topics.integrationEvents.name;

const harness = (t: ExecutionContext) => {
  const clock = manualClock();
  const lifecycle = createLifecycle(silentLogger());
  const context = testContext({ clock, lifecycle });
  const bus = memoryBus(clock);
  t.teardown(() => lifecycle.stop());
  const store = (...numbers: number[]): Promise<void> =>
    bus.publish(
      name,
      numbers.map((n) => ({ key: 'one', value: JSON.stringify(entry(n)) })),
    );
  return { clock, context, bus, store, lifecycle };
};

const until = async (holds: () => boolean): Promise<void> => {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
};

test('entries from the start on are kept, the newest first, and no older ones', async (t) => {
  const { bus, context, store } = harness(t);
  await store(1);
  const { entries: recent } = followActivity(bus, name, context);
  await bus.publish(topics.deadLetters.name, [{ key: 'a', value: '{}' }]);
  await store(2, 3);
  await until(() => recent(10).length === 2);
  t.deepEqual(
    recent(10).map(({ event_id: id }) => id),
    ['event-3', 'event-2'],
  );
  t.deepEqual(
    recent(1).map(({ event_id: id }) => id),
    ['event-3'],
  );
});

test('memory is bounded', async (t) => {
  const { bus, context, store } = harness(t);
  const { entries: recent } = followActivity(bus, name, context);
  await bus.publish(topics.deadLetters.name, [{ key: 'a', value: '{}' }]);
  await store(...Array.from({ length: keptEntries + 50 }, (_, n) => n));
  await until(() => recent(1)[0]?.event_id === `event-${keptEntries + 49}`);
  t.is(recent(10_000).length, keptEntries);
});

test('what is no entry is passed over', async (t) => {
  const { bus, context, store } = harness(t);
  const { entries: recent } = followActivity(bus, name, context);
  await bus.publish(name, [{ key: 'one', value: 'no JSON' }]);
  await store(1);
  await until(() => recent(10).length === 1);
  t.is(recent(10)[0]?.event_id, 'event-1');
});

test('a bus that is away is asked again', async (t) => {
  const { bus, context, store, clock } = harness(t);
  let asked = 0;
  const failing = {
    ...bus,
    read: (...args: Parameters<typeof bus.read>) => {
      asked += 1;
      if (asked === 1) throw new Error('away');
      return bus.read(...args);
    },
  };
  const { entries: recent } = followActivity(failing, name, context);
  t.is(asked, 1);
  await clock.advance(5_000);
  t.is(asked, 2);
  await store(1);
  await until(() => recent(10).length === 1);
  t.is(recent(10)[0]?.event_id, 'event-1');
});

test('the end of the process ends the following', async (t) => {
  const { bus, context, store, clock, lifecycle } = harness(t);
  let asked = 0;
  const counted = { ...bus, read: (...args: Parameters<typeof bus.read>) => ((asked += 1), bus.read(...args)) };
  const { entries: recent } = followActivity(counted, name, context);
  await lifecycle.stop();
  await store(1);
  await clock.advance(60_000);
  t.deepEqual(recent(10), []);
  t.is(asked, 1);
});
