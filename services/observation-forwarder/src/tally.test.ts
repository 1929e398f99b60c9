import { memorySpace } from '@ranger-relay/kv/testing';
import { manualClock } from '@ranger-relay/runtime/testing';
import test from 'ava';
import { acceptedCounts, later } from './tally.ts';

const stores = () => {
  const state = memorySpace(manualClock());
  const accept = (id: string, lane: string, value: unknown): Promise<void> =>
    state.set(`accepted.${id}.${lane}`, typeof value === 'string' ? value : JSON.stringify(value));
  return { state, accept };
};

test('the counts of all parts of an integration are summed, the newest event is theirs', async (t) => {
  const { state, accept } = stores();
  await accept('a', 's0', { observations: 3, messages: 1, last_event_at: '2026-01-01T00:00:03.000Z' });
  await accept('a', 'p2', { observations: 2, messages: 0, last_event_at: '2026-01-01T00:00:02.000Z' });
  await accept('b', 's0', { observations: 0, messages: 7, last_event_at: null });
  t.deepEqual(
    [...(await acceptedCounts(state))],
    [
      ['a', { observations: 5, messages: 1, last_event_at: '2026-01-01T00:00:03.000Z' }],
      ['b', { observations: 0, messages: 7, last_event_at: null }],
    ],
  );
});

test('a dot in an id belongs to the id', async (t) => {
  const { state, accept } = stores();
  await accept('a.b', 's0', { observations: 1, messages: 0, last_event_at: null });
  t.deepEqual([...(await acceptedCounts(state)).keys()], ['a.b']);
});

test('values and keys that are none are passed over', async (t) => {
  const { state, accept } = stores();
  await accept('a', 's0', 'no JSON');
  await accept('a', 's1', { observations: 'many' });
  await state.set('accepted.', '{"observations":1,"messages":0,"last_event_at":null}');
  await state.set('accepted.x', '{"observations":1,"messages":0,"last_event_at":null}');
  t.is((await acceptedCounts(state)).size, 0);
});

test('the later of two times wins whatever their form, and any wins over none', (t) => {
  t.is(later(null, null), null);
  t.is(later('2026-01-01T00:00:00Z', null), '2026-01-01T00:00:00Z');
  t.is(later(null, '2026-01-01T00:00:00Z'), '2026-01-01T00:00:00Z');
  t.is(later('2026-01-01T00:00:00.500Z', '2026-01-01T00:00:00Z'), '2026-01-01T00:00:00.500Z');
});
