import { fc, testProp } from '@fast-check/ava';
import { rolledBack } from '@ranger-relay/actions';
import test from 'ava';
import { siteError } from './test/fake-site.ts';
import { startDatetime, harness, type Harness } from './test/harness.ts';

const [minuteMs, hourMs, dayMs] = [60_000, 3_600_000, 86_400_000];
const oldTypes = 'activity/events/eventtypes';
const newTypes = '/api/v2.0/activity/eventtypes';

/** A site that knows and filters by these types: each is its own id. */
const harnessOf = (...types: readonly string[]): Harness => {
  const w = harness();
  know(w, ...types);
  w.site.typesOf = ({ event_type: type }) => [`t-${String(type)}`];
  return w;
};

const know = (w: Harness, ...types: readonly string[]): void => {
  w.site.lists[oldTypes] = types.map((value) => ({ id: `t-${value}`, value, display: value }));
  w.site.lists[newTypes] = [];
};

const storedIds = (w: Harness): string[] =>
  w.platform.stored.map(({ item }) => {
    const { source_event_url: url } = item['provider_metadata'] as { source_event_url: string };
    return url.split('/').at(-1) ?? '';
  });

/** An event of a type, written now. */
const write = (w: Harness, id: string, type: string): void => {
  w.clock.jump(20 * minuteMs);
  w.write(id, { event_type: type });
};

test('events of a type that the site names only later are sent then', async (t) => {
  const w = harnessOf('fire');
  const config = { event_types: ['fire', 'flood'] };
  write(w, 'flood-1', 'flood');
  write(w, 'fire-1', 'fire');
  await w.run(config);
  t.deepEqual(storedIds(w), ['fire-1']);
  know(w, 'fire', 'flood');
  write(w, 'fire-2', 'fire');
  await w.run(config);
  t.deepEqual(storedIds(w), ['fire-1', 'fire-2', 'flood-1']);
  await w.run(config);
  t.is(storedIds(w).length, 3);
});

test('while the site refuses the list of new types their events wait; afterwards those come, and only they are asked for', async (t) => {
  const w = harnessOf('fire', 'flood');
  const config = { event_types: ['fire', 'flood'] };
  for (let n = 0; n < 5; n += 1) write(w, `flood-${n}`, 'flood');
  await w.run(config);
  w.site.before = (path) => {
    if (path === oldTypes) throw siteError('site_forbidden');
  };
  w.site.lists[newTypes] = [{ id: 't-fire', value: 'fire' }];
  write(w, 'flood-5', 'flood');
  write(w, 'fire-1', 'fire');
  await w.run(config);
  t.false(storedIds(w).includes('flood-5'));
  w.site.before = () => undefined;
  w.site.asked.length = 0;
  write(w, 'fire-2', 'fire');
  await w.run(config);
  t.deepEqual(storedIds(w).slice(5), ['fire-1', 'fire-2', 'flood-5']);
  const lowers = w.site.asked.flatMap(({ path, query }) =>
    path === 'activity/events' ? [JSON.parse(query['filter'] ?? '{}') as { update_date: { lower: string } }] : [],
  );
  t.true(lowers.every(({ update_date: { lower } }) => Date.parse(lower) > Date.parse(startDatetime) + dayMs));
});

test('events of a type, or from before a start, that the settings gain are sent', async (t) => {
  const w = harnessOf('fire', 'flood');
  const first = new Date(w.clock.now()).toISOString();
  write(w, 'flood-1', 'flood');
  write(w, 'fire-1', 'fire');
  w.clock.jump(hourMs);
  const later = new Date(w.clock.now()).toISOString();
  write(w, 'fire-2', 'fire');
  await w.run({ start_datetime: later, event_types: ['fire'] });
  t.deepEqual(storedIds(w), ['fire-2']);
  await w.run({ start_datetime: first, event_types: ['fire'] });
  t.deepEqual(storedIds(w), ['fire-2', 'fire-1']);
  await w.run({ start_datetime: first, event_types: ['fire', 'flood'] });
  t.deepEqual(storedIds(w), ['fire-2', 'fire-1', 'flood-1']);
  await w.run({ start_datetime: first });
  t.is(storedIds(w).length, 3);
});

