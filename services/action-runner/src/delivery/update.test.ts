import { RelayError } from '@ranger-relay/errors';
import test from 'ava';
import type { StoredEvent } from '../events/test/fake-platform.ts';
import { createLife } from '../events/test/life.ts';
import { harness, type Harness, integrationId } from '../events/test/harness.ts';

const known = async (w: Harness, members = {}): Promise<void> => {
  w.write('e1', { title: 'A', ...members });
  await w.run();
};

const numberOf = (event: StoredEvent | undefined): unknown =>
  (event?.item['provider_metadata'] as { readonly delivery_attempt?: number } | undefined)?.delivery_attempt;

const outage = (): RelayError =>
  new RelayError('platform_unavailable', { details: { reason: 'test' }, ambiguous: true });

const changes = (w: Harness) => w.platform.stored.flatMap(({ changes: list }) => list);

test('one call for each change: every new note, then state as status, priority and title', async (t) => {
  const w = harness();
  await known(w, { notes: [{ id: 'n1', text: 'old' }] });
  w.platform.stored[0]?.changes.splice(0);
  w.write('e1', {
    notes: [
      { id: 'n1', text: 'old' },
      { id: 'n2', text: 'new', by: null },
      { id: 'n3', text: 'newer' },
    ],
    state: 'active',
    priority: 200,
    title: 'B',
  });
  t.like(await w.run(), { events_extracted: 1 });
  t.deepEqual(changes(w), [
    { notes: [{ id: 'n2', text: 'new' }] },
    { notes: [{ id: 'n3', text: 'newer' }] },
    { status: 'active' },
    { priority: 200 },
    { title: 'B' },
  ]);
  t.like(w.kept('e1'), {
    updated_at: w.site.events[0]?.['updated_at'],
    state: 'active',
    priority: 200,
    title: 'B',
    seen_note_ids: ['n1', 'n2', 'n3'],
  });
});

test('an event that the overlap shows again and again is at the platform once, however long the site is idle', async (t) => {
  const w = harness();
  await known(w);
  const dayMs = 86_400_000;
  for (let n = 0; n < 40; n += 1) {
    w.clock.jump(20 * dayMs);
    t.like(await w.run(), { events_extracted: 1 });
  }
  t.is(w.platform.stored.length, 1);
  t.deepEqual(changes(w), []);
});

test('null is not sent, and what the platform has stays known', async (t) => {
  const w = harness();
  await known(w);
  w.write('e1', { title: null, state: null, priority: null });
  await w.run();
  w.write('e1', { title: 'A', state: 'new', priority: 100 });
  await w.run();
  t.deepEqual(changes(w), []);
});

test('a change of anything else writes nothing', async (t) => {
  const w = harness();
  await known(w);
  w.write('e1', { location: null, event_details: { a: 1 } });
  await w.run();
  t.deepEqual(changes(w), []);
});

test('the record is saved after each change: what was accepted before a failure is not sent again', async (t) => {
  const w = harness();
  await known(w);
  w.write('e1', { state: 'active', priority: 200, title: 'B' });
  w.platform.before = (_call, what) => {
    if (Object.hasOwn(what, 'priority')) throw outage();
  };
  await w.run();
  w.platform.before = () => undefined;
  await w.run();
  t.deepEqual(changes(w), [{ status: 'active' }, { priority: 200 }, { title: 'B' }]);
});

for (const restored of [false, true])
  test(`a change that was in flight when the run was killed is taken back when the site takes it back (restored: ${restored})`, async (t) => {
    let killed = 0;
    for (let at = 0; at < 28; at += 1) {
      const w = harness();
      await known(w);
      const before = w.site.events;
      w.write('e1', { state: 'active' });
      killed += (await w.run({}, createLife(at >> 1, at % 2 === 1))) === 'killed' ? 1 : 0;
      // A backup brings the former version back, with its date.
      if (restored) w.site.events = before;
      else w.write('e1', { state: 'new' });
      await w.run();
      t.true([undefined, 'new'].includes(changes(w).at(-1)?.['status'] as string | undefined), `killed at ${at}`);
    }
    t.true(killed > 20);
  });

