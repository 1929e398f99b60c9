import { RelayError } from '@ranger-relay/errors';
import { memoryKv } from '@ranger-relay/kv/testing';
import { createConditions, mergeConditions } from '@ranger-relay/runtime';
import { manualClock, testContext } from '@ranger-relay/runtime/testing';
import test, { type ExecutionContext } from 'ava';
import { sharedConditions, dismissCondition, shareConditions } from './share-conditions.ts';

const quarter = 15_000;

/** A store, and processes that share their conditions there. */
const setUp = (t: ExecutionContext) => {
  const clock = manualClock();
  const kv = memoryKv(clock);
  const entries: unknown[][] = [];
  const broken = { is: false };
  const set: typeof kv.state.set = (...args) =>
    broken.is
      ? Promise.reject(new RelayError('kv_unavailable', { details: { reason: 'disk full' } }))
      : kv.state.set(...args);
  const stores = { state: { ...kv.state, set }, reserved: kv.reserved };
  const start = async (instance: string, service = 'observation-forwarder') => {
    const made = testContext({ clock, service });
    const context = { ...made, conditions: createConditions({ ...made, host: instance }) };
    t.teardown(() => context.lifecycle.stop());
    const activity = { webhook: (...entry: unknown[]) => void entries.push(entry) };
    const platform = { activity, integrations: { reload: async () => true } };
    await shareConditions(context, { kv: stores, platform, instance });
    return context;
  };
  const seen = async () =>
    mergeConditions((await sharedConditions(kv, clock.now())).views).map(({ name, subject }) => `${name} ${subject}`);
  return { clock, kv, entries, broken, start, seen };
};

test('the conditions of all processes are seen together, and a later clear of one process counts for all', async (t) => {
  const { clock, start, seen } = setUp(t);
  const [one, two] = [await start('1'), await start('2')];
  one.conditions.set('api_key_refused', 'a');
  two.conditions.set('api_key_refused', 'b');
  await clock.advance(quarter);
  t.deepEqual(await seen(), ['api_key_refused a', 'api_key_refused b']);
  two.conditions.set('api_key_refused', 'a');
  await clock.advance(1);
  two.conditions.clear('api_key_refused', 'a');
  await clock.advance(quarter);
  t.deepEqual(await seen(), ['api_key_refused b']);
});

test('a process that takes work over clears what an earlier one has set and will not see again', async (t) => {
  const { clock, start, seen } = setUp(t);
  const [one, two] = [await start('1'), await start('2')];
  one.conditions.set('api_key_refused', 'a');
  await clock.advance(2 * quarter);
  two.conditions.clear('api_key_refused', 'a');
  await clock.advance(2 * quarter);
  t.deepEqual(await seen(), []);
  t.deepEqual(one.conditions.active(), []);
  one.conditions.set('api_key_refused', 'a');
  await clock.advance(4 * quarter);
  t.deepEqual(await seen(), ['api_key_refused a']);
});

test('a process that starts goes on from what the last one knew, and its good request ends it', async (t) => {
  const { clock, start, seen } = setUp(t);
  const one = await start('1');
  const since = clock.now();
  for (let n = 0; n < 2; n += 1) one.conditions.set('api_key_refused', 'a');
  one.conditions.set('api_key_refused', 'b');
  one.conditions.set('clock_wrong', one.service, { reason: 'x', effect: 'y' });
  await clock.advance(quarter);
  await one.lifecycle.stop();
  const { conditions } = await start('1');
  t.like(conditions.find('api_key_refused', 'a'), { count: 2, since });
  t.is(conditions.active().length, 2, 'what was wrong with the process alone is over');
  conditions.set('api_key_refused', 'a');
  t.like(conditions.find('api_key_refused', 'a'), { count: 3, since });
  conditions.clear('api_key_refused', 'b');
  await clock.advance(quarter);
  t.deepEqual(await seen(), ['api_key_refused a']);
  conditions.clear('api_key_refused', 'a');
  await clock.advance(quarter);
  t.deepEqual(await seen(), []);
});

test('the beginning and the end of a critical condition outlive a process that is killed a second later', async (t) => {
  const { clock, start, seen } = setUp(t);
  const { conditions } = await start('1');
  await clock.advance(2_500);
  conditions.set('api_key_refused', 'a');
  await clock.advance(1_000);
  t.deepEqual(await seen(), ['api_key_refused a']);
  conditions.clear('api_key_refused', 'a');
  await clock.advance(1_000);
  t.deepEqual(await seen(), []);
});

test('what was seen just before an orderly end is not lost', async (t) => {
  const { start } = setUp(t);
  const one = await start('1');
  one.conditions.set('api_key_refused', 'a');
  await one.lifecycle.stop();
  t.is((await start('1')).conditions.active().length, 1);
});

test('what an ended process has left is taken over once, by its service; of what was wrong with it alone nothing stays', async (t) => {
  const { clock, start, seen } = setUp(t);
  const one = await start('1');
  one.conditions.set('api_key_refused', 'a');
  one.conditions.set('clock_wrong', one.service, { reason: 'x', effect: 'y' });
  await clock.advance(quarter);
  await one.lifecycle.stop();
  const runner = await start('runner', 'action-runner');
  await clock.advance(6 * quarter);
  t.deepEqual(await seen(), ['api_key_refused a']);
  const others = [await start('2'), await start('3')];
  await clock.advance(6 * quarter);
  t.deepEqual(
    [runner, ...others].map(({ conditions }) => conditions.active().length).toSorted(),
    [0, 0, 1],
    'it is told by one process',
  );
  t.deepEqual(runner.conditions.active(), []);
  t.deepEqual(await seen(), ['api_key_refused a']);
  for (const { conditions } of others) conditions.clear('api_key_refused', 'a');
  await clock.advance(quarter);
  t.deepEqual(await seen(), []);
});

