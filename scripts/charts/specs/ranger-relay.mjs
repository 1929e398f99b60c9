import { commonEnv } from '@ranger-relay/runtime';
import { flag } from '../entry.mjs';
import { version } from '../version.mjs';
import { ingestLogEntries } from './doors.mjs';
import { accountEntries, identityEntries, podEntries } from './pod.mjs';
import { policyEntries } from './policy.mjs';
import { runningEntries } from './running.mjs';
import { oidc } from './services.mjs';
import { settingEntries } from './settings.mjs';
import {
  chartEntries,
  imageEntries,
  persistenceEntries,
  testEntries,
  toolEntries,
  topicEntries,
} from './umbrella/own.mjs';
import { embeddedEnv, partFacts, slugs } from './umbrella/parts.mjs';
import { topicsFile } from './umbrella/topics.mjs';
import { variableEntries } from './variables.mjs';
import { watchingEntries } from './watching.mjs';

/** @typedef {import('../entry.mjs').Entry} Entry @typedef {import('../entry.mjs').Probe} Probe */

/** What every service of a release may be given at once. */
const shared = [
  ...identityEntries({ repository: 'ranger-relay', version }),
  ...settingEntries,
  ...variableEntries(commonEnv),
  ...policyEntries({ serves: true }),
  ...watchingEntries,
  ...podEntries({ limitMi: 512, requestMi: 128 }),
].filter(({ global }) => global);

const sharedPaths = new Set(shared.map(({ path }) => path));

/** @param {Probe['with']} beside */
const sharedBeside = (beside = {}) =>
  Object.fromEntries(
    Object.entries(beside).map(([path, value]) => [sharedPaths.has(path) ? `global.${path}` : path, value]),
  );

const ofIngester = /^(Deployment|NetworkPolicy|ServiceMonitor|PrometheusRule)#/;

/** A value of all services, seen at the webhook’s. @param {Entry} entry @returns {Entry} */
const globalEntry = (entry) => ({
  ...entry,
  global: false,
  path: `global.${entry.path}`,
  ...(entry.path === 'secretName' ? { default: 'ranger-relay' } : {}),
  ...(entry.probe
    ? {
        probe: {
          ...entry.probe,
          with: sharedBeside(entry.probe.with),
          at: entry.probe.at.replace(ofIngester, '$1/-webhook-ingester#'),
          ...('shows' in entry.probe ? {} : { shows: entry.probe.set }),
        },
      }
    : {}),
});

const embedded = { 'embedded.enabled': true, 'global.kafka.brokers': '', 'global.redis.host': '' };

/** @param {string} key @param {Probe['with']} beside */
const below = (key, beside = {}) =>
  Object.fromEntries(Object.entries(beside).map(([path, value]) => [`${key}.${path}`, value]));

/** A value of the one process. @param {Entry} entry @returns {Entry} */
const embeddedEntry = (entry) => ({
  ...entry,
  global: false,
  path: `embedded.${entry.path}`,
  ...(entry.probe
    ? {
        probe: {
          ...entry.probe,
          with: { ...embedded, ...below('embedded', entry.probe.with) },
          at: entry.probe.at
            .replace(/^Deployment#/, 'StatefulSet#')
            .replace(/^ServiceAccount#/, 'ServiceAccount/-ranger-relay#'),
        },
      }
    : {}),
});

/** @param {Entry} entry @returns {Entry} */
const besideEmbedded = (entry) =>
  entry.probe ? { ...entry, probe: { ...entry.probe, with: { ...embedded, ...entry.probe.with } } } : entry;

const embeddedEnd = /^(?:preStopSeconds|terminationGracePeriodSeconds)$/;
const embeddedPod = /^(?:resources|heapMiB|affinity|pod|extra)/;

/** @type {readonly Entry[]} */
const embeddedEntries = [
  {
    ...flag,
    path: 'embedded.enabled',
    about:
      'Everything in one process on one volume, without Kafka and Redis, to try it or for one small park; without a platform it is simulated',
    default: false,
    probe: { set: true, with: { 'global.kafka.brokers': '', 'global.redis.host': '' }, at: 'StatefulSet#' },
  },
  ...persistenceEntries.map(besideEmbedded),
  ...[
    ...variableEntries(embeddedEnv, {
      beside: {
        AUTH_MODE: {
          'config.PUSHER_SERVICE_URL': 'https://pusher.example',
          'config.RUNNER_SERVICE_URL': 'https://runner.example',
          ...oidc,
        },
        WEBHOOK_AUTH: { 'config.WEBHOOK_TRUSTED_PROXIES': '10.0.0.0/8' },
        WEBHOOK_MAX_BODY_BYTES: { 'config.WEBHOOK_MAX_BUFFERED_BYTES': 134_217_728 },
      },
    }).filter(({ path }) => path !== 'secretName'),
    ...ingestLogEntries({ paths: ['/webhooks'] }),
    ...podEntries({ limitMi: 768, requestMi: 192 }).filter(({ path }) => embeddedPod.test(path)),
    ...runningEntries({ http: undefined, replicas: 1 }).filter(({ path }) => embeddedEnd.test(path)),
    ...accountEntries,
  ].map(embeddedEntry),
];

/** @param {Entry} entry @returns {Entry} */
const taskEntry = (entry) => ({
  ...entry,
  global: false,
  path: `tasks.${entry.path}`,
  about: `Topics and tests: ${entry.about[0]?.toLowerCase()}${entry.about.slice(1)}`,
  ...(entry.probe
    ? {
        probe: {
          ...entry.probe,
          with: below('tasks', entry.probe.with),
          at: entry.probe.at.replace('Deployment#', 'Job/-topics#'),
        },
      }
    : {}),
});

const taskPod = /^(?:resources|heapMiB|pod|extra)/;

/** Keys that must stand under global, or services would not see them. */
const misplaced = [...new Set(shared.map(({ path }) => path.split('.')[0] ?? ''))].filter(
  (key) => key !== 'kafka' && key !== 'image',
);

/** @type {import('../outputs.mjs').ChartSpec} */
export const rangerRelay = {
  title: 'Values of ranger-relay',
  entries: [
    ...shared.map(globalEntry),
    ...chartEntries,
    ...imageEntries,
    ...topicEntries,
    ...testEntries,
    ...podEntries({ limitMi: 256, requestMi: 96 })
      .filter(({ path }) => taskPod.test(path))
      .map(taskEntry),
    ...toolEntries,
    ...embeddedEntries,
  ],
  hints: Object.fromEntries([
    ...misplaced.map((key) => [key, `write it under global, where all services see it: global.${key}`]),
    ...['brokers', 'prefix', 'tls', 'sasl', 'sessionTimeoutMs'].map((key) => [
      `kafka.${key}`,
      `write it under global, where all services see it: global.kafka.${key}`,
    ]),
    ...['registry', 'tag', 'pullPolicy'].map((key) => [
      `image.${key}`,
      `write it under global, where all services see it: global.image.${key}`,
    ]),
  ]),
  open: ['lib', 'webhook-ingester', 'observation-forwarder', 'message-pusher', 'action-runner'],
  facts: {
    component: 'ranger-relay',
    services: ['webhook-ingester', 'observation-forwarder', 'message-pusher', 'action-runner'],
    shared: [...new Set(shared.map(({ path }) => path.split('.')[0]))],
    slugs: { pusher: slugs.PUSHER_TYPE_SLUG.default, runner: slugs.RUNNER_TYPE_SLUG.default },
    parts: partFacts,
  },
  files: { 'files/topics.json': topicsFile },
};
