import { httpAnswer } from '@ranger-relay/http/testing';
import test from 'ava';
import { arriving, source, type Arrival } from '../test/arriving.ts';
import { createHarness, now, type Harness } from '../test/harness.ts';

const action = 'pull_observations';
const [minuteMs, hourMs, dayMs] = [60_000, 3_600_000, 86_400_000];
const iso = (ms: number): string => new Date(ms).toISOString();
const start = now - 3 * dayMs;

/** A row every ten minutes, before now and for a day on. */
const rows = Array.from({ length: 4 * 144 }, (_, n): Arrival => {
  const at = start + n * 10 * minuteMs;
  return { recordedAt: at, source: n % 3, savedAt: at + 1_000, shownAt: at + 1_000 };
});

const harnessOf = (bad: readonly string[], paging: 'cursor' | 'page' = 'cursor'): Harness => {
  const harness = createHarness();
  arriving(harness, rows, () => 0);
  harness.site.paging = paging;
  harness.site.fails = ({ id }) => bad.includes(String(id));
  return harness;
};

const run = async (harness: Harness, ms = 10 * minuteMs) => {
  const outcome = await harness.run(action, { start_datetime: iso(start), subwindow_days: 2 });
  await harness.clock.advance(ms);
  return outcome;
};

const idsOf = (harness: Harness): unknown[] => harness.events().map(({ observation }) => observation?.additional['id']);

/** What the site has shown and did not come. */
const missing = (harness: Harness, before: number): string[] => {
  const arrived = new Set(idsOf(harness));
  return rows.flatMap(({ shownAt }, n) => (shownAt <= before && !arrived.has(`o${n}`) ? [`o${n}`] : []));
};

for (const paging of ['cursor', 'page'] as const)
  test(`a row that the site always fails on stands alone (${paging}): all others come, a WARNING names its time, and it comes once it can be read`, async (t) => {
    const bad = ['o0', 'o70', 'o71', 'o300', 'o431', 'o440'];
    const harness = harnessOf(bad, paging);
    for (let n = 0; n < 40; n += 1) await run(harness);
    t.deepEqual(missing(harness, harness.clock.now() - 20 * minuteMs), bad);
    const told = harness.feed().filter(({ title }) => String(title).includes('fails on some'));
    t.like(told[0], { level: 30 });
    const parts = told.flatMap(({ data }) => (data as { parts: { from: string; to: string }[] }).parts);
    t.is(parts.length, bad.length, 'each is told once');
    t.true(parts.every(({ from, to }) => Date.parse(to) - Date.parse(from) <= 5));
    harness.site.fails = () => false;
    for (let n = 0; n < 10; n += 1) await run(harness);
    t.deepEqual(missing(harness, harness.clock.now() - 20 * minuteMs), []);
    t.is(new Set(harness.events().map(({ event_id: id }) => id)).size, new Set(idsOf(harness)).size);
    t.deepEqual(harness.state()['ranges'], []);
  });

test('while the site fails on one row, each forced run begins again and brings all others', async (t) => {
  const harness = harnessOf(['o100']);
  harness.platform.configs[action] = { force_run_since_start: true };
  const counts: number[] = [];
  for (let n = 0; n < 24; n += 1) {
    const { result } = (await run(harness, 0)) as { result?: { observations_extracted: number } };
    if (result) counts.push(result.observations_extracted);
  }
  t.true(counts.length >= 6);
  const shown = rows.filter(({ shownAt }) => shownAt <= harness.clock.now()).length;
  t.deepEqual(
    counts.filter((count) => count === 0),
    [],
  );
  t.is(new Set(idsOf(harness)).size, shown - 1);
});

test('a failing row of one source keeps no other source back', async (t) => {
  const group = '77000000-0000-4000-8000-000000000001';
  const harness = harnessOf(['o69']);
  harness.site.payloads['subjectgroups'] = [{ id: group, name: 'G', subjects: [{ id: source(9), name: 'S' }] }];
  harness.site.payloads['subjectsources'] = [0, 1, 2].map((n) => ({ source: source(n), subject: source(9) }));
  harness.platform.configs[action] = { subject_group_ids: [group] };
  for (let n = 0; n < 12; n += 1) await run(harness);
  t.deepEqual(missing(harness, harness.clock.now() - 20 * minuteMs), ['o69']);
});

test('a row that came late and cannot be read hides no row of its second that lay there before', async (t) => {
  const harness = createHarness();
  const every = Array.from({ length: 1_500 }, (_, n): Arrival => {
    const at = start + n * 2 * minuteMs;
    return { recordedAt: at, source: n % 3, savedAt: at + 1_000, shownAt: at + 1_000 };
  });
  const lateAt = now + 20 * minuteMs;
  const late = { recordedAt: start + 1_080 * 2 * minuteMs, source: 5, savedAt: lateAt, shownAt: lateAt };
  arriving(harness, [...every, late], () => 0);
  harness.site.pageSize = 10;
  harness.site.fails = ({ id }) => id === 'o1500';
  // The back-fill of three days takes longer than the listing, which leaves the hole.
  harness.site.onRequest = async ({ pathname }) => {
    if (pathname.endsWith('/observations')) await harness.clock.advance(minuteMs);
    return undefined;
  };
  harness.platform.configs[action] = { start_datetime: iso(start), subwindow_days: 1 };
  for (let n = 0; n < 40; n += 1) {
    await harness.run(action);
    await harness.clock.advance(10 * minuteMs);
  }
  harness.site.fails = () => false;
  harness.site.onRequest = () => undefined;
  for (let n = 0; n < 10; n += 1) {
    await harness.run(action);
    await harness.clock.advance(10 * minuteMs);
  }
  const arrived = new Set(idsOf(harness));
  t.deepEqual(
    Array.from({ length: 1_501 }, (_, n) => `o${n}`).filter((id) => !arrived.has(id)),
    [],
  );
});

test('a site that fails on everything is an outage: the runs fail, nothing is passed over, and all comes afterwards', async (t) => {
  for (const isEmptyAnswered of [false, true]) {
    const harness = harnessOf([]);
    harness.site.fails = () => true;
    if (!isEmptyAnswered)
      harness.site.onRequest = (url) => (url.pathname.endsWith('/observations') ? httpAnswer(503) : undefined);
    for (let n = 0; n < 30; n += 1) {
      const outcome = await run(harness);
      if (!isEmptyAnswered) t.like(outcome, { kind: 'failed', transient: true });
    }
    t.deepEqual(idsOf(harness), []);
    harness.site.fails = () => false;
    harness.site.onRequest = () => undefined;
    for (let n = 0; n < 4; n += 1) await run(harness, hourMs);
    t.deepEqual(missing(harness, harness.clock.now() - 2 * hourMs), [], String(isEmptyAnswered));
  }
});
