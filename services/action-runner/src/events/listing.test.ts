import { fc, testProp } from '@fast-check/ava';
import { rolledBack } from '@ranger-relay/actions';
import test from 'ava';
import type { Row } from '../test/lists.ts';
import { createLife } from './test/life.ts';
import { harness, type Harness } from './test/harness.ts';

const [secondMs, minuteMs, hourMs, dayMs] = [1_000, 60_000, 3_600_000, 86_400_000];
const begin = Date.UTC(2026, 0, 1);
const iso = (ms: number): string => new Date(ms).toISOString();

/** What somebody writes at the site; times are true ones, ms since 1970. */
interface Edit {
  readonly event: number;
  readonly savedAt: number;
  /** When its transaction ends. */
  readonly shownAt: number;
  readonly at?: number;
}

/** A site on which edits appear by themselves. */
const editing = (edits: readonly Edit[], offsetAt: (at: number) => number = () => 0) => {
  const w = harness();
  const made = [...edits];
  const rowOf = ({ event, savedAt, at }: Edit, created: number): Row => ({
    id: `e${event}`,
    created_at: iso(created + offsetAt(created)),
    updated_at: iso(savedAt + offsetAt(savedAt)),
    time: iso(at ?? created),
    event_type: 'fire',
    title: `version ${savedAt}`,
    state: 'new',
    priority: 100,
  });
  const rows = (): Row[] => {
    const shown = made.filter(({ shownAt }) => shownAt <= w.clock.now()).toSorted((a, b) => a.savedAt - b.savedAt);
    return [...Map.groupBy(shown, ({ event }) => event).values()].map((list) =>
      rowOf(list.at(-1) as Edit, list[0]?.savedAt ?? 0),
    );
  };
  Object.defineProperty(w.site, 'events', { get: rows });
  Object.defineProperty(w.offset, 'ms', { get: () => offsetAt(w.clock.now()) });
  /** Edits one now; no two edits bear the same time. */
  const edit = (event: number): void => {
    w.clock.jump(1);
    made.push({ event, savedAt: w.clock.now(), shownAt: w.clock.now() });
  };
  return Object.assign(w, { edit, rows, until: (ms: number) => w.clock.jump(Math.max(0, ms - w.clock.now())) });
};

const missing = (w: Harness & { rows(): Row[] }): unknown[] =>
  w.rows().flatMap(({ id, title }) => {
    const stored = w.platform.ofEvent(String(id)).at(-1);
    const stands =
      stored?.changes.findLast((change) => Object.hasOwn(change, 'title'))?.['title'] ?? stored?.item['title'];
    return stands === title ? [] : [`${String(id)} ${String(title)}: ${String(stands)}`];
  });

const pagesOf = (w: Harness): number => w.site.asked.filter(({ path }) => path === 'activity/events').length;

/** Runs until the listing has ended. */
const finish = async (w: Harness, config: Row = {}): Promise<void> => {
  for (let run = 0; run < 60; run += 1) {
    const result = await w.run(config);
    if (result !== 'killed' && result.status === undefined) return;
  }
};

/** No two edits of an event bear the same time: the site tells versions apart by nothing else. */
const edits = fc.uniqueArray(
  fc.record({
    event: fc.nat(12),
    saved: fc.oneof(fc.integer({ min: 0, max: 2 * dayMs }), fc.constantFrom(hourMs, 2 * hourMs, dayMs)),
    commit: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 9 * minuteMs })),
  }),
  { minLength: 1, maxLength: 60, selector: ({ event, saved }) => `${event} ${saved}` },
);
const runs = fc.array(
  fc.record({
    waitMs: fc.oneof(fc.integer({ min: 0, max: 5 * minuteMs }), fc.integer({ min: 0, max: dayMs })),
    killAt: fc.option(fc.nat(40)),
    after: fc.boolean(),
    maxPages: fc.integer({ min: 1, max: 12 }),
  }),
  { minLength: 1, maxLength: 10 },
);
const sites = fc.record({
  offsetMs: fc.integer({ min: -hourMs, max: hourMs }),
  /** Not a whole hour, so that no two edits of an event bear the same time. */
  jumpMs: fc.constantFrom(0, -hourMs + 7, hourMs - 7),
  jumpAt: fc.integer({ min: 0, max: 2 * dayMs }),
  paging: fc.constantFrom('cursor' as const, 'page' as const, 'offset' as const),
  sorting: fc.constantFrom('honoured' as const, 'honoured' as const, 'ignored' as const, 'refused' as const),
  pageSize: fc.integer({ min: 2, max: 20 }),
  editsPerPage: fc.nat(2),
});

