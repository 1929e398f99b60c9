import { isRelayError } from '@ranger-relay/errors';
import { manualClock, seededRandom } from '@ranger-relay/runtime/testing';
import test from 'ava';
import { memorySpace } from '@ranger-relay/kv/testing';
import { createActionState } from './action-state.ts';
import { backfillOf, rolledBack } from './progress.ts';
import { stateKey } from './keys.ts';
import { noState } from '../execute/handler-context.ts';

const harness = () => {
  const clock = manualClock();
  const space = memorySpace(clock);
  const controller = new AbortController();
  const state = createActionState({
    space,
    tools: { clock, random: seededRandom(1) },
    integrationId: 'park',
    actionId: 'pull',
    signal: controller.signal,
  });
  const done = async <T>(task: Promise<T>): Promise<T> => {
    task.catch(() => undefined);
    for (let turn = 0; turn < 10; turn += 1) await clock.advance(0);
    return task;
  };
  return { clock, space, controller, state, done };
};

test('values lie under the keys of the contract, and what is missing is an empty object', async (t) => {
  const { space, state, done } = harness();
  t.deepEqual(await done(state.get()), {});
  await done(state.set({ a: 1 }));
  await done(state.set({ b: 2 }, { source: 'event-7' }));
  t.deepEqual(space.values(), {
    'integration_state.park.pull.no-source': '{"a":1}',
    'integration_state.park.pull.event-7': '{"b":2}',
  });
  t.deepEqual(await done(state.get('event-7')), { b: 2 });
  t.true(await done(state.delete('event-7')));
  t.false(await done(state.delete('event-7')));
});

test('an id of a site never meets an entry of the runtime', async (t) => {
  const { space, state, done } = harness();
  await done(state.set({ last_execution: '2026-01-02T00:00:00.000Z' }));
  await done(space.set(stateKey.run('park', 'pull'), 'owner'));
  const before = space.values();
  const ids = ['no-source', 'backfill-lock', 'skip-invalid-config-warning', '%no-source', '%%no-source', '%x', 'x'];
  for (const source of ids) await done(state.set({ source }, { source }));
  t.like(space.values(), before);
  for (const source of ids) t.deepEqual(await done(state.get(source)), { source });
});

test('records with a time to live go by themselves', async (t) => {
  const { clock, state, done } = harness();
  await done(state.set({ a: 1 }, { source: 'e', ttlMs: 1_000 }));
  t.false(await done(state.setIfAbsent({ a: 2 }, { source: 'e', ttlMs: 1_000 })));
  await clock.advance(1_001);
  t.true(await done(state.setIfAbsent({ a: 2 }, { source: 'e', ttlMs: 1_000 })));
  await clock.advance(1_001);
  t.deepEqual(await done(state.get('e')), {});
});

test('two writers at once lose nothing', async (t) => {
  const { state, done } = harness();
  const add = () => state.update((present) => ({ n: Number(present['n'] ?? 0) + 1 }));
  await done(Promise.all([add(), add(), add()]));
  t.deepEqual(await done(state.get()), { n: 3 });
});

test('state that cannot be read stops the run instead of starting from nothing', async (t) => {
  const { space, state, done } = harness();
  for (const bad of ['{', '7', '[]', 'null']) {
    await done(space.set('integration_state.park.pull.no-source', bad));
    t.true(isRelayError(await t.throwsAsync(done(state.get())), 'state_unreadable'));
    await t.throwsAsync(done(state.update(() => ({ a: 1 }))));
    t.is(space.values()['integration_state.park.pull.no-source'], bad);
  }
});

test('a store that comes back within its budget costs time, not the run', async (t) => {
  const { clock, space, state } = harness();
  space.away = true;
  const getting = state.get();
  await clock.advance(5_000);
  space.away = false;
  await clock.advance(25_000);
  t.deepEqual(await getting, {});
});

test('a store that stays away fails the call after five tries within 30 s', async (t) => {
  const { clock, space, state } = harness();
  space.away = true;
  const getting = t.throwsAsync(state.get());
  await clock.advance(30_000);
  t.true(isRelayError(await getting, 'kv_unavailable'));
  t.true(space.calls >= 4 && space.calls <= 5, String(space.calls));
});

test('a store that hangs fails the call within 30 s', async (t) => {
  const { clock, space, state } = harness();
  space.hung = true;
  const getting = t.throwsAsync(state.get());
  await clock.advance(30_000);
  t.true(isRelayError(await getting, 'kv_unavailable'));
});

test('a run that was given up writes nothing more', async (t) => {
  const { space, controller, state, done } = harness();
  controller.abort(new Error('given up'));
  await t.throwsAsync(done(state.set({ a: 1 })), { message: 'given up' });
  t.deepEqual(space.values(), {});
});

test('an integration that is not saved has no state', async (t) => {
  await noState.set({ a: 1 });
  t.true(await noState.setIfAbsent({}));
  t.deepEqual(await noState.get(), {});
  t.deepEqual(await noState.update(() => ({ b: 1 })), { b: 1 });
  t.false(await noState.delete());
});

test('a state that is set back is another attempt, without an unfinished listing; its back-fill stays unless that is to go', (t) => {
  const older = { from: '2025-12-01T00:00:00.000Z', to: null };
  const ranges = [{ ...older, listing: true }, older];
  const present = { last_execution: '2026-01-02T00:00:00.000Z', ranges, listing: {}, other: 1 };
  const to = Date.UTC(2026, 0, 1);
  const back = { last_execution: '2026-01-01T00:00:00.000Z', other: 1 };
  t.deepEqual(rolledBack(present, to, false), { ...back, ranges: [older], attempt: 2 });
  t.deepEqual(rolledBack({ ...present, attempt: 2 }, to, true), { ...back, attempt: 3 });
  t.deepEqual(rolledBack({ ranges: [older] }, undefined, true), { attempt: 2 });
});

test('what the site fails on is read again by itself, also after a state is set back without its back-fill', (t) => {
  const older = { from: '2025-12-01T00:00:00.000Z', to: null };
  const waiting = { ...older, retry_at: '2026-01-01T00:00:00.000Z' };
  t.deepEqual(rolledBack({ ranges: [older, waiting] }, undefined, true), { ranges: [waiting], attempt: 2 });
  t.deepEqual(backfillOf({ ranges: [waiting] }), []);
});
