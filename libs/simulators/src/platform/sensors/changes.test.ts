import { hash } from 'node:crypto';
import test from 'ava';
import { bodyOf, startWorld, type World } from '../../test/world.ts';

const event = { recorded_at: '2026-01-01T00:00:00Z', title: 'Fire' };

const stored = async (world: World): Promise<string> =>
  bodyOf<{ object_id: string }>(await world.post('/v2/events/', event)).object_id;

const patch = (world: World, id: string, change: unknown, key = 'key-1') =>
  world.call('PATCH', `/v2/events/${id}/`, { headers: { apikey: key }, body: JSON.stringify(change) });

const attach = async (world: World, id: string, names: readonly string[]) => {
  const form = new FormData();
  for (const name of names) form.append('file', new File([name.repeat(10)], name, { type: 'image/jpeg' }));
  const wrapped = new Response(form);
  const headers = { apikey: 'key-1', 'content-type': wrapped.headers.get('content-type') ?? '' };
  const body = new Uint8Array(await wrapped.arrayBuffer());
  return world.call('POST', `/v2/events/${id}/attachments/`, { headers, body });
};

test('events repeat for an hour, not only for half of one', async (t) => {
  const world = await startWorld(t);
  await stored(world);
  world.clock.advance(59 * 60_000);
  await stored(world);
  t.like(world.platform.stats().items['event'], { stored: 1, duplicate: 1 });
  world.clock.advance(60 * 60_000);
  await stored(world);
  t.is(world.platform.stats().items['event']?.stored, 2);
});

test('an event takes one change a call', async (t) => {
  const world = await startWorld(t);
  const id = await stored(world);
  t.is((await patch(world, id, { status: 'resolved' })).status, 200);
  t.is((await patch(world, id, { notes: [{ text: 'x' }] })).status, 200);
  t.is((await patch(world, id, { status: 'resolved', title: 'x' })).status, 400);
  t.is((await patch(world, id, { title: null })).status, 400);
  t.is((await patch(world, id, {})).status, 400);
  t.like(world.platform.stats().items['event_change'], { stored: 2, refused: 3 });
});

test('an unknown event is 404, a wrong key 401', async (t) => {
  const world = await startWorld(t);
  const id = await stored(world);
  t.is((await patch(world, 'unknown', { status: 'x' })).status, 404);
  t.is((await patch(world, id, { status: 'x' }, 'wrong')).status, 401);
  t.is((await attach(world, 'unknown', ['a.jpg'])).status, 404);
});

test('an event is changed by its own integration alone', async (t) => {
  const world = await startWorld(t);
  const id = await stored(world);
  t.is((await patch(world, id, { status: 'x' }, 'key-2')).status, 404);
  t.is((await patch(world, id, { status: 'x' })).status, 200);
});

test('a list of events is refused whole, with an entry for each; a single one with its own', async (t) => {
  const world = await startWorld(t);
  const list = await world.post('/v2/events/', [event, { ...event, priority: 'high' }]);
  t.is(list.status, 400);
  t.deepEqual(bodyOf(list), [{}, { priority: ['A valid integer is required.'] }]);
  const single = await world.post('/v2/events/', { ...event, title: null });
  t.is(single.status, 400);
  t.deepEqual(bodyOf(single), { title: ['This field may not be null.'] });
  t.is(world.platform.stats().items['event']?.stored, 0);
});

test('a repeat is answered with an id that cannot be changed: nothing was stored under it', async (t) => {
  const world = await startWorld(t);
  const first = await stored(world);
  const [again] = bodyOf<{ object_id: string }[]>(await world.post('/v2/events/', [event]));
  t.not(again?.object_id, first);
  t.is((await patch(world, again?.object_id ?? '', { status: 'x' })).status, 404);
  t.is((await patch(world, first, { status: 'x' })).status, 200);
});

test('an event that was marked and not stored is lost to its repeat, and its id is unknown', async (t) => {
  const world = await startWorld(t);
  world.platform.switches.set({ fault: 'status', status: 502, endpoint: 'events', when: 'marked', count: 1 });
  t.is((await world.post('/v2/events/', event)).status, 502);
  t.is((await patch(world, await stored(world), { status: 'x' })).status, 404);
  t.like(world.platform.stats().items['event'], { marked: 1, duplicate: 1, stored: 0 });
});

test('an attachment is one file; of several the last is kept and the violation counted', async (t) => {
  const world = await startWorld(t);
  const id = await stored(world);
  t.is((await attach(world, id, ['a.jpg'])).status, 200);
  t.is((await attach(world, id, ['b.jpg', 'c.jpeg'])).status, 200);
  t.is((await attach(world, id, [])).status, 400);
  const items = world.platform.door.read({ kind: 'attachment', outcome: 'stored' }).entries.map(({ item }) => item);
  t.deepEqual(items, [
    { event: id, name: 'a.jpg', bytes: 50, type: 'image/jpeg', sha256: hash('sha256', 'a.jpg'.repeat(10)) },
    { event: id, name: 'c.jpeg', bytes: 60, type: 'image/jpeg', sha256: hash('sha256', 'c.jpeg'.repeat(10)) },
  ]);
  t.is(world.platform.stats().violations['several files in one attachment call'], 1);
});

test('switches strike changes too', async (t) => {
  const world = await startWorld(t);
  const id = await stored(world);
  world.platform.switches.set({ fault: 'status', status: 503, endpoint: 'event_changes', count: 1 });
  t.is((await patch(world, id, { status: 'x' })).status, 503);
  world.platform.switches.set({ fault: 'status', status: 502, endpoint: 'event_changes', when: 'after', count: 1 });
  t.is((await patch(world, id, { status: 'x' })).status, 502);
  t.like(world.platform.stats().items['event_change'], { failed: 1, stored: 1 });
});
