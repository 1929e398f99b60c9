import { orNull, whole } from '../entry.mjs';

/** @typedef {import('../entry.mjs').Entry} Entry */

const pod = 'Deployment#spec.template.spec';
const container = `${pod}.containers[0]`;

/** @param {'startup' | 'readiness' | 'liveness'} name @param {{ period: number, failures: number, timeout: number }} defaults @param {string} about @returns {Entry[]} */
const probeEntries = (name, { period, failures, timeout }, about) => [
  {
    ...whole(1, 300),
    path: `probes.${name}.periodSeconds`,
    about: `${about}: every so many seconds`,
    default: period,
    probe: { set: period + 1, at: `${container}.${name}Probe.periodSeconds` },
  },
  {
    ...whole(1, 600),
    path: `probes.${name}.failureThreshold`,
    about: `${about}: failures in a row that count`,
    default: failures,
    probe: { set: failures + 1, at: `${container}.${name}Probe.failureThreshold` },
  },
  {
    ...whole(1, 60),
    path: `probes.${name}.timeoutSeconds`,
    about: `${about}: seconds for an answer`,
    default: timeout,
    probe: { set: timeout + 1, at: `${container}.${name}Probe.timeoutSeconds` },
  },
];

/**
 * Ports, replicas, start and end of a service.
 * @param {{ http: number | undefined, replicas: number }} service `http` undefined when it serves no requests
 * @returns {Entry[]}
 */
export const runningEntries = ({ http, replicas }) => [
  {
    ...whole(0, 100),
    path: 'replicas',
    about: 'Pods; left to the autoscaler when there is one',
    default: replicas,
    probe: { set: replicas + 1, at: 'Deployment#spec.replicas' },
  },
  ...(http === undefined
    ? []
    : [
        {
          ...whole(1_024, 65_535),
          path: 'ports.http',
          about: 'Port of the requests in the pod (PORT)',
          default: http,
          probe: { set: 18_080, at: `${container}.env[name=PORT].value`, shows: '18080' },
        },
      ]),
  {
    ...whole(1_024, 65_535),
    path: 'ports.health',
    about: `Port of /livez, /readyz and /metrics in the pod (${http === undefined ? 'PORT' : 'HEALTH_PORT'})`,
    default: 9_090,
    probe: { set: 19_090, at: `${container}.ports[name=health].containerPort` },
  },
  ...probeEntries('startup', { period: 2, failures: 60, timeout: 2 }, 'Whether the process has started'),
  ...probeEntries('readiness', { period: 5, failures: 2, timeout: 2 }, 'Whether it takes work'),
  ...probeEntries('liveness', { period: 10, failures: 6, timeout: 5 }, 'Whether it can still do its work'),
  {
    ...whole(0, 60),
    path: 'preStopSeconds',
    about: 'How long a pod that goes still takes requests, until everybody knows that it goes, seconds',
    default: 5,
    probe: { set: 7, at: `${container}.lifecycle.preStop.sleep.seconds` },
  },
  {
    ...orNull(whole(30, 7_200)),
    path: 'terminationGracePeriodSeconds',
    about: 'How long a pod may take to its end, seconds; the longest handler, 30 s and preStopSeconds when derived',
    default: null,
    probe: { set: 1_800, at: `${pod}.terminationGracePeriodSeconds` },
  },
];
