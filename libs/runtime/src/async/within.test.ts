import { getEventListeners } from 'node:events';
import { isRelayError } from '@ranger-relay/errors';
import { fc, testProp } from '@fast-check/ava';
import test from 'ava';
import { createDeadline, endsWithin, runWithin, within } from '../index.ts';
import { manualClock } from '../testing/index.ts';

const never = new Promise<never>(() => undefined);

/** Moments that differ from each other, so that the order is known. */
const moments = fc.uniqueArray(fc.integer({ min: 1, max: 1_000 }), { minLength: 3, maxLength: 3 });

testProp(
  'what comes first decides: the work, the limit or the signal; nothing is left behind',
  [moments, fc.constantFrom('ends', 'fails', 'hangs'), fc.boolean()],
  async (t, [workMs = 0, ms = 0, abortMs = 0], fate, aborts) => {
    const clock = manualClock();
    const controller = new AbortController();
    const work = Promise.withResolvers<string>();
    if (fate === 'ends') clock.after(workMs, () => work.resolve('done'));
    if (fate === 'fails') clock.after(workMs, () => work.reject(new Error('failed')));
    if (aborts) clock.after(abortMs, () => controller.abort(new Error('aborted')));
    const { signal } = controller;
    const outcome = within({ clock, ms, signal }, work.promise, () => 'late').catch((error: Error) => error.message);
    await clock.advance(1_000);
    const result = new Map([
      ['ends', 'done'],
      ['fails', 'failed'],
    ]).get(fate);
    const first = [
      { at: fate === 'hangs' ? Infinity : workMs, as: result },
      { at: ms, as: 'late' },
      { at: aborts ? abortMs : Infinity, as: 'aborted' },
    ].sort((a, b) => a.at - b.at)[0];
    t.is(await outcome, first?.as ?? '');
    t.is(clock.pending(), 0);
    t.is(getEventListeners(signal, 'abort').length, 0);
  },
);

test('work that has ended counts, although the signal is aborted by then', async (t) => {
  const limit = { clock: manualClock(), ms: 10, signal: AbortSignal.abort(new Error('aborted')) };
  t.is(await within(limit, Promise.resolve('done'), () => 'late'), 'done');
  await t.throwsAsync(
    within(limit, never, () => 'late'),
    { message: 'aborted' },
  );
});

test('what is thrown for late work reaches the caller', async (t) => {
  const clock = manualClock();
  const waiting = within({ clock, ms: 10 }, never, () => {
    throw new Error('late');
  });
  const thrown = t.throwsAsync(waiting, { message: 'late' });
  await clock.advance(10);
  await thrown;
});

test('a wait tells whether the work ended in time, and passes its error on', async (t) => {
  const clock = manualClock();
  t.true(await endsWithin({ clock, ms: 10 }, undefined));
  await t.throwsAsync(endsWithin({ clock, ms: 10 }, Promise.reject(new Error('no'))), { message: 'no' });
  const late = endsWithin({ clock, ms: 10 }, never);
  await clock.advance(10);
  t.false(await late);
});

test('only a wait that is told to keeps the process alive', async (t) => {
  const refs: (boolean | undefined)[] = [];
  const clock = manualClock();
  const after: typeof clock.after = (ms, task, ref) => (refs.push(ref), clock.after(ms, task));
  await endsWithin({ clock: { after }, ms: 10 }, undefined);
  await endsWithin({ clock: { after }, ms: 10, ref: true }, undefined);
  t.deepEqual(refs, [undefined, true]);
});

test('work whose time is over is told so, and waited for until it ends', async (t) => {
  const clock = manualClock();
  const { signal } = new AbortController();
  let ended = false;
  const running = runWithin({ clock, ms: 100, signal, what: 'the test' }, async (limited) => {
    await clock.sleep(1_000, limited).catch(() => undefined);
    await clock.sleep(50);
    ended = true;
    throw limited.reason;
  });
  const thrown = t.throwsAsync(running);
  await clock.advance(149);
  t.false(ended);
  await clock.advance(1);
  t.true(isRelayError(await thrown, 'deadline_exceeded'));
  t.is(clock.pending(), 0);
  t.is(getEventListeners(signal, 'abort').length, 0);
});

test('a deadline that is lifted leaves the abort to the caller’s signal', async (t) => {
  const clock = manualClock();
  const outer = new AbortController();
  const deadline = createDeadline({ clock, ms: 10, signal: outer.signal, reason: () => 'late' });
  deadline.lift();
  await clock.advance(10);
  t.false(deadline.signal.aborted);
  outer.abort('ended');
  t.is(deadline.signal.reason, 'ended');
});
