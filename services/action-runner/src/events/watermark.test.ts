import { isRelayError } from '@ranger-relay/errors';
import test from 'ava';
import { siteError } from './test/fake-site.ts';
import { harness, type Harness, startDatetime } from './test/harness.ts';

const listings = (w: Harness) =>
  w.site.asked.flatMap(({ path, query }) => (path === 'activity/events' ? [query['filter'] ?? ''] : []));
const lowerOf = (filter: string | undefined): number =>
  Date.parse((JSON.parse(filter ?? '') as { update_date: { lower: string } }).update_date.lower);

test('the watermark is the newest date that was seen, in the site’s time, and moves once all events are on the bus', async (t) => {
  const w = harness();
  w.offset.ms = -3_600_000;
  w.write('e1');
  const { publish } = w.bus;
  w.bus.publish = (records) => (t.is(w.kept()?.['last_execution'], undefined), publish(records));
  await w.run();
  w.bus.publish = publish;
  t.is(w.kept()?.['last_execution'], w.site.events[0]?.['updated_at']);
  await w.run();
  t.is(lowerOf(listings(w).at(-1)), Date.parse(String(w.site.events[0]?.['updated_at'])) - 600_001);
});

test('the first and every forced run start at start_datetime, others overlap the watermark', async (t) => {
  const w = harness();
  w.write('e1');
  const start = Date.parse(startDatetime) - 1;
  await w.run();
  t.is(lowerOf(listings(w).at(-1)), start);
  await w.run();
  t.is(lowerOf(listings(w).at(-1)), Date.parse(String(w.kept()?.['last_execution'])) - 600_001);
  await w.run({ force_run_since_start: true });
  t.is(lowerOf(listings(w).at(-1)), start);
});

test('a site without events is asked from the start again: nothing but a row says what its time is', async (t) => {
  const w = harness();
  await w.run();
  t.is(w.kept()?.['last_execution'], undefined);
  await w.run();
  t.is(lowerOf(listings(w).at(-1)), Date.parse(startDatetime) - 1);
});

test('an end bounds every run, and one that is moved later leaves no gap', async (t) => {
  const w = harness();
  w.write('e1');
  const end = new Date(w.clock.now() - 500).toISOString();
  w.write('e2');
  t.like(await w.run({ end_datetime: end }), { events_extracted: 1 });
  t.is(w.kept()?.['last_execution'], w.site.events[0]?.['updated_at']);
  await w.run();
  t.is(w.platform.stored.length, 2);
});

test('an end before everything that is left to read asks the site for nothing, and one that is moved later leaves no gap', async (t) => {
  const w = harness();
  const end = new Date(w.clock.now()).toISOString();
  w.clock.jump(3_600_000);
  w.write('e1');
  await w.run();
  const before = listings(w).length;
  t.deepEqual(await w.run({ end_datetime: end }), { events_extracted: 0, pages_read: 0 });
  t.is(listings(w).length, before);
  w.write('e2');
  await w.run();
  t.is(w.platform.stored.length, 2);
});

test('at 80 % of the time the run stops: in_progress; the next run goes on at the second in which the last page ended', async (t) => {
  const w = harness();
  w.site.pageSize = 2;
  for (let n = 0; n < 6; n += 1) w.write(`e${n}`);
  w.timeUsed = () => (w.bus.published.length >= 2 ? 0.8 : 0.79);
  t.like(await w.run(), { status: 'in_progress', events_extracted: 3 });
  t.is(w.kept()?.['last_execution'], undefined);
  w.timeUsed = () => 0;
  const before = listings(w).length;
  const rest = await w.run();
  t.is(lowerOf(listings(w)[before]), Date.parse(String(w.site.events[3]?.['updated_at'])) - 1);
  t.like(rest, { events_extracted: 3 });
  t.false(Object.hasOwn(rest as object, 'status'));
  t.deepEqual(w.kept()?.['ranges'], []);
});

for (const code of ['site_unavailable', 'site_forbidden', 'site_credentials_refused'] as const)
  test(`the site fails between pages (${code}): the run fails, and the next one goes on behind what was taken`, async (t) => {
    const w = harness();
    w.site.pageSize = 2;
    for (const id of ['e1', 'e2', 'e3']) w.write(id);
    let pages = 0;
    w.site.before = (path) => {
      if (path === 'activity/events' && (pages += 1) > 1) throw siteError(code);
    };
    const error = await t.throwsAsync(w.run());
    t.true(isRelayError(error, code));
    t.is(w.kept()?.['last_execution'], undefined);
    w.site.before = () => undefined;
    t.like(await w.run(), { events_extracted: 2 });
    t.is(w.platform.stored.length, 3);
  });

test('pages that lead back to each other have no end: the run fails and says so', async (t) => {
  const w = harness();
  const { connect } = w.site;
  let pages = 0;
  w.site.connect = (life) => ({
    ...connect(life),
    page: async (path, query) => {
      pages += 1;
      if (path !== 'activity/events' || pages > 100) return connect(life).page(path, query);
      return { rows: [], next: { cursor: query['cursor'] === 'a' ? 'b' : 'a' }, siteTime: undefined };
    },
  });
  const error = await t.throwsAsync(w.run());
  t.true(isRelayError(error, 'site_answer_unreadable'));
});