testProp(
  'whatever the edits, the site’s clock, order and paging, the length of runs and the kills: every event arrives as it stands at last',
  [edits, runs, sites],
  async (t, list, tries, site) => {
    const made = list.map(({ event, saved, commit }): Edit => ({
      event,
      savedAt: begin + saved,
      shownAt: begin + saved + commit,
    }));
    const w = editing(made, (at) => site.offsetMs + (at >= begin + site.jumpAt ? site.jumpMs : 0));
    w.site.paging = site.paging;
    w.site.sorting = site.sorting;
    w.site.pageSize = site.pageSize;
    let [kills, touched] = [0, 0];
    for (const { waitMs, killAt, after, maxPages } of tries) {
      w.clock.jump(waitMs);
      const before = pagesOf(w);
      w.timeUsed = () => (0.8 * (pagesOf(w) - before)) / maxPages;
      w.site.after = () => {
        const known = w.rows();
        for (let n = 0; n < site.editsPerPage && known.length > 0; n += 1) {
          touched += 1;
          w.edit(Number(String(known[(touched * 7) % known.length]?.['id']).slice(1)));
        }
      };
      kills += (await w.run({}, createLife(killAt ?? Infinity, after))) === 'killed' ? 1 : 0;
    }
    w.timeUsed = () => 0;
    w.site.after = () => undefined;
    w.until(Math.max(...made.map(({ shownAt }) => shownAt)));
    await finish(w);
    await finish(w);
    t.deepEqual(missing(w), []);
    for (const { id } of w.rows()) t.true(w.platform.ofEvent(String(id)).length <= 1 + kills);
    t.deepEqual(w.kept()?.['ranges'], []);
  },
  { numRuns: 200 },
);

const steady = (count: number, everyMs: number): Edit[] =>
  Array.from({ length: count }, (_, n) => {
    const savedAt = begin + n * everyMs;
    return { event: n, savedAt, shownAt: savedAt };
  });

for (const offsetMs of [-3 * secondMs, 3 * secondMs, -hourMs, hourMs])
  test(`events of a site whose clock is ${offsetMs / secondMs} s off all come`, async (t) => {
    const w = editing(steady(50, secondMs), () => offsetMs);
    for (let n = 0; n < 60; n += 1) await w.run();
    t.is(w.platform.stored.length, 50);
  });

test('a watermark of the future is healed with a WARNING', async (t) => {
  const w = editing(steady(5, minuteMs));
  w.until(begin + hourMs);
  await w.keep({ last_execution: iso(begin + 30 * dayMs), settings_hash: 'x' });
  w.edit(6);
  await w.run();
  t.is(w.platform.stored.length, 1);
  t.deepEqual(w.titles(), [
    'warning The watermark lay in the site’s future; the pull continues from the site’s present time',
  ]);
  w.edit(7);
  await w.run();
  t.is(w.entries.length, 1);
  t.is(w.platform.stored.length, 2);
});

test('a page that takes longer than a run may is taken all the same, and so is an event’s change', async (t) => {
  const w = editing(steady(3, secondMs));
  w.until(begin + hourMs);
  w.timeUsed = () => 0.9;
  t.like(await w.run(), { status: 'in_progress', events_extracted: 0 }, 'its time is up before the page is asked for');
  const asked = pagesOf(w);
  w.timeUsed = () => (pagesOf(w) > asked ? 0.9 : 0);
  await w.run();
  t.is(w.platform.stored.length, 3);
  for (const event of [0, 1, 2]) w.edit(event);
  for (let n = 0; n < 4; n += 1) {
    const before = pagesOf(w);
    w.timeUsed = () => (pagesOf(w) > before ? 0.9 : 0);
    await w.run();
  }
  t.deepEqual(missing(w), []);
});

test('a listing that takes ten times a run ends all the same, page by page', async (t) => {
  const w = editing(steady(2_000, secondMs));
  w.until(begin + hourMs);
  let runsMade = 0;
  for (let isDone = false; !isDone && runsMade < 30; runsMade += 1) {
    const before = pagesOf(w);
    // Two pages a run.
    w.timeUsed = () => (0.8 * (pagesOf(w) - before)) / 2;
    const result = await w.run();
    isDone = result !== 'killed' && result.status === undefined;
  }
  t.is(w.platform.stored.length, 2_000);
  t.true(runsMade <= 12, `${runsMade} runs`);
  t.true(pagesOf(w) <= 22, `${pagesOf(w)} pages`);
});

test('a second with more events than a run can take ends all the same', async (t) => {
  const w = editing(steady(450, 2));
  w.until(begin + hourMs);
  for (let runs = 0; runs < 5; runs += 1) {
    const asked = pagesOf(w);
    w.timeUsed = () => (pagesOf(w) > asked ? 0.9 : 0);
    await w.run();
  }
  t.is(w.platform.stored.length, 450);
});

