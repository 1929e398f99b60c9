import { probeKey } from '@ranger-relay/service';
import test from 'ava';
import { stores } from './test/harness.ts';
import { waitingEvents } from './waiting.ts';

const at = (seconds: number): number => Date.UTC(2026, 0, 1) + seconds * 1_000;

test('sources of one integration are summed, with their oldest and newest', async (t) => {
  const { bus, event, clock } = stores();
  await event('a:1');
  await clock.advance(1_000);
  await event('a:2', 'b:1');
  t.deepEqual([...(await waitingEvents(bus))].sort(), [
    ['a', { count: 2, parked: 0, oldest: at(0), newest: at(1), sos: 0 }],
    ['b', { count: 1, parked: 0, oldest: at(1), newest: at(1), sos: 0 }],
  ]);
});

test('a source may hold colons', async (t) => {
  const { bus, event } = stores();
  await event('a:site:1', 'a:2');
  t.is((await waitingEvents(bus)).get('a')?.count, 2);
});

test('parked events are counted apart, and their age counts', async (t) => {
  const { bus, event, park, clock } = stores();
  await park('a', 'a');
  await clock.advance(1_000);
  await event('a:1');
  t.deepEqual((await waitingEvents(bus)).get('a'), { count: 1, parked: 2, oldest: at(0), newest: at(1), sos: 0 });
});

test('a record that only tried the topic is no event that waits, and its key is no integration', async (t) => {
  const { bus, event } = stores();
  await event(probeKey, 'a:1');
  t.deepEqual([...(await waitingEvents(bus)).keys()], ['a']);
});

test('nothing waits where nothing was stored', async (t) => {
  const { bus } = stores();
  t.is((await waitingEvents(bus)).size, 0);
});
