import { duration, flag, matching, texts, shared } from '../entry.mjs';

/** @typedef {import('../entry.mjs').Entry} Entry */

const scraped = { 'serviceMonitor.enabled': true, 'networkPolicy.metrics.from': [{ namespaceSelector: {} }] };
const endpoint = 'ServiceMonitor#spec.endpoints[0]';

/** @type {readonly Omit<Entry, 'global'>[]} */
const entries = [
  {
    ...flag,
    path: 'serviceMonitor.enabled',
    about: 'Whether a ServiceMonitor of the Prometheus operator asks for the metrics',
    default: false,
    probe: { set: true, with: { 'networkPolicy.metrics.from': [{ namespaceSelector: {} }] }, at: 'ServiceMonitor#' },
  },
  {
    ...duration,
    path: 'serviceMonitor.interval',
    about: 'How often',
    default: '30s',
    probe: { set: '31s', with: scraped, at: `${endpoint}.interval` },
  },
  {
    ...duration,
    path: 'serviceMonitor.scrapeTimeout',
    about: 'How long an answer may take',
    default: '10s',
    probe: { set: '11s', with: scraped, at: `${endpoint}.scrapeTimeout` },
  },
  {
    ...texts,
    path: 'serviceMonitor.labels',
    about: 'Labels by which the operator finds the ServiceMonitor',
    default: {},
    probe: { set: { probe: 'x' }, with: scraped, at: 'ServiceMonitor#metadata.labels.probe', shows: 'x' },
  },
  {
    ...flag,
    path: 'prometheusRule.enabled',
    about: 'Whether the alerts of this service are installed as a PrometheusRule',
    default: false,
    probe: { set: true, at: 'PrometheusRule#' },
  },
  {
    ...texts,
    path: 'prometheusRule.labels',
    about: 'Labels by which the operator finds the PrometheusRule',
    default: {},
    probe: {
      set: { probe: 'x' },
      with: { 'prometheusRule.enabled': true },
      at: 'PrometheusRule#metadata.labels.probe',
      shows: 'x',
    },
  },
  {
    ...matching('an address that ends with `/`, or nothing', '^(?:https?://[^\\s"\']+/)?$'),
    path: 'prometheusRule.runbooksUrl',
    about: 'Address of a copy of this project, put before the path of each runbook in `runbook_url`',
    default: '',
    probe: {
      set: 'https://wiki.example/relay/',
      with: { 'prometheusRule.enabled': true },
      at: 'PrometheusRule#spec.groups[0].rules[0].annotations.runbook_url',
      isPart: true,
    },
  },
  {
    ...flag,
    path: 'dashboards.enabled',
    about: 'Whether the dashboards of this service are installed as a ConfigMap',
    default: false,
    probe: { set: true, at: 'ConfigMap/-dashboards#' },
  },
  {
    ...texts,
    path: 'dashboards.labels',
    about: 'Labels by which the dashboards are found',
    default: { grafana_dashboard: '1' },
    probe: {
      set: { probe: 'x' },
      with: { 'dashboards.enabled': true },
      at: 'ConfigMap/-dashboards#metadata.labels.probe',
      shows: 'x',
    },
  },
  {
    ...texts,
    path: 'dashboards.annotations',
    about: 'Annotations of the dashboards, like their folder',
    default: {},
    probe: {
      set: { probe: 'x' },
      with: { 'dashboards.enabled': true },
      at: 'ConfigMap/-dashboards#metadata.annotations',
    },
  },
];

/** What tells people how it goes. @type {readonly Entry[]} */
export const watchingEntries = entries.map(shared);
