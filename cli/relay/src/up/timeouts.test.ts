import { ingesterBudget, sensorsLimits } from '@ranger-relay/platform';
import { defaultRequestTimeoutMs } from '@ranger-relay/runtime';
import { bodyTimeoutMs, storeWithinMs } from '@ranger-relay/webhook-ingester';
import test from 'ava';

test('a slow body is answered by the service before the server cuts it off', (t) => {
  t.true(bodyTimeoutMs < defaultRequestTimeoutMs);
});

test('a webhook is answered within the time that its body alone may take', (t) => {
  t.true(ingesterBudget.totalMs + storeWithinMs < bodyTimeoutMs);
});

test('connecting to the platform leaves most of a call for its answer', (t) => {
  t.true(4 * sensorsLimits.connectMs < sensorsLimits.totalMs);
});
