import { manualClock, testContext } from '@ranger-relay/runtime/testing';
import test from 'ava';
import { createEnabledIntegrations } from './enabled-integrations.ts';

test('what was wrong with an integration ends when the platform lists it no more, also when no config event tells', async (t) => {
  const clock = manualClock();
  const { log, conditions } = testContext({ clock });
  let listed = ['a', 'b'];
  const list = async () => listed.map((id) => ({ id })) as never;
  const roster = createEnabledIntegrations({ list, slug: 'site', clock, log, conditions });
  await roster.ids();
  for (const id of listed) conditions.set('action_failing', `${id}/pull_events`, { reason: 'x' });
  listed = ['b'];
  await clock.advance(60_000);
  await roster.ids();
  t.deepEqual(
    conditions.active().map(({ subject }) => subject),
    ['b/pull_events'],
  );
});
