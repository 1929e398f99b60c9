import { podOptions } from './jobs/pod.ts';
import { commonEnv, kinds, parseEnv, splitList, type Env, type EnvTable } from '@ranger-relay/runtime';

const names = /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/;

/** Environment variables of the operator. */
export const operatorEnv = {
  PORT: { kind: kinds.port(), default: '8085', description: 'Port for health and metrics' },
  WATCH_NAMESPACE: {
    kind: kinds.text(63),
    description: 'Namespace whose objects the operator reconciles; if not set, all namespaces',
  },
  OPERATOR_NAMESPACE: {
    kind: kinds.text(63),
    description: 'Namespace of the site Leases; if not set, that of the service account',
  },
  CONCURRENCY: {
    kind: kinds.integer(1, 64),
    default: '4',
    description: 'Number of objects that are reconciled at the same time',
  },
  JOB_IMAGE: { kind: kinds.text(500), required: true, description: 'Image of sync-tool for Jobs' },
  JOB_IMAGE_PULL_POLICY: {
    kind: kinds.oneOf('IfNotPresent', 'Always', 'Never'),
    default: 'IfNotPresent',
    description: 'Pull policy of the image',
  },
  JOB_IMAGE_PULL_SECRETS: {
    kind: kinds.text(2_000),
    description: 'Names of pull Secrets in the namespaces of the objects, separated by commas',
  },
  JOB_SERVICE_ACCOUNT: {
    kind: kinds.text(253),
    description: 'Service account of the pods in the namespaces of the objects; its token is never mounted',
  },
  JOB_MEMORY_MIB: { kind: kinds.integer(256, 65_536), default: '512', description: 'Memory limit of a pod, MiB' },
  JOB_DEADLINE_S: {
    kind: kinds.integer(60, 86_400),
    default: '7200',
    description: 'Time limit of a pod, seconds; the operator then stops it, and resumes the run',
  },
  JOB_POD: {
    kind: podOptions,
    default: '{}',
    description:
      'Further settings of the pods, as JSON: labels, annotations, nodeSelector, tolerations, affinity, priorityClassName, env (for example HTTPS_PROXY), runAsUser (null: chosen by the cluster)',
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
  splitList(text).filter((name) => names.test(name));

/** @throws RelayError `config_invalid` */
export const parseOperatorConfig = (source: NodeJS.ProcessEnv): OperatorConfig => parseEnv(operatorEnv, source);
