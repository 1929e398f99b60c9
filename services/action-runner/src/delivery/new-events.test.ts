import { parseExactJson, RelayError } from '@ranger-relay/errors';
import type { EventItem } from '@ranger-relay/platform';
import test from 'ava';
import { harness } from '../events/test/harness.ts';
import { createLife } from '../events/test/life.ts';

/** An item without what tells each of its posts from the others. */
const withoutAttempt = (item: EventItem): EventItem => {
  const { delivery_attempt: _, ...provider_metadata } = item['provider_metadata'] as EventItem;
  return { ...item, provider_metadata };
};

test('a new event is posted with its mapping, and its record is kept for a year', async (t) => {
  const w = harness();
  w.write('e1', {
    title: 'Smoke',
    geojson: { type: 'Feature' },
    event_details: { size: 3 },
    notes: [{ id: 'n1', text: 'x' }],
  });
  const [event] = w.site.events;
  t.like(await w.run(), { events_extracted: 1 });
  t.deepEqual(
    w.platform.posts.map((list) => list.map(withoutAttempt)),
    [
      [
        {
          title: 'Smoke',
          event_type: 'fire',
          source: 'fire',
          recorded_at: event?.['time'],
          location: { lat: -1.5, lon: 36.25 },
          geometry: { type: 'Feature' },
          event_details: { size: 3 },
          status: 'new',
          priority: 100,
          provider_metadata: { source_event_url: 'https://site.example/events/e1', serial_number: 7 },
        },
      ],
    ],
  );
  const { received_at: received } = JSON.parse(String(w.bus.published[0]?.value)) as { received_at: string };
  t.deepEqual(w.kept('e1'), {
    object_id: 'object-1',
    updated_at: event?.['updated_at'],
    received_at: received,
    state: 'new',
    priority: 100,
    title: 'Smoke',
    seen_note_ids: ['n1'],
    seen_file_ids: [],
  });
  const year = 365 * 86_400_000;
  t.true(Math.abs((w.keptUntil('e1') ?? 0) - w.clock.now() - year) < 60_000);
});

test('an event that is first seen resolved, red and with notes has all of it at the platform', async (t) => {
  const w = harness();
  w.write('e1', { state: 'resolved', priority: 300, notes: [{ id: 'n1', text: 'x' }, { id: 'n2' }] });
  await w.run();
  const [stored] = w.platform.stored;
  t.like(stored?.item, { status: 'resolved', priority: 300 });
  t.deepEqual(stored?.changes, [{ notes: [{ id: 'n1', text: 'x' }] }, { notes: [{ id: 'n2' }] }]);
  w.write('e1');
  t.like(await w.run(), { events_extracted: 1 });
  t.is(w.platform.stored[0]?.changes.length, 2);
});

test('a note of a new event that did not reach the platform is sent later', async (t) => {
  const w = harness();
  w.write('e1', { notes: [{ id: 'n1' }] });
  w.platform.before = (call) => {
    if (call === 'patch') throw new RelayError('platform_unavailable', { details: { reason: 'test' } });
  };
  await w.run();
  t.deepEqual(w.kept('e1')?.['seen_note_ids'], []);
  w.platform.before = () => undefined;
  await w.run();
  t.deepEqual(w.platform.stored[0]?.changes, [{ notes: [{ id: 'n1' }] }]);
});

test('new events go in lists of at most 100, in order, whatever the pages are', async (t) => {
  const w = harness();
  for (let n = 0; n < 230; n += 1) w.write(`e${n}`);
  w.site.pageSize = 1_000;
  t.like(await w.run(), { events_extracted: 230 });
  t.deepEqual(
    w.platform.posts.map((list) => list.length),
    [100, 100, 30],
  );
  t.deepEqual(
    w.platform.stored.map(({ item }) => (item['provider_metadata'] as { source_event_url: string }).source_event_url),
    Array.from({ length: 230 }, (_, n) => `https://site.example/events/e${n}`),
  );
});

test('an event that comes twice in a page is one event', async (t) => {
  const w = harness();
  w.write('e1');
  w.site.events = [...w.site.events, ...w.site.events];
  t.like(await w.run(), { events_extracted: 1 });
});

test('a version that was handled is not sent again, whoever publishes or delivers it again', async (t) => {
  const w = harness();
  w.write('e1');
  await w.run();
  t.like(await w.run({ force_run_since_start: true }), { events_extracted: 1 });
  w.bus.reset();
  await w.deliver();
  t.is(w.platform.posts.length, 1);
});

