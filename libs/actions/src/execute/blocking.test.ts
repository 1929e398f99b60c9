import { isRelayError } from '@ranger-relay/errors';
import { manualClock } from '@ranger-relay/runtime/testing';
import test from 'ava';
import type { ActionContext } from '../index.ts';
import { handlers, scheduled } from '../test/actions.ts';
import { park, harness } from '../test/harness.ts';

const overMs = 540_001;
/** Longer than the lease of a pull, and much shorter than a run may be. */
const pastLeaseMs = 28_001;

/** A handler that keeps the event loop to itself for a while, and then does something. */
const blocking = (type: 'generic' | 'pull', ms: number, then: (context: ActionContext) => unknown = () => 'fine') => {
  const clock = manualClock();
  const w = harness(
    handlers(type, (context) => {
      clock.block(ms);
      return then(context);
    }),
    { clock },
  );
  w.platform.configs = { work: scheduled };
  return w;
};

for (const [what, then] of [
  ['returns', () => 'fine'],
  ['goes on for a moment', () => new Promise((resolve) => queueMicrotask(() => resolve('fine')))],
  ['throws', () => Promise.reject(new Error('no'))],
  ['asks for the next run', ({ goOn }: ActionContext) => goOn()],
] as const)
  test(`a handler that blocks the event loop past its time and then ${what} has timed out`, async (t) => {
    const w = blocking('generic', overMs, then);
    t.like(await w.run('work'), { kind: 'timed_out', report: { error_type: 'timeout' } });
    t.deepEqual(w.kinds(), ['Started', 'Failed']);
    t.deepEqual(w.bus.published, []);
    t.is(w.runtime.running(), 0);
  });

test('one that blocks it within its time is complete', async (t) => {
  const w = blocking('pull', 300);
  t.deepEqual(await w.run('work'), { kind: 'complete', result: 'fine' });
  t.deepEqual(w.kinds(), ['Started', 'Complete']);
});

for (const [what, ms, code, kind] of [
  ['its time', overMs, 'action_timeout', 'timed_out'],
  ['its lease', pastLeaseMs, 'action_lease_lost', 'failed'],
] as const)
  test(`what a handler does to the state after it has blocked past ${what} is refused, before any timer has run`, async (t) => {
    const w = blocking('pull', ms, async ({ state }) => {
      const refused = await t.throwsAsync(state.set({ late: true }));
      t.true(isRelayError(refused, code));
    });
    t.is((await w.run('work', { triggeredBy: 'manual' })).kind, kind);
    t.false(Object.values(w.space.values()).some((text) => text.includes('late')));
  });

test('while a handler blocks, a repeat of its command elsewhere is not run, and afterwards it is done with', async (t) => {
  const clock = manualClock();
  let runs = 0;
  const ends = Promise.withResolvers<void>();
  const run = async (): Promise<void> => {
    runs += 1;
    if (runs === 1) await ends.promise;
  };
  const one = harness(handlers('generic', run), { clock });
  const other = harness(handlers('generic', run), { clock, space: one.space, seed: 2 });
  for (const w of [one, other]) w.platform.configs = { work: {} };
  const task = one.start('work', { deliveryId: 'm', integration: { id: park } });
  await clock.advance(0);
  clock.block(29_000);
  t.like(await other.run('work', { deliveryId: 'm', attempt: 2 }), {
    kind: 'refused',
    error: { code: 'delivery_in_flight', next: 'retry' },
  });
  ends.resolve();
  t.is((await one.settled(task)).kind, 'complete');
  t.deepEqual(await other.run('work', { deliveryId: 'm', attempt: 3 }), { kind: 'repeated' });
  t.is(runs, 1);
});
