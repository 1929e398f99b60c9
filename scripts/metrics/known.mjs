import { createMetrics, metricList } from '@ranger-relay/runtime';

/**
 * Labels by the name of a series, as it can be asked for.
 * @typedef {ReadonlyMap<string, ReadonlySet<string>>} KnownSeries
 */

/** What scraping adds to every series of ours: the operator's labels, and `release` by the relabelling of the charts. */
export const targetLabels = Object.freeze(
  'namespace release job instance pod container service endpoint node'.split(' '),
);

/** What kube-state-metrics tells of pods and Jobs: the names and labels of its documents, as far as they are used. */
const ofTheCluster = Object.freeze({
  kube_pod_container_status_restarts_total: ['namespace', 'pod', 'container', 'uid'],
  kube_pod_container_status_last_terminated_reason: ['namespace', 'pod', 'container', 'uid', 'reason'],
  kube_job_status_failed: ['namespace', 'job_name', 'reason'],
  kube_job_owner: ['namespace', 'job_name', 'owner_kind', 'owner_name', 'owner_is_controller'],
});

/** @param {string} name @param {string} kind @returns {[name: string, labels: string[]][]} */
const seriesOf = (name, kind) =>
  kind === 'histogram'
    ? [
        [`${name}_bucket`, ['le']],
        [`${name}_sum`, []],
        [`${name}_count`, []],
      ]
    : [[name, []]];

const ofTheProduct = () =>
  Object.entries(metricList).flatMap(([name, { kind, labels }]) =>
    seriesOf(name, kind).map(([series, more]) => /** @type {const} */ ([series, [...labels, ...more]])),
  );

/** What the runtime tells of each process, read from an exposition. */
const ofTheProcess = async () => {
  const text = await createMetrics({}, true).render();
  return [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].flatMap(([, name = '', kind = '']) =>
    seriesOf(name, kind).map(([series, more]) => {
      const sample = new RegExp(`^${series}\\{([^}]*)\\}`, 'm').exec(text)?.[1] ?? '';
      return /** @type {const} */ ([
        series,
        [...sample.matchAll(/(\w+)=/g)].map(([, label = '']) => label).concat(more),
      ]);
    }),
  );
};

/**
 * Every series that an alert or a dashboard may ask for.
 * @returns {Promise<KnownSeries>}
 */
export const knownSeries = async () => {
  const ours = [...ofTheProduct(), ...(await ofTheProcess())];
  return new Map([
    ...ours.map(([name, labels]) => /** @type {const} */ ([name, new Set([...labels, ...targetLabels])])),
    ...Object.entries(ofTheCluster).map(([name, labels]) => /** @type {const} */ ([name, new Set(labels)])),
  ]);
};
