import { patientBudget } from '@ranger-relay/platform';
import { parseEnv } from '@ranger-relay/runtime';
import test from 'ava';
import { actionsEnv } from '../env.ts';
import { doneMs } from '../state/keys.ts';
import { leaseMs, renewMs } from '../state/lease.ts';
import { storeBudget } from '../state/action-state.ts';

const executionMs = parseEnv(actionsEnv, {}).MAX_ACTION_EXECUTION_TIME * 1_000;
/** Deadlines of the ports: a publish, a call of the store. */
const [publishMs, storeMs] = [4_000, 2_000];
/** The sender of a push waits so long for its acknowledgement. */
const acknowledgeMs = 600_000;

test('every wait fits into the one around it', (t) => {
  t.true(storeBudget.totalMs + patientBudget.totalMs < executionMs);
  t.true(executionMs + 2 * publishMs + 3 * storeMs < acknowledgeMs);
  t.true(acknowledgeMs < doneMs);
  t.true(2 * renewMs + storeMs < leaseMs);
});
