import { testContext } from '@ranger-relay/runtime/testing';
import test from 'ava';
import { handlers } from '../test/actions.ts';
import { park, harness } from '../test/harness.ts';
import { measured } from './serve-actions.ts';

test('runs are counted by action and outcome, timed when they started, and foreign names are no labels', async (t) => {
  const w = harness(handlers('generic'));
  w.platform.configs = { work: {} };
  const context = testContext({ clock: w.clock });
  const runtime = measured(w.runtime, context);
  const run = (actionId: string) =>
    w.settled(runtime.execute({ integration: { id: park }, wanted: { actionId }, triggeredBy: 'auto' }));
  await run('work');
  await run('made_up_by_a_caller');
  const metrics = await context.metrics.render();
  t.regex(metrics, /^relay_action_runs_total\{action="work",outcome="complete"\} 1$/m);
  t.regex(metrics, /^relay_action_runs_total\{action="unknown",outcome="refused"\} 1$/m);
  t.regex(metrics, /^relay_action_seconds_count\{action="work"\} 1$/m);
  t.false(metrics.includes('made_up'));
  t.false(metrics.includes('relay_action_seconds_count{action="unknown"}'));
});
