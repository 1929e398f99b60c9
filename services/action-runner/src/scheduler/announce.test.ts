import { parseCrontab } from '@ranger-relay/actions';
import { memorySpace } from '@ranger-relay/kv/testing';
import { manualClock, testContext } from '@ranger-relay/runtime/testing';
import test from 'ava';
import { announcedTypes, announceSchedules, readSchedules, type ServiceSchedules } from './announce.ts';

const schedules: ServiceSchedules = {
  scheduler: 'internal',
  schedules: [{ actionId: 'pull', crontab: parseCrontab('0 3 * * * -5'), source: 'registration' }],
};

const setUp = () => {
  const clock = manualClock();
  return { clock, state: memorySpace(clock), context: testContext({ clock }) };
};

test('the schedules of a running service are known for as long as it runs, and a little longer', async (t) => {
  const { clock, state, context } = setUp();
  announceSchedules(context, state, 'site_connector', schedules);
  for (const hours of [0, 1, 48]) {
    await clock.advance(hours * 3_600_000);
    t.deepEqual(await readSchedules(state, 'site_connector'), schedules);
  }
  t.is(await readSchedules(state, 'weather_connector'), null);
  await state.set('scheduler.weather_connector.leader', 'somebody');
  t.deepEqual(await announcedTypes(state), ['site_connector']);
  await context.lifecycle.stop();
  await clock.advance(300_001);
  t.is(await readSchedules(state, 'site_connector'), null);
  t.is(clock.pending(), 0);
});

test('a store that is away stops nothing, and what cannot be read is as good as nothing', async (t) => {
  const { clock, state, context } = setUp();
  state.away = true;
  announceSchedules(context, state, 'site_connector', schedules);
  await clock.advance(30_000);
  state.away = false;
  await clock.advance(60_000);
  t.deepEqual(await readSchedules(state, 'site_connector'), schedules);
  for (const bad of [
    '',
    '{',
    '{"scheduler":"internal","schedules":[{"action":"a","crontab":"no","source":"handler"}]}',
  ]) {
    await state.set('scheduler.site_connector.schedules', bad);
    t.is(await readSchedules(state, 'site_connector'), null);
  }
});
