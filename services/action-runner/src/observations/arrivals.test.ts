import { fc, testProp } from '@fast-check/ava';
import { rolledBack } from '@ranger-relay/actions';
import test from 'ava';
import { arriving, source, type Arrival } from '../test/arriving.ts';
import { lifeOf } from '../test/life.ts';
import { createHarness, now, park, type Harness, olderOf } from '../test/harness.ts';

const action = 'pull_observations';
const [secondMs, minuteMs, hourMs, dayMs] = [1_000, 60_000, 3_600_000, 86_400_000];
const iso = (ms: number): string => new Date(ms).toISOString();
const group = '77000000-0000-4000-8000-000000000001';
const wanted = { integration: { id: park }, wanted: { actionId: action }, triggeredBy: 'manual' } as const;

const idsOf = (harness: Harness): Set<unknown> =>
  new Set(harness.events().map(({ observation }) => observation?.additional['id']));
const eventIds = (harness: Harness): Set<string> => new Set(harness.events().map(({ event_id: id }) => id));
const pagesOf = (harness: Harness): number => harness.site.asked('observations').length;

/** Runs one process; its lease runs out when it was killed. */
const runOnce = async (harness: Harness, life = lifeOf(), maxExecutionMs?: number): Promise<void> => {
  await Promise.race([harness.start(life, maxExecutionMs).execute(wanted), life.dead]);
  await harness.clock.advance(31 * secondMs);
};

const quietly = async (harness: Harness, max: number): Promise<void> => {
  for (let run = 0; run < max; run += 1) {
    await runOnce(harness);
    if ((harness.state()['ranges'] as unknown[]).length === 0) return;
  }
};

const delay = fc.oneof(
  fc.integer({ min: 0, max: 60 * secondMs }),
  fc.integer({ min: 0, max: 6 * hourMs }),
  fc.integer({ min: 0, max: 10 * dayMs }),
);
const arrival = fc.record({
  recorded: fc.integer({ min: 0, max: 8 * dayMs }),
  /** Instead: so long after, or before, the site's clock jumps. */
  nearJump: fc.option(fc.integer({ min: -2 * hourMs, max: 2 * hourMs })),
  way: delay,
  commit: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 9 * minuteMs })),
  source: fc.nat(3),
});
const run = fc.record({
  waitMs: fc.oneof(fc.integer({ min: 0, max: minuteMs }), fc.integer({ min: 0, max: 2 * dayMs })),
  killAt: fc.option(fc.integer({ min: 1, max: 60 })),
  after: fc.boolean(),
  /** How long a page of the site takes, as a share of a run. */
  page: fc.constantFrom(0, 0.05, 0.3, 0.3),
});
const circumstances = fc.record({
  offsetMs: fc.integer({ min: -hourMs, max: hourMs }),
  jumpMs: fc.constantFrom(0, -hourMs, -hourMs, hourMs),
  jumpAt: fc.integer({ min: 0, max: 8 * dayMs }),
  arrival: fc.constantFrom('honoured' as const, 'ignored' as const, 'refused' as const),
  paging: fc.constantFrom('cursor' as const, 'page' as const, 'offset' as const),
  pageSize: fc.oneof(fc.integer({ min: 2, max: 5 }), fc.integer({ min: 6, max: 30 })),
  filtered: fc.boolean(),
});