test('a write of a record that the store executes late undoes no later one', async (t) => {
  const w = harness();
  const { setIfAbsent, compareAndSet } = w.store;
  const late: (() => Promise<unknown>)[] = [];
  const delayed = (write: () => Promise<boolean>): Promise<boolean> => {
    if (late.length % 2 === 1) return write();
    late.push(write);
    throw new RelayError('kv_unavailable', { details: { reason: 'no response in time' } });
  };
  const run = async (): Promise<void> => {
    const running = w.run();
    for (let n = 0; n < 100; n += 1) await w.clock.advance(100);
    await running;
    await late.at(-1)?.();
    late.push(() => Promise.resolve());
  };
  w.store.setIfAbsent = async (key, ...args) =>
    key.endsWith('.e1') ? delayed(() => setIfAbsent(key, ...args)) : setIfAbsent(key, ...args);
  w.write('e1');
  await run();
  w.store.setIfAbsent = setIfAbsent;
  w.store.compareAndSet = async (key, ...args) =>
    key.endsWith('.e1') ? delayed(() => compareAndSet(key, ...args)) : compareAndSet(key, ...args);
  w.write('e1', { notes: [{ id: 'n1', text: 'a' }], state: 'active' });
  await run();
  await w.run({ force_run_since_start: true });
  t.is(late.length, 4);
  t.is(w.platform.stored.length, 1);
  t.deepEqual(changes(w), [{ notes: [{ id: 'n1', text: 'a' }] }, { status: 'active' }]);
});

for (const [what, call, members] of [
  ['posts', 'post', {}],
  ['changes', 'patch', { notes: [{ id: 'n1', text: 'a' }] }],
  ['files', 'attach', { files: [{ id: 'f', url: '/files/f', filename: 'f.jpg' }] }],
] as const)
  test(`an outage of the store behind the answers to ${what} sends nothing twice, however long it is`, async (t) => {
    const w = harness();
    w.site.files['/files/f'] = Buffer.from('f');
    const ids = Array.from({ length: 30 }, (_, n) => `e${n}`);
    if (call !== 'post') {
      for (const id of ids) w.write(id);
      await w.run();
    }
    for (const id of ids) w.write(id, members);
    w.platform.after = (made) => void (w.store.away ||= made === call);
    const running = w.run({ include_attachments: true });
    for (let n = 0; n < 40; n += 1) await w.clock.advance(10_000);
    t.true(w.store.away);
    w.platform.after = () => undefined;
    w.store.away = false;
    for (let n = 0; n < 40; n += 1) await w.clock.advance(10_000);
    await running;
    t.is(w.platform.stored.length, 30);
    t.is(w.platform.stored.flatMap(({ changes: list, files }) => [...list, ...files]).length, call === 'post' ? 0 : 30);
    t.is(w.bus.undone().length, 0);
    t.true(w.lines.some(({ msg }) => String(msg).startsWith('the store is unavailable')));
  });

test('an event that another process has by now lets none of its list be posted again', async (t) => {
  const w = harness();
  for (const id of ['e1', 'e2', 'e3']) w.write(id);
  const { setIfAbsent } = w.store;
  w.store.setIfAbsent = async (key, ...args) => {
    if (!key.endsWith('.e1')) await w.clock.sleep(1_000);
    return setIfAbsent(key, ...args);
  };
  const other = { object_id: 'object-of-another', updated_at: w.site.events[0]?.['updated_at'] };
  const key = `integration_state.${integrationId}.site_events.e1`;
  w.platform.after = () => void w.store.set(key, JSON.stringify(other));
  const running = w.run().then(() => ['e1', 'e2', 'e3'].map((id) => w.kept(id)?.['object_id']));
  for (let n = 0; n < 5; n += 1) await w.clock.advance(1_000);
  t.deepEqual(await running, ['object-of-another', 'object-2', 'object-3']);
});

test('a refused change goes to the dead letters and holds up nothing', async (t) => {
  const w = harness();
  await known(w);
  w.platform.refuses = (item) => (item['status'] === 'odd' ? 'no such state' : undefined);
  w.write('e1', { state: 'odd', title: 'B' });
  await w.run();
  t.deepEqual(changes(w), [{ title: 'B' }]);
  t.like(w.deadLettered, [{ headers: { event: 'e1' }, reason: 'item_refused', detail: 'no such state' }]);
  await w.run({ force_run_since_start: true });
  t.is(w.deadLettered.length, 1, 'what was refused of a version is not tried again with it');
});

test('an event that the platform has deleted since it took a change is not posted again; its changes are dead-lettered', async (t) => {
  const w = harness();
  await known(w);
  w.write('e1', { title: 'B' });
  await w.run();
  w.platform.stored.length = 0;
  w.write('e1', { state: 'active' });
  await w.run();
  t.is(w.platform.stored.length, 0);
  t.like(w.deadLettered[0], { reason: 'item_refused', detail: 'the platform no longer knows the event' });
});

