import { RelayError } from '@ranger-relay/errors';
import { manualClock, recordingLogger } from '@ranger-relay/runtime/testing';
import test, { type ExecutionContext } from 'ava';
import { createClockGuard } from './clock-guard.ts';

const start = Date.UTC(2026, 5, 1);
const minute = 60_000;
const hour = 60 * minute;

interface World {
  /** When the newest record was published. */
  newest: number;
  platform: number | null;
  down: boolean;
  /** The bus never answers. */
  hangs: boolean;
}

const setUp = async (t: ExecutionContext, world: Partial<World> = {}, builtAt = start - 24 * hour) => {
  const clock = manualClock(start);
  const { log, lines } = recordingLogger();
  const made: World = { newest: 0, platform: null, down: false, hangs: false, ...world };
  const making = createClockGuard({
    bus: {
      async hasNewer(_, time) {
        if (made.hangs) return new Promise(() => undefined);
        if (made.down) throw new RelayError('bus_unavailable', { details: { reason: 'test' } });
        return made.newest > time;
      },
    },
    topics: ['source-events', 'emergencies'],
    clock,
    log,
    platformTime: () => made.platform,
    builtAt,
  });
  await clock.advance(made.hangs ? 5_000 : 0);
  const guard = await making;
  t.teardown(() => guard.stop());
  return { clock, guard, lines, world: made };
};

test('a clock that nothing contradicts is right', async (t) => {
  const { guard } = await setUp(t, { newest: start + 29 * minute });
  t.is(guard.problem(), null);
  t.is(guard.reference(), start);
});

test('a clock before the build is wrong, whoever confirms it', async (t) => {
  const { guard, clock, lines } = await setUp(t, { platform: start }, start + 1);
  t.regex(guard.problem() ?? '', /built/);
  clock.jump(1);
  t.is(guard.problem(), null);
  await clock.advance(minute);
  t.deepEqual(
    lines.map(({ level }) => level),
    ['error', 'info'],
  );
});

test('a clock more than 30 minutes before the newest record is wrong, until it is set', async (t) => {
  const { guard, clock, lines } = await setUp(t, { newest: start + 3 * hour });
  t.regex(guard.problem() ?? '', /ahead of it/);
  t.is(lines.filter(({ level }) => level === 'error').length, 1);
  clock.jump(3 * hour);
  await clock.advance(5_000);
  t.is(guard.problem(), null);
});

test('records that a clock of yesterday wrote ahead stop nobody whom the platform confirms', async (t) => {
  const { guard, world, clock } = await setUp(t, { newest: start + 1_000 * hour });
  t.not(guard.problem(), null);
  world.platform = clock.now() + 10 * minute;
  t.is(guard.problem(), null);
  world.platform = clock.now() + hour;
  t.not(guard.problem(), null);
});

test('a clock that is set back while it runs is wrong at once, and right again when no record contradicts it', async (t) => {
  const { guard, clock, world } = await setUp(t, { newest: start });
  await clock.advance(hour);
  clock.jump(-2 * hour);
  t.regex(guard.problem() ?? '', /set back/);
  await clock.advance(minute);
  t.regex(guard.problem() ?? '', /ahead of it/);
  world.newest = 0;
  await clock.advance(minute);
  t.is(guard.problem(), null);
});

test('a bus that cannot be asked, or never answers, stops nobody', async (t) => {
  t.is((await setUp(t, { down: true })).guard.problem(), null);
  t.is((await setUp(t, { hangs: true })).guard.problem(), null);
});

test('what devices say is judged by the later of our time and the platform’s', async (t) => {
  const { guard, world } = await setUp(t);
  world.platform = start + 3 * hour;
  t.is(guard.reference(), start + 3 * hour);
  world.platform = start - 3 * hour;
  t.is(guard.reference(), start);
});
