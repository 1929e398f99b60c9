import { memoryBus } from '@ranger-relay/bus/testing';
import { topics } from '@ranger-relay/contracts';
import { memoryKv } from '@ranger-relay/kv/testing';
import { manualClock, recordingLogger, testContext } from '@ranger-relay/runtime/testing';
import test, { type ExecutionContext } from 'ava';
import { configKey } from './config-entry.ts';
import { followConfigEvents } from './follow-config-events.ts';

const setUp = (t: ExecutionContext) => {
  const clock = manualClock();
  const kv = memoryKv(clock);
  const bus = memoryBus(clock);
  const { log, lines } = recordingLogger();
  const forgotten: string[] = [];
  const cache = { forget: (id: string) => void forgotten.push(id) };
  const following = followConfigEvents({
    bus,
    clock,
    log,
    config: kv.config,
    cache,
    conditions: testContext({ clock }).conditions,
    random: { next: () => 0, uuid: () => '' },
  });
  t.teardown(() => following.close());
  const deliver = (value: string): Promise<void> => bus.publish(topics.configEvents.name, [{ key: 'k', value }]);
  return { clock, kv, bus, lines, forgotten, following, deliver };
};

const deletion = (id: string, alt_id = 'auth') =>
  JSON.stringify({
    event_id: 'e',
    timestamp: '2025-01-07 12:31:56.302384+00:00',
    schema_version: 'v1',
    event_type: 'ActionConfigDeleted',
    payload: { id: 'c', alt_id, integration_id: id },
  });

test('events are applied from now on, without a group', async (t) => {
  const { clock, kv, bus, forgotten, deliver } = setUp(t);
  await clock.advance(0);
  t.like(bus.reads[0], { topic: 'config-events', from: 'latest', follow: true });
  await deliver(deletion('a'));
  await clock.advance(0);
  t.true(kv.config.entries.has(configKey.action('a', 'auth')));
  t.true(forgotten.includes('a'));
});

test('what cannot be read is passed over, with a line in the log', async (t) => {
  const { clock, kv, lines, deliver } = setUp(t);
  await clock.advance(0);
  await deliver('{');
  await deliver(deletion('b'));
  await clock.advance(0);
  t.true(kv.config.entries.has(configKey.action('b', 'auth')));
  t.is(lines.filter(({ level }) => level === 'warn').length, 1);
});

test('while the store is away the event waits, and later ones behind it', async (t) => {
  const { clock, kv, deliver } = setUp(t);
  await clock.advance(0);
  kv.config.away = true;
  await deliver(deletion('a'));
  await deliver(deletion('b'));
  await clock.advance(20_000);
  t.is(kv.config.entries.size, 0);
  kv.config.away = false;
  await clock.advance(30_000);
  t.deepEqual([...kv.config.entries.keys()], [configKey.action('a', 'auth'), configKey.action('b', 'auth')]);
});

test('after a failure of the bus it goes on behind the last event', async (t) => {
  const { clock, kv, bus, deliver } = setUp(t);
  await clock.advance(0);
  await deliver(deletion('a'));
  await clock.advance(0);
  bus.breakReads();
  await clock.advance(500);
  t.is(bus.reads.length, 2);
  t.deepEqual(bus.reads[1]?.offsets, new Map([[0, 1n]]));
  await deliver(deletion('b'));
  await clock.advance(0);
  t.true(kv.config.entries.has(configKey.action('b', 'auth')));
});

test('a bus that keeps failing is tried more and more slowly', async (t) => {
  const { clock, bus } = setUp(t);
  await clock.advance(0);
  for (let second = 0; second < 60; second += 1) {
    bus.breakReads();
    await clock.advance(1_000);
  }
  t.true(bus.reads.length > 3 && bus.reads.length < 10, String(bus.reads.length));
});

test('closing ends it at once, also while it waits', async (t) => {
  const { clock, kv, following, deliver } = setUp(t);
  await clock.advance(0);
  kv.config.away = true;
  await deliver(deletion('a'));
  await clock.advance(100);
  await following.close();
  t.is(clock.pending(), 0);
});
