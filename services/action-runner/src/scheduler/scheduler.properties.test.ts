import { lastFire, parseCrontab } from '@ranger-relay/actions';
import { fc, testProp } from '@fast-check/ava';
import type { ExecutionContext } from 'ava';
import { schedulerKey } from './due.ts';
import { harness, type Process } from './test/harness.ts';

const minute = 60_000;
const hour = 60 * minute;
const schedules = { every: '* * * * *', tens: '*/10 * * * *', hourly: '7 * * * *' };

type Step =
  | { readonly kind: 'minutes'; readonly n: number }
  | { readonly kind: 'seconds'; readonly n: number }
  | { readonly kind: 'kill' | 'end' | 'start'; readonly which: 0 | 1 }
  | { readonly kind: 'jump'; readonly which: 0 | 1; readonly ms: number }
  | { readonly kind: 'store' | 'bus' | 'platform'; readonly down: boolean };

const which = fc.constantFrom(0 as const, 1 as const);
const steps = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: fc.record({ kind: fc.constant('minutes' as const), n: fc.integer({ min: 1, max: 4 }) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('seconds' as const), n: fc.integer({ min: 1, max: 59 }) }) },
    {
      weight: 3,
      arbitrary: fc.record({ kind: fc.constantFrom('kill' as const, 'end' as const, 'start' as const), which }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant('jump' as const),
        which,
        ms: fc.integer({ min: -3 * hour, max: 3 * hour }),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constantFrom('store' as const, 'bus' as const, 'platform' as const),
        down: fc.boolean(),
      }),
    },
  ),
  { maxLength: 25 },
);

type Harness = ReturnType<typeof harness>;

/** Two places for processes, one of them taken from the start. */
const places = async (w: Harness) => {
  const running: (Process | undefined)[] = [await w.leader('p0'), undefined];
  let started = 1;
  const tickAll = async (): Promise<void> => {
    await w.clock.advance(minute);
    for (const process of running) await process?.tick();
  };
  const doStep = async (step: Step): Promise<void> => {
    if (step.kind === 'minutes') for (let n = 0; n < step.n; n += 1) await tickAll();
    else if (step.kind === 'seconds') await w.clock.advance(step.n * 1_000);
    else if (step.kind === 'jump') running[step.which]?.jump(step.ms);
    else if (step.kind === 'start') running[step.which] ??= w.start(`p${(started += 1)}`);
    else if (step.kind === 'platform') w.platform.down = step.down;
    else if ('down' in step) w[step.kind].away = step.down;
    else {
      if (step.kind === 'kill') running[step.which]?.kill();
      else await running[step.which]?.stop();
      running[step.which] = undefined;
    }
  };
  return { running, tickAll, doStep };
};

/** Of every schedule the latest instant of the last hour, or a later one, was published for everybody. */
const nothingIsMissing = (t: ExecutionContext, w: Harness, now: number): void => {
  for (const [actionId, text] of Object.entries(schedules)) {
    const at = lastFire(parseCrontab(text), now - hour, now);
    if (at === null) continue;
    for (const id of w.platform.ids) {
      const times = w.published
        .filter(({ key }) => key === `${id}:${actionId}`)
        .map(({ command }) => Date.parse(String(command.scheduled_at)));
      t.true(
        times.some((time) => time >= at && time <= at + hour),
        `${actionId} ${id} ${new Date(at).toISOString()}`,
      );
    }
  }
};

testProp(
  'whatever happens to processes, clocks, store, bus and platform: one id for each instant, and afterwards nothing is missing',
  [steps],
  async (t, list) => {
    const w = harness(schedules);
    const { running, tickAll, doStep } = await places(w);
    for (const step of list) await doStep(step);
    for (const process of running) process?.kill();
    w.store.away = w.bus.away = w.platform.down = false;
    running[0] = w.start('last');
    await w.clock.advance(40_000);
    t.true(await running[0].leads());
    await tickAll();
    nothingIsMissing(t, w, running[0].now());
    const idsOf = new Map<string, Set<unknown>>();
    for (const { key, command } of w.published) {
      const instant = `${key} ${String(command.scheduled_at)}`;
      idsOf.set(instant, (idsOf.get(instant) ?? new Set()).add(command.event_id));
    }
    t.true([...idsOf.values()].every(({ size }) => size === 1));
    t.is(w.eventIds().size, idsOf.size);
  },
  { numRuns: 60 },
);

testProp(
  'with one clock, while a leader is there or the next takes over within the minute, every instant is published exactly once',
  [fc.array(fc.constantFrom('tick', 'end', 'tick', 'tick'), { minLength: 5, maxLength: 40, size: 'max' })],
  async (t, list) => {
    const w = harness({ every: '* * * * *' }, ['park-a']);
    let leader = await w.leader('first');
    let n = 0;
    for (const step of list) {
      if (step === 'end') {
        await leader.stop();
        leader = w.start(`next-${(n += 1)}`);
        await w.clock.advance(10_000);
        await w.clock.advance(48_000);
      } else await w.clock.advance(minute);
      await leader.tick();
    }
    const times = w.times('every');
    const marked = Date.parse(w.store.values()[schedulerKey.mark(w.slug)] ?? '');
    t.deepEqual(times, [...new Set(times)]);
    t.is(times.length, Math.floor((marked - Date.parse('2026-01-05T12:00:00Z')) / minute) + 1);
  },
  { numRuns: 40 },
);
