import { fc, testProp } from '@fast-check/ava';
import { memorySpace } from '@ranger-relay/kv/testing';
import { manualClock } from '@ranger-relay/runtime/testing';
import test from 'ava';
import { gate, handlers, scheduled } from '../test/actions.ts';
import { park, harness, type HarnessOptions } from '../test/harness.ts';
import { createConcurrencyLimits } from './admission.ts';

const leaseKey = `integration_state.${park}.work.backfill-lock`;

const puller = (options?: HarnessOptions) => {
  const { run, waiting } = gate();
  const w = harness(handlers('pull', run), options);
  w.platform.configs = { work: scheduled };
  return { w, waiting };
};

const two = () => {
  const one = puller();
  return { one, other: puller({ clock: one.w.clock, space: one.w.space, seed: 2 }) };
};

const already = { kind: 'skipped', reason: 'already_running' } as const;

test('a tick and a manual run are skipped while another run is under way, here and elsewhere', async (t) => {
  const { one, other } = two();
  const task = one.w.start('work');
  await one.w.clock.advance(0);
  for (const w of [one.w, other.w])
    for (const triggeredBy of ['auto', 'manual'] as const) t.deepEqual(await w.run('work', { triggeredBy }), already);
  t.deepEqual(other.w.kinds(), []);
  one.waiting[0]?.resolve(null);
  await one.w.settled(task);
  t.deepEqual(one.w.space.values(), {});
});

test('a command that is delivered again or goes on with a run may not be dropped: it comes again', async (t) => {
  const { one, other } = two();
  void one.w.start('work');
  await one.w.clock.advance(0);
  for (const parts of [{ attempt: 2 }, { selfTriggered: true }])
    t.like(await other.w.run('work', parts), {
      kind: 'refused',
      error: { code: 'action_already_running', next: 'retry' },
    });
});

test('pulls of another integration or action are not in the way', async (t) => {
  const { one, other } = two();
  void one.w.start('work');
  void other.w.start('work', { integration: { id: 'other-park' } });
  await one.w.clock.advance(0);
  t.is(other.waiting.length, 1);
});

test('a run of hours keeps its lease, and it is free at the end', async (t) => {
  const { w, waiting } = puller({ maxExecutionMs: 7_200_000 });
  const task = w.start('work');
  await w.clock.advance(7_000_000);
  t.truthy(w.space.values()[leaseKey]);
  waiting[0]?.resolve(null);
  t.is((await w.settled(task)).kind, 'complete');
  t.is(w.space.values()[leaseKey], undefined);
});

test('a run that loses its lease is stopped, and its command comes again', async (t) => {
  const { w, waiting } = puller();
  const task = w.start('work');
  await w.clock.advance(0);
  void w.space.set(leaseKey, 'another');
  await w.clock.advance(10_001);
  t.true(waiting[0]?.context.signal.aborted);
  t.like(await w.settled(task), { kind: 'failed', transient: true });
  t.is(w.space.values()[leaseKey], 'another');
});

test('a run is stopped before its lease can run out while the store is away', async (t) => {
  const { one, other } = two();
  const task = one.w.start('work');
  await one.w.clock.advance(0);
  one.w.space.away = true;
  await one.w.clock.advance(28_001);
  t.like(await one.w.settled(task), { kind: 'failed', transient: true });
  one.w.space.away = false;
  await one.w.clock.advance(3_000);
  void other.w.start('work');
  await one.w.clock.advance(0);
  t.is(other.waiting.length, 1);
});

test('the lease of a handler that goes on after its time runs out within 30 s, or when it ends', async (t) => {
  const { one, other } = two();
  const task = one.w.start('work');
  await one.w.clock.advance(540_000);
  t.is((await one.w.settled(task)).kind, 'timed_out');
  t.deepEqual(await other.w.run('work'), already);
  one.waiting[0]?.reject(new Error('at last'));
  await one.w.clock.advance(0);
  t.deepEqual(one.w.space.values(), {});
});

type Step =
  | { kind: 'start' | 'end'; who: number; attempt: number }
  | { kind: 'away'; on: boolean }
  | { kind: 'wait'; ms: number };
const who = fc.nat({ max: 1 });
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant('start' as const), who, attempt: fc.integer({ min: 1, max: 2 }) }),
  fc.record({ kind: fc.constant('end' as const), who, attempt: fc.constant(1) }),
  fc.record({ kind: fc.constant('away' as const), on: fc.boolean() }),
  fc.record({ kind: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 60_000 }) }),
);

testProp(
  'two processes and one store, whatever happens: never two runs of one pull at once',
  [fc.array(step, { minLength: 1, maxLength: 40, size: 'max' })],
  async (t, steps) => {
    const clock = manualClock();
    const space = memorySpace(clock);
    const processes = [puller({ clock, space }), puller({ clock, space, seed: 2 })];
    const live = () =>
      processes.flatMap(({ waiting }) => waiting.filter((each) => !each.context.signal.aborted && !ended.has(each)));
    const ended = new Set<object>();
    for (const each of steps) {
      if (each.kind === 'start') void processes[each.who]?.w.start('work', { attempt: each.attempt });
      if (each.kind === 'end')
        for (const run of processes[each.who]?.waiting ?? []) {
          ended.add(run);
          run.resolve(null);
        }
      if (each.kind === 'away') space.away = each.on;
      await clock.advance(each.kind === 'wait' ? each.ms : 0);
      t.true(live().length <= 1);
    }
  },
);

const at = (id: string) => ({ integration: { id } });

test('more runs than one integration may have at a time wait, those of others do not', async (t) => {
  const { run, waiting } = gate();
  const w = harness(handlers('generic', run), { limits: { total: 10, perIntegration: 2 } });
  w.platform.configs = { work: {} };
  const first = w.start('work', at('a'));
  void w.start('work', at('a'));
  await w.clock.advance(0);
  t.like(await w.run('work', at('a')), { kind: 'busy', retryAfterMs: 5_000 });
  void w.start('work', at('b'));
  await w.clock.advance(0);
  t.is(waiting.length, 3);
  t.deepEqual(w.kinds(), ['Started', 'Started', 'Started']);
  waiting[0]?.resolve(null);
  await w.settled(first);
  void w.start('work', at('a'));
  await w.clock.advance(0);
  t.is(waiting.length, 4);
});

test('more runs than the process may have at a time wait, and their messages are free', async (t) => {
  const w = harness(handlers('generic', gate().run), { limits: { total: 1, perIntegration: 1 } });
  w.platform.configs = { work: {} };
  void w.start('work', at('a'));
  await w.clock.advance(0);
  t.is((await w.run('work', { ...at('b'), deliveryId: 'm' })).kind, 'busy');
  t.deepEqual(w.space.values(), {});
});

testProp(
  'places are never overdrawn and never lost',
  [fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.boolean()))],
  (t, steps) => {
    const limits = createConcurrencyLimits({ total: 4, perIntegration: 2 });
    const held: { id: string; free: () => void }[] = [];
    for (const [id, take] of steps) {
      const free = take ? limits.take(id) : undefined;
      if (free) held.push({ id, free });
      else if (!take) held.splice(0, 1).forEach((each) => (each.free(), each.free()));
      t.true(held.length <= 4 && held.filter((each) => each.id === id).length <= 2);
      t.is(limits.running(), held.length);
    }
    for (const { free } of held) free();
    t.is(limits.running(), 0);
  },
);
