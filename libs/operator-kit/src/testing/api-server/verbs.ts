import { Failure, gone, notFound } from './failure.ts';
import { isObject, type Json, keyOf, metaOf, selection, without } from './json.ts';
import { apiVersionOf, type Target } from './kinds.ts';
import type { Managers } from './managers.ts';
import type { Store } from './store.ts';

/** One call, taken apart. */
export interface Call {
  readonly method: string;
  readonly target: Target;
  readonly query: URLSearchParams;
  readonly contentType: string;
  readonly body: unknown;
  /** Name of the writer where the query does not say it. */
  readonly agent: string;
}

/** What an answer says. */
export interface Reply {
  readonly status: number;
  readonly body: Json;
}

/** What calls work on. */
export interface Cluster {
  readonly store: Store;
  readonly managers: Managers;
  /** Parts of lists that are still to be fetched. */
  readonly pages: Map<string, { rest: Json[]; version: string }>;
}

export const collectionOf = ({ kind }: Target): string => `${apiVersionOf(kind)}/${kind.plural}`;

const keyIn = ({ namespace, name }: Target): string => (namespace === undefined ? `${name}` : `${namespace}/${name}`);

const knownQueries = new Set([
  'labelSelector',
  'limit',
  'continue',
  'fieldManager',
  'fieldValidation',
  'force',
  'watch',
  'allowWatchBookmarks',
  'resourceVersion',
  'timeoutSeconds',
  'propagationPolicy',
]);

/** Misspelt parameters are passed over by real servers; here they are mistakes. */
export const checkQuery = (query: URLSearchParams): void => {
  for (const name of query.keys())
    if (!knownQueries.has(name)) throw new Failure(400, 'BadRequest', `unknown parameter ${name}`);
};

const validName = /^[a-z\d]([-a-z\d.]{0,251}[a-z\d])?$/;

const checked = ({ target, body }: Call): Json => {
  if (!isObject(body)) throw new Failure(400, 'BadRequest', 'the body is no object');
  const { name, namespace } = metaOf(body);
  if (body['kind'] !== target.kind.kind || body['apiVersion'] !== apiVersionOf(target.kind))
    throw new Failure(400, 'BadRequest', `the body is no ${target.kind.kind} of ${apiVersionOf(target.kind)}`);
  if (namespace !== target.namespace) throw new Failure(400, 'BadRequest', 'the namespace is not that of the request');
  if (target.name !== undefined && name !== target.name)
    throw new Failure(400, 'BadRequest', 'the name is not that of the request');
  if (typeof name !== 'string' || !validName.test(name))
    throw new Failure(422, 'Invalid', `metadata.name: Invalid value: ${JSON.stringify(name)}`);
  return body;
};

const present = ({ store }: Cluster, { target }: Call): Json => {
  const found = store.get(collectionOf(target), keyIn(target));
  if (!found) throw notFound(`${target.kind.plural} "${keyIn(target)}"`);
  return found;
};

const ownerOf = ({ query, agent, target }: Call): string =>
  `${query.get('fieldManager') ?? agent}/${target.subresource ?? ''}`;

/** A write to the status leaves the rest alone, and the other way round. */
const merged = ({ target }: Call, before: Json, after: Json): Json => {
  if (target.subresource === 'status') return { ...before, status: after['status'] };
  const rest = without(after, 'status');
  return 'status' in before ? { ...rest, status: before['status'] } : rest;
};

const hasStatus = ({ kind }: Target): boolean => !['Lease', 'Event', 'Secret', 'ConfigMap'].includes(kind.kind);

const store = (cluster: Cluster, call: Call, before: Json, after: Json): Reply => {
  const { target } = call;
  const kept = hasStatus(target) ? merged(call, before, after) : after;
  cluster.managers.wrote(ownerOf(call), String(metaOf(before)['uid']), before, kept);
  return { status: 200, body: cluster.store.update(collectionOf(target), keyIn(target), kept, !target.subresource) };
};

const checkVersion = (before: Json, after: Json): void => {
  const { resourceVersion, uid } = metaOf(after);
  if (resourceVersion !== undefined && resourceVersion !== metaOf(before)['resourceVersion'])
    throw new Failure(409, 'Conflict', 'the object has been modified; please apply your changes to the latest version');
  if (uid !== undefined && uid !== metaOf(before)['uid'])
    throw new Failure(409, 'Conflict', 'Precondition failed: UID in precondition differs');
};

const create = (cluster: Cluster, call: Call): Reply => {
  const body = checked(call);
  if (metaOf(body)['resourceVersion'] !== undefined)
    throw new Failure(500, 'InternalError', 'resourceVersion should not be set on objects to be created');
  const kept = hasStatus(call.target) ? without(body, 'status') : body;
  const created = cluster.store.create(collectionOf(call.target), kept);
  cluster.managers.wrote(ownerOf(call), String(metaOf(created)['uid']), {}, created);
  return { status: 201, body: created };
};

