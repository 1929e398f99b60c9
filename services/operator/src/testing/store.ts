import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';

/** An object as it travels. */
export type Json = { [member: string]: unknown };

/** A request that is answered with a status of failure. */
export class Failure extends Error {
  readonly code: number;
  readonly reason: string;

  constructor(code: number, reason: string, message: string) {
    super(message);
    this.code = code;
    this.reason = reason;
  }

  /** The object that describes it. */
  get status(): Json {
    const { code, reason, message } = this;
    return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, reason, code };
  }
}

/** One change; `after` is undefined for a deletion. */
export interface Entry {
  readonly version: number;
  readonly collection: string;
  readonly before: Json | undefined;
  readonly after: Json | undefined;
}

/** One request, taken apart. */
export interface Call {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly contentType: string;
  readonly body: unknown;
}

/** The objects of all kinds, with one count of versions and the history of changes. */
export interface Store {
  version(): number;
  get(collection: string, key: string): Json | undefined;
  all(collection: string): Json[];
  /** Does what a request asks. @throws Failure */
  perform(call: Call): { readonly status: number; readonly body: Json };
  /** Changes after a version; undefined when they are forgotten. */
  since(version: number): readonly Entry[] | undefined;
  /** Forgets the history up to now. */
  compact(): void;
  onEntry(listener: (entry: Entry) => void): void;
}

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
export const metaOf = (object: unknown): Json => {
  const meta = isObject(object) ? object['metadata'] : undefined;
  return isObject(meta) ? meta : {};
};
const without = (object: Json, ...names: readonly string[]): Json =>
  Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));

/** What a path leads to: a kind of objects (`batch/v1/jobs`), a namespace, an object and its status. */
export const targetOf = (path: string) => {
  const found = /^\/(?:api|apis\/([^/]+))\/([^/]+)(?:\/namespaces\/([^/]+))?\/([^/]+)(?:\/([^/]+))?(\/status)?$/.exec(
    path,
  );
  if (!found) throw new Failure(404, 'NotFound', `page ${path} not found`);
  const [, group, version, namespace, plural, name, subresource] = found;
  return {
    collection: [group, version, plural].filter(Boolean).join('/'),
    namespace,
    name,
    isStatus: subresource !== undefined,
  };
};

/** Whether an object is in a namespace, with a label, or of a name; all are optional. */
export const selects =
  (namespace: string | undefined, query: URLSearchParams) =>
  (object: Json | undefined): boolean => {
    if (!object) return false;
    const { namespace: of, name, labels = {} } = metaOf(object);
    const [label, value] = (query.get('labelSelector') ?? '').split('=');
    const [, only] = (query.get('fieldSelector') ?? '').split('=');
    return (
      (namespace === undefined || of === namespace) &&
      (!label || (labels as Json)[label] === value) &&
      (only === undefined || only === name)
    );
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

const checkPreconditions = (before: Json, wanted: Json): void => {
  for (const name of ['resourceVersion', 'uid'])
    if (wanted[name] !== undefined && wanted[name] !== metaOf(before)[name])
      throw new Failure(409, 'Conflict', `the object has been modified: ${name} is ${String(metaOf(before)[name])}`);
};

const specOf = (object: Json): Json => without(object, 'metadata', 'status');

/** Makes an empty store. `now` is what it says about time. */
export const createStore = (now: () => number): Store => {
  const objects = new Map<string, Json>();
  const listeners: ((entry: Entry) => void)[] = [];
  let history: Entry[] = [];
  let forgotten = 0;
  let version = 1;

  const commit = (collection: string, key: string, before: Json | undefined, after: Json | undefined): void => {
    if (after) objects.set(`${collection} ${key}`, after);
    else objects.delete(`${collection} ${key}`);
    const entry = { version, collection, before, after };
    history.push(entry);
    for (const listener of listeners) listener(entry);
  };

  const stamped = (object: Json, metadata: Json): Json =>
    structuredClone({
      ...object,
      metadata: { ...metaOf(object), ...metadata, resourceVersion: String((version += 1)) },
    });

  const create = (collection: string, key: string, object: Json): Json => {
    if (objects.has(`${collection} ${key}`)) throw new Failure(409, 'AlreadyExists', `${key} already exists`);
    const creationTimestamp = new Date(now()).toISOString().replace(/\.\d+Z/, 'Z');
    const after = stamped(without(object, 'status'), { uid: randomUUID(), creationTimestamp, generation: 1 });
    commit(collection, key, undefined, after);
    return after;
  };

  /** One that stays as it is gets no new version. */
  const update = (collection: string, key: string, before: Json, object: Json): Json => {
    const { uid, creationTimestamp, generation, resourceVersion } = metaOf(before);
    const kept = { ...object, metadata: { ...metaOf(object), uid, creationTimestamp, generation, resourceVersion } };
    if (isDeepStrictEqual(before, JSON.parse(JSON.stringify(kept)))) return before;
    const isWanted = isDeepStrictEqual(specOf(before), specOf(kept));
    const after = stamped(kept, { generation: Number(generation) + (isWanted ? 0 : 1) });
    commit(collection, key, before, after);
    return after;
  };

  const patched = (before: Json, { contentType, body, query }: Call, isStatus: boolean): Json => {
    const isApply = contentType === 'application/apply-patch+yaml';
    // Of a status that is applied a real server passes over the uid.
    checkPreconditions(before, isApply ? without(metaOf(body), 'uid') : metaOf(body));
    if (contentType === 'application/merge-patch+json') {
      const after = mergePatch(before, body) as Json;
      return isStatus ? { ...before, status: after['status'] } : { ...after, status: before['status'] };
    }
    if (!isApply || !isStatus || !query.get('fieldManager'))
      throw new Failure(
        415,
        'UnsupportedMediaType',
        `the body of the request was in an unknown format: ${contentType}`,
      );
    // There is one manager: what it says no more is gone.
    return { ...before, status: (body as Json)['status'] };
  };

  const perform: Store['perform'] = (call) => {
    const { method, path, query, body } = call;
    const { collection, namespace, name, isStatus } = targetOf(path);
    const key = `${namespace}/${name ?? String(metaOf(body)['name'])}`;
    if (method === 'GET' && name === undefined) {
      const items = all(collection).filter(selects(namespace, query));
      return { status: 200, body: { kind: 'List', metadata: { resourceVersion: String(version) }, items } };
    }
    if (method === 'POST') return { status: 201, body: create(collection, key, body as Json) };
    const before = objects.get(`${collection} ${key}`);
    if (!before) throw new Failure(404, 'NotFound', `${collection} "${key}" not found`);
    if (method === 'GET') return { status: 200, body: before };
    if (method === 'PATCH')
      return { status: 200, body: update(collection, key, before, patched(before, call, isStatus)) };
    const { preconditions } = (body ?? {}) as { preconditions?: Json };
    checkPreconditions(before, preconditions ?? {});
    version += 1;
    commit(collection, key, before, undefined);
    return { status: 200, body: { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success' } };
  };

  const all = (collection: string): Json[] =>
    [...objects].flatMap(([key, object]) => (key.startsWith(`${collection} `) ? [object] : []));

  return {
    version: () => version,
    get: (collection, key) => objects.get(`${collection} ${key}`),
    all,
    perform,
    since: (from) => (from < forgotten ? undefined : history.filter((entry) => entry.version > from)),
    compact() {
      forgotten = version;
      history = [];
    },
    onEntry: (listener) => void listeners.push(listener),
  };
};