test('an installation that was down for a week shows what it knew of its counterparts, and nothing of its processes', async (t) => {
  const { clock, start, seen } = setUp(t);
  const one = await start('1');
  one.conditions.set('service_not_ready', one.service, { reason: 'bus' });
  one.conditions.set('api_key_refused', 'a');
  await clock.advance(quarter);
  await one.lifecycle.stop();
  clock.jump(7 * 86_400_000);
  t.deepEqual(await seen(), ['api_key_refused a']);
  const two = await start('2');
  t.deepEqual(
    two.conditions.active().map(({ name }) => name),
    ['api_key_refused'],
  );
});

test('processes that write at the same time lose nothing of each other', async (t) => {
  const { clock, start, seen } = setUp(t);
  const all = await Promise.all(['1', '2', '3'].map((instance) => start(instance)));
  for (const [n, { conditions }] of all.entries()) conditions.set('api_key_refused', `p${n}`);
  await clock.advance(2 * quarter);
  t.deepEqual((await seen()).toSorted(), ['api_key_refused p0', 'api_key_refused p1', 'api_key_refused p2']);
});

test('a store that takes no writes is a condition until it takes one', async (t) => {
  const { clock, broken, start } = setUp(t);
  const { conditions } = await start('1');
  broken.is = true;
  await clock.advance(quarter);
  t.like(conditions.active()[0], { name: 'store_write_failing', subject: 'observation-forwarder@1' });
  await clock.advance(70_000);
  t.is(conditions.active().length, 1);
  broken.is = false;
  await clock.advance(quarter);
  t.deepEqual(conditions.active(), []);
});

test('what a person dismisses ends in every process, and comes back when it is seen again', async (t) => {
  const { clock, kv, start, seen } = setUp(t);
  const { conditions } = await start('1');
  conditions.set('api_key_refused', 'a');
  await clock.advance(quarter);
  await dismissCondition(kv, { name: 'api_key_refused', subject: 'a' }, clock.now());
  t.deepEqual(await seen(), []);
  await clock.advance(quarter);
  t.deepEqual(conditions.active(), []);
  conditions.set('api_key_refused', 'a');
  await clock.advance(quarter);
  t.deepEqual(await seen(), ['api_key_refused a']);
});

test('a condition of an integration is an entry of its activity log, once an hour from all processes together', async (t) => {
  const { clock, entries, start } = setUp(t);
  for (const instance of ['1', '2']) {
    const { conditions } = await start(instance);
    conditions.set('api_key_refused', 'a');
    conditions.set('clock_wrong', 'x', { reason: 'y', effect: 'z' });
    conditions.set('action_failing', 'a/pull_events', { reason: 'it has a Failed entry' });
  }
  await clock.advance(10 * 60_000);
  t.is(entries.length, 1);
  t.like(entries[0], ['CustomLog', 'a', { level: 40, title: 'a: the platform refuses its API key' }]);
  await clock.advance(60 * 60_000);
  t.is(entries.length, 2);
});

test('a fault of one machine holds while the same service works on another machine', async (t) => {
  const { clock, start, seen } = setUp(t);
  const [one, two] = [await start('1'), await start('2')];
  for (let n = 0; n < 4; n += 1) {
    one.conditions.set('clock_wrong', one.service, { reason: 'x', effect: 'y' });
    await clock.advance(quarter);
    two.conditions.clear('clock_wrong', two.service);
    await clock.advance(quarter);
    t.deepEqual(await seen(), ['clock_wrong observation-forwarder@1']);
    t.is(one.conditions.find('clock_wrong', one.service)?.count, n + 1, 'it is the same condition all the time');
  }
  one.conditions.clear('clock_wrong', one.service);
  await clock.advance(quarter);
  t.deepEqual(await seen(), []);
});

test('what holds is shared however much has ended before', async (t) => {
  const { clock, start, seen } = setUp(t);
  const { conditions } = await start('1');
  for (let n = 0; n < 1_200; n += 1) {
    conditions.set('forwarding_failing', `p${n}`, { reason: 'x' });
    conditions.clear('forwarding_failing', `p${n}`);
  }
  conditions.set('api_key_refused', 'a');
  await clock.advance(quarter);
  t.deepEqual(await seen(), ['api_key_refused a']);
});

test('a person whose clock is ahead ends what is wrong now, and hides nothing that is seen later', async (t) => {
  const { clock, kv, start, seen } = setUp(t);
  const { conditions } = await start('1');
  conditions.set('api_key_refused', 'a');
  await clock.advance(quarter);
  await dismissCondition(kv, { name: 'api_key_refused', subject: 'a' }, clock.now() + 86_400_000);
  t.deepEqual(await seen(), []);
  await clock.advance(60_000);
  conditions.set('api_key_refused', 'a');
  await clock.advance(quarter);
  t.deepEqual(await seen(), ['api_key_refused a']);
  t.is(conditions.active().length, 1);
});