for (const sorting of ['honoured', 'ignored', 'refused'] as const)
  for (const field of ['updated_at', 'created_at'] as const)
    test(`rows that move while pages are read are not passed over (sort_by ${field} is ${sorting})`, async (t) => {
      // So far apart that the overlap of the next listing shows none of them again.
      const w = editing(steady(120, hourMs));
      Object.assign(w.site, { sorting, paging: 'page', pageSize: 10 });
      w.until(begin + 121 * hourMs);
      let touched = 0;
      w.site.after = () => w.edit((touched = (touched + 41) % 120));
      await w.run({ filter_date_field: field });
      w.site.after = () => undefined;
      await finish(w, { filter_date_field: field });
      t.log(`${pagesOf(w)} pages`);
      t.is(w.platform.stored.length, 120);
      if (field === 'updated_at') t.deepEqual(missing(w), []);
    });

for (const sorting of ['honoured', 'refused'] as const)
  test(`more events of one instant than a page holds all come, while some of them are edited (sort_by ${sorting})`, async (t) => {
    const same = Array.from({ length: 90 }, (_, event) => ({
      event,
      savedAt: begin + hourMs,
      shownAt: begin + hourMs,
    }));
    const w = editing([
      ...same,
      ...steady(5, minuteMs).map((each) => Object.assign(each, { event: each.event + 100 })),
    ]);
    Object.assign(w.site, { sorting, paging: 'page', pageSize: 10 });
    w.until(begin + 2 * hourMs);
    let touched = 0;
    // Those of pages that were read leave them.
    w.site.after = () => {
      const event = [undefined, undefined, undefined, 0, 10, 11, 12][(touched += 1)];
      if (event !== undefined) w.edit(event);
    };
    await w.run();
    w.site.after = () => undefined;
    await finish(w);
    t.deepEqual(missing(w), []);
    t.is(w.platform.stored.length, 95);
  });

test('by event_time, what is written down within PULL_LATE of what happened comes', async (t) => {
  const late = { event: 99, savedAt: begin + 30 * hourMs, shownAt: begin + 30 * hourMs, at: begin + 8 * hourMs };
  const w = editing([...steady(24, hourMs), late]);
  const config = { filter_date_field: 'event_time' };
  for (let n = 0; n < 32; n += 1) {
    await w.run(config);
    w.clock.jump(hourMs);
  }
  t.is(w.platform.ofEvent('e99').length, 1);
});

test('another date that counts makes the watermark void: the listing begins at the start', async (t) => {
  const w = editing(steady(5, minuteMs));
  w.until(begin + hourMs);
  await w.run();
  w.edit(2);
  await w.run({ filter_date_field: 'created_at' });
  const { query } = w.site.asked.findLast(({ path }) => path === 'activity/events') ?? t.fail();
  t.like(JSON.parse(query['filter'] ?? ''), { create_date: { lower: '2025-11-30T23:59:59.999Z' } });
});

test('after state rollback the listing begins there again; what is known is not sent again', async (t) => {
  const w = editing(steady(20, minuteMs));
  w.until(begin + hourMs);
  await w.run();
  await w.keep(rolledBack(w.kept() ?? {}, begin, false));
  t.like(await w.run(), { events_extracted: 20 });
  t.is(w.platform.posts.flat().length, 20);
});

// The acceptance is PULL_ROWS=10000.
test('events that are edited between pages, by a clock an hour off, in runs of a tenth of the time and through kills: all stand', async (t) => {
  t.timeout(600_000);
  const count = Number(process.env['PULL_ROWS'] ?? '1000');
  const w = editing(steady(count, Math.floor((2 * dayMs) / count)), (at) =>
    at < begin + 2 * dayMs ? hourMs : -hourMs,
  );
  w.until(begin + dayMs);
  const pagesOfARun = Math.max(1, Math.ceil(count / 2 / 100 / 10));
  let [runsMade, kills, touched] = [0, 0, 0];
  for (; w.clock.now() < begin + 3 * dayMs; runsMade += 1) {
    const before = pagesOf(w);
    w.timeUsed = () => (0.8 * (pagesOf(w) - before)) / pagesOfARun;
    w.site.after = () => {
      touched += 1;
      for (let n = 0; n < 5; n += 1) w.edit((touched * 37 + n * 101) % (count / 2));
    };
    const dies = runsMade % 4 === 2;
    const end = await w.run({}, createLife(dies ? 5 + (runsMade % 300) : Infinity, runsMade % 8 === 2));
    kills += end === 'killed' ? 1 : 0;
    w.clock.jump(30 * minuteMs);
  }
  w.timeUsed = () => 0;
  w.site.after = () => undefined;
  await finish(w);
  t.log(`events: ${JSON.stringify({ rows: count, runs: runsMade, kills, edits: 5 * touched, pages: pagesOf(w) })}`);
  t.deepEqual(missing(w), []);
  t.true(w.platform.stored.length <= count + kills * 100);
});
