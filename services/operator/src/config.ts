import { podOptions } from './jobs/pod.ts';
import { commonEnv, kinds, parseEnv, type Env, type EnvTable } from '@ranger-relay/runtime';

const names = /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/;

/** Environment variables of the operator. */
export const operatorEnv = {
  PORT: { kind: kinds.port(), default: '8085', description: 'Port of health and metrics' },
  WATCH_NAMESPACE: {
    kind: kinds.text(63),
    description: 'Namespace whose objects are looked after; all of them when not set',
  },
  OPERATOR_NAMESPACE: {
    kind: kinds.text(63),
    description: 'Namespace of the Leases; that of the service account when not set',
  },
  LEADER_LEASE: {
    kind: kinds.text(200),
    default: 'ranger-relay-operator',
    description: 'Lease of the replica that works',
  },
  CONCURRENCY: { kind: kinds.integer(1, 64), default: '4', description: 'Objects that are worked on at once' },
  JOB_IMAGE: { kind: kinds.text(500), required: true, description: 'Image of sync-tool that Jobs run' },
  JOB_IMAGE_PULL_POLICY: {
    kind: kinds.oneOf('IfNotPresent', 'Always', 'Never'),
    default: 'IfNotPresent',
    description: 'When the image is pulled',
  },
  JOB_IMAGE_PULL_SECRETS: {
    kind: kinds.text(2_000),
    description: 'Names of Secrets for the registry in the namespaces of the objects, separated by commas',
  },
  JOB_SERVICE_ACCOUNT: {
    kind: kinds.text(253),
    description: 'Service account of the pods in the namespaces of the objects; its token is never mounted',
  },
  JOB_MEMORY_MIB: { kind: kinds.integer(256, 65_536), default: '512', description: 'Memory limit of a pod, MiB' },
  JOB_DEADLINE_S: {
    kind: kinds.integer(60, 86_400),
    default: '7200',
    description: 'How long a pod may work, seconds; it is then asked to end, and a run is resumed',
  },
  JOB_POD: {
    kind: podOptions,
    default: '{}',
    description:
      'What else the pods have, as JSON: labels, annotations, nodeSelector, tolerations, affinity, priorityClassName, env (as HTTPS_PROXY), runAsUser (null: the cluster gives one)',
  },
  LOG_LEVEL: commonEnv.LOG_LEVEL,
  HOST: commonEnv.HOST,
  HEALTH_PORT: commonEnv.HEALTH_PORT,
  STOP_GRACE_S: commonEnv.STOP_GRACE_S,
} as const satisfies EnvTable;

/** Parsed configuration of the operator. */
export type OperatorConfig = Env<typeof operatorEnv>;

/** Splits a comma-separated list of object names; drops invalid names. */
export const namesIn = (text: string | undefined): readonly string[] =>
  (text ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => names.test(name));

/** @throws RelayError `config_invalid` */
export const parseOperatorConfig = (source: NodeJS.ProcessEnv): OperatorConfig => parseEnv(operatorEnv, source);
