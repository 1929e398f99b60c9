import { at } from '../place.ts';
import type { KubeObject } from '../objects.ts';
import { podsOf, titleOf, type Pod } from './pods.ts';

type Labels = Readonly<Record<string, string>>;

/** Whether labels have all that a selector wants. */
export const selects = (wanted: Labels, labels: Labels): boolean =>
  Object.entries(wanted).every(([key, value]) => labels[key] === value);

const labelsAt = (object: KubeObject, path: string): Labels => (at(object, path) ?? {}) as Labels;

const ofKind = (objects: readonly KubeObject[], ...kinds: readonly string[]): readonly KubeObject[] =>
  objects.filter(({ kind }) => kinds.includes(kind));

/** What makes pods finds its own again. */
export const ownPods = (objects: readonly KubeObject[]): string[] =>
  podsOf(ofKind(objects, 'Deployment', 'StatefulSet'))
    .filter(({ owner, labels }) => {
      const wanted = labelsAt(owner, 'spec.selector.matchLabels');
      return Object.keys(wanted).length === 0 || !selects(wanted, labels);
    })
    .map(({ title }) => `${title}: its selector does not fit its own pods`);

const portsOf = (pods: readonly Pod[]): readonly (string | undefined)[] =>
  pods.flatMap(({ spec }) => spec.containers.flatMap(({ ports = [] }) => ports.map(({ name }) => name)));

const serviceProblems = (objects: readonly KubeObject[], service: KubeObject): string[] => {
  const selector = labelsAt(service, 'spec.selector');
  // A Service without a selector stands for something outside the cluster.
  if (Object.keys(selector).length === 0) return [];
  const pods = podsOf(objects).filter(({ labels }) => selects(selector, labels));
  const owners = new Set(pods.map(({ title }) => title));
  const ports = (at(service, 'spec.ports') ?? []) as readonly { name?: string; targetPort?: unknown }[];
  return [
    ...(owners.size === 1 ? [] : [`${titleOf(service)}: selects pods of ${[...owners].join(', ') || 'nobody'}`]),
    ...ports
      .filter(({ name, targetPort }) => name === undefined || !portsOf(pods).includes(String(targetPort)))
      .map(({ name, targetPort }) => `${titleOf(service)}: ${name} goes to ${String(targetPort)}, which is no port`),
  ];
};

/** Each Service selects pods of one component alone, and its ports are theirs, by name. */
export const servicesReach = (objects: readonly KubeObject[]): string[] =>
  ofKind(objects, 'Service').flatMap((service) => serviceProblems(objects, service));

/** Budgets, policies and monitors are about something that is there. */
export const selectorsMatch = (objects: readonly KubeObject[]): string[] => [
  ...ofKind(objects, 'PodDisruptionBudget')
    .filter((budget) => {
      const wanted = labelsAt(budget, 'spec.selector.matchLabels');
      return !podsOf(objects).some(({ labels }) => selects(wanted, labels));
    })
    .map((budget) => `${titleOf(budget)}: selects no pod`),
  ...ofKind(objects, 'NetworkPolicy')
    .filter((policy) => {
      const wanted = labelsAt(policy, 'spec.podSelector.matchLabels');
      return !podsOf(objects).some(({ labels }) => selects(wanted, labels));
    })
    .map((policy) => `${titleOf(policy)}: selects no pod`),
  ...ofKind(objects, 'ServiceMonitor').flatMap((monitor) => {
    const wanted = labelsAt(monitor, 'spec.selector.matchLabels');
    const services = ofKind(objects, 'Service').filter(({ metadata }) => selects(wanted, metadata.labels ?? {}));
    const endpoints = (at(monitor, 'spec.endpoints') ?? []) as readonly { port?: string }[];
    const hasPort = (port: string | undefined) =>
      services.some((service) => at(service, `spec.ports[name=${String(port)}]`) !== undefined);
    return endpoints.every(({ port }) => hasPort(port)) && endpoints.length > 0
      ? []
      : [`${titleOf(monitor)}: finds no Service with its port`];
  }),
];

/** What scales, scales something that is there and that does not fix its replicas. */
export const scalersReach = (objects: readonly KubeObject[]): string[] =>
  ofKind(objects, 'HorizontalPodAutoscaler', 'ScaledObject').flatMap((scaler) => {
    const [kind, name] = [at(scaler, 'spec.scaleTargetRef.kind'), at(scaler, 'spec.scaleTargetRef.name')];
    const target = objects.find((object) => object.kind === kind && object.metadata.name === name);
    if (target === undefined) return [`${titleOf(scaler)}: scales nothing`];
    return at(target, 'spec.replicas') === undefined ? [] : [`${titleOf(scaler)}: fights with ${titleOf(target)}`];
  });

/** Routes lead to ports of Services. */
export const routesLead = (objects: readonly KubeObject[]): string[] => {
  const portOf = (name: unknown, path: string) => {
    const service = ofKind(objects, 'Service').find(({ metadata }) => metadata.name === name);
    return service === undefined ? undefined : at(service, path);
  };
  return [
    ...ofKind(objects, 'Ingress').flatMap((ingress) => {
      const rules = (at(ingress, 'spec.rules') ?? []) as readonly object[];
      const paths = rules.flatMap((rule) => (at(rule, 'http.paths') ?? []) as readonly object[]);
      const lost = paths.filter((path) => {
        const port = String(at(path, 'backend.service.port.name'));
        return portOf(at(path, 'backend.service.name'), `spec.ports[name=${port}]`) === undefined;
      });
      return lost.length === 0 && paths.length > 0 ? [] : [`${titleOf(ingress)}: leads nowhere`];
    }),
    ...ofKind(objects, 'HTTPRoute').flatMap((route) => {
      const rules = (at(route, 'spec.rules') ?? []) as readonly object[];
      const backends = rules.flatMap((rule) => (at(rule, 'backendRefs') ?? []) as readonly object[]);
      const lost = backends.filter(
        (backend) => portOf(at(backend, 'name'), `spec.ports[port=${String(at(backend, 'port'))}]`) === undefined,
      );
      return lost.length === 0 && backends.length > 0 ? [] : [`${titleOf(route)}: leads nowhere`];
    }),
  ];
};
