import { RelayError } from '@ranger-relay/errors';
import { fc, testProp } from '@fast-check/ava';
import { memorySpace, type MemorySpace } from '@ranger-relay/kv/testing';
import { manualClock, type ManualClock } from '@ranger-relay/runtime/testing';
import test from 'ava';
import { action, gate, handlers, scheduled, type Handler } from '../test/actions.ts';
import { park, harness } from '../test/harness.ts';

const process = (run?: Handler, options?: Parameters<typeof harness>[1]) => {
  const w = harness({ ...handlers('generic', run), action_pull: action('pull', run) }, options);
  w.platform.configs = { work: {}, pull: scheduled };
  return w;
};

for (const id of ['work', 'pull']) {
  test(`${id}: a message that was worked on is not run again for an hour, then it is`, async (t) => {
    let runs = 0;
    const w = process(() => (runs += 1));
    t.is((await w.run(id, { deliveryId: 'm' })).kind, 'complete');
    t.deepEqual(w.space.values(), { [`done.site.topic.${park}.${id}.m`]: 'done' });
    await w.clock.advance(3_599_000);
    t.deepEqual(await w.run(id, { deliveryId: 'm' }), { kind: 'repeated' });
    await w.clock.advance(2_000);
    t.is((await w.run(id, { deliveryId: 'm' })).kind, 'complete');
    t.is(runs, 2);
  });

  test(`${id}: the same message five times at once is one run with one outcome`, async (t) => {
    const { run, waiting } = gate();
    const w = process(run);
    const all = Array.from({ length: 5 }, () => w.start(id, { deliveryId: 'm' }));
    await w.clock.advance(0);
    waiting[0]?.resolve(1);
    for (const outcome of await w.settled(Promise.all(all))) t.deepEqual(outcome, { kind: 'complete', result: 1 });
    t.is(waiting.length, 1);
  });

  test(`${id}: a message under way in another process waits, also after that process has gone, for at most 30 s`, async (t) => {
    const first = process(gate().run);
    const { run, waiting } = gate();
    const second = process(run, { clock: first.clock, space: first.space, seed: 2 });
    void first.start(id, { deliveryId: 'm' });
    await first.clock.advance(0);
    const refused = await second.run(id, { deliveryId: 'm' });
    t.like(refused, { kind: 'refused', error: { next: 'retry' } });
    t.is(waiting.length, 0);
    t.deepEqual(second.kinds(), []);
    const key = Object.keys(first.space.values())[0] ?? '';
    void first.space.compareAndSet(key, first.space.values()[key] ?? '', 'killed', { ttlMs: 30_000 });
    await first.clock.advance(30_001);
    void second.start(id, { deliveryId: 'm' });
    await first.clock.advance(0);
    t.is(waiting.length, 1);
  });

  test(`${id}: a message whose run has failed for a while is run again, for good it is not`, async (t) => {
    const failures = [new RelayError('http_timeout'), new RelayError('item_refused')];
    let runs = 0;
    const w = process(() => Promise.reject(failures[runs++] as Error));
    t.like(await w.run(id, { deliveryId: 'm' }), { kind: 'failed', transient: true });
    t.deepEqual(w.space.values(), {});
    t.like(await w.run(id, { deliveryId: 'm' }), { kind: 'failed', transient: false });
    t.deepEqual(await w.run(id, { deliveryId: 'm' }), { kind: 'repeated' });
  });

  test(`${id}: two round trips to the store, none to the platform but for configuration`, async (t) => {
    const w = process();
    w.space.remote = true;
    await w.run(id, { deliveryId: 'm' });
    t.is(w.space.roundTrips, 2);
    t.is(w.platform.asked, 2);
  });
}

interface Owner {
  readonly slug: string;
  readonly from: string;
  readonly integration: string;
}

/** Runs of one message id for an owner, each in a process of its own over one store. */
const runsFor = async (space: MemorySpace, clock: ManualClock, { slug, from, integration }: Owner, times: number) => {
  let runs = 0;
  for (let seed = 1; seed <= times; seed += 1) {
    const w = process(() => (runs += 1), { clock, space, slug, seed });
    await w.run('work', { integration: { id: integration }, message: { from, id: 'm' } });
  }
  return runs;
};

