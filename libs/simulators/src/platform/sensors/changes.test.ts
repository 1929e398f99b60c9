import { hash } from 'node:crypto';
import test from 'ava';
import { bodyOf, startHarness, type Harness } from '../../test/harness.ts';

const event = { recorded_at: '2026-01-01T00:00:00Z', title: 'Fire' };

const stored = async (harness: Harness): Promise<string> =>
  bodyOf<{ object_id: string }>(await harness.post('/v2/events/', event)).object_id;

const patch = (harness: Harness, id: string, change: unknown, key = 'key-1') =>
  harness.call('PATCH', `/v2/events/${id}/`, { headers: { apikey: key }, body: JSON.stringify(change) });

const attach = async (harness: Harness, id: string, names: readonly string[]) => {
  const form = new FormData();
  for (const name of names) form.append('file', new File([name.repeat(10)], name, { type: 'image/jpeg' }));
  const wrapped = new Response(form);
  const headers = { apikey: 'key-1', 'content-type': wrapped.headers.get('content-type') ?? '' };
  const body = new Uint8Array(await wrapped.arrayBuffer());
  return harness.call('POST', `/v2/events/${id}/attachments/`, { headers, body });
};

test('events repeat for an hour, not only for half of one', async (t) => {
  const harness = await startHarness(t);
  await stored(harness);
  harness.clock.advance(59 * 60_000);
  await stored(harness);
  t.like(harness.platform.stats().items['event'], { stored: 1, duplicate: 1 });
  harness.clock.advance(60 * 60_000);
  await stored(harness);
  t.is(harness.platform.stats().items['event']?.stored, 2);
});

test('an event takes one change a call', async (t) => {
  const harness = await startHarness(t);
  const id = await stored(harness);
  t.is((await patch(harness, id, { status: 'resolved' })).status, 200);
  t.is((await patch(harness, id, { notes: [{ text: 'x' }] })).status, 200);
  t.is((await patch(harness, id, { status: 'resolved', title: 'x' })).status, 400);
  t.is((await patch(harness, id, { title: null })).status, 400);
  t.is((await patch(harness, id, {})).status, 400);
  t.like(harness.platform.stats().items['event_change'], { stored: 2, refused: 3 });
});

test('an unknown event is 404, a wrong key 401', async (t) => {
  const harness = await startHarness(t);
  const id = await stored(harness);
  t.is((await patch(harness, 'unknown', { status: 'x' })).status, 404);
  t.is((await patch(harness, id, { status: 'x' }, 'wrong')).status, 401);
  t.is((await attach(harness, 'unknown', ['a.jpg'])).status, 404);
});

test('an event is changed by its own integration alone', async (t) => {
  const harness = await startHarness(t);
  const id = await stored(harness);
  t.is((await patch(harness, id, { status: 'x' }, 'key-2')).status, 404);
  t.is((await patch(harness, id, { status: 'x' })).status, 200);
});

test('a list of events is refused whole, with an entry for each; a single one with its own', async (t) => {
  const harness = await startHarness(t);
  const list = await harness.post('/v2/events/', [event, { ...event, priority: 'high' }]);
  t.is(list.status, 400);
  t.deepEqual(bodyOf(list), [{}, { priority: ['A valid integer is required.'] }]);
  const single = await harness.post('/v2/events/', { ...event, title: null });
  t.is(single.status, 400);
  t.deepEqual(bodyOf(single), { title: ['This field may not be null.'] });
  t.is(harness.platform.stats().items['event']?.stored, 0);
});

test('a repeat is answered with an id that cannot be changed: nothing was stored under it', async (t) => {
  const harness = await startHarness(t);
  const first = await stored(harness);
  const [again] = bodyOf<{ object_id: string }[]>(await harness.post('/v2/events/', [event]));
  t.not(again?.object_id, first);
  t.is((await patch(harness, again?.object_id ?? '', { status: 'x' })).status, 404);
  t.is((await patch(harness, first, { status: 'x' })).status, 200);
});

test('an event that was marked and not stored is lost to its repeat, and its id is unknown', async (t) => {
  const harness = await startHarness(t);
  harness.platform.switches.set({ fault: 'status', status: 502, endpoint: 'events', when: 'marked', count: 1 });
  t.is((await harness.post('/v2/events/', event)).status, 502);
  t.is((await patch(harness, await stored(harness), { status: 'x' })).status, 404);
  t.like(harness.platform.stats().items['event'], { marked: 1, duplicate: 1, stored: 0 });
});

test('an attachment is one file; of several the last is kept and the violation counted', async (t) => {
  const harness = await startHarness(t);
  const id = await stored(harness);
  t.is((await attach(harness, id, ['a.jpg'])).status, 200);
  t.is((await attach(harness, id, ['b.jpg', 'c.jpeg'])).status, 200);
  t.is((await attach(harness, id, [])).status, 400);
  const items = harness.platform.ingestLog
    .read({ kind: 'attachment', outcome: 'stored' })
    .entries.map(({ item }) => item);
  t.deepEqual(items, [
    { event: id, name: 'a.jpg', bytes: 50, type: 'image/jpeg', sha256: hash('sha256', 'a.jpg'.repeat(10)) },
    { event: id, name: 'c.jpeg', bytes: 60, type: 'image/jpeg', sha256: hash('sha256', 'c.jpeg'.repeat(10)) },
  ]);
  t.is(harness.platform.stats().violations['several files in one attachment call'], 1);
});

test('switches strike changes too', async (t) => {
  const harness = await startHarness(t);
  const id = await stored(harness);
  harness.platform.switches.set({ fault: 'status', status: 503, endpoint: 'event_changes', count: 1 });
  t.is((await patch(harness, id, { status: 'x' })).status, 503);
  harness.platform.switches.set({ fault: 'status', status: 502, endpoint: 'event_changes', when: 'after', count: 1 });
  t.is((await patch(harness, id, { status: 'x' })).status, 502);
  t.like(harness.platform.stats().items['event_change'], { failed: 1, stored: 1 });
});