testProp(
  'whatever the delays, the site’s clock and paging, the length of runs and the kills: every row arrives, once for its event id',
  [fc.array(arrival, { maxLength: 60, size: 'max' }), fc.array(run, { minLength: 1, maxLength: 12 }), circumstances],
  async (t, rows, runs, site) => {
    const harness = createHarness();
    const start = now - 5 * dayMs;
    // Without arrivals a site shows what comes within PULL_LATE, by recording times that its devices and it agree on.
    const maxDelay = site.arrival === 'honoured' ? Infinity : 20 * hourMs;
    const arrivals = rows.map(({ recorded, nearJump, way, commit, source: n }): Arrival => {
      const recordedAt = start + (nearJump === null ? recorded : Math.max(0, site.jumpAt + nearJump));
      const savedAt = recordedAt + Math.min(way, maxDelay);
      return { recordedAt, source: n, savedAt, shownAt: savedAt + commit };
    });
    arriving(harness, arrivals, (at) => site.offsetMs + (at >= start + site.jumpAt ? site.jumpMs : 0));
    harness.site.arrival = site.arrival;
    harness.site.paging = site.paging;
    harness.site.pageSize = site.pageSize;
    harness.site.payloads['subjectgroups'] = [{ id: group, name: 'G', subjects: [{ id: source(9), name: 'S' }] }];
    harness.site.payloads['subjectsources'] = [0, 1, 2, 3].map((n) => ({ source: source(n), subject: source(9) }));
    harness.platform.configs[action] = { start_datetime: iso(start), subject_group_ids: site.filtered ? [group] : [] };

    const maxExecutionMs = 60 * secondMs;
    for (const { waitMs, killAt, after, page } of runs) {
      await harness.clock.advance(waitMs);
      harness.site.onRequest = async (url) => {
        if (url.pathname.endsWith('/observations')) await harness.clock.advance(page * maxExecutionMs);
        return undefined;
      };
      await runOnce(harness, lifeOf(killAt ?? Infinity, after), maxExecutionMs);
    }
    harness.site.onRequest = () => undefined;
    await quietly(harness, 20);
    const last = Math.max(harness.clock.now(), ...arrivals.map(({ shownAt }) => shownAt));
    await harness.clock.advance(last - harness.clock.now());
    await quietly(harness, 20);
    for (const [index] of arrivals.entries()) t.true(idsOf(harness).has(`o${index}`), `o${index} was passed over`);
    t.is(eventIds(harness).size, arrivals.length);
    t.is(olderOf(harness), undefined);
  },
  { numRuns: 120 },
);

/** A row each `everyMs` for a while, of four sources in turn. */
const steady = (count: number, everyMs: number, wayOf: (n: number) => number): Arrival[] =>
  Array.from({ length: count }, (_, n) => {
    const recordedAt = now + n * everyMs;
    const savedAt = recordedAt + wayOf(n);
    return { recordedAt, source: n % 4, savedAt, shownAt: savedAt };
  });

const startAt = (harness: Harness, at: number, more: object = {}): void => {
  harness.platform.configs[action] = { start_datetime: iso(at), ...more };
};

test('what reaches the site two seconds after it was recorded comes, pulled each five seconds', async (t) => {
  const harness = createHarness();
  arriving(
    harness,
    steady(150, secondMs, () => 2 * secondMs),
    () => 0,
  );
  startAt(harness, now);
  for (let n = 0; n < 32; n += 1) {
    await harness.run(action);
    await harness.clock.advance(5 * secondMs);
  }
  t.is(idsOf(harness).size, 150);
});

test('a watermark of the future is healed with a WARNING, and nothing that came meanwhile is lost', async (t) => {
  const harness = createHarness();
  const arrivals = steady(3, minuteMs, () => 0);
  arriving(harness, arrivals, () => 0);
  await harness.setState({ last_execution: iso(now + 30 * dayMs), settings_hash: 'of before' });
  startAt(harness, now - dayMs);
  await harness.clock.advance(5 * minuteMs);
  await harness.run(action);
  t.is(idsOf(harness).size, 3);
  t.like(harness.feed()[0], {
    level: 30,
    title: 'The watermark lay in the site’s future; the pull continues from the site’s present time',
  });
  t.true(Date.parse(String(harness.state()['last_execution'])) <= harness.clock.now());
  await harness.run(action);
  t.is(harness.feed().length, 1, 'once');
});

test('a site whose clock is set back is reached back to as far, with a WARNING, and nothing is lost', async (t) => {
  const harness = createHarness();
  arriving(
    harness,
    steady(180, minuteMs, () => 0),
    (at) => (at < now + 90 * minuteMs ? 0 : -hourMs),
  );
  startAt(harness, now);
  for (const waitMs of [60 * minuteMs, 25 * minuteMs, 80 * minuteMs, 30 * minuteMs]) {
    await harness.clock.advance(waitMs);
    await harness.run(action);
  }
  t.is(idsOf(harness).size, 180);
  t.deepEqual(
    harness.feed().map(({ level, data }) => [level, data]),
    [[30, { by_seconds: 3_600 }]],
  );
});

