import test from 'ava';
import type { Row } from '../test/lists.ts';
import { createLife } from './test/life.ts';
import { harness, type Harness } from './test/harness.ts';

const minuteMs = 60_000;

const storedIds = (w: Harness): string[] =>
  w.platform.stored.map(({ item }) => {
    const { source_event_url: url } = item['provider_metadata'] as { source_event_url: string };
    return url.split('/').at(-1) ?? '';
  });

const failOn = (w: Harness, ...ids: readonly unknown[]): void => {
  w.site.fails = ({ id }) => ids.includes(id);
};

/** Runs that may fail, ten minutes apart. */
const runs = async (w: Harness, count: number, config = {}): Promise<void> => {
  for (let n = 0; n < count; n += 1) {
    await w.run(config, createLife()).catch(() => undefined);
    w.clock.jump(10 * minuteMs);
  }
};

for (const sorting of ['honoured', 'refused', 'ignored'] as const)
  test(`an event on which the site always fails stands alone (sorting ${sorting}): the others come, a WARNING tells when it was written, it comes once it can be read`, async (t) => {
    const w = harness();
    w.site.sorting = sorting;
    for (let n = 0; n < 250; n += 1) w.write(`e${n}`);
    failOn(w, 'e0', 'e120', 'e122');
    await runs(w, 8);
    w.write('new');
    await runs(w, 2);
    t.is(storedIds(w).length, 248);
    t.true(storedIds(w).includes('new'));
    const told = w.entries.filter(({ title }) => title.includes('fails on some events'));
    t.is(told.flatMap(({ data }) => data['parts'] as Row[]).length, 3, 'each is told once');
    failOn(w);
    await runs(w, 8);
    t.is(storedIds(w).length, 251);
    t.is(new Set(storedIds(w)).size, 251);
    t.deepEqual(w.kept()?.['ranges'], []);
  });

test('a site that fails on everything is an outage: nothing is passed over, and all comes afterwards', async (t) => {
  const w = harness();
  for (let n = 0; n < 150; n += 1) w.write(`e${n}`);
  w.site.fails = () => true;
  await runs(w, 40);
  t.deepEqual(storedIds(w), []);
  failOn(w);
  await runs(w, 10);
  t.is(storedIds(w).length, 150);
});

test('one failure of the site ends the run, and the next one goes on at the same place', async (t) => {
  const w = harness();
  for (let n = 0; n < 250; n += 1) w.write(`e${n}`);
  failOn(w, 'e150');
  await t.throwsAsync(w.run());
  t.is(storedIds(w).length, 99, 'all before the second in which the page ends');
  failOn(w);
  await w.run();
  t.is(storedIds(w).length, 250);
  t.is(w.site.asked.filter(({ path }) => path === 'activity/events').length, 4);
});
