import { lines, number } from '../panels.mjs';
import { maxBy, of, quantile, rate } from '../query.mjs';
import { processRow } from './process.mjs';

/** The leader and the others count the same objects. */
const objects = (/** @type {string[]} */ ...matchers) =>
  `sum(max by (kind, state) (${of('relay_sync_objects', ...matchers)}))`;

/** @type {import('../panels.mjs').Dashboard} */
export const operator = {
  name: 'operator',
  title: 'ranger-relay: operator',
  about: 'PatrolSync and PatrolSyncRollback: what waits for a person, and how the controllers work.',
  rows: [
    {
      title: 'At a glance',
      panels: [
        number('Not going on', objects('state="stalled"'), { about: 'Only a person can go on; the status says how.' }),
        number('Waiting for a yes', objects('state="approval"'), { about: 'Their plan was not approved yet.' }),
        number('Drifted', objects('state="drift"'), { about: 'The site differs from what the bundle asks for.' }),
        number('Not compared', objects('state="unchecked"'), { about: 'The last comparison with the site failed.' }),
        number('Ready', objects('state="ready"'), { bad: 1_000_000 }),
        number('Without a leader', `1 - max(${of('relay_leader')})`, { about: 'No replica works.' }),
      ],
    },
    {
      title: 'Objects',
      panels: [
        lines('Objects, by state', [[maxBy('kind, state', 'relay_sync_objects'), '{{kind}} {{state}}']]),
        lines('Due and waiting for their run', [
          [maxBy('controller', 'relay_reconcile_waiting_objects'), '{{controller}}'],
        ]),
        lines('Runs, by outcome', [
          [rate('controller, outcome', 'relay_reconciles_total'), '{{controller}} {{outcome}}'],
        ]),
        lines(
          'Time of a run',
          [
            [quantile(0.5, 'controller', 'relay_reconcile_seconds'), '{{controller}} 50 %'],
            [quantile(0.99, 'controller', 'relay_reconcile_seconds'), '{{controller}} 99 %'],
          ],
          { unit: 's' },
        ),
      ],
    },
    {
      title: 'The API server',
      panels: [
        lines('Calls, by verb', [[rate('verb', 'relay_kube_calls_total'), '{{verb}}']], { unit: 'reqps' }),
        lines(
          'Calls that did not end well',
          [[rate('verb, outcome', 'relay_kube_calls_total', 'outcome!="ok"'), '{{verb}} {{outcome}}']],
          { unit: 'reqps', about: 'A conflict says that somebody was faster; the next look tells.' },
        ),
        lines('Ends of watches', [[rate('kind, reason', 'relay_kube_watch_ends_total'), '{{kind}} {{reason}}']], {
          unit: 'cps',
          about: 'Each ends after five minutes or so; more often is unrest.',
        }),
        lines('Copies that are up to date, and who leads', [
          [`min by (kind) (${of('relay_kube_cache_ready')})`, '{{kind}}'],
          [`sum by (lease) (${of('relay_leader')})`, 'leaders of {{lease}}'],
        ]),
        lines('Events for people that were not written', [[rate('', 'relay_kube_events_dropped_total'), 'dropped']], {
          unit: 'cps',
        }),
      ],
    },
    processRow('operator'),
  ],
};
