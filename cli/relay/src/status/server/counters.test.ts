import { testContext } from '@ranger-relay/runtime/testing';
import test from 'ava';
import { flowCounters } from './counters.ts';

test('the page’s counters are those of the process', async (t) => {
  const { metrics } = testContext();
  metrics.count('relay_webhook_requests_total', { status: '200' }, 2);
  metrics.count('relay_webhook_requests_total', { status: '401' }, 9);
  metrics.count('relay_webhook_events_total', { outcome: 'observation' }, 5);
  metrics.count('relay_webhook_events_total', { outcome: 'message' }, 1);
  metrics.count('relay_webhook_events_total', { outcome: 'rejected' }, 7);
  metrics.count('relay_events_duplicate_total', {}, 3);
  t.deepEqual(await flowCounters(metrics), { posts: 2, stored: 6, duplicates: 3 });
});

test('before anything has happened the counters are empty', async (t) => {
  t.deepEqual(await flowCounters(testContext().metrics), { posts: null, stored: null, duplicates: 0 });
});
