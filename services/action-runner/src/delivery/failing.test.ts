import type { EventItem } from '@ranger-relay/platform';
import test from 'ava';
import { harness, type Harness } from '../events/test/harness.ts';
import { deliveryPolicy } from './consumer.ts';

const minuteMs = 60_000;
const urlOf = (item: EventItem): string =>
  (item['provider_metadata'] as { source_event_url?: string } | undefined)?.source_event_url ?? '';
const storedIds = (w: Harness): string[] => w.platform.stored.map(({ item }) => urlOf(item).split('/').at(-1) ?? '');
/** The platform fails on every call with this event, or on none. */
const failOn = (w: Harness, id?: string): void => {
  w.platform.fails = (item) => id !== undefined && urlOf(item).endsWith(`/${id}`);
};
/** Runs over many minutes in which other events are written. */
const busyRuns = async (w: Harness, count: number): Promise<void> => {
  for (let n = 0; n < count; n += 1) {
    w.clock.jump(3 * minuteMs);
    w.write(`later-${w.clock.now()}`);
    await w.run();
  }
};

test('an event that the platform always fails on waits apart: the others go on, and it arrives when the platform takes it', async (t) => {
  const w = harness();
  for (let n = 0; n < 150; n += 1) w.write(`e${n}`);
  failOn(w, 'e70');
  await w.run();
  t.is(new Set(storedIds(w)).size, 149);
  t.is(storedIds(w).length, 149);
  t.deepEqual(
    w.bus.undone().map(({ key }) => key.split(':')[1]),
    ['e70'],
  );
  w.write('new');
  await w.run();
  t.is(w.platform.ofEvent('new').length, 1);
  t.deepEqual(w.deadLettered, []);
  failOn(w);
  await w.deliver();
  t.is(w.platform.ofEvent('e70').length, 1);
});

test('five failures over ten minutes while others pass: it is a dead letter, an entry names it, and it is not tried on', async (t) => {
  const w = harness();
  w.write('bad');
  failOn(w, 'bad');
  await busyRuns(w, 2);
  t.deepEqual(w.deadLettered, []);
  await busyRuns(w, 6);
  t.like(w.deadLettered, [{ kind: 'site_event', reason: 'item_fails', headers: { event: 'bad' } }]);
  t.is(w.deadLettered.length, 1);
  t.like(
    w.entries.filter(({ title }) => title.includes('replay its dead letter')),
    [{ level: 'warning', data: { event: 'bad' } }],
  );
  const tries = (): number => w.platform.posts.flat().filter((item) => urlOf(item).endsWith('/bad')).length;
  const before = tries();
  await busyRuns(w, 2);
  t.is(tries(), before);
});

test('a change that the platform always fails on holds up no other event, and the rest of its version is given up as an event is', async (t) => {
  const w = harness();
  for (const id of ['a', 'b', 'c']) w.write(id);
  await w.run();
  w.platform.fails = (item) => item['priority'] === 666;
  w.write('a', { priority: 666, state: 'active' });
  w.write('b', { priority: 300 });
  await w.run();
  t.deepEqual(w.platform.ofEvent('b')[0]?.changes, [{ priority: 300 }]);
  await busyRuns(w, 8);
  t.deepEqual(
    w.rowsOfLetters().map(({ id, priority }) => [id, priority]),
    [['a', 666]],
  );
  t.deepEqual(w.platform.ofEvent('a')[0]?.changes, [{ status: 'active' }]);
  w.write('a', { priority: 100 });
  await w.run();
  t.deepEqual(w.platform.ofEvent('a')[0]?.changes, [{ status: 'active' }, { priority: 100 }]);
});

test('when the platform fails on everything nothing is given up, however long; afterwards all is there once', async (t) => {
  const w = harness();
  for (let n = 0; n < 120; n += 1) w.write(`e${n}`);
  w.platform.fails = () => true;
  for (let n = 0; n < 30; n += 1) {
    await w.run();
    w.clock.jump(10 * minuteMs);
  }
  t.deepEqual(w.deadLettered, []);
  failOn(w);
  await w.run();
  await w.run();
  t.is(new Set(storedIds(w)).size, 120);
  t.is(storedIds(w).length, 120);
  t.is(w.bus.undone().length, 0);
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
  const [stored, ...more] = w.platform.ofEvent('bad');
  t.deepEqual(more, []);
  t.is(stored?.changes.at(-1)?.['status'] ?? stored?.item['status'], 'resolved');
});

test('a failure that is no event’s fault is one call: the lane waits, and its events stay', async (t) => {
  const w = harness();
  for (const id of ['a', 'b', 'c']) w.write(id);
  let calls = 0;
  w.platform.before = () => {
    calls += 1;
    throw w.refusedKey();
  };
  await w.run();
  t.is(calls, 1);
  w.platform.before = () => undefined;
  await w.deliver();
  t.is(w.platform.stored.length, 3);
});

test('an event on which the platform hangs delays no other by more than 20 s', async (t) => {
  const w = harness();
  const [hangMs, mostMs] = [10_000, 20_000];
  let from = Infinity;
  const arrivals: number[] = [];
  for (const id of ['a', 'b', 'bad', 'c', 'd']) w.write(id);
  failOn(w, 'bad');
  const { connect } = w.platform;
  w.platform.connect = (life) => {
    const events = connect(life);
    return {
      ...events,
      async post(id, list, options) {
        from = Math.min(from, w.clock.now());
        if (list.some((item) => urlOf(item).endsWith('/bad'))) w.clock.jump(hangMs);
        const answer = await events.post(id, list, options);
        arrivals.push(w.clock.now());
        return answer;
      },
    };
  };
  await w.run();
  t.is(w.platform.stored.length, 4);
  t.true(Math.max(...arrivals) - from <= mostMs);
  w.write('later');
  await w.run();
  t.is(w.platform.ofEvent('later').length, 1);
  const { maxMs, jitterMs } = deliveryPolicy.outage;
  t.true(
    maxMs + jitterMs < mostMs,
    'what comes later waits no longer than the lane, and goes before what has failed alone',
  );
});

test('an event whose calls are answered now and then is none on which the platform fails', async (t) => {
  const w = harness();
  w.write('a');
  await w.run();
  const notes: { id: string }[] = [];
  for (let n = 0; n < 12; n += 1) {
    notes.push({ id: `n${n}` });
    w.platform.fails = (item) => 'notes' in item;
    w.write('a', { notes: [...notes] });
    await busyRuns(w, 1);
    w.platform.fails = () => false;
    await w.deliver();
  }
  t.deepEqual(w.deadLettered, []);
  t.is(w.platform.ofEvent('a')[0]?.changes.length, 12);
});
