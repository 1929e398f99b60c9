import { topics } from '@ranger-relay/contracts';
import test from 'ava';
import { createLetterIndex, readLetters } from './letters.ts';
import { letter, harness } from './test/harness.ts';

const ids = (heads: readonly { id: string }[]): string[] => heads.map(({ id }) => id);

test('letters come oldest receipt first, and those of one receipt as they were stored', async (t) => {
  const { bus, clock, store } = harness();
  await store(letter({ id: 'late', received_at: '2026-01-01T00:00:09.000Z' }));
  await store(letter({ id: 'first' }), letter({ id: 'second' }));
  t.deepEqual(ids(await createLetterIndex(bus, clock).heads()), ['first', 'second', 'late']);
});

test('a look finds what came since the last one and nothing twice', async (t) => {
  const { bus, clock, store } = harness();
  const index = createLetterIndex(bus, clock);
  t.deepEqual(await index.heads(), []);
  await store(letter({ id: 'a' }));
  t.deepEqual(ids(await index.heads()), ['a']);
  await store(letter({ id: 'b' }));
  t.deepEqual(ids(await index.heads()), ['a', 'b']);
  t.deepEqual(ids(await index.heads()), ['a', 'b']);
});

test('two looks at once share one reading', async (t) => {
  const { bus, clock, store } = harness();
  await store(letter());
  let reads = 0;
  const counted = { ...bus, read: (...args: Parameters<typeof bus.read>) => ((reads += 1), bus.read(...args)) };
  const index = createLetterIndex(counted, clock);
  const [one, two] = await Promise.all([index.heads(), index.heads()]);
  t.deepEqual(ids(one), ids(two));
  t.is(reads, 1);
});

test('a letter stored twice is one letter', async (t) => {
  const { bus, clock, store } = harness();
  await store(letter(), letter());
  t.is((await createLetterIndex(bus, clock).heads()).length, 1);
});

test('records that are no letters are counted and keep no letter back', async (t) => {
  const { bus, clock, store } = harness();
  await store('no JSON', '{"v":2}', letter({ id: 'good' }));
  const index = createLetterIndex(bus, clock);
  t.deepEqual(ids(await index.heads()), ['good']);
  t.is(index.unreadable(), 2);
});

test('a letter of a kind that a newer version writes is read', async (t) => {
  const { bus, clock, store } = harness();
  await store(JSON.stringify({ ...letter(), kind: 'picture', extra: true }));
  t.is((await createLetterIndex(bus, clock).heads())[0]?.kind, 'picture');
});

test('letters beyond the retention are forgotten', async (t) => {
  const { bus, clock, store } = harness();
  await store(letter());
  const index = createLetterIndex(bus, clock);
  t.is((await index.heads()).length, 1);
  clock.jump(topics.deadLetters.retentionMs + 1);
  t.is((await index.heads()).length, 0);
});

test('an index that failed to read can be asked again', async (t) => {
  const { bus, clock, store } = harness();
  await store(letter());
  let fail = true;
  const failing = {
    ...bus,
    read: (...args: Parameters<typeof bus.read>) => {
      if (fail) throw new Error('away');
      return bus.read(...args);
    },
  };
  const index = createLetterIndex(failing, clock);
  await t.throwsAsync(index.heads(), { message: 'away' });
  fail = false;
  t.is((await index.heads()).length, 1);
});

test('heads hold the size of the body and not the body', async (t) => {
  const { bus, clock, store } = harness();
  await store(letter({ body: 'x'.repeat(1_000) }));
  const [head] = await createLetterIndex(bus, clock).heads();
  t.is(head?.kept_bytes, 1_000);
  t.false(JSON.stringify({ ...head, stored: null }).includes('body_base64'));
});

test('whole letters are found by id, and unknown ids are not', async (t) => {
  const { bus, store } = harness();
  await store(letter({ id: 'a' }), letter({ id: 'b' }), letter({ id: 'c' }));
  const found = await readLetters(bus, new Set(['b', 'nobody']));
  t.deepEqual([...found.keys()], ['b']);
  t.is(found.get('b')?.body_base64, letter().body_base64);
  t.is((await readLetters(bus, new Set())).size, 0);
});
