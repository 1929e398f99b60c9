import { testContext } from '@ranger-relay/runtime/testing';
import { fc, testProp } from '@fast-check/ava';
import test from 'ava';
import { counterSum, flowCounters } from './counters.ts';

const text = `# HELP relay_x_total About
# TYPE relay_x_total counter
relay_x_total{kind="a",reason="r"} 3
relay_x_total{kind="b",reason="r"} 4.5
relay_x_total_more 100
relay_y_total 1e3
relay_z_total 7 1700000000000
`;

test('samples of a metric are summed', (t) => {
  t.is(counterSum(text, 'relay_x_total'), 7.5);
  t.is(counterSum(text, 'relay_y_total'), 1_000);
  t.is(counterSum(text, 'relay_z_total'), 7);
});

test('labels pick samples', (t) => {
  t.is(counterSum(text, 'relay_x_total', { kind: 'b' }), 4.5);
  t.is(counterSum(text, 'relay_x_total', { kind: 'a', reason: 'r' }), 3);
  t.is(counterSum(text, 'relay_x_total', { kind: 'c' }), null);
});

test('a metric that is not there is null, not 0', (t) => {
  t.is(counterSum(text, 'relay_x'), null);
  t.is(counterSum('', 'relay_x_total'), null);
});

test('the page’s counters are read from what the process really renders', async (t) => {
  const { metrics } = testContext();
  metrics.count('relay_webhook_requests_total', { status: '200' }, 2);
  metrics.count('relay_webhook_requests_total', { status: '401' }, 9);
  metrics.count('relay_webhook_events_total', { outcome: 'observation' }, 5);
  metrics.count('relay_webhook_events_total', { outcome: 'message' }, 1);
  metrics.count('relay_webhook_events_total', { outcome: 'rejected' }, 7);
  metrics.count('relay_events_duplicate_total', {}, 3);
  t.deepEqual(flowCounters(await metrics.render()), { posts: 2, stored: 6, duplicates: 3 });
});

test('before anything has happened the counters are empty', (t) => {
  t.deepEqual(flowCounters(''), { posts: null, stored: null, duplicates: null });
});

testProp('no text makes counting fail', [fc.string(), fc.string()], (t, some, name) => {
  const sum = counterSum(some, name);
  t.true(sum === null || typeof sum === 'number');
});