test('a store that forgot an event loses none of its changes and notes, though the platform drops what equals an earlier post', async (t) => {
  const w = harness();
  await known(w, { notes: [{ id: 'n1' }] });
  w.store.entries.clear();
  w.write('e1', { title: 'A' });
  await w.run();
  w.write('e1', { title: 'B', state: 'active' });
  await w.run();
  t.deepEqual(w.deadLettered, []);
  t.deepEqual(w.platform.ofEvent('e1').at(-1)?.changes, [
    { notes: [{ id: 'n1' }] },
    { status: 'active' },
    { title: 'B' },
  ]);
});

/** Runs until the platform has stored the event, and dies before the record says so. */
const killedAfterPost = async (w: Harness): Promise<void> => {
  for (let at = 0; at < 60 && w.platform.stored.length === 0; at += 1) {
    w.store.entries.clear();
    await w.run({}, createLife(at, true));
  }
};

test('killed between the answer and the record: it is posted once more, as another text', async (t) => {
  const w = harness();
  w.write('e1', { title: 'A' });
  await killedAfterPost(w);
  t.is(w.kept('e1'), null);
  await w.run();
  t.is(w.platform.stored.length, 2, 'twice is better than never');
  const numbers = w.platform.stored.map(numberOf);
  t.true(numbers.every((number) => Number(number) >= 2));
  t.not(numbers[0], numbers[1]);
  await w.run({ force_run_since_start: true });
  t.is(w.platform.posts.length, 2);
});

test('an event that the platform marked and did not store is posted again, and arrives', async (t) => {
  const w = harness();
  w.write('e1', { title: 'A' });
  let fails = 2;
  w.platform.after = (call) => {
    if (call !== 'post' || (fails -= 1) < 0) return;
    w.platform.stored.length = 0;
    throw outage();
  };
  for (let n = 0; n < 3; n += 1) await w.run();
  t.deepEqual(
    w.platform.stored.map(({ item }) => item['title']),
    ['A'],
  );
});

test('killed between the answer and the record, then changed: it is posted as changed, and nothing of the change is lost', async (t) => {
  const w = harness();
  w.write('e1', { title: 'A' });
  await killedAfterPost(w);
  w.write('e1', { title: 'B', state: 'active', notes: [{ id: 'n1', text: 'late' }] });
  await w.run();
  t.like(w.platform.stored[1]?.item, { title: 'B', status: 'active' });
  t.deepEqual(
    changes(w).filter((change) => 'notes' in change),
    [{ notes: [{ id: 'n1', text: 'late' }] }],
  );
  t.is(w.platform.stored.length, 2, 'the stated bound: the id of the first is not known');
  w.write('e1', { state: 'resolved' });
  await w.run();
  t.is(w.platform.stored.length, 2, 'from then on it is known');
  t.deepEqual(w.platform.stored[1]?.changes.at(-1), { status: 'resolved' });
});

test('killed before the post: it exists once, under an id that is good', async (t) => {
  const w = harness();
  w.write('e1', { title: 'A' });
  for (let at = 0; at < 60 && w.bus.published.length === 0; at += 1) await w.run({}, createLife(at, true));
  t.is(w.platform.stored.length, 0);
  w.write('e1', { state: 'active' });
  await w.run();
  t.is(w.platform.stored.length, 1);
  t.is(w.platform.stored[0]?.item['status'], 'active');
});

test('a process that lost its partition records nothing more', async (t) => {
  const w = harness();
  const end = new AbortController();
  w.signal = end.signal;
  w.write('e1');
  w.platform.after = () => end.abort(new Error('over'));
  await w.run();
  t.is(w.kept('e1'), null);
});

test('a version that is delivered after a later one changes nothing; what the site took back from a backup does', async (t) => {
  const w = harness();
  await known(w);
  const before = w.site.events;
  w.write('e1', { title: 'B' });
  await w.run();
  w.bus.reset();
  await w.deliver();
  t.deepEqual(changes(w), [{ title: 'B' }]);
  w.site.events = before;
  await w.run({ force_run_since_start: true });
  t.deepEqual(changes(w), [{ title: 'B' }, { title: 'A' }]);
});

test('texts and places are not logged and not in the feed', async (t) => {
  const w = harness();
  const secret = 'c4n4ry';
  await known(w, { title: secret, location: { latitude: -1.2345, longitude: 36.9 } });
  w.platform.refuses = (item) => (Object.hasOwn(item, 'notes') ? 'no' : undefined);
  w.write('e1', { notes: [{ id: 'n1', text: secret }], files: [{ id: 'f', url: '/none' }] });
  await w.run({ include_attachments: true });
  const said = JSON.stringify([w.lines, w.entries]);
  t.true(w.entries.length > 0 && w.lines.length > 0);
  t.false(said.includes(secret) || said.includes('1.2345'));
});
