import { lines, number, quantiles, rates } from '../panels.mjs';
import { maxBy, named, of, rate } from '../query.mjs';
import { processRow } from './process.mjs';

/** While a pod takes the place of another, both count the same objects. */
const objects = (/** @type {string[]} */ ...matchers) =>
  `sum(max by (kind, state) (${of('relay_sync_objects', ...matchers)}))`;

/** @type {import('../panels.mjs').Dashboard} */
export const operator = {
  name: 'operator',
  title: 'ranger-relay: operator',
  about: 'PatrolSync and PatrolSyncRollback: objects that need a person, and the controllers.',
  rows: [
    {
      title: 'At a glance',
      panels: [
        number('Stalled', objects('state="stalled"'), { about: 'They need a person; their status says what to do.' }),
        number('Waiting for approval', objects('state="approval"'), { about: 'Their plan is not approved yet.' }),
        number('Drifted', objects('state="drift"'), { about: 'The site differs from the bundle.' }),
        number('Not compared', objects('state="unchecked"'), { about: 'The last comparison with the site failed.' }),
        number('Ready', objects('state="ready"'), { bad: 1_000_000 }),
        number('Not ready', `1 - max(${of('relay_ready')})`, { about: 'No operator knows the cluster.' }),
      ],
    },
    {
      title: 'Objects',
      panels: [
        lines('Objects by state', [maxBy('kind, state', 'relay_sync_objects')]),
        lines('Objects waiting for reconciliation', [maxBy('controller', 'relay_reconcile_waiting_objects')]),
        lines('Reconciliations by outcome', [rate('controller, outcome', 'relay_reconciles_total')]),
        quantiles('Duration of a reconciliation', [0.5, 0.99], 'controller', 'relay_reconcile_seconds'),
      ],
    },
    {
      title: 'The API server',
      panels: [
        lines('Calls by verb', [rate('verb', 'relay_kube_calls_total')], { unit: 'reqps' }),
        lines('Failed calls', [rate('verb, outcome', 'relay_kube_calls_total', 'outcome!="ok"')], {
          unit: 'reqps',
          about:
            'A conflict means that another client changed the object first; the next reconciliation sees the change.',
        }),
        {
          ...rates('Ends of watches', 'kind, reason', 'relay_kube_watch_ends_total'),
          about: 'A watch normally ends after about a minute, when all is listed again.',
        },
        lines('Synced caches', [[`min by (kind) (${of('relay_kube_cache_ready')})`, '{{kind}}']]),
        lines('Dropped Kubernetes Events', [named('dropped', rate('', 'relay_kube_events_dropped_total'))], {
          unit: 'cps',
        }),
      ],
    },
    processRow('operator'),
  ],
};
