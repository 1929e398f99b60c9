import { runnerEnv } from '@ranger-relay/action-runner';
import { actionsEnv, authenticateBy } from '@ranger-relay/actions';
import { pusherEnv } from '@ranger-relay/message-pusher';
import { forwarderEnv } from '@ranger-relay/observation-forwarder';
import { operatorEnv } from '@ranger-relay/operator';
import { sensorsLimits } from '@ranger-relay/platform';
import { refuseEnv, type EnvTable } from '@ranger-relay/runtime';
import { aloneEnv } from '@ranger-relay/service';
import { bodyTimeoutMs, ingesterEnv, ingesterProblems, storeWithinMs } from '@ranger-relay/webhook-ingester';
import type { Handlers } from './invariants/availability.ts';

const action = { seconds: Number(actionsEnv.MAX_ACTION_EXECUTION_TIME.default), variable: 'MAX_ACTION_EXECUTION_TIME' };

/** Longest piece of work of each service. */
export const handlers: Handlers = {
  'webhook-ingester': { seconds: (bodyTimeoutMs + storeWithinMs) / 1_000 },
  'observation-forwarder': { seconds: sensorsLimits.totalMs / 1_000 },
  'message-pusher': action,
  'action-runner': action,
  // One call to the API server.
  operator: { seconds: 20 },
};

/** Variables that each service reads. */
export const tables: Readonly<Record<string, EnvTable>> = {
  'webhook-ingester': { ...ingesterEnv, ...aloneEnv },
  'observation-forwarder': { ...forwarderEnv, ...aloneEnv },
  'message-pusher': { ...pusherEnv, ...aloneEnv },
  'action-runner': { ...runnerEnv, ...aloneEnv },
  operator: operatorEnv,
};

/** Components that call the API server, with a token of their own. */
export const clusterCallers: ReadonlySet<string> = new Set(['operator']);

const knowsCallers = (config: Parameters<typeof authenticateBy>[0]): unknown =>
  authenticateBy(config, () => () => Promise.reject(new Error('no token is shown here')));

/** Rules between the variables of a service, beyond its table. */
export const rules: Readonly<Record<string, (config: never) => void>> = {
  'webhook-ingester': (config) => refuseEnv(ingesterProblems(config)),
  'message-pusher': knowsCallers,
  'action-runner': knowsCallers,
};
