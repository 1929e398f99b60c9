import { fc, testProp } from '@fast-check/ava';
import test from 'ava';
import { arriving, source, type Arrival } from '../test/arriving.ts';
import { createHarness, now, type Harness, olderOf } from '../test/harness.ts';

const action = 'pull_observations';
const [hourMs, dayMs] = [3_600_000, 86_400_000];
const iso = (ms: number): string => new Date(ms).toISOString();
const group = '77000000-0000-4000-8000-000000000001';

/** A row each hour of the days before now, of four sources in turn; each was at the site at once. */
const hourly = (days = 8): Arrival[] =>
  Array.from({ length: days * 24 }, (_, n) => {
    const recordedAt = now - days * dayMs + n * hourMs;
    return { recordedAt, source: n % 4, savedAt: recordedAt, shownAt: recordedAt };
  });

const harnessOf = (arrivals: readonly Arrival[]) => {
  const harness = createHarness();
  arriving(harness, arrivals, () => 0);
  harness.site.payloads['subjectgroups'] = [{ id: group, name: 'G', subjects: [{ id: source(9), name: 'S' }] }];
  return harness;
};

/** The subjects of the group wear these sources. */
const wear = (harness: Harness, sources: readonly number[]): void => {
  harness.site.payloads['subjectsources'] = sources.map((n) => ({ source: source(n), subject: source(9) }));
};

const idsOf = (harness: Harness): unknown[] => harness.events().map(({ observation }) => observation?.additional['id']);

/** Numbers of the rows of a window, of some sources. */
const within = (arrivals: readonly Arrival[], from: number, to: number, sources = [0, 1, 2, 3]): string[] =>
  arrivals.flatMap(({ recordedAt: at, source: n }, index) =>
    at >= from && at < to && sources.includes(n) ? [`o${index}`] : [],
  );

const run = async (harness: Harness, from: number, to: number | null, filtered = false): Promise<void> => {
  await harness.run(action, {
    start_datetime: iso(from),
    end_datetime: to === null ? null : iso(to),
    subject_group_ids: filtered ? [group] : [],
  });
  await harness.clock.advance(60_000);
};

test('rows between an end and a later one, or none, are delivered, each once', async (t) => {
  const rows = hourly();
  const harness = harnessOf(rows);
  const start = now - 8 * dayMs;
  await run(harness, start, now - 6 * dayMs);
  t.deepEqual(idsOf(harness), within(rows, start, now - 6 * dayMs));
  await run(harness, start, now - 3 * dayMs);
  t.deepEqual(idsOf(harness), within(rows, start, now - 3 * dayMs));
  await run(harness, start, null);
  t.deepEqual(idsOf(harness), within(rows, start, Infinity));
  t.is(olderOf(harness), undefined);
});

test('rows between an earlier start and the one before are delivered, each once', async (t) => {
  const rows = hourly();
  const harness = harnessOf(rows);
  await run(harness, now - 3 * dayMs, null);
  await run(harness, now - 7 * dayMs, null);
  t.deepEqual(idsOf(harness).toSorted(), within(rows, now - 7 * dayMs, Infinity).toSorted());
});

test('a source that joins the groups is pulled from the start, the others are not pulled again', async (t) => {
  const rows = hourly();
  const harness = harnessOf(rows);
  const start = now - 8 * dayMs;
  wear(harness, [1, 2]);
  await run(harness, start, null, true);
  wear(harness, [0, 1, 2, 3]);
  await run(harness, start, null, true);
  t.deepEqual(idsOf(harness).toSorted(), within(rows, start, Infinity).toSorted());
});

test('a source that joins while a back-fill or a listing works, and sorts before its place, is pulled whole', async (t) => {
  const rows = hourly();
  const start = now - 8 * dayMs;
  for (const failAt of [1, 3, 7, 17]) {
    const harness = harnessOf(rows);
    wear(harness, [1, 2]);
    let pages = 0;
    harness.site.onRequest = async (url) => {
      if (!url.pathname.endsWith('/observations')) return undefined;
      pages += 1;
      // From then on the run has no time left.
      if (pages === failAt) await harness.clock.advance(432_001);
      return undefined;
    };
    await run(harness, start, null, true);
    wear(harness, [0, 1, 2]);
    for (let runs = 0; runs < 3; runs += 1) await run(harness, start, null, true);
    const [came, due] = [idsOf(harness), within(rows, start, Infinity, [0, 1, 2])];
    t.deepEqual([due.filter((id) => !came.includes(id)), came.length - due.length], [[], 0], `page ${failAt}`);
  }
});

