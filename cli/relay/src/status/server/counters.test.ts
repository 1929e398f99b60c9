import { testContext } from '@ranger-relay/runtime/testing';
import test from 'ava';
import { countsBy, flowCounters } from './counters.ts';

test('values are summed by a label, of those that the other labels pick', async (t) => {
  const { metrics } = testContext();
  metrics.count('relay_http_calls_total', { upstream: 'platform', outcome: '2xx' }, 3);
  metrics.count('relay_http_calls_total', { upstream: 'sensors', outcome: '2xx' }, 4);
  metrics.count('relay_http_calls_total', { upstream: 'sensors', outcome: '5xx' });
  const sums = async (...how: [string, Record<string, string>?]) =>
    Object.fromEntries(await countsBy(metrics, 'relay_http_calls_total', ...how));
  t.deepEqual(await sums('outcome'), { '2xx': 7, '5xx': 1 });
  t.deepEqual(await sums('outcome', { upstream: 'sensors' }), { '2xx': 4, '5xx': 1 });
  t.deepEqual(await sums('outcome', { upstream: 'vendor' }), {});
});

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
