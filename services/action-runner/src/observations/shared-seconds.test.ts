import { fc, testProp } from '@fast-check/ava';
import test, { type ExecutionContext } from 'ava';
import { arriving, type Arrival } from '../test/arriving.ts';
import { createHarness, now, type Harness } from '../test/harness.ts';

const action = 'pull_observations';
const [secondMs, minuteMs, hourMs] = [1_000, 60_000, 3_600_000];
const iso = (ms: number): string => new Date(ms).toISOString();

const arrivalsOf = (times: readonly number[], savedAfter = 0): Arrival[] =>
  times.map((recordedAt, n) => ({
    recordedAt,
    source: n,
    savedAt: recordedAt + savedAfter,
    shownAt: recordedAt + savedAfter,
  }));

/** So many devices report together, so many times. */
const together = (devices: number, reports: number, everyMs: number, from = now - hourMs): number[] =>
  Array.from({ length: devices * reports }, (_, n) => from + Math.floor(n / devices) * everyMs);

const run = (harness: Harness, start: number) => harness.run(action, { start_datetime: iso(start) });

const eachOnce = (t: ExecutionContext, harness: Harness, count: number): void => {
  const ids = harness.events().map(({ observation }) => String(observation?.additional['id']));
  t.is(new Set(ids).size, count, 'different rows');
  t.is(ids.length, count, 'rows');
};

for (const paging of ['cursor', 'page', 'offset'] as const)
  for (const [devices, reports, everyMs] of [
    [150, 5, hourMs],
    [7, 60, 5 * minuteMs],
    [1_200, 2, minuteMs],
  ] as const)
    test(`${devices} devices that report in the same second lose no position in a back-fill (pages by ${paging})`, async (t) => {
      const harness = createHarness();
      harness.site.paging = paging;
      const from = now - 24 * hourMs;
      arriving(harness, arrivalsOf(together(devices, reports, everyMs, from)), () => 0);
      t.like(await run(harness, from), { result: { status: 'complete', units_failed: 0 } });
      eachOnce(t, harness, devices * reports);
      t.deepEqual(harness.feed(), []);
    });

test('devices that report in the same second lose no position in the listings of what arrived', async (t) => {
  const harness = createHarness();
  const times = together(150, 6, 10 * minuteMs, now);
  arriving(harness, arrivalsOf(times, 30 * secondMs), () => 0);
  for (let runs = 0; runs < 9; runs += 1) {
    await run(harness, now - hourMs);
    await harness.clock.advance(10 * minuteMs);
  }
  eachOnce(t, harness, 900);
});

test('a second with more positions than the site gives at once is named in a WARNING, and everything around it comes', async (t) => {
  const harness = createHarness();
  harness.site.largest = 200;
  const crowded = now - 30 * minuteMs;
  const times = [...together(150, 2, minuteMs), ...Array.from({ length: 201 }, () => crowded), now - minuteMs];
  arriving(harness, arrivalsOf(times), () => 0);
  t.like(await run(harness, now - hourMs), { result: { status: 'complete' } });
  eachOnce(t, harness, 501);
  t.like(harness.feed(), [{ level: 30, data: { seconds: [{ second: iso(crowded), source: null }] } }]);
  t.regex(String(harness.feed()[0]?.['title']), /subject groups/);
});

/** Times that often fall into one second, some with fractions of it. */
const time = fc
  .tuple(fc.nat(6), fc.constantFrom(0, 0, 0, 1, 999))
  .map(([second, ms]) => now - hourMs + second * secondMs + ms);

testProp(
  'whatever rows share a second, in whatever order each page gives them: every row is delivered exactly once',
  [
    fc.array(time, { maxLength: 120, size: 'max' }),
    fc.integer({ min: 1, max: 30 }),
    fc.constantFrom('cursor' as const, 'page' as const, 'offset' as const),
    fc.boolean(),
  ],
  async (t, times, pageSize, paging, isBackfill) => {
    const harness = createHarness();
    Object.assign(harness.site, { pageSize, paging });
    if (!isBackfill) await run(harness, now - hourMs);
    // So late that they come by arrival.
    const late = isBackfill ? 0 : hourMs + minuteMs;
    arriving(harness, arrivalsOf(times, late), () => 0);
    await harness.clock.advance(2 * minuteMs);
    await run(harness, now - hourMs);
    eachOnce(t, harness, times.length);
  },
  { numRuns: 100 },
);
