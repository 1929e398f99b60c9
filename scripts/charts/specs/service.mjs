import { aloneEnv } from '@ranger-relay/service';
import { ingestLogEntries } from './doors.mjs';
import { accountEntries, identityEntries, podEntries } from './pod.mjs';
import { policyEntries } from './policy.mjs';
import { runningEntries } from './running.mjs';
import { scalingEntries } from './scaling.mjs';
import { schedulesIn } from './schedules.mjs';
import { settingEntries, settings } from './settings.mjs';
import { misplaced, variableEntries } from './variables.mjs';
import { watchingEntries } from './watching.mjs';
import { processEnv, processFlags } from '../process.mjs';
import { kindOf } from '../env-form.mjs';

/** @typedef {import('../entry.mjs').Entry} Entry @typedef {import('@ranger-relay/runtime').EnvTable} EnvTable */

/**
 * A topic that a service reads in a group.
 * @typedef {{ topic: string, group: string, variable?: string, slug?: string }} Consumed
 *   `variable` may rename the topic; `slug` is the variable with the type whose name stands before it
 */

/**
 * What a service is, for its chart.
 * @typedef {object} Service
 * @property {string} name
 * @property {string} about one sentence for the chart
 * @property {string} version of chart and image
 * @property {EnvTable} env
 * @property {number} replicas
 * @property {readonly Consumed[]} consumes
 * @property {number | undefined} partitions of those topics
 * @property {number} lag records that wait for each pod
 * @property {number | undefined} http port of its requests; undefined when it takes none
 * @property {readonly string[] | undefined} paths that an Ingress lets in
 * @property {{ seconds: number, variable?: string }} handler longest piece of work; a variable may change it
 * @property {{ seconds: number, variable?: string, bodyVariable: string } | undefined} request longest answer and largest body
 * @property {{ limitMi: number, requestMi: number, besideHeapVariable?: string }} memory
 * @property {readonly Need[]} needs beside what every service needs
 * @property {import('./variables.mjs').VariableNotes} [notes]
 */

/**
 * A secret that must be given: always, or when a variable has a value or another one.
 * @typedef {{ variable: string, place: string, when?: { variable: string, is?: string, not?: string } }} Need
 */

/** What every service needs. @type {readonly Need[]} */
const commonNeeds = [
  { variable: 'PLATFORM_CLIENT_SECRET', place: 'platform.clientSecret' },
  {
    variable: 'KAFKA_SASL_PASSWORD',
    place: 'kafka.sasl.password',
    when: { variable: 'KAFKA_SASL_MECHANISM', not: 'none' },
  },
  { variable: 'KV_PASSWORD', place: 'redis.password', when: { variable: 'KV_USERNAME', not: '' } },
  {
    variable: 'KV_SENTINEL_PASSWORD',
    place: 'redis.sentinels.password',
    when: { variable: 'KV_SENTINEL_USERNAME', not: '' },
  },
];

/** Keys of other charts that people know for what is called otherwise here. */
const elsewhere = {
  replicaCount: 'write it as replicas',
  env: 'write variables of the service under config and secrets, others under extraEnv',
  envFrom: 'write secrets one by one under secrets, or give one Secret as secretName',
  extraEnvVars: 'write it as extraEnv',
  existingSecret: 'write it as secretName',
  gateway: 'write it as httpRoute',
  livenessProbe: 'write it as probes.liveness',
  metrics: 'write it as serviceMonitor',
  pdb: 'write it as podDisruptionBudget',
  podSecurityContext: 'pods keep to the restricted standard and nothing can loosen them',
  readinessProbe: 'write it as probes.readiness',
  securityContext: 'pods keep to the restricted standard and nothing can loosen them',
  startupProbe: 'write it as probes.startup',
};

/** What is always given, by value or secret. @type {readonly string[]} */
const required = ['kafka.brokers', 'platform.apiUrl', 'platform.sensorsUrl', 'platform.tokenUrl', 'platform.clientId'];

/** @param {readonly Entry[]} entries @param {number} lag */
const withLag = (entries, lag) =>
  entries.map((entry) => (entry.path === 'keda.lagThreshold' ? { ...entry, default: lag } : entry));

/**
 * The spec of a service's chart: its values, and the facts that its templates read.
 * @param {Service} service
 */
export const serviceChart = (service) => {
  const { name, env, http, paths, partitions, memory, version } = service;
  /** @type {EnvTable} */
  const table = { ...env, ...aloneEnv };
  const places = new Map(settings.map(({ variable, path }) => [variable, path]));
  const entries = [
    ...identityEntries({ repository: 'ranger-relay', version }),
    ...settingEntries,
    ...variableEntries(table, service.notes),
    ...runningEntries({ http, replicas: service.replicas }),
    ...ingestLogEntries({ paths }),
    ...policyEntries({ serves: http !== undefined }),
    ...withLag(scalingEntries({ partitions }), service.lag),
    ...watchingEntries,
    ...podEntries(memory),
    ...accountEntries,
  ];
  return {
    title: `Values of ${name}`,
    entries,
    hints: { ...elsewhere, ...misplaced(new Map([...places].filter(([variable]) => variable in table))) },
    open: ['lib'],
    facts: {
      component: name,
      flags: processFlags,
      env: processEnv,
      program: `/app/${name}.mjs`,
      serves: http !== undefined,
      handler: service.handler,
      request: service.request ?? null,
      besideHeapVariable: memory.besideHeapVariable ?? '',
      consumes: service.consumes,
      settings,
      required: required.map((path) => ({ path, about: entries.find((entry) => entry.path === path)?.about ?? '' })),
      needs: [...commonNeeds, ...service.needs],
      ...schedulesIn(table),
      variables: Object.fromEntries(
        Object.entries(table).map(([variable, spec]) => [
          variable,
          { kind: kindOf(spec), default: spec.default ?? '' },
        ]),
      ),
    },
  };
};
