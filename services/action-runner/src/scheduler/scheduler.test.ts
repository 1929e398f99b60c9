import test from 'ava';
import { scheduledEventId } from './tick.ts';
import { schedulerKey } from './due.ts';
import { startMs, harness } from './test/harness.ts';

const minute = 60_000;

test('each instant becomes one command of each integration, under the key and the id of the instant', async (t) => {
  const w = harness({ pull_events: '*/10 * * * *' });
  const one = await w.leader();
  t.deepEqual(w.published.map(({ key }) => key).sort(), ['park-a:pull_events', 'park-b:pull_events']);
  t.like(w.published[0]?.command, {
    integration_id: 'park-a',
    action_id: 'pull_events',
    triggered_by: 'auto',
    scheduled_at: '2026-01-05T12:00:00.000Z',
    event_id: scheduledEventId('park-a', { actionId: 'pull_events', at: startMs }),
    config_overrides: null,
  });
  for (let n = 1; n <= 30; n += 1) {
    await w.clock.advance(minute);
    await one.tick();
  }
  t.deepEqual(w.times('pull_events'), ['12:00', '12:10', '12:20', '12:30']);
  t.is(w.eventIds().size, w.published.length);
});

test('of two processes one publishes; the other takes over when its lease has run out, and goes on where it was', async (t) => {
  const w = harness({ pull: '* * * * *' });
  const one = await w.leader('one');
  const two = await w.leader('two');
  for (let n = 1; n <= 3; n += 1) {
    await w.clock.advance(minute);
    await Promise.all([one.tick(), two.tick()]);
  }
  t.deepEqual(w.times('pull'), ['12:00', '12:01', '12:02', '12:03']);
  t.deepEqual([...new Set(w.published.map(({ by }) => by))], ['one']);
  t.true(await one.leads());
  t.false(await two.leads());

  one.kill();
  await w.clock.advance(36_000);
  t.true(await two.leads());
  await w.clock.advance(minute - 36_000);
  await two.tick();
  t.deepEqual(w.times('pull'), ['12:00', '12:01', '12:02', '12:03', '12:04']);
});

test('an empty list after a full one is no answer for an hour: the integrations that were known are scheduled, and no instant is marked without a command', async (t) => {
  const w = harness({ pull: '*/10 * * * *' });
  const one = await w.leader();
  const tickFor = async (minutes: number): Promise<void> => {
    for (let n = 0; n < minutes; n += 1) {
      await w.clock.advance(minute);
      await one.tick();
    }
  };
  const { ids } = w.platform;
  w.platform.ids = [];
  await tickFor(30);
  t.deepEqual(w.times('pull'), ['12:00', '12:10', '12:20', '12:30']);
  t.true(one.doubts());
  await tickFor(40);
  t.false(one.doubts());
  const mark = await w.store.get(schedulerKey.mark(w.slug));
  const before = w.times('pull').length;
  await tickFor(20);
  t.is(await w.store.get(schedulerKey.mark(w.slug)), mark, 'believed, and nothing was published');
  t.is(w.times('pull').length, before);
  w.platform.ids = ids;
  await tickFor(1);
  t.is(w.times('pull').at(-1), '13:30', 'the latest instant is made up for');
});

test('a process that is told of no integration marks no instant: the next full list brings the latest one', async (t) => {
  const w = harness({ pull: '*/10 * * * *' }, []);
  const one = await w.leader();
  t.is(await w.store.get(schedulerKey.mark(w.slug)), null);
  await w.clock.advance(15 * minute);
  w.platform.ids = ['park-a'];
  await one.tick();
  t.deepEqual(w.times('pull'), ['12:10']);
});

test('the schedules of two types on one store are published side by side', async (t) => {
  const w = harness({ pull: '* * * * *' });
  const one = await w.leader('one', 'site_connector');
  const other = await w.leader('other', 'weather_connector');
  for (let n = 1; n <= 2; n += 1) {
    await w.clock.advance(minute);
    await Promise.all([one.tick(), other.tick()]);
  }
  for (const name of ['one', 'other']) {
    const own = w.published.filter(({ by, key }) => by === name && key.startsWith('park-a'));
    t.deepEqual(
      own.map(({ command }) => String(command.scheduled_at).slice(11, 16)),
      ['12:00', '12:01', '12:02'],
    );
  }
});

test('a leader that ends gives the lease back, and the next one does not wait for it to run out', async (t) => {
  const w = harness({ pull: '* * * * *' });
  const one = await w.leader('one');
  const two = await w.leader('two');
  await one.stop();
  t.false(schedulerKey.leader(w.slug) in w.store.values());
  await w.clock.advance(5_000);
  t.true(await two.leads());
  await one.tick();
  t.deepEqual(w.times('pull'), ['12:00']);
});

