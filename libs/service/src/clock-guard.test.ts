import { fc, testProp } from '@fast-check/ava';
import { RelayError } from '@ranger-relay/errors';
import { manualClock, recordingLogger, testContext } from '@ranger-relay/runtime/testing';
import test, { type ExecutionContext } from 'ava';
import { createClockGuard } from './clock-guard.ts';

const start = Date.UTC(2026, 5, 1);
const minute = 60_000;
const hour = 60 * minute;

interface Harness {
  /** When the last record of each partition of the first topic was published; null for one that is later and cannot be read. */
  newest: number | readonly (number | null)[];
  platform: number | null;
  /** The platform's time once it is asked; null: it answers without one, undefined: it is away. */
  told: number | null | undefined;
  down: boolean;
  /** The bus never answers. */
  hangs: boolean;
}

const setUp = async (t: ExecutionContext, harness: Partial<Harness> = {}, builtAt = start - 24 * hour) => {
  const clock = manualClock(start);
  const { log, lines } = recordingLogger();
  const made: Harness = { newest: 0, platform: null, told: null, down: false, hangs: false, ...harness };
  const context = testContext({ clock, log });
  const asked: number[] = [];
  const making = createClockGuard(context, {
    bus: {
      async lastRecords(topic, time) {
        if (made.hangs) return new Promise(() => undefined);
        if (made.down) throw new RelayError('bus_unavailable', { details: { reason: 'test' } });
        const last = topic === 'emergencies' ? [] : [made.newest].flat();
        return { partitions: last.length, newer: last.filter((at) => at === null || at > time) };
      },
    },
    platform: {
      time: () => made.platform,
      async askTime() {
        asked.push(clock.monotonic());
        if (made.told === undefined) throw new RelayError('platform_unavailable', { details: { reason: 'test' } });
        made.platform = made.told;
      },
    },
    topics: ['source-events', 'emergencies'],
    builtAt,
  });
  await clock.advance(made.hangs ? 5_000 : 0);
  const guard = await making;
  t.teardown(() => context.lifecycle.stop());
  const reason = (): string => String(context.conditions.find('clock_wrong', context.service)?.details['reason'] ?? '');
  const errors = (): readonly unknown[] => lines.filter(({ level }) => level === 'error');
  return { clock, guard, lines, errors, asked, reason, harness: made };
};

test('a clock that nothing contradicts is right', async (t) => {
  const { guard } = await setUp(t, { newest: start + 29 * minute });
  t.is(guard.problem(), null);
  t.is(guard.reference(), start);
});

