import test from 'ava';
import { entry } from '../activity/test/world.ts';
import { createRunBook } from './runs.ts';

const ended = (n: number, type: string, more: Record<string, unknown>) => ({
  ...entry(n, more),
  event_type: `IntegrationAction${type}`,
});

test('the last run of each action counts, whatever its end', (t) => {
  const { note, runs } = createRunBook();
  note(ended(1, 'Complete', { integration_id: 'b', action_id: 'pull' }));
  note(ended(2, 'Complete', { integration_id: 'a', action_id: 'pull' }));
  note(ended(3, 'Failed', { integration_id: 'a', action_id: 'pull', error: 'late' }));
  note(ended(4, 'Complete', { integration_id: 'a', action_id: 'auth' }));
  t.deepEqual(
    runs().map((run) => `${run.integration_id} ${run.action_id} ${run.outcome}`),
    ['a auth complete', 'a pull failed', 'b pull complete'],
  );
  t.is(runs()[1]?.ended_at, entry(3).timestamp);
});

test('starts, messages of runs and webhooks are no ends of runs', (t) => {
  const { note, runs } = createRunBook();
  note(ended(1, 'Started', { integration_id: 'a', action_id: 'pull' }));
  note(ended(2, 'CustomLog', { integration_id: 'a', action_id: 'pull', title: 'x' }));
  note(entry(3, { webhook_id: 'w', result: {} }));
  t.deepEqual(runs(), []);
});
