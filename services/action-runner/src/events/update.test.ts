import { isRelayError, RelayError } from '@ranger-relay/errors';
import test from 'ava';
import type { StoredEvent } from './test/fake-platform.ts';
import { siteError } from './test/fake-site.ts';
import { createLife } from './test/life.ts';
import { harness, type Harness } from './test/harness.ts';

const known = async (w: Harness, members = {}): Promise<void> => {
  w.write('e1', { title: 'A', ...members });
  await w.run();
};

const numberOf = (event: StoredEvent | undefined): unknown =>
  (event?.item['provider_metadata'] as { readonly delivery_attempt?: number } | undefined)?.delivery_attempt;

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
  t.like(await w.run(), { events_updated: 1, updates_emitted: 5, events_extracted: 0 });
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

test('null is not sent, and what the platform has stays known', async (t) => {
  const w = harness();
  await known(w);
  w.write('e1', { title: null, state: null, priority: null });
  t.like(await w.run(), { events_updated: 0, updates_emitted: 0 });
  w.write('e1', { title: 'A', state: 'new', priority: 100 });
  t.like(await w.run(), { updates_emitted: 0 });
  t.deepEqual(changes(w), []);
});

test('a change of anything else writes nothing', async (t) => {
  const w = harness();
  await known(w);
  w.write('e1', { location: null, event_details: { a: 1 } });
  t.like(await w.run(), { events_updated: 0, updates_emitted: 0, events_skipped_unchanged: 0 });
  t.deepEqual(changes(w), []);
});

test('the record is saved after each change: what a failed run sent is not sent again', async (t) => {
  const w = harness();
  await known(w);
  w.write('e1', { state: 'active', priority: 200, title: 'B' });
  w.platform.before = (_call, what) => {
    if (Object.hasOwn(what, 'priority')) throw siteError('site_unavailable');
  };
  await t.throwsAsync(w.run());
  w.platform.before = () => undefined;
  t.like(await w.run(), { updates_emitted: 2 });
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

test('a refused change goes to the dead letters and holds up nothing', async (t) => {
  const w = harness();
  await known(w);
  w.platform.refuses = (item) => (item['status'] === 'odd' ? 'no such state' : undefined);
  w.write('e1', { state: 'odd', title: 'B' });
  t.like(await w.run(), { updates_emitted: 1, events_updated: 1 });
  t.like(w.deadLettered, [{ event: { id: 'e1' }, item: { status: 'odd' }, reason: 'no such state' }]);
  t.like(await w.run({ force_run_since_start: true }), { events_skipped_unchanged: 1 });
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
  t.like(w.deadLettered[0], { item: { status: 'active' } });
});

test('an event that is posted as new gets all of its notes, also those that were tried before', async (t) => {
  const w = harness();
  const notes = ['n1', 'n2', 'n3'].map((id) => ({ id }));
  const drop = (): void => {
    w.platform.after = () => undefined;
    w.platform.stored.length = 0;
  };
  w.platform.after = drop;
  w.write('e1', { notes: notes.slice(0, 2) });
  await w.run();
  w.write('e1', { notes });
  await w.run();
  const [stored, ...more] = w.platform.ofEvent('e1');
  t.deepEqual(more, []);
  const told = (stored?.changes ?? []).flatMap((change) => (change['notes'] as { id: string }[] | undefined) ?? []);
  t.deepEqual(told.map(({ id }) => id).sort(), ['n1', 'n2', 'n3']);
});

test('a store that forgot an event within the hour in which the platform drops its repeat loses none of its changes', async (t) => {
  const w = harness();
  await known(w);
  w.store.entries.clear();
  await w.run();
  t.is(w.platform.stored.length, 1);
  w.write('e1', { title: 'B', state: 'active' });
  await w.run();
  t.deepEqual(w.deadLettered, []);
  t.like(w.platform.stored.at(-1)?.item, { title: 'B', status: 'active' });
});

test('a store that forgets an event again and again, while answers are lost, loses none of its notes', async (t) => {
  const w = harness();
  await known(w, { notes: [{ id: 'n1' }] });
  for (let round = 0; round < 4; round += 1) {
    w.store.entries.clear();
    // The platform stores the post and its answer is lost, each time it is posted under a new number.
    const before = w.platform.stored.length;
    w.platform.after = (call) => {
      if (call === 'post' && w.platform.stored.length > before)
        throw new RelayError('platform_unavailable', { details: { reason: 'test' }, ambiguous: true });
    };
    await w.run().catch(() => undefined);
    w.platform.after = () => undefined;
    await w.run();
    t.deepEqual(w.deadLettered, []);
    t.deepEqual(w.platform.stored.at(-1)?.changes, [{ notes: [{ id: 'n1' }] }]);
  }
});

/** Runs until the platform has stored the event, and dies before the record says so. */
const killedAfterPost = async (w: Harness): Promise<void> => {
  for (let at = 0; at < 60 && w.platform.stored.length === 0; at += 1) {
    w.store.entries.clear();
    await w.run({}, createLife(at, true));
  }
};

test('killed between the answer and the record: exactly the same is posted again; as the platform hides the id, the event is posted anew', async (t) => {
  const w = harness();
  w.write('e1', { title: 'A' });
  await killedAfterPost(w);
  t.is(w.kept('e1')?.['object_id'], null);
  await w.run();
  t.deepEqual(w.platform.posts[0], w.platform.posts[1]);
  t.is(w.platform.stored.length, 2, 'twice is better than never');
  t.is(numberOf(w.platform.stored[0]), undefined);
  t.true(Number(numberOf(w.platform.stored[1])) >= 2);
  t.like(await w.run({ force_run_since_start: true }), { events_skipped_unchanged: 1 });
});

test('an event that the platform marked and did not store is posted anew, without any change at the site', async (t) => {
  const w = harness();
  w.write('e1', { title: 'A' });
  let fails = 2;
  w.platform.after = (call) => {
    if (call !== 'post' || (fails -= 1) < 0) return;
    w.platform.stored.length = 0;
    throw new RelayError('platform_unavailable', { details: { reason: 'test' }, ambiguous: true });
  };
  for (let run = 0; run < 3; run += 1) await w.run().catch(() => undefined);
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
  for (let at = 0; at < 60 && !w.kept('e1'); at += 1) await w.run({}, createLife(at, true));
  t.is(w.platform.stored.length, 0);
  w.write('e1', { state: 'active' });
  await w.run();
  t.is(w.platform.stored.length, 1);
  t.deepEqual(changes(w), [{ status: 'active' }]);
});

for (const code of ['site_unavailable', 'site_forbidden', 'site_credentials_refused'] as const)
  test(`the site fails between pages (${code}): the run fails, and the next one goes on behind what was taken`, async (t) => {
    const w = harness();
    w.site.pageSize = 2;
    for (const id of ['e1', 'e2', 'e3']) w.write(id);
    w.site.before = (path) => {
      if (path === 'activity/events' && w.platform.stored.length > 0) throw siteError(code);
    };
    const error = await t.throwsAsync(w.run());
    t.true(isRelayError(error, code));
    t.is(w.kept()?.['last_execution'], undefined);
    w.site.before = () => undefined;
    t.like(await w.run(), { events_extracted: 2, events_skipped_unchanged: 0 });
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

test('an aborted run writes nothing more', async (t) => {
  const w = harness();
  const end = new AbortController();
  w.signal = end.signal;
  w.write('e1');
  w.platform.after = () => end.abort(new Error('over'));
  await t.throwsAsync(w.run(), { message: 'over' });
  t.is(w.kept('e1')?.['object_id'], null);
  t.is(w.kept(), null);
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