test('a clock before the build is wrong', async (t) => {
  const { guard, clock, lines } = await setUp(t, {}, start + 1);
  t.regex(guard.problem() ?? '', /build date/);
  clock.jump(1);
  t.is(guard.problem(), null);
  await clock.advance(minute);
  t.deepEqual(
    lines.map(({ level }) => level),
    ['error', 'warn'],
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
  const { guard, harness, clock } = await setUp(t, { newest: start + 1_000 * hour });
  t.not(guard.problem(), null);
  harness.platform = clock.now() + 10 * minute;
  t.is(guard.problem(), null);
  harness.platform = clock.now() - hour;
  t.is(guard.problem(), null);
  harness.platform = clock.now() + hour;
  t.not(guard.problem(), null);
});

test('a clock that is set back while it runs is wrong at once, and right again when no record contradicts it', async (t) => {
  const { guard, clock, harness } = await setUp(t, { newest: start });
  await clock.advance(hour);
  clock.jump(-2 * hour);
  t.regex(guard.problem() ?? '', /set back/);
  await clock.advance(minute);
  t.regex(guard.problem() ?? '', /ahead of it/);
  harness.newest = 0;
  await clock.advance(minute);
  t.is(guard.problem(), null);
});

test('a bus that cannot be asked, or never answers, stops nobody', async (t) => {
  t.is((await setUp(t, { down: true })).guard.problem(), null);
  t.is((await setUp(t, { hangs: true })).guard.problem(), null);
});

for (const [hours, words] of [
  [3, 'it is 3 hours behind that of the platform'],
  [-3, 'it is 3 hours ahead of that of the platform'],
] as const)
  test(`a clock ${Math.abs(hours)} hours ${hours > 0 ? 'behind' : 'ahead of'} the platform’s is told, with an empty bus too, and stops nobody`, async (t) => {
    const { guard, reason, harness, clock } = await setUp(t, { told: start + hours * hour });
    t.is(reason(), words);
    t.is(guard.problem(), null);
    t.is(guard.reference(), Math.max(start, start + hours * hour));
    harness.platform = clock.now() + 9 * minute;
    await clock.advance(minute);
    t.is(reason(), '');
  });

test('a clock that is set ahead is told within seconds, once the platform has told the time again', async (t) => {
  const { clock, reason, harness } = await setUp(t, { told: start });
  harness.told = start + 10_000;
  clock.jump(3 * hour);
  await clock.advance(6_000);
  t.is(reason(), 'it is 3 hours ahead of that of the platform');
});

test('a machine that slept tells nothing of its clock before the platform has told the time again', async (t) => {
  const { clock, reason, harness } = await setUp(t, { told: start });
  clock.jump(3 * hour);
  harness.told = undefined;
  await clock.advance(3 * minute);
  t.is(reason(), '');
  harness.told = clock.now() + minute;
  await clock.advance(minute);
  t.is(reason(), '');
  harness.told = clock.now() - 3 * hour;
  clock.jump(3 * hour);
  await clock.advance(minute);
  t.regex(reason(), /ahead of that of the platform/);
});

test('what devices say is judged by the later of our time and the platform’s', async (t) => {
  const { guard, harness } = await setUp(t);
  harness.platform = start + 3 * hour;
  t.is(guard.reference(), start + 3 * hour);
  harness.platform = start - 3 * hour;
  t.is(guard.reference(), start);
});

for (const [what, harness, builtAt] of [
  ['records ahead', { newest: start + 72 * hour }, start],
  ['a build of tomorrow', {}, start + 24 * hour],
] as const)
  test(`a machine that starts with ${what} asks the platform by itself, and is right at once when that confirms it`, async (t) => {
    const { guard, asked, reason } = await setUp(t, { ...harness, told: start }, builtAt);
    t.is(guard.problem(), null);
    t.is(asked.length, 1);
    t.is(reason(), '');
  });

test('while it seems wrong, the platform is asked once a minute until it confirms', async (t) => {
  const { guard, harness, clock, asked } = await setUp(t, { newest: start + 72 * hour, told: undefined });
  await clock.advance(3 * minute);
  t.is(asked.length, 4);
  t.not(guard.problem(), null);
  harness.told = clock.now();
  await clock.advance(minute + 5_000);
  t.is(guard.problem(), null);
  await clock.advance(5 * minute);
  t.is(asked.length, 5);
});

test('a clock that nothing contradicts asks the platform once', async (t) => {
  const { clock, asked } = await setUp(t);
  await clock.advance(hour);
  t.is(asked.length, 1);
});

test('a machine that is days behind takes nothing, however long, while the platform says so', async (t) => {
  const { guard, clock, harness, errors, reason } = await setUp(t, {
    newest: start + 72 * hour,
    told: start + 72 * hour,
  });
  harness.platform = null;
  for (let minutes = 0; minutes < 60; minutes += 1) {
    harness.told = clock.now() + 72 * hour;
    await clock.advance(minute);
    t.regex(guard.problem() ?? '', /ahead of it/);
  }
  t.regex(reason(), /ahead of it/);
  t.true(errors().length >= 59);
  clock.jump(72 * hour);
  await clock.advance(5_000);
  t.is(guard.problem(), null);
});

for (const told of [null, undefined])
  test(`where the platform ${told === null ? 'tells no time' : 'is away'}, webhooks are taken after 10 minutes, with an error line a minute`, async (t) => {
    const { guard, clock, harness, errors, reason } = await setUp(t, { newest: start + 72 * hour, told });
    await clock.advance(10 * minute - 5_000);
    t.not(guard.problem(), null);
    await clock.advance(5_000);
    t.is(guard.problem(), null);
    t.is(guard.reference(), start + 72 * hour);
    const before = errors().length;
    await clock.advance(hour);
    t.is(guard.problem(), null);
    t.true(errors().length - before >= 59);
    t.regex(reason(), /ahead of it/);
    harness.told = clock.now() + 72 * hour;
    await clock.advance(2 * minute);
    t.regex(guard.problem() ?? '', /ahead of it/);
  });

testProp(
  'records of fewer partitions than the half that are ahead stop nobody, those of more do',
  [fc.nat({ max: 20 }), fc.nat({ max: 20 })],
  async (t, ahead, right) => {
    const newest = [
      ...Array.from({ length: ahead }, () => start + 72 * hour),
      ...Array.from({ length: right }, (_, index) => start - index * hour),
    ];
    const { guard } = await setUp(t, { newest });
    t.is(guard.problem() !== null, ahead > right);
  },
  { numRuns: 50 },
);

test('a bus that answers nothing keeps nobody from asking the platform', async (t) => {
  const { guard, asked } = await setUp(t, { hangs: true, told: start }, start + hour);
  t.is(asked.length, 1);
  t.is(guard.problem(), null);
});

test('last records that cannot be read count as those that are ahead, and give no time', async (t) => {
  const { guard } = await setUp(t, { newest: [null, null, start] });
  t.regex(guard.problem() ?? '', /ahead of it/);
  t.is(guard.reference(), start);
  t.is((await setUp(t, { newest: [null, start, start] })).guard.problem(), null);
});
