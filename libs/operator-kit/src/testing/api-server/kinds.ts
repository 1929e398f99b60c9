/** A kind that the server knows. */
export interface Kind {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
  readonly namespaced: boolean;
}

const namespaced = (group: string, version: string, plural: string, kind: string): Kind => ({
  group,
  version,
  plural,
  kind,
  namespaced: true,
});

/** What every cluster has, as far as controllers ask for it. */
export const builtIn: readonly Kind[] = [
  namespaced('', 'v1', 'configmaps', 'ConfigMap'),
  namespaced('', 'v1', 'events', 'Event'),
  namespaced('', 'v1', 'persistentvolumeclaims', 'PersistentVolumeClaim'),
  namespaced('', 'v1', 'pods', 'Pod'),
  namespaced('', 'v1', 'secrets', 'Secret'),
  namespaced('batch', 'v1', 'jobs', 'Job'),
  namespaced('coordination.k8s.io', 'v1', 'leases', 'Lease'),
  { group: '', version: 'v1', plural: 'namespaces', kind: 'Namespace', namespaced: false },
];

/** What a path leads to. */
export interface Target {
  readonly kind: Kind;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly subresource: string | undefined;
}

export const apiVersionOf = ({ group, version }: Kind): string => (group === '' ? version : `${group}/${version}`);

/** Takes a path apart; undefined when no known kind is there. */
export const targetOf = (path: string, kinds: readonly Kind[]): Target | undefined => {
  const [root, ...rest] = path.split('/').slice(1).map(decodeURIComponent);
  const group = root === 'api' ? '' : rest.shift();
  const version = rest.shift();
  const inNamespace = rest[0] === 'namespaces' && rest.length > 2;
  const namespace = inNamespace ? rest[1] : undefined;
  const [plural, name, subresource, ...more] = inNamespace ? rest.slice(2) : rest;
  const kind = kinds.find((each) => each.group === group && each.version === version && each.plural === plural);
  if (!kind || more.length > 0 || (root !== 'api' && root !== 'apis')) return undefined;
  if (name !== undefined && kind.namespaced !== inNamespace) return undefined;
  return { kind, namespace, name, subresource };
};
