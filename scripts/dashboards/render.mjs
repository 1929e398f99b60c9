import { generatedFile } from '../generated.mjs';
import { layOut } from './panels.mjs';
import { runner } from './specs/action-runner.mjs';
import { pusher } from './specs/message-pusher.mjs';
import { forwarder } from './specs/observation-forwarder.mjs';
import { operator } from './specs/operator.mjs';
import { overview } from './specs/ranger-relay.mjs';
import { ingester } from './specs/webhook-ingester.mjs';

/** @param {string} name @param {string} query that lists its values */
const choice = (name, query) => ({
  name,
  type: 'query',
  datasource: { type: 'prometheus', uid: '${datasource}' },
  query: { query, refId: name },
  refresh: 2,
  includeAll: true,
  // Fits a target without the label too, as one machine has it.
  allValue: '.*',
  current: { text: 'All', value: '$__all' },
  sort: 1,
});

/**
 * A dashboard as Grafana imports it.
 * @param {import('./panels.mjs').Dashboard} dashboard
 */
export const dashboardJson = ({ name, title, about, rows }) => ({
  uid: `ranger-relay-${name}`.slice(0, 40),
  title,
  description: about,
  tags: ['ranger-relay'],
  schemaVersion: 39,
  editable: true,
  graphTooltip: 1,
  refresh: '30s',
  timezone: 'browser',
  time: { from: 'now-6h', to: 'now' },
  templating: {
    list: [
      { name: 'datasource', type: 'datasource', query: 'prometheus', current: {} },
      choice('namespace', 'label_values(relay_component_info, namespace)'),
      choice('release', 'label_values(relay_component_info{namespace=~"$namespace"}, release)'),
    ],
  },
  links: [
    {
      type: 'dashboards',
      title: 'ranger-relay',
      tags: ['ranger-relay'],
      asDropdown: true,
      keepTime: true,
      includeVars: true,
    },
  ],
  panels: layOut(rows),
});

/** Every dashboard. */
export const dashboards = Object.freeze([overview, ingester, forwarder, pusher, runner, operator]);

/** Every dashboard's file as it is and as it should be. @param {string} root */
export const renderDashboards = (root) =>
  Promise.all(
    dashboards.map((dashboard) =>
      generatedFile(root, `k8s/dashboards/${dashboard.name}.json`, JSON.stringify(dashboardJson(dashboard))),
    ),
  );
