import { crds, operatorEnv } from '@ranger-relay/operator';
import { kindOf } from '../env-form.mjs';
import { processEnv, processFlags } from '../process.mjs';
import { version } from '../version.mjs';
import {
  approvalEntries,
  clusterEntries,
  jobEntries,
  jobPodEntries,
  serverEntries,
  watchEntries,
} from './operator/entries.mjs';
import { accountEntries, identityEntries, podEntries } from './pod.mjs';
import { policyEntries } from './policy.mjs';
import { runningEntries } from './running.mjs';
import { scalingEntries } from './scaling.mjs';
import { variableEntries } from './variables.mjs';
import { watchingEntries } from './watching.mjs';

/** @typedef {import('../entry.mjs').Entry} Entry @typedef {import('../entry.mjs').Probe} Probe */

/** Variables that other values stand for, and those values. @type {Readonly<Record<string, string>>} */
const places = {
  WATCH_NAMESPACE: 'write it as watchNamespaces, or as allNamespaces',
  OPERATOR_NAMESPACE: 'it is the namespace of the release, where the operator may write Leases',
  LEADER_LEASE: 'it is the name of the objects; write that as fullnameOverride',
  JOB_IMAGE: 'write it as jobs.image, and image.registry and image.tag for both images',
  JOB_IMAGE_PULL_POLICY: 'write it as image.pullPolicy',
  JOB_IMAGE_PULL_SECRETS: 'write it as jobs.imagePullSecrets',
  JOB_SERVICE_ACCOUNT: 'write it as jobs.serviceAccountName',
  JOB_MEMORY_MIB: 'write it as jobs.memoryMiB',
  JOB_DEADLINE_S: 'write it as jobs.deadlineSeconds',
  JOB_POD: 'write it as jobs.podLabels, jobs.tolerations and the other values of jobs',
  PORT: 'it follows ports.health',
  HEALTH_PORT: 'it follows ports.health',
  STOP_GRACE_S: 'it follows terminationGracePeriodSeconds',
};

/** What is to be said otherwise of the operator than of a service. @type {Readonly<Record<string, Partial<Entry>>>} */
const otherwise = {
  replicas: { about: 'Pods: one leads and works, another takes over when it is gone' },
  priorityClassName: { about: 'Priority of the pods' },
  'serviceAccount.create': { about: 'Whether to make an account of its own; its token is mounted in these pods alone' },
  'networkPolicy.egress': { about: 'What else may be called' },
  preStopSeconds: {
    about: 'How long a pod that goes waits before it is asked to end, seconds',
    default: 1,
    schema: { type: 'integer', minimum: 1, maximum: 60 },
    takes: 'a whole number from 1 to 60',
  },
};

/** @param {Entry} entry @returns {Entry} */
const ofOperator = (entry) => ({ ...entry, ...otherwise[entry.path] });

const policies = /^networkPolicy[.](?:enabled|dns[.]|egress$|metrics[.])/;
/** Behind the rules for names and the API server. @param {Entry} entry @returns {Entry} */
const policyEntry = (entry) => {
  if (entry.path !== 'networkPolicy.egress' || entry.probe === undefined) return entry;
  const { with: _, ...probe } = entry.probe;
  return { ...entry, probe: { ...probe, at: probe.at.replace('[3]', '[2]') } };
};

const rest = Object.fromEntries(Object.entries(operatorEnv).filter(([name]) => !(name in places)));

/** The operator of PatrolSync and PatrolSyncRollback. @type {import('../outputs.mjs').ChartSpec} */
export const operator = {
  title: 'Values of operator',
  entries: [
    ...identityEntries({ repository: 'ranger-relay', version, enabled: false }),
    ...watchEntries,
    ...jobEntries(version),
    ...jobPodEntries,
    ...clusterEntries,
    ...approvalEntries,
    ...variableEntries(rest).filter(({ path }) => path !== 'secretName'),
    ...runningEntries({ http: undefined, replicas: 2 }),
    ...policyEntries({ serves: false })
      .filter(({ path }) => policies.test(path))
      .map(policyEntry),
    ...serverEntries,
    ...scalingEntries({ partitions: undefined }).filter(({ path }) => path.startsWith('podDisruptionBudget.')),
    ...watchingEntries,
    ...podEntries({ limitMi: 256, requestMi: 96 }),
    ...accountEntries,
  ].map(ofOperator),
  hints: {
    ...Object.fromEntries(Object.entries(places).map(([name, hint]) => [`config.${name}`, hint])),
    replicaCount: 'write it as replicas',
    env: 'write variables of the operator under config, others under extraEnv',
    installCRDs: 'write it as crds.enabled',
    namespace: 'write it as watchNamespaces',
    watchNamespace: 'write it as watchNamespaces, a list; for every namespace set allNamespaces: true',
    podSecurityContext: 'pods keep to the restricted standard and nothing can loosen them',
    securityContext: 'pods keep to the restricted standard and nothing can loosen them',
  },
  open: ['lib'],
  facts: {
    component: 'operator',
    flags: processFlags,
    env: processEnv,
    program: '/app/operator.mjs',
    serves: false,
    callsCluster: true,
    egress: 'operator.egress',
    handler: { seconds: 20 },
    besideHeapVariable: '',
    variables: Object.fromEntries(
      Object.entries(operatorEnv).map(([name, spec]) => [
        name,
        { kind: kindOf(spec), default: 'default' in spec ? spec.default : '' },
      ]),
    ),
  },
  files: Object.fromEntries(
    Object.entries(crds()).map(([name, crd]) => [`files/crds/${name.replace('.yaml', '.json')}`, crd]),
  ),
};
