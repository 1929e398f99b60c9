import { isRelayError } from '@ranger-relay/errors';
import test from 'ava';
import { harness, type Harness } from './test/harness.ts';

const minuteMs = 60_000;
const urlOf = (item: object): string =>
  (item as { provider_metadata?: { source_event_url: string } }).provider_metadata?.source_event_url ?? '';

/** The platform fails on these events of the site. */
const failOn = (w: Harness, ...ids: readonly string[]): void => {
  w.platform.fails = (item) => ids.some((id) => urlOf(item).endsWith(`/${id}`));
};

const storedIds = (w: Harness): string[] => w.platform.stored.map(({ item }) => urlOf(item).split('/').at(-1) ?? '');

/** Runs of every three minutes; a new event comes before each. */
const busyRuns = async (w: Harness, count: number): Promise<void> => {
  for (let n = 0; n < count; n += 1) {
    w.clock.jump(3 * minuteMs);
    w.write(`later-${w.clock.now()}`);
    await w.run();
  }
};

test('an event that the platform always fails on stands alone: the others go on, and it is tried in later runs', async (t) => {
  const w = harness();
  for (let n = 0; n < 150; n += 1) w.write(`e${n}`);
  failOn(w, 'e70');
  t.like(await w.run(), { events_extracted: 149 });
  t.is(new Set(storedIds(w)).size, 149);
  t.is(storedIds(w).length, 149);
  w.clock.jump(minuteMs);
  w.write('new');
  t.like(await w.run(), { events_extracted: 1 });
  t.deepEqual(w.deadLettered, []);
  failOn(w);
  w.clock.jump(60 * minuteMs);
  t.like(await w.run(), { events_extracted: 1 });
  t.is(w.platform.ofEvent('e70').length, 1);
  t.deepEqual(w.kept('failing-events'), { events: {} });
});

test('five failures over ten minutes while others pass: it is a dead letter, and a WARNING names it', async (t) => {
  const w = harness();
  w.write('bad');
  failOn(w, 'bad');
  await busyRuns(w, 4);
  t.deepEqual(w.deadLettered, []);
  await busyRuns(w, 2);
  t.is(w.deadLettered.length, 1);
  t.like(w.deadLettered[0], { event: { id: 'bad' }, fails: true });
  const told = w.entries.filter(({ title }) => title.includes('replay its dead letter'));
  t.like(told, [{ level: 'warning', data: { event: 'bad' } }]);
  await busyRuns(w, 2);
  t.is(w.deadLettered.length, 1);
  t.is(w.platform.posts.flat().filter((item) => urlOf(item).endsWith('/bad')).length < 20, true);
});

test('a change that the platform always fails on holds up no other event, and is given up as an event is', async (t) => {
  const w = harness();
  for (const id of ['a', 'b', 'c']) w.write(id);
  await w.run();
  w.platform.fails = (item) => item['priority'] === 666;
  w.write('a', { priority: 666, state: 'active' });
  w.write('b', { priority: 300 });
  t.like(await w.run(), { events_updated: 1 });
  t.deepEqual(w.platform.ofEvent('b')[0]?.changes, [{ priority: 300 }]);
  await busyRuns(w, 6);
  t.like(w.deadLettered, [{ event: { id: 'a' }, item: { priority: 666 }, fails: true }]);
  t.deepEqual(w.platform.ofEvent('a')[0]?.changes, [{ status: 'active' }]);
  w.write('a', { priority: 100 });
  await w.run();
  t.deepEqual(w.platform.ofEvent('a')[0]?.changes, [{ status: 'active' }, { priority: 100 }]);
});

test('when the platform fails on everything the run fails and nothing is given up; afterwards all is there once', async (t) => {
  const w = harness();
  for (let n = 0; n < 120; n += 1) w.write(`e${n}`);
  w.platform.fails = () => true;
  for (let n = 0; n < 30; n += 1) {
    await t.throwsAsync(w.run(), { instanceOf: Error });
    w.clock.jump(10 * minuteMs);
  }
  t.deepEqual(w.deadLettered, []);
  failOn(w);
  await w.run();
  await w.run();
  t.is(new Set(storedIds(w)).size, 120);
  t.is(storedIds(w).length, 120);
});

test('what changes of an event while the platform fails on it is sent with it', async (t) => {
  const w = harness();
  w.write('bad', { state: 'new' });
  w.write('good');
  failOn(w, 'bad');
  await w.run();
  w.write('bad', { state: 'resolved' });
  await w.run();
  failOn(w);
  await w.run();
  const [stored] = w.platform.ofEvent('bad');
  t.is(stored?.changes.at(-1)?.['status'] ?? stored?.item['status'], 'resolved');
});

test('a failure that is no event’s fault ends the run at once', async (t) => {
  const w = harness();
  w.write('a');
  w.platform.before = () => {
    throw w.refusedKey();
  };
  const error = await t.throwsAsync(w.run());
  t.true(isRelayError(error, 'api_key_refused'));
  t.is(w.kept('failing-events'), null);
});