/** A Lease that is not there is made, unless the write is meant for one that was. */
const replaceMissing = (cluster: Cluster, call: Call): Reply => {
  const { uid, resourceVersion } = metaOf(checked(call));
  if (call.target.kind.kind !== 'Lease') return { status: 200, body: present(cluster, call) };
  if (uid === undefined && resourceVersion === undefined) return create(cluster, call);
  throw new Failure(409, 'Conflict', 'Precondition failed: UID in precondition differs');
};

const replace = (cluster: Cluster, call: Call): Reply => {
  const body = checked(call);
  const before = cluster.store.get(collectionOf(call.target), keyIn(call.target));
  if (!before) return replaceMissing(cluster, call);
  checkVersion(before, body);
  return store(cluster, call, before, body);
};

const mergePatch = (target: unknown, patch: unknown): unknown => {
  if (!isObject(patch)) return patch;
  const result = { ...(isObject(target) ? target : {}) };
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete result[name];
    else result[name] = mergePatch(result[name], value);
  }
  return result;
};

const apply = (cluster: Cluster, call: Call): Reply => {
  const { query, target } = call;
  if (!query.get('fieldManager')) throw new Failure(400, 'BadRequest', 'fieldManager is required for apply patch');
  const body = checked(call);
  if ('managedFields' in metaOf(body)) throw new Failure(400, 'BadRequest', 'metadata.managedFields must be nil');
  const before = cluster.store.get(collectionOf(target), keyIn(target));
  const force = query.get('force') === 'true';
  if (!before) {
    if (target.subresource) throw notFound(`${target.kind.plural} "${keyIn(target)}"`);
    if (metaOf(body)['uid'] !== undefined)
      throw new Failure(409, 'Conflict', 'uid mismatch: no existing object was found');
    const created = cluster.store.create(collectionOf(target), body);
    cluster.managers.apply(ownerOf(call), String(metaOf(created)['uid']), created, body, force);
    return { status: 201, body: created };
  }
  checkVersion(before, { metadata: without(metaOf(body), 'uid') });
  const { uid = metaOf(before)['uid'] } = metaOf(body);
  // Of a status everything in the metadata but the version is passed over.
  if (uid !== metaOf(before)['uid'] && !target.subresource)
    throw new Failure(422, 'Invalid', 'metadata.uid: field is immutable');
  const wanted = target.subresource ? { metadata: body['metadata'], status: body['status'] } : body;
  const after = cluster.managers.apply(ownerOf(call), String(metaOf(before)['uid']), before, wanted, force);
  const kept = merged(call, before, after);
  return { status: 200, body: cluster.store.update(collectionOf(target), keyIn(target), kept, !target.subresource) };
};

const patch = (cluster: Cluster, call: Call): Reply => {
  if (call.contentType === 'application/apply-patch+yaml') return apply(cluster, call);
  if (call.contentType !== 'application/merge-patch+json')
    throw new Failure(
      415,
      'UnsupportedMediaType',
      `the body of the request was in an unknown format: ${call.contentType}`,
    );
  const before = present(cluster, call);
  if (isObject(call.body)) checkVersion(before, { metadata: metaOf(call.body) });
  return store(cluster, call, before, mergePatch(before, call.body) as Json);
};

const remove = (cluster: Cluster, call: Call): Reply => {
  const { target, body } = call;
  const before = present(cluster, call);
  const wanted = isObject(body) ? body['preconditions'] : undefined;
  if (isObject(wanted)) checkVersion(before, { metadata: wanted });
  cluster.store.remove(collectionOf(target), keyIn(target));
  return { status: 200, body: { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success' } };
};

/** Items of a list carry no kind of their own. */
const bare = (object: Json): Json => without(object, 'kind', 'apiVersion');

const list = ({ store, pages }: Cluster, { target, query }: Call): Reply => {
  const token = query.get('continue');
  const known = token === null ? undefined : pages.get(token);
  if (token !== null && !known) throw gone(token);
  const selects = selection(target.namespace, query.get('labelSelector'));
  const found = store.all(collectionOf(target)).filter(selects);
  const { rest, version } = known ?? {
    rest: found.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1)),
    version: String(store.version()),
  };
  const limit = Number(query.get('limit') ?? 0) || rest.length;
  const next = `${version}.${rest.length - limit}`;
  const more = rest.length > limit;
  if (more) pages.set(next, { rest: rest.slice(limit), version });
  const { kind } = target;
  const metadata = {
    resourceVersion: version,
    ...(more ? { continue: next, remainingItemCount: rest.length - limit } : {}),
  };
  const items = rest.slice(0, limit).map(bare);
  return { status: 200, body: { kind: `${kind.kind}List`, apiVersion: apiVersionOf(kind), metadata, items } };
};

/** Carries out one call. @throws Failure */
export const perform = (cluster: Cluster, call: Call): Reply => {
  const { method, target } = call;
  const single = target.name !== undefined;
  if (method === 'GET') return single ? { status: 200, body: present(cluster, call) } : list(cluster, call);
  if (method === 'POST' && !single) return create(cluster, call);
  if (method === 'PUT' && single) return replace(cluster, call);
  if (method === 'PATCH' && single) return patch(cluster, call);
  if (method === 'DELETE' && single) return remove(cluster, call);
  throw new Failure(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource');
};
