import { createLifecycle } from '@ranger-relay/runtime';
import { manualClock, silentLogger, testContext } from '@ranger-relay/runtime/testing';
import test from 'ava';
import { followCounts } from './recent-counts.ts';

test('what was counted in the last minute is told apart from what was before', async (t) => {
  const clock = manualClock();
  const lifecycle = createLifecycle(silentLogger());
  t.teardown(() => lifecycle.stop());
  const context = testContext({ clock, lifecycle });
  const { metrics } = context;
  const recent = followCounts(context);
  const told = async () => {
    const { webhooks, platform } = await recent();
    return { webhooks: Object.fromEntries(webhooks), platform: Object.fromEntries(platform) };
  };
  const wait = async (seconds: number): Promise<void> => {
    for (let s = 0; s < seconds; s += 10) {
      await clock.advance(10_000);
      // The sample is rendered beside the clock.
      await metrics.render();
    }
  };
  metrics.count('relay_webhook_requests_total', { status: '200' }, 5);
  metrics.count('relay_http_calls_total', { upstream: 'platform', outcome: '2xx' }, 2);
  t.deepEqual(await told(), { webhooks: { 200: 5 }, platform: { '2xx': 2 } });
  await wait(80);
  t.deepEqual(await told(), { webhooks: {}, platform: {} });
  metrics.count('relay_webhook_requests_total', { status: '503' }, 3);
  t.deepEqual(await told(), { webhooks: { 503: 3 }, platform: {} });
});
