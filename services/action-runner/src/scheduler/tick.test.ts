import { parseCrontab } from '@ranger-relay/actions';
import { manualClock, testContext } from '@ranger-relay/runtime/testing';
import test from 'ava';
import { schedulerKey } from './keys.ts';
import { memorySpace } from '@ranger-relay/kv/testing';
import { startMs } from './test/world.ts';
import { tick } from './tick.ts';

const { signal } = new AbortController();
const leading = { mayGoOn: () => true, signal };

const open = (integrations: number) => {
  const clock = manualClock(startMs);
  const store = memorySpace(clock);
  const calls: number[] = [];
  const parts = {
    slug: 'site',
    schedules: [{ actionId: 'pull', crontab: parseCrontab('* * * * *'), source: 'handler' as const }],
    roster: { ids: async () => Array.from({ length: integrations }, (_, n) => `park-${n}`) },
    bus: { publish: async (_: string, records: readonly unknown[]) => void calls.push(records.length) },
    topic: 'commands',
    state: store,
    context: testContext({ clock }),
    catchupMs: 86_400_000,
    jitterMs: 0,
  };
  return { parts, calls, store, clock };
};

test('a process that is not the leader any more stops before the next batch and leaves the mark', async (t) => {
  const { parts, calls, store } = open(1_200);
  await tick(parts, { mayGoOn: () => calls.length < 2, signal });
  t.deepEqual(calls, [500, 500]);
  t.false(schedulerKey.mark('site') in store.entries());
});

test('a mark that another process moved meanwhile stays as it is', async (t) => {
  const { parts, store, clock } = open(1);
  const other = new Date(startMs + 90_000).toISOString();
  await store.set(schedulerKey.mark('site'), new Date(startMs - 60_000).toISOString());
  const bus = { publish: () => store.set(schedulerKey.mark('site'), other) };
  await tick({ ...parts, bus }, leading);
  t.is(store.entries()[schedulerKey.mark('site')], other);
  await clock.advance(0);
});

test('commands are counted by action', async (t) => {
  const { parts } = open(3);
  await tick(parts, leading);
  t.regex(await parts.context.metrics.render(), /^relay_scheduler_commands_total\{action="pull"\} 3$/m);
});
