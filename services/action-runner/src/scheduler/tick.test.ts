import { fc, testProp } from '@fast-check/ava';
import { parseCrontab } from '@ranger-relay/actions';
import { memoryBus } from '@ranger-relay/bus/testing';
import { memorySpace } from '@ranger-relay/kv/testing';
import { manualClock, testContext } from '@ranger-relay/runtime/testing';
import test from 'ava';
import { schedulerKey } from './due.ts';
import { startMs, harness } from './test/harness.ts';
import { jitterOf, tick } from './tick.ts';

testProp(
  'an integration has the same place at each instant, within the time over which they are spread',
  [fc.string(), fc.integer({ min: 0, max: 50 })],
  (t, id, seconds) => {
    const place = jitterOf(id, seconds * 1_000);
    t.is(place, jitterOf(id, seconds * 1_000));
    t.true(place >= 0 && (place < seconds * 1_000 || place === 0), String(place));
    t.is(place % 1_000, 0);
  },
);

const ids = Array.from({ length: 300 }, (_, n) => `park-${n}`);
const options = { jitterMs: 30_000 };

/** A tick of the leader, while half a minute passes second by second; how many commands came in each. */
const tickThrough = async (w: ReturnType<typeof harness>, seconds: number) => {
  const counts: number[] = [];
  for (let second = 0; second < seconds; second += 1) {
    const before = w.published.length;
    await w.clock.advance(1_000);
    counts.push(w.published.length - before);
  }
  return counts;
};

test('a crowd of one instant is spread over its time, each integration once', async (t) => {
  const w = harness({ pull: '0 * * * *' }, ids, options);
  await w.leader();
  const counts = await tickThrough(w, 31);
  t.is(w.published.length, 300);
  t.is(w.eventIds().size, 300);
  t.true(Math.max(...counts) <= 40, counts.join(' '));
  t.deepEqual([...new Set(w.published.map(({ command }) => command.scheduled_at))], ['2026-01-05T12:00:00.000Z']);
});

test('a process that ends in the middle does so at once, and the next leader publishes the rest under the same ids', async (t) => {
  const w = harness({ pull: '0 * * * *' }, ids, options);
  const one = await w.leader('one');
  await tickThrough(w, 10);
  const stopping = w.clock.monotonic();
  await one.stop();
  t.true(w.clock.monotonic() - stopping <= 2_000);
  const first = w.published.length;
  t.true(first > 0 && first < 300);
  await w.leader('two');
  await tickThrough(w, 31);
  t.is(w.eventIds().size, 300);
  t.deepEqual(new Set(w.published.slice(first).map(({ key }) => key)).size, 300);
});

const { signal } = new AbortController();
const leading = { mayGoOn: () => true, signal };

const open = (integrations: number) => {
  const clock = manualClock(startMs);
  const store = memorySpace(clock);
  const bus = memoryBus(clock);
  const parts = {
    slug: 'site',
    schedules: [{ actionId: 'pull', crontab: parseCrontab('* * * * *'), source: 'handler' as const }],
    roster: { ids: async () => Array.from({ length: integrations }, (_, n) => `park-${n}`) },
    bus,
    topic: 'commands',
    state: store,
    context: testContext({ clock }),
    catchupMs: 86_400_000,
    jitterMs: 0,
  };
  return { parts, bus, store, clock };
};

test('a process that is not the leader any more stops before the next batch and leaves the mark', async (t) => {
  const { parts, bus, store } = open(1_200);
  await tick(parts, { mayGoOn: () => bus.calls.length < 2, signal });
  t.deepEqual(
    bus.published.map(({ records }) => records.length),
    [500, 500],
  );
  t.false(schedulerKey.mark('site') in store.values());
});

test('a mark that another process moved meanwhile stays as it is', async (t) => {
  const { parts, bus, store, clock } = open(1);
  const other = new Date(startMs + 90_000).toISOString();
  await store.set(schedulerKey.mark('site'), new Date(startMs - 60_000).toISOString());
  bus.before = () => store.set(schedulerKey.mark('site'), other);
  await tick(parts, leading);
  t.is(store.values()[schedulerKey.mark('site')], other);
  await clock.advance(0);
});

test('commands are counted by action', async (t) => {
  const { parts } = open(3);
  await tick(parts, leading);
  t.regex(await parts.context.metrics.render(), /^relay_scheduler_commands_total\{action="pull"\} 3$/m);
});