const ownerPart = fc.constantFrom('a', 'b', 'a.b', 'b.a', '', '.', 'é', '%');

testProp(
  'a message is repeated only for the service, topic and integration that it was worked on for',
  [
    fc.uniqueArray(fc.record({ slug: ownerPart, from: ownerPart, integration: ownerPart }), {
      maxLength: 6,
      selector: (owner) => JSON.stringify(owner),
    }),
  ],
  async (t, owners) => {
    const clock = manualClock();
    const space = memorySpace(clock);
    for (const owner of owners) t.is(await runsFor(space, clock, owner, 2), 1);
    t.is(Object.keys(space.values()).length, owners.length);
  },
);

test('two messages with one id at once, for two integrations, are two runs', async (t) => {
  const { run, waiting } = gate();
  const w = process(run);
  const both = ['one', 'other'].map((id) => w.start('work', { integration: { id }, deliveryId: 'm' }));
  await w.clock.advance(0);
  t.is(waiting.length, 2);
  for (const each of waiting) each.resolve(null);
  await w.settled(Promise.all(both));
});

test('a message whose run failed for a while is run again', async (t) => {
  let runs = 0;
  const w = process(() => Promise.reject(new RelayError((runs += 1) === 1 ? 'http_timeout' : 'item_refused')));
  t.like(await w.run('work', { deliveryId: 'm' }), { kind: 'failed', transient: true });
  await w.clock.advance(600_000);
  t.like(await w.run('work', { deliveryId: 'm' }), { kind: 'failed', transient: false });
});

test('a skipped run is done with', async (t) => {
  const w = process();
  w.platform.configs = { pull: {} };
  t.is((await w.run('pull', { deliveryId: 'm' })).kind, 'skipped');
  t.deepEqual(await w.run('pull', { deliveryId: 'm' }), { kind: 'repeated' });
});

test('a refused message is looked at again each time', async (t) => {
  const w = process();
  t.is((await w.run('none', { deliveryId: 'm' })).kind, 'refused');
  t.is((await w.run('none', { deliveryId: 'm' })).kind, 'refused');
  t.deepEqual(w.space.values(), {});
});

test('without an id, and by hand, the same is run each time', async (t) => {
  let runs = 0;
  const w = process(() => (runs += 1));
  await w.run('work');
  await w.run('work');
  t.is(runs, 2);
});

test('a message counts as done with only when what it leaves behind is durable', async (t) => {
  const w = process(() => Promise.reject(new RelayError('item_refused')));
  const seen: string[] = [];
  const outcome = await w.run('work', {
    deliveryId: 'm',
    onEnd: async ({ kind }) => {
      seen.push(kind);
      throw new RelayError('bus_unavailable');
    },
  });
  t.like(outcome, { kind: 'refused', error: { code: 'bus_unavailable' } });
  t.deepEqual(seen, ['failed']);
  t.deepEqual(w.space.values(), {});
});

test('without the store a push or generic action runs all the same: twice rather than never', async (t) => {
  let runs = 0;
  const w = process(() => (runs += 1));
  w.space.away = true;
  for (const _ of [1, 2]) t.is((await w.run('work', { deliveryId: 'm' })).kind, 'complete');
  t.is(runs, 2);
});

test('without the store no pull starts: nobody could be sure to be alone', async (t) => {
  const w = process();
  w.space.away = true;
  t.like(await w.run('pull'), { kind: 'refused', error: { code: 'kv_unavailable', next: 'retry' } });
  t.deepEqual(w.kinds(), []);
});

test('a handler that goes on after its time keeps its message from being run beside it, until it ends', async (t) => {
  const { run, waiting } = gate();
  const w = process(run);
  const task = w.start('work', { deliveryId: 'm' });
  await w.clock.advance(540_000);
  t.is((await w.settled(task)).kind, 'timed_out');
  t.like(await w.run('work', { deliveryId: 'm' }), { kind: 'refused', error: { code: 'delivery_in_flight' } });
  waiting[0]?.resolve(null);
  await w.clock.advance(0);
  t.deepEqual(w.space.values(), {});
});
