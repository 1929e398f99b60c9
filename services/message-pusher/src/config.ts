import { actionsEnv, callerProblems, modelForm } from '@ranger-relay/actions';
import { commonEnv, kinds, kvEnv, platformEnv, type Env, type EnvProblem, type EnvTable } from '@ranger-relay/runtime';

/** Variables of the message pusher; HTTP_ALLOWED_NETWORKS also limits where texts may be sent. */
export const pusherEnv = {
  PORT: {
    kind: kinds.port(),
    default: '8082',
    description: 'Port for POST /push-data and the other calls of the platform',
  },
  INTEGRATION_TYPE_SLUG: {
    kind: kinds.slug(),
    default: 'device_connector',
    description: 'Integration type whose actions the service runs',
  },
  PUSH_TIMEOUT_S: {
    kind: kinds.integer(1, 300),
    default: '60',
    description: 'Time limit of a call to the vendor, including the connection, seconds',
  },
  PUSH_AMBIGUOUS: {
    kind: kinds.oneOf('resend', 'hold'),
    default: 'resend',
    description:
      'Handling of a text after a call without a known result: send it again, at most five times in all, or hold it for an operator',
  },
  PUSH_MAX_AGE_H: {
    // The platform drops a text after 7 days; the pusher must dead-letter it before that.
    kind: kinds.integer(1, 160),
    default: '24',
    description: 'How long the pusher retries a text that the vendor does not accept, hours',
  },
  PUSH_ID_ATTRIBUTE: {
    kind: kinds.text(100),
    default: 'delivery_id',
    description: 'Attribute of a push that identifies a text',
  },
  PUSH_MESSAGE_EVENT_TYPE: {
    kind: kinds.matching(
      modelForm,
      'letters, digits, "_", "." and "-", with * at the end for the start of a name',
      200,
    ),
    default: 'MessageTransformed*',
    description: 'Type of the events that are texts to devices',
  },
  ...actionsEnv,
  ...commonEnv,
  // When the process ends during a call, the text may be sent twice.
  STOP_GRACE_S: { ...commonEnv.STOP_GRACE_S, default: '80' },
  ...platformEnv,
  ...kvEnv,
} as const satisfies EnvTable;

/** Parsed configuration of the message pusher. */
export type PusherConfig = Env<typeof pusherEnv>;

/** Seconds that a run needs beside its call of the vendor. */
const runSlackS = 30;

/** Rules between variables. A run that is shorter than one call of the vendor would never send a text. */
export const pusherProblems = (
  config: Parameters<typeof callerProblems>[0] & Pick<PusherConfig, 'MAX_ACTION_EXECUTION_TIME' | 'PUSH_TIMEOUT_S'>,
): readonly EnvProblem[] => {
  const { MAX_ACTION_EXECUTION_TIME: run, PUSH_TIMEOUT_S: call } = config;
  const problem = `is ${run}, but PUSH_TIMEOUT_S=${call} needs at least ${call + runSlackS}`;
  return [
    ...(run < call + runSlackS ? [{ variable: 'MAX_ACTION_EXECUTION_TIME', problem }] : []),
    ...callerProblems(config),
  ];
};