for (const named of [true, false])
  test(`a refused event goes to the dead letters and the rest is posted again (offenders ${named ? '' : 'not '}named)`, async (t) => {
    const w = harness();
    w.platform.namesOffenders = named;
    w.platform.refuses = ({ title }) => (title === 'bad' ? '{"title":["no"]}' : undefined);
    for (const [id, title] of [
      ['e1', 'a'],
      ['e2', 'bad'],
      ['e3', 'c'],
    ] as const)
      w.write(id, { title });
    t.like(await w.run(), { events_extracted: 3 });
    t.deepEqual(
      w.platform.stored.map(({ item }) => item['title']),
      ['a', 'c'],
    );
    t.deepEqual(
      w.rowsOfLetters().map(({ id, title }) => [id, title]),
      [['e2', 'bad']],
    );
    t.deepEqual(w.titles(), ['warning The platform refuses some events or changes; they are in the dead letters']);
    await w.run({ force_run_since_start: true });
    t.is(w.deadLettered.length, 1, 'it is not tried again while it has not changed');
    w.write('e2', { title: 'good' });
    await w.run();
    t.deepEqual(
      w.platform.stored.map(({ item }) => item['title']),
      ['a', 'c', 'good'],
    );
  });

const isBad = (item: EventItem): boolean => item['title'] === 'bad';

for (const fails of [false, true])
  test(`an event that is repaired while its first version waits is posted as repaired, once (the first ${fails ? 'fails' : 'is refused'})`, async (t) => {
    const w = harness();
    w.platform.fails = () => true;
    w.write('e1', { title: 'bad' });
    await w.run();
    w.platform.fails = (item) => fails && isBad(item);
    w.platform.refuses = (item) => (isBad(item) ? 'no such title' : undefined);
    w.write('e1', { title: 'good' });
    for (let n = 0; n < 8; n += 1) {
      w.write(`other${n}`);
      w.clock.jump(180_000);
      await w.run();
    }
    t.deepEqual(w.deadLettered, []);
    const [stored, ...more] = w.platform.ofEvent('e1');
    t.is(stored?.item['title'], 'good');
    t.deepEqual(more, []);
  });

test('a refused event is not handled before its dead letter is stored', async (t) => {
  const w = harness();
  w.platform.refuses = () => 'no';
  w.onBury = () => {
    throw new RelayError('bus_unavailable', { details: { reason: 'test' } });
  };
  w.write('e1');
  await w.run();
  t.is(w.kept('e1'), null);
  w.onBury = () => undefined;
  await w.deliver();
  t.is(w.deadLettered.length, 1);
  t.is(w.kept('e1')?.['updated_at'], w.site.events[0]?.['updated_at']);
});

test('an event without a time goes to the dead letters, once', async (t) => {
  const w = harness();
  w.write('e1', { time: null, created_at: w.clock.now() });
  w.write('e2');
  t.like(await w.run(), { events_extracted: 2 });
  t.is(w.platform.stored.length, 1);
  t.like(w.deadLettered[0], { kind: 'site_event', reason: 'item_refused', headers: { event: 'e1' } });
  await w.run({ force_run_since_start: true });
  t.is(w.deadLettered.length, 1);
});

test('a row without an id is left out and harms no other', async (t) => {
  const w = harness();
  w.write('e1');
  w.site.events = [{ updated_at: w.site.events[0]?.['updated_at'] }, 7 as never, ...w.site.events];
  t.like(await w.run(), { events_extracted: 1 });
});

test('numbers beyond 53 bits reach the platform with every digit, also after a kill and in a dead letter', async (t) => {
  const digits = '"tag":9007199254740993';
  const event_details = parseExactJson(`{${digits}}`);
  for (let killAt = 1; killAt < 14; killAt += 1) {
    const w = harness();
    w.write('e1', { event_details });
    await w.run({}, createLife(killAt));
    await w.run();
    t.true(w.platform.stored.length > 0);
    for (const { item } of w.platform.stored) t.true(JSON.stringify(item).includes(digits), `killed at ${killAt}`);
  }
});

test('a place of texts is a place; one that cannot be read is left out and named in a WARNING, once an hour', async (t) => {
  const w = harness();
  w.write('texts', { location: { latitude: '-1.5', longitude: ' 36.25 ' }, priority: '200' });
  w.write('words', { location: { latitude: 'north', longitude: 1 } });
  w.write('none', { location: null });
  await w.run();
  w.write('words', { title: 'again' });
  await w.run();
  t.deepEqual(
    w.platform.stored.map(({ item }) => item['location']),
    [{ lat: -1.5, lon: 36.25 }, undefined, undefined],
  );
  t.like(w.entries, [{ level: 'warning', data: { count: 1, events: ['words'] } }]);
  t.is(w.entries.length, 1);
});
