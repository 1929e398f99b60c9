import type { KubeObject, Resource } from '@ranger-relay/operator-kit';
import { fieldManager, outcome, time, type Question } from './ask.ts';

const events: Resource = { group: '', version: 'v1', plural: 'events', kind: 'Event', namespaced: true };
const secrets: Resource = { group: '', version: 'v1', plural: 'secrets', kind: 'Secret', namespaced: true };

const names = (items: readonly KubeObject[]): readonly string[] => items.map(({ metadata }) => metadata.name);

/** About the rest. */
export const aboutOthers: Readonly<Record<string, Question>> = {
  'what is not there is nothing': async ({ api, namespace }) => api.find(secrets, { namespace, name: 'missing' }),
  'a name that is none is refused': async ({ api, namespace }) =>
    outcome(api.create(secrets, { metadata: { name: 'No_Name', namespace } })),
  'what is made has no version yet': async ({ api, namespace }) =>
    outcome(api.create(secrets, { metadata: { name: 'versioned', namespace, resourceVersion: '1' } })),
  'an event is written and counted on': async ({ api, namespace }) => {
    const involvedObject = { kind: 'PatrolSync', apiVersion: 'ranger-relay.dev/v1alpha1', name: 'north', namespace };
    const metadata = { name: 'north.1', namespace };
    const source = { component: fieldManager };
    const said = {
      type: 'Normal',
      reason: 'Planned',
      message: 'm',
      firstTimestamp: time,
      lastTimestamp: time,
      count: 1,
    };
    await api.create(events, { metadata, involvedObject, source, reportingComponent: fieldManager, ...said });
    return outcome(api.merge(events, metadata, { count: 2 }), (event) => (event as KubeObject)['count']);
  },
  'a list comes in parts, to its end': async ({ api, namespace }) => {
    for (const name of ['a', 'b', 'c'])
      await api.create(secrets, { metadata: { name, namespace, labels: { part: 'x' } } });
    const select = { namespace, labelSelector: 'part=x', limit: 2 };
    const first = await api.list(secrets, select);
    const { next = '' } = first;
    const second = await api.list(secrets, { ...select, from: next });
    return [names(first.items), next !== '', names(second.items), second.next];
  },
};