test('sources that are looked up slowly between the answer of the site and its use are no jump of a clock', async (t) => {
  const harness = createHarness();
  const fresh = Array.from({ length: 10 }, (_, n): Arrival => {
    const at = now + hourMs + n * secondMs;
    return { recordedAt: at, source: n, savedAt: at, shownAt: at };
  });
  arriving(harness, fresh, () => 0);
  startAt(harness, now);
  await harness.run(action);
  await harness.clock.advance(2 * hourMs);
  harness.site.onRequest = async (url) => {
    if (/source\/[^/]+\/$/.test(url.pathname)) await harness.clock.advance(10 * secondMs);
    return undefined;
  };
  const before = harness.clock.now();
  await harness.run(action);
  t.true(harness.clock.now() - before > 80 * secondMs);
  t.is(idsOf(harness).size, 10);
  t.deepEqual(harness.feed(), []);
});

const shown = (recordedAt: number, savedAt: number): Arrival => ({ recordedAt, source: 0, savedAt, shownAt: savedAt });

test('a row that slips in behind the place of a long listing comes with the next one', async (t) => {
  const harness = createHarness();
  const listed = Array.from({ length: 80 }, (_, n) => shown(now + hourMs + n * secondMs, now + 2 * hourMs));
  const [slipped, newest] = [
    shown(now + hourMs - 1, now + 150 * minuteMs),
    shown(now + 4 * hourMs, now + 170 * minuteMs),
  ];
  arriving(harness, [...listed, slipped, newest], () => 0);
  startAt(harness, now);
  await harness.run(action);
  harness.site.pageSize = 10;
  harness.site.onRequest = async (url) => {
    if (url.pathname.endsWith('/observations')) await harness.clock.advance(7.5 * minuteMs);
    return undefined;
  };
  await harness.clock.advance(2 * hourMs);
  await quietly(harness, 12);
  t.is(idsOf(harness).size, 81, 'the listing had passed its place');
  await quietly(harness, 12);
  t.is(idsOf(harness).size, 82);
});

test('a unit that takes ten times a run ends all the same, and what arrives meanwhile comes meanwhile', async (t) => {
  const harness = createHarness();
  const old = Array.from({ length: 1_000 }, (_, n): Arrival => {
    const recordedAt = now - dayMs + n;
    return { recordedAt, source: 0, savedAt: recordedAt, shownAt: recordedAt };
  });
  const fresh = steady(1, 1, () => minuteMs);
  arriving(harness, [...old, ...fresh], () => 0);
  startAt(harness, now - dayMs);
  harness.site.pageSize = 10;
  // Ten pages a run, of a hundred.
  harness.site.onRequest = async (url) => {
    if (url.pathname.endsWith('/observations')) await harness.clock.advance(54 * secondMs);
    return undefined;
  };
  let runs = 0;
  let freshAt = 0;
  do {
    await runOnce(harness);
    runs += 1;
    if (freshAt === 0 && idsOf(harness).has('o1000')) freshAt = runs;
  } while (olderOf(harness) !== undefined && runs < 40);
  t.is(idsOf(harness).size, 1_001);
  t.true(freshAt > 0 && freshAt <= 3, `in run ${freshAt}`);
  t.true(runs <= 16, `${runs} runs`);
  t.true(pagesOf(harness) <= 150, `${pagesOf(harness)} pages`);
});

test('a run over its time is answered 504, and the next one goes on behind its last page', async (t) => {
  const harness = createHarness();
  arriving(
    harness,
    Array.from({ length: 50 }, (_, n): Arrival => ({
      recordedAt: now - 100_000 + n * secondMs,
      source: 0,
      savedAt: now - 4_000,
      shownAt: now - 4_000,
    })),
    () => 0,
  );
  startAt(harness, now - dayMs, { subwindow_days: 30 });
  harness.site.pageSize = 10;
  for (let tries = 0; idsOf(harness).size < 50 && tries < 12; tries += 1) {
    let pages = 0;
    harness.site.onRequest = async (url) => {
      if (url.pathname.endsWith('/observations') && (pages += 1) === 2) await harness.clock.advance(541 * secondMs);
      return undefined;
    };
    if (tries < 4) t.is((await harness.start().execute(wanted)).kind, 'timed_out');
    else await harness.start().execute(wanted);
    await harness.clock.advance(31 * secondMs);
  }
  t.is(idsOf(harness).size, 50);
});

