import { replayHeaders } from '@ranger-relay/bus';
import type { DeadLetter } from '@ranger-relay/contracts';
import type { EventItem } from '@ranger-relay/platform';
import test from 'ava';
import { harness, type Harness, integrationId } from '../events/test/harness.ts';

/** Sends a dead letter again, as `dlq replay` does. */
const replay = async (w: Harness, letter: DeadLetter | undefined): Promise<void> => {
  if (!letter) throw new Error('no letter');
  const key = `${integrationId}:${letter.headers['event']}`;
  w.bus.publish([{ key, value: Buffer.from(letter.body_base64, 'base64'), headers: replayHeaders(letter) }]);
  await w.deliver();
};

const valuesOf = (w: Harness, id: string): EventItem => {
  const [stored] = w.platform.ofEvent(id);
  return Object.assign({}, stored?.item, ...(stored?.changes ?? [])) as EventItem;
};

test('an event that the platform refused is sent once its cause is fixed, and later changes go to it', async (t) => {
  const w = harness();
  w.write('e1');
  w.platform.refuses = () => 'its type is not known';
  await w.run();
  const [letter] = w.deadLettered;
  t.is(letter?.kind, 'site_event');
  w.platform.refuses = () => undefined;
  await replay(w, letter);
  t.is(w.platform.ofEvent('e1').length, 1);
  w.write('e1', { state: 'active' });
  await w.run();
  t.is(w.platform.ofEvent('e1').length, 1);
  t.deepEqual(w.platform.ofEvent('e1')[0]?.changes, [{ status: 'active' }]);
  await replay(w, letter);
  t.is(w.platform.ofEvent('e1').length, 1);
  t.is(w.platform.ofEvent('e1')[0]?.changes.length, 1);
});

test('of a version that the platform refused in part, a replay sends that part', async (t) => {
  const w = harness();
  w.write('e1');
  await w.run();
  w.write('e1', { title: 'Snare', state: 'active', notes: [{ id: 'n1' }] });
  w.platform.refuses = (item) =>
    ('title' in item || 'notes' in item) && !('recorded_at' in item) ? 'not taken' : undefined;
  await w.run();
  w.platform.refuses = () => undefined;
  await replay(w, w.deadLettered[0]);
  t.deepEqual(w.platform.ofEvent('e1')[0]?.changes, [
    { status: 'active' },
    { notes: [{ id: 'n1' }] },
    { title: 'Snare' },
  ]);
});

test('a change that the platform refused does not overwrite what the site has had since', async (t) => {
  const w = harness();
  w.write('e1');
  await w.run();
  w.platform.refuses = (item) => (item['status'] === 'active' ? 'no such state' : undefined);
  w.write('e1', { state: 'active' });
  await w.run();
  w.write('e1', { state: 'resolved' });
  await w.run();
  w.platform.refuses = () => undefined;
  await replay(w, w.deadLettered[0]);
  t.deepEqual(w.platform.ofEvent('e1')[0]?.changes, [{ status: 'resolved' }]);
});

test('of an event that was refused in several versions the last values stand, whatever the order of the replays', async (t) => {
  for (const order of [
    [0, 1],
    [1, 0],
  ]) {
    const w = harness();
    w.platform.refuses = () => 'its type is not known';
    for (const [title, state, priority] of [
      ['A', 'new', 300],
      ['B', 'resolved', 0],
    ] as const) {
      w.write('e1', { title, state, priority });
      await w.run();
    }
    w.platform.refuses = () => undefined;
    for (const n of order) await replay(w, w.deadLettered[n]);
    t.like(valuesOf(w, 'e1'), { title: 'B', status: 'resolved', priority: 0 });
    t.is(w.platform.ofEvent('e1').length, 1);
  }
});

test('a replay is taken, also when a repeat of its version is delivered with it', async (t) => {
  const w = harness();
  w.platform.refuses = () => 'its type is not known';
  w.write('e1');
  await w.run();
  w.platform.refuses = () => undefined;
  w.bus.reset();
  await replay(w, w.deadLettered[0]);
  await w.deliver();
  t.is(w.platform.ofEvent('e1').length, 1);
});

test('what is refused again is the same letter with more attempts; in a later version it is another one', async (t) => {
  const w = harness();
  w.write('e1');
  w.platform.refuses = () => 'its type is not known';
  await w.run();
  await replay(w, w.deadLettered[0]);
  t.is(w.deadLettered[1]?.id, w.deadLettered[0]?.id);
  t.true((w.deadLettered[1]?.attempts ?? 0) > (w.deadLettered[0]?.attempts ?? 0));
  t.deepEqual(w.platform.stored, []);
  w.write('e1', { title: 'B' });
  await w.run();
  t.is(new Set(w.deadLettered.map(({ id }) => id)).size, 2);
});