test('without the lease nothing is published, and what was missed comes when it is there again', async (t) => {
  const w = harness({ pull: '*/10 * * * *' });
  const one = await w.leader();
  w.store.away = true;
  await w.clock.advance(29_000);
  t.false(await one.leads());
  for (let n = 0; n < 12; n += 1) {
    await w.clock.advance(minute);
    await one.tick();
  }
  t.deepEqual(w.times('pull'), ['12:00']);
  w.store.away = false;
  await w.clock.advance(6_000);
  t.true(await one.leads());
  t.deepEqual(w.times('pull'), ['12:00', '12:10']);
});

test('a bus that is down loses nothing: the next tick publishes under the same ids', async (t) => {
  const w = harness({ pull: '*/10 * * * *' });
  w.bus.away = true;
  const one = await w.leader();
  t.is(w.published.length, 0);
  w.bus.away = false;
  await w.clock.advance(minute);
  await one.tick();
  t.deepEqual(w.times('pull'), ['12:00']);
  t.is(w.published[0]?.command.event_id, scheduledEventId('park-a', { actionId: 'pull', at: startMs }));
});

test('a bus that fails in the middle: what was published comes again under the same ids', async (t) => {
  const ids = Array.from({ length: 1_200 }, (_, n) => `park-${n}`);
  const w = harness({ pull: '*/10 * * * *' }, ids);
  let calls = 0;
  w.bus.before = () => void (w.bus.away = (calls += 1) === 2);
  const one = await w.leader();
  const sizes = (): number[] => w.bus.published.map(({ records }) => records.length);
  t.deepEqual(sizes(), [500]);
  await w.clock.advance(minute);
  await one.tick();
  t.deepEqual(sizes(), [500, 500, 500, 200]);
  t.is(w.eventIds().size, 1_200);
});

test('while the platform is down those known before are scheduled, and a hanging one is not waited for', async (t) => {
  const w = harness({ pull: '* * * * *' });
  const one = await w.leader();
  w.platform.down = true;
  await w.clock.advance(minute);
  await one.tick();
  t.deepEqual(w.times('pull'), ['12:00', '12:01']);
  w.platform.down = false;
  w.platform.hung = true;
  await w.clock.advance(minute);
  await one.tick();
  t.deepEqual(w.times('pull'), ['12:00', '12:01']);
  await w.clock.advance(10_000);
  t.deepEqual(w.times('pull'), ['12:00', '12:01', '12:02']);
});

test('a platform that was never there delays the first commands, and they come when it answers', async (t) => {
  const w = harness({ pull: '*/30 * * * *' });
  w.platform.down = true;
  const one = await w.leader();
  t.is(w.published.length, 0);
  w.platform.down = false;
  await w.clock.advance(minute);
  await one.tick();
  t.deepEqual(w.times('pull'), ['12:00']);
});

test('the list is not asked for when nothing is due, and once for several actions', async (t) => {
  const w = harness({ pull_a: '0 * * * *', pull_b: '0 * * * *' });
  const one = await w.leader();
  t.is(w.platform.asked, 1);
  for (let n = 0; n < 10; n += 1) {
    await w.clock.advance(minute);
    await one.tick();
  }
  t.is(w.platform.asked, 1);
});

test('a clock that jumps ahead and back publishes no instant under a second id and misses none afterwards', async (t) => {
  const w = harness({ pull: '*/10 * * * *' });
  const one = await w.leader();
  one.jump(25 * minute);
  await w.clock.advance(minute);
  await one.tick();
  one.jump(-25 * minute);
  for (let n = 2; n <= 30; n += 1) {
    await w.clock.advance(minute);
    await one.tick();
  }
  t.deepEqual(w.times('pull'), ['12:00', '12:20', '12:00', '12:10', '12:20', '12:30']);
  t.is(w.eventIds().size, 8);
});

test('a mark that nobody can read is made anew', async (t) => {
  const w = harness({ pull: '*/10 * * * *' });
  await w.store.set(schedulerKey.mark(w.slug), 'soon');
  await w.leader();
  t.deepEqual(w.times('pull'), ['12:00']);
  t.is(w.store.values()[schedulerKey.mark(w.slug)], new Date(startMs).toISOString());
});

test('how long the schedules were not looked through shows while the leader cannot', async (t) => {
  const w = harness({ pull: '* * * * *' });
  const one = await w.leader('one');
  const two = await w.leader('two');
  t.is(await one.metric('relay_scheduler_running'), 1);
  w.bus.away = true;
  for (let n = 1; n <= 5; n += 1) {
    await w.clock.advance(minute);
    await Promise.all([one.tick(), two.tick()]);
  }
  t.is(await one.metric('relay_scheduler_behind_seconds'), 300);
  t.is(await two.metric('relay_scheduler_behind_seconds'), 0);
  w.bus.away = false;
  await one.tick();
  t.is(await one.metric('relay_scheduler_behind_seconds'), 0);
  await one.stop();
  t.is(await one.metric('relay_scheduler_running'), 0);
});
