import test from 'ava';
import { arriving, type Arrival } from '../test/arriving.ts';
import { createHarness, now, type Harness } from '../test/harness.ts';
import { siteRefusal } from '../test/site.ts';

const action = 'pull_observations';
const [secondMs, minuteMs, hourMs, dayMs] = [1_000, 60_000, 3_600_000, 86_400_000];
const iso = (ms: number): string => new Date(ms).toISOString();

const idsOf = (harness: Harness): Set<unknown> =>
  new Set(harness.events().map(({ observation }) => observation?.additional['id']));

/** A row each second, saved a second later, of four sources in turn. */
const steady = (count: number): Arrival[] =>
  Array.from({ length: count }, (_, n) => {
    const recordedAt = now + n * secondMs;
    return { recordedAt, source: n % 4, savedAt: recordedAt + secondMs, shownAt: recordedAt + secondMs };
  });

/** A site to which rows come, and its pull from now on. */
const harnessOf = (arrivals: readonly Arrival[], pageSize?: number): Harness => {
  const harness = createHarness();
  arriving(harness, arrivals, () => 0);
  harness.platform.configs[action] = { start_datetime: iso(now) };
  if (pageSize !== undefined) harness.site.pageSize = pageSize;
  return harness;
};

test('what a listing shows again is not passed on again, also when nothing else came for a week', async (t) => {
  const harness = harnessOf(steady(20));
  for (const waitMs of [10 * secondMs, 5 * secondMs, minuteMs, 8 * dayMs, dayMs]) {
    await harness.clock.advance(waitMs);
    await harness.run(action);
  }
  t.is(harness.events().length, 20);
  t.is(idsOf(harness).size, 20);
});

test('what a run published before the site failed is not passed on again, however long the next run waits', async (t) => {
  const harness = harnessOf(steady(40), 20);
  await harness.clock.advance(minuteMs);
  harness.site.onRequest = () => (harness.site.asked('observations').length > 1 ? siteRefusal(500) : undefined);
  t.is((await harness.run(action)).kind, 'failed');
  t.is(harness.events().length, 19, 'the page, up to the second in which it ends');
  harness.site.onRequest = () => undefined;
  for (const waitMs of [9 * dayMs, dayMs]) {
    await harness.clock.advance(waitMs);
    await harness.run(action);
  }
  t.is(idsOf(harness).size, 40);
  t.is(harness.events().length, 40);
});

test('many rows of one source that come at once are passed on once, however often the quiet site shows them', async (t) => {
  const savedAt = now + 3_000 * secondMs;
  const bulk = Array.from({ length: 6_000 }, (_, n): Arrival => {
    const recordedAt = now + Math.floor(n / 2) * secondMs;
    return { recordedAt, source: 0, savedAt: savedAt + (n % 100), shownAt: savedAt };
  });
  const harness = harnessOf(bulk, 1_000);
  await harness.clock.advance(hourMs);
  for (let runs = 0; runs < 4; runs += 1) {
    await harness.run(action);
    await harness.clock.advance(hourMs);
  }
  t.is(idsOf(harness).size, 6_000);
  t.is(harness.events().length, 6_000);
});
