import test from 'ava';
import { textCounts } from './texts.ts';
import { stores } from './test/world.ts';

const now = Date.UTC(2026, 0, 1);
const at = (secondsAgo: number): string => new Date(now - secondsAgo * 1_000).toISOString();

test('texts are counted by what became of them, with the age of the oldest that is not decided', async (t) => {
  const { kv } = await stores(t);
  const put = (name: string, entry: object) => kv.state.set(`push.${name}`, JSON.stringify(entry));
  await put('a.1', { state: 'accepted', updated_at: at(9_000) });
  await put('a.2', { state: 'accepted', updated_at: at(9_000) });
  await put('b.1', { state: 'failed', updated_at: at(9_000) });
  await put('c.1', { state: 'pending', updated_at: at(1), first_seen_at: at(60) });
  await put('d.1', { state: 'sending', updated_at: at(2) });
  await put('e.1', { state: 'unknown', updated_at: at(5), first_seen_at: at(300) });
  await kv.state.set('push.f.1', 'no json');
  t.deepEqual(await textCounts(kv.state, now), {
    accepted: 2,
    failed: 1,
    pending: 2,
    unknown: 1,
    oldest_undecided_seconds: 300,
  });
});

test('a text that is also written under the key of the last release is one text', async (t) => {
  const { kv } = await stores(t);
  const entry = { state: 'accepted', updated_at: at(1) };
  await kv.state.set('push.park.a.1', JSON.stringify(entry));
  await kv.state.set('push.a.1', JSON.stringify({ ...entry, copy_of: 'push.park.a.1' }));
  t.is((await textCounts(kv.state, now)).accepted, 1);
});

test('without texts nothing is old, nor when a clock has jumped back', async (t) => {
  const { kv } = await stores(t);
  const none = { accepted: 0, failed: 0, pending: 0, unknown: 0, oldest_undecided_seconds: 0 };
  t.deepEqual(await textCounts(kv.state, now), none);
  await kv.state.set('push.a.1', JSON.stringify({ state: 'pending', updated_at: at(-60) }));
  t.deepEqual(await textCounts(kv.state, now), { ...none, pending: 1 });
});