test('a source that leaves the groups and returns brings what the site got meanwhile, and not what was passed on before', async (t) => {
  const start = now - 2 * dayMs;
  const rows = Array.from({ length: 13 }, (_, n): Arrival => {
    const at = start + n * 6 * hourMs;
    return { recordedAt: at, source: n % 2, savedAt: at, shownAt: at };
  });
  const harness = harnessOf(rows);
  const later = async (sources: readonly number[], ms: number): Promise<void> => {
    await harness.clock.advance(ms);
    wear(harness, sources);
    await run(harness, start, null, true);
  };
  await later([0, 1], 0);
  for (let quarter = 0; quarter < 3; quarter += 1) await later([1], 6 * hourMs);
  await later([0, 1], 6 * hourMs);
  const ids = idsOf(harness);
  t.deepEqual([...new Set(ids)].toSorted(), within(rows, start, Infinity).toSorted());
  t.is(new Set(harness.events().map(({ event_id: id }) => id)).size, rows.length);
  t.deepEqual(
    ids.filter((id) => id === 'o0' || id === 'o2'),
    ['o0', 'o2'],
    'what came long before is not read again',
  );
});

/** A row that the site saves when it is recorded. */
const saved = (at: number, n: number, shownAt = at): Arrival => ({ recordedAt: at, source: n, savedAt: at, shownAt });

test('what the site had saved of a source before it left the groups, and showed only afterwards, comes when it returns', async (t) => {
  const harness = harnessOf([saved(now - 60_000, 1), saved(now - 10_000, 0, now + hourMs), saved(now + hourMs / 2, 1)]);
  const later = async (sources: readonly number[], ms: number): Promise<void> => {
    await harness.clock.advance(ms);
    wear(harness, sources);
    await run(harness, now - dayMs, null, true);
  };
  await later([0, 1], 0);
  await later([1], 0);
  await later([1], hourMs);
  t.deepEqual([...new Set(idsOf(harness))], ['o0', 'o2']);
  await later([0, 1], hourMs);
  t.deepEqual([...new Set(idsOf(harness))].toSorted(), ['o0', 'o1', 'o2']);
});

const day = fc.integer({ min: 0, max: 10 });
const settings = fc.record({
  from: day,
  days: fc.option(fc.integer({ min: 1, max: 8 })),
  sources: fc.option(fc.uniqueArray(fc.nat(3), { minLength: 1 })),
  /** The run ends after so many pages. */
  pages: fc.option(fc.integer({ min: 1, max: 8 })),
  waitMs: fc.integer({ min: 0, max: dayMs }),
});

testProp(
  'whatever the order in which window and sources change: every row of the last ones arrives',
  [fc.array(settings, { minLength: 1, maxLength: 8 })],
  async (t, changes) => {
    const rows = hourly(12);
    const harness = harnessOf(rows);
    let [asked, most] = [0, Infinity];
    harness.site.onRequest = async (url) => {
      if (!url.pathname.endsWith('/observations')) return undefined;
      asked += 1;
      if (asked === most) await harness.clock.advance(432_001);
      return undefined;
    };
    const first = now - 12 * dayMs;
    const one = async ({ from, days, sources, pages, waitMs }: (typeof changes)[number]): Promise<void> => {
      await harness.clock.advance(waitMs);
      [asked, most] = [0, pages ?? Infinity];
      wear(harness, sources ?? []);
      const start = first + from * dayMs;
      await run(harness, start, days === null ? null : start + days * dayMs, sources !== null);
    };
    for (const change of changes) await one(change);
    const last = changes.at(-1) as (typeof changes)[number];
    for (let runs = 0; runs < 12; runs += 1) await one({ ...last, pages: null });
    const start = first + last.from * dayMs;
    const end = last.days === null ? Infinity : start + last.days * dayMs;
    const ids = new Set(idsOf(harness));
    for (const id of within(rows, start, end, last.sources ?? undefined)) t.true(ids.has(id), `${id} was passed over`);
    t.is(olderOf(harness), undefined);
  },
  { numRuns: 60 },
);