test('after state rollback what came since is delivered again, as new events', async (t) => {
  const harness = createHarness();
  arriving(
    harness,
    steady(20, minuteMs, () => 0),
    () => 0,
  );
  startAt(harness, now);
  await harness.clock.advance(30 * minuteMs);
  await harness.run(action);
  await harness.setState(rolledBack(harness.state(), now, false));
  const before = harness.events().length;
  await harness.run(action);
  t.is(harness.events().length - before, 20);
  t.is(eventIds(harness).size, 40);
});

test('a state that somebody sets while a run works is not written over', async (t) => {
  const harness = createHarness();
  arriving(
    harness,
    steady(20, minuteMs, () => 0),
    () => 0,
  );
  startAt(harness, now);
  await harness.clock.advance(30 * minuteMs);
  const set = { last_execution: iso(now), settings_hash: 'somebody’s', attempt: 7 };
  harness.bus.before = ({ topic }) => {
    if (topic === 'source-events') void harness.setState(set);
  };
  t.like(await harness.run(action), { kind: 'complete', result: { status: 'in_progress' } });
  t.deepEqual(harness.state(), set);
});

test('a site that does not filter by arrival is read by windows of recording time, with a WARNING a day', async (t) => {
  for (const arrival of ['ignored', 'refused'] as const) {
    const harness = createHarness();
    arriving(
      harness,
      steady(48, hourMs, (n) => (n % 3) * 5 * hourMs),
      () => 0,
    );
    harness.site.arrival = arrival;
    startAt(harness, now - 30 * dayMs);
    for (let n = 0; n < 60; n += 1) {
      await harness.clock.advance(hourMs);
      await harness.run(action);
    }
    t.is(idsOf(harness).size, 48, arrival);
    t.is(eventIds(harness).size, 48);
    const titles = harness.feed().map(({ title }) => title);
    t.true(titles.length >= 2 && titles.length <= 3, titles.join());
    t.regex(String(titles[0]), /does not filter by arrival/);
  }
});

// The acceptance is PULL_ROWS=10000.
test('rows that come seconds to ten days late, by a clock an hour off that jumps, in runs of a tenth of the time and through kills: all arrive', async (t) => {
  t.timeout(600_000);
  const count = Number(process.env['PULL_ROWS'] ?? '1000');
  const harness = createHarness();
  const ways = [3 * secondMs, 40 * secondMs, 11 * minuteMs, 5 * hourMs, 3 * dayMs, 10 * dayMs];
  const arrivals = steady(count, Math.floor((10 * dayMs) / count), (n) => ways[(n * 7) % ways.length] ?? 0).map(
    (each, n) => Object.assign(each, { shownAt: each.shownAt + (n % 5 === 0 ? 8 * minuteMs : 0) }),
  );
  arriving(harness, arrivals, (at) => (at < now + 7 * dayMs ? hourMs : -hourMs));
  startAt(harness, now);
  // When the first run begins half of the rows lie there: their pages fill about ten runs.
  await harness.clock.advance(5 * dayMs);
  const maxExecutionMs = 100 * secondMs;
  const pagesOfARun = Math.ceil(count / 2 / 100 / 10);
  harness.site.onRequest = async (url) => {
    if (url.pathname.endsWith('/observations')) await harness.clock.advance((0.8 * maxExecutionMs) / pagesOfARun);
    return undefined;
  };
  let [runs, kills, backfillRuns] = [0, 0, 0];
  while (harness.clock.now() < now + 21 * dayMs) {
    const dies = runs % 4 === 2;
    await runOnce(harness, lifeOf(dies ? 12 + (runs % 40) : Infinity, runs % 8 === 2), maxExecutionMs);
    runs += 1;
    kills += dies ? 1 : 0;
    backfillRuns += olderOf(harness) === undefined ? 0 : 1;
    await harness.clock.advance(count < 5_000 ? 4 * hourMs : 30 * minuteMs);
  }
  const figures = {
    rows: count,
    runs,
    kills,
    backfillRuns,
    pages: pagesOf(harness),
    published: harness.events().length,
  };
  t.log(`arrivals: ${JSON.stringify(figures)}`);
  t.is(idsOf(harness).size, count);
  t.is(eventIds(harness).size, count);
  t.true(backfillRuns >= 8, `${backfillRuns} runs`);
  t.true(figures.pages <= 2 * runs + count / 50, 'a page or two for each run, and the pages that are full');
});
