import { isRelayError, RelayError } from '@ranger-relay/errors';
import { manualClock } from '@ranger-relay/runtime/testing';
import test from 'ava';
import { z } from 'zod';
import { ActionFailure } from '../failure/action-failure.ts';
import { action, gate, handlers, scheduled } from '../test/actions.ts';
import { park, harness } from '../test/harness.ts';

for (const name of ['constructor', 'toString', 'valueOf', '__proto__', 'hasOwnProperty'])
  test(`a configuration with a member ${name} runs, and an action of that name has no configuration`, async (t) => {
    let other: unknown;
    const w = harness(handlers('generic', async ({ configOf }) => (other = await configOf(name))));
    w.platform.configs = { work: JSON.parse(`{${JSON.stringify(name)}:{"a":1}}`) as unknown };
    t.is((await w.run('work')).kind, 'complete');
    const unsaved = { type: 'site', baseUrl: null, configurations: { work: {} } };
    t.is((await w.run('work', { integration: { unsaved } })).kind, 'complete');
    t.is(other, null);
  });

test('a run is told as Started, then Complete with its result', async (t) => {
  const w = harness(handlers('generic', ({ config }) => ({ days: config['days'] })));
  w.platform.configs = { work: { days: 3 } };
  t.deepEqual(await w.run('work'), { kind: 'complete', result: { days: 3 } });
  t.deepEqual(w.entries, [
    { kind: 'Started', integrationId: park, actionId: 'work', payload: { config_data: { days: 3 } } },
    {
      kind: 'Complete',
      integrationId: park,
      actionId: 'work',
      payload: { config_data: { days: 3 }, result: { days: 3 } },
    },
  ]);
});

test('a handler gets the integration, its configuration with overrides, and the rest of its context', async (t) => {
  let seen: Record<string, unknown> = {};
  const w = harness(
    handlers('generic', ({ integration, config, triggeredBy, deliveryId, attempt, actionId, attributes, timeUsed }) => {
      seen = { integration, config, triggeredBy, deliveryId, attempt, actionId, attributes, used: timeUsed() };
    }),
  );
  w.platform.configs = { work: { days: 3, password: 'p' } };
  const asked = { overrides: { days: 5 }, triggeredBy: 'manual', deliveryId: 'm', attempt: 2 } as const;
  t.deepEqual(await w.run('work', asked), { kind: 'complete', result: null });
  t.deepEqual(seen, {
    integration: { id: park, name: 'Park', baseUrl: 'https://site.example', type: 'site' },
    config: { days: 5, password: 'p' },
    triggeredBy: 'manual',
    deliveryId: 'm',
    attempt: 2,
    actionId: 'work',
    attributes: {},
    used: 0,
  });
});

test('the configuration of another action can be read', async (t) => {
  const w = harness(
    handlers('generic', async ({ configOf }) => ({ auth: await configOf('auth'), other: await configOf('other') })),
  );
  w.platform.configs = { work: {}, auth: { days: 7 } };
  t.deepEqual(await w.run('work'), { kind: 'complete', result: { auth: { days: 7 }, other: null } });
});

test('results that are no objects, cycles and big integers complete', async (t) => {
  const cycle: Record<string, unknown> = { n: 12n };
  cycle['self'] = cycle;
  for (const [value, result] of [
    [undefined, null],
    [null, null],
    [7, 7],
    ['text', 'text'],
    [[1], [1]],
    [12n, '12'],
    [cycle, { n: '12', self: '[cycle]' }],
  ] as const) {
    const w = harness(handlers('generic', () => value));
    w.platform.configs = { work: {} };
    t.deepEqual(await w.run('work'), { kind: 'complete', result });
    t.deepEqual(w.kinds(), ['Started', 'Complete']);
  }
});

for (const thrown of [new TypeError('no'), 'text', undefined, null, 7, {}])
  test(`a handler that throws ${String(thrown)} has failed, nothing more`, async (t) => {
    const w = harness(handlers('generic', () => Promise.reject(thrown as Error)));
    w.platform.configs = { work: {} };
    const outcome = await w.run('work');
    t.like(outcome, { kind: 'failed', transient: false, report: { integration_id: park, action_id: 'work' } });
    t.deepEqual(w.kinds(), ['Started', 'Failed']);
    t.like(w.entries[1]?.payload ?? {}, { config_data: {} });
    t.false('error_type' in (w.entries[1]?.payload ?? {}));
  });

test('a handler that throws before it answers a promise has failed as well', async (t) => {
  const w = harness(
    handlers('generic', () => {
      throw new Error('at once');
    }),
  );
  w.platform.configs = { work: {} };
  t.like(await w.run('work'), { kind: 'failed', report: { error: 'The action failed — at once' } });
});

const thrower = ({ config: { key } }: { readonly config: Readonly<Record<string, unknown>> }) => {
  throw new TypeError(`no ${String(key)}`);
};

test('a handler that throws what nobody expects leaves one error line with the stack, and no secret of its configuration', async (t) => {
  const config = z.object({ key: z.string().meta({ secret: true }) });
  const w = harness({ action_work: action('generic', thrower, { config }) });
  w.platform.configs = { work: { key: 'canary-value' } };
  await w.run('work');
  const [line, ...more] = w.lines.filter(({ level }) => level === 'error');
  t.deepEqual(more, []);
  t.like(line, { msg: 'a handler failed unexpectedly', integration: park, action: 'work' });
  t.regex(String(line?.['trace']), /at thrower .*lifecycle\.test\.ts:\d+/);
  t.false(JSON.stringify(w.lines).includes('canary-value'));
});