/** A world in which a type is known from its second run on and has many events, while a run has time for few pages. */
const longList = async (count: number, pagesPerRun: number) => {
  const w = harnessOf('fire');
  for (let n = 0; n < count; n += 1) w.write(`flood-${n}`, { event_type: 'flood' });
  write(w, 'fire-0', 'fire');
  const config = { event_types: ['fire', 'flood'] };
  await w.run(config);
  know(w, 'fire', 'flood');
  let pages = 0;
  w.site.after = () => void (pages += 1);
  w.timeUsed = () => (pages >= pagesPerRun ? 0.9 : 0);
  const run = async (event_types = config.event_types): Promise<void> => {
    pages = 0;
    await w.run({ event_types });
  };
  return { w, run };
};

test('while a long list of a new type is read, what is new comes first in each run', async (t) => {
  const { w, run } = await longList(500, 3);
  for (let n = 1; n < 8; n += 1) {
    write(w, `fire-${n}`, 'fire');
    await run();
    t.true(storedIds(w).includes(`fire-${n}`));
  }
  t.is(new Set(storedIds(w)).size, 508);
  t.is(storedIds(w).length, 508);
});

test('a type that leaves the settings while its older events are still listed brings all of them when it returns', async (t) => {
  const { w, run } = await longList(500, 3);
  await run();
  t.true(storedIds(w).length < 500);
  await run(['fire']);
  for (let n = 0; n < 5; n += 1) await run();
  t.is(new Set(storedIds(w)).size, 501);
  t.is(storedIds(w).length, 501);
});

test('what is due of a new type is not lost when the state is set back while it is listed', async (t) => {
  const { w, run } = await longList(300, 2);
  await run();
  t.true(storedIds(w).length < 301);
  await w.keep(rolledBack(w.kept() ?? {}, w.clock.now() - minuteMs, false));
  w.timeUsed = () => 0;
  await run();
  t.is(new Set(storedIds(w)).size, 301);
});

const all = ['fire', 'flood', 'snare'];
const step = fc.record({
  known: fc.subarray(all, { minLength: 1 }),
  wanted: fc.subarray(all),
  startHours: fc.integer({ min: 0, max: 30 }),
  pages: fc.option(fc.integer({ min: 1, max: 4 })),
  written: fc.array(fc.constantFrom(...all), { maxLength: 6 }),
});

testProp(
  'whatever the order in which types and start change: every event of the last ones arrives, once',
  [fc.array(step, { minLength: 1, maxLength: 8 }), fc.constantFrom('honoured' as const, 'refused' as const)],
  async (t, steps, sorting) => {
    const w = harnessOf();
    w.site.sorting = sorting;
    w.site.pageSize = 3;
    const begin = w.clock.now();
    let [count, pages] = [0, 0];
    const one = async ({ known, wanted, startHours, pages: most, written }: (typeof steps)[number]): Promise<void> => {
      know(w, ...known);
      for (const type of written) write(w, `${type}-${(count += 1)}`, type);
      pages = 0;
      w.timeUsed = () => (pages >= (most ?? Infinity) ? 0.9 : 0);
      w.site.after = () => void (pages += 1);
      const start_datetime = new Date(begin + startHours * hourMs).toISOString();
      await w.run({ start_datetime, event_types: wanted });
    };
    for (const each of steps) await one(each);
    const last = steps.at(-1) as (typeof steps)[number];
    for (let n = 0; n < 6; n += 1) await one({ ...last, known: all, pages: null, written: [] });
    const due = w.site.events.filter(
      ({ event_type: type, updated_at: at }) =>
        Date.parse(String(at)) >= begin + last.startHours * hourMs &&
        (last.wanted.length === 0 || last.wanted.includes(String(type))),
    );
    const stored = storedIds(w);
    for (const { id } of due) t.true(stored.includes(String(id)), `${String(id)} was passed over`);
    t.is(new Set(stored).size, stored.length);
    t.is(w.kept()?.['gaps'], undefined);
  },
  { numRuns: 150 },
);
