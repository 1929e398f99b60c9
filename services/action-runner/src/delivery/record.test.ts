import { createActionState } from '@ranger-relay/actions';
import { isRelayError } from '@ranger-relay/errors';
import { memorySpace } from '@ranger-relay/kv/testing';
import { manualClock, seededRandom } from '@ranger-relay/runtime/testing';
import test from 'ava';
import { openRecord } from './record.ts';

const setUp = () => {
  const clock = manualClock();
  const space = memorySpace(clock);
  const tools = { clock, random: seededRandom(1) };
  const { signal } = new AbortController();
  const state = createActionState({ space, tools, integrationId: 'park', actionId: 'site_events', signal });
  return (id: string) => openRecord(state, id, () => undefined);
};

test('of two processes that hold the record of an event, the one that comes later saves nothing: it is not the owner', async (t) => {
  const open = setUp();
  const [first, second] = await Promise.all([open('e'), open('e')]);
  await first.save({ ...first.value(), title: 'A' });
  await first.save({ ...first.value(), title: 'B' });
  const error = await t.throwsAsync(second.save({ ...second.value(), title: 'C' }));
  t.true(isRelayError(error, 'kv_unavailable'));
  t.is((await open('e')).value().title, 'B');
});

test('a write that was carried out although its answer was lost is done', async (t) => {
  const open = setUp();
  const record = await open('e');
  const next = { ...record.value(), title: 'A' };
  await (await open('e')).save(next);
  await t.notThrowsAsync(record.save(next));
});

test('an event whose id is that of an entry of the runtime has a record of its own', async (t) => {
  const open = setUp();
  for (const id of ['no-source', 'backfill-lock', '%x', 'x']) {
    const record = await open(id);
    t.is(record.value().title, null);
    await record.save({ ...record.value(), title: id });
  }
});