test('a failure that is registered, or classified by the action, is no bug: the log tells no error', async (t) => {
  for (const thrown of [
    new RelayError('site_unauthorized', { details: { target: 'GET h/p' } }),
    new ActionFailure('no', { transient: false }),
    Object.assign(new Error('x'), { code: 'ECONNREFUSED' }),
  ]) {
    const w = harness(handlers('generic', () => Promise.reject(thrown)));
    w.platform.configs = { work: {} };
    await w.run('work');
    t.deepEqual(
      w.lines.filter(({ level }) => level === 'error'),
      [],
    );
  }
});

test('a handler that hangs is given up at the end of its time, and told so', async (t) => {
  const { run, waiting } = gate();
  const w = harness(handlers('generic', run));
  w.platform.configs = { work: {} };
  const task = w.start('work');
  await w.clock.advance(539_999);
  t.is(w.runtime.running(), 1);
  t.is(waiting[0]?.context.timeUsed().toFixed(2), '1.00');
  await w.clock.advance(1);
  t.like(await w.settled(task), {
    kind: 'timed_out',
    report: { error: 'Connection failed — work did not finish within 540 s', error_type: 'timeout' },
  });
  t.deepEqual(w.kinds(), ['Started', 'Failed']);
  t.true(isRelayError(waiting[0]?.context.signal.reason, 'action_timeout'));
  waiting[0]?.resolve('too late');
  await w.clock.advance(0);
  t.deepEqual(w.kinds(), ['Started', 'Failed']);
  t.is(w.runtime.running(), 0);
});

test('an action can have less time, never more', async (t) => {
  for (const [timeout, ms] of [
    [5, 5_000],
    [5_000, 540_000],
  ] as const) {
    const w = harness(handlers('generic', gate().run, { timeout }));
    w.platform.configs = { work: {} };
    const task = w.start('work');
    await w.clock.advance(ms - 1);
    t.deepEqual(w.kinds(), ['Started']);
    await w.clock.advance(1);
    t.is((await w.settled(task)).kind, 'timed_out');
  }
});

test('a handler that never ends gives its place back in the end', async (t) => {
  const w = harness(handlers('generic', gate().run));
  w.platform.configs = { work: {} };
  const task = w.start('work');
  await w.clock.advance(540_000);
  await task;
  t.is(w.runtime.running(), 1);
  await w.clock.advance(30_000);
  t.is(w.runtime.running(), 0);
});

test('a run that was given up keeps nothing in the state', async (t) => {
  const { run, waiting } = gate();
  const w = harness(handlers('generic', run));
  w.platform.configs = { work: {} };
  const task = w.start('work');
  await w.clock.advance(540_000);
  await task;
  await t.throwsAsync(w.settled(waiting[0]!.context.state.set({ late: true })));
  t.deepEqual(w.space.values(), {});
});

test('a broken activity log fails no action', async (t) => {
  const w = harness(
    handlers('generic', ({ feed }) => {
      feed.info('hello');
      return { fine: true };
    }),
  );
  w.platform.configs = { work: {} };
  w.feed.broken = true;
  t.deepEqual(await w.run('work'), { kind: 'complete', result: { fine: true } });
});

test('handlers write entries of their own, in four levels', async (t) => {
  const w = harness(
    handlers('generic', ({ feed }) => {
      feed.debug('a');
      feed.info('b', { n: 1 });
      feed.warning('c');
      feed.error('d');
    }),
  );
  w.platform.configs = { work: {} };
  await w.run('work');
  const custom = w.entries.filter(({ kind }) => kind === 'CustomLog').map(({ payload }) => payload);
  t.deepEqual(
    custom.map(({ level }) => level),
    [10, 20, 30, 40],
  );
  t.deepEqual(custom[1], { title: 'b', level: 20, data: { n: 1 } });
});

test('at the end running handlers may finish, later ones are given up, and nothing new is taken', async (t) => {
  const { run, waiting } = gate();
  const w = harness({ ...handlers('generic', run), action_more: action('generic') });
  w.platform.configs = { work: {}, more: {} };
  const [quick, slow] = [w.start('work'), w.start('work')];
  await w.clock.advance(0);
  const stopping = w.runtime.stop(10_000);
  waiting[0]?.resolve('done');
  t.deepEqual(await w.settled(quick), { kind: 'complete', result: 'done' });
  const refused = await w.run('more');
  t.like(refused, { kind: 'refused', error: { code: 'action_stopped', next: 'retry' } });
  await w.clock.advance(10_000);
  await stopping;
  t.like(await slow, { kind: 'failed', transient: true });
});

test('a manual run of a pull needs no schedule', async (t) => {
  const w = harness(handlers('pull'));
  w.platform.configs = { work: {} };
  t.is((await w.run('work', { triggeredBy: 'manual' })).kind, 'complete');
  t.deepEqual(await w.run('work'), { kind: 'skipped', reason: 'run_on_schedule_disabled' });
  w.platform.configs = { work: scheduled };
  t.is((await w.run('work')).kind, 'complete');
});

test('a write that a failed handler left open is not repeated after its end, when another run may have the lease', async (t) => {
  const clock = manualClock();
  let left: Promise<unknown> = Promise.resolve();
  const w = harness(
    handlers('pull', ({ state }) => {
      w.space.away = true;
      left = state.set({ by: 'the first run' });
      left.catch(() => undefined);
      throw new Error('no');
    }),
    { clock },
  );
  w.platform.configs = { work: scheduled };
  t.is((await w.run('work', { triggeredBy: 'manual' })).kind, 'failed');
  w.space.away = false;
  await Promise.all([t.throwsAsync(left, { message: 'the run has ended' }), clock.advance(60_000)]);
  t.false(Object.values(w.space.values()).some((text) => text.includes('first')));
});
