import type {
  ConfigurationOptions,
  KubeConfig,
  KubernetesListObject,
  RequestContext,
  ResponseContext,
} from '@kubernetes/client-node';
import { isRelayError, RelayError } from '@ranger-relay/errors';
import { type Context, createDeadline } from '@ranger-relay/runtime';
import { answerError, connectionError, loginError } from './errors.ts';
import type { KubeObject } from './object.ts';

/** The module of client-node, which is loaded on demand. */
export type ClientNode = typeof import('./client-node.ts');

export interface KubeClientOptions extends Pick<Context, 'clock' | 'metrics'> {
  readonly client: ClientNode;
  /** Loads the access to the cluster: at the start, and after the API server refused the last one. */
  readonly load: () => Promise<KubeConfig>;
}

/** Field manager of the operator. */
export const fieldManager = 'ranger-relay-operator';
const userAgent = `${fieldManager}/0.1.0`;
/** Time limit of a call, ms. */
const callMs = 20_000;

/** A watch that cannot log in would end the process by a rejection that nobody hears; without a login it is refused instead. */
const tolerant = (config: KubeConfig): KubeConfig =>
  Object.create(config, {
    applySecurityAuthentication: {
      value: (context: RequestContext) => config.applySecurityAuthentication(context).catch(() => undefined),
    },
  }) as KubeConfig;

/** How a call is counted. */
const verbOf = (method: string, path: string): string => {
  if (method !== 'GET') return { POST: 'create', PATCH: 'patch' }[method] ?? method.toLowerCase();
  return /\/namespaces\/[^/]+\/[^/]+\/[^/]+$/.test(path) ? 'get' : 'list';
};

/**
 * Connects the typed APIs of client-node to a cluster: each call has a time limit and a count, and throws RelayError `kube_*`.
 * @throws RelayError `kube_access_missing`
 */
export const createKubeClient = async ({ client, load, clock, metrics }: KubeClientOptions) => {
  let config = await load();
  const { server } = config.getCurrentCluster() ?? { server: '' };
  const library = new client.IsomorphicFetchHttpLibrary();
  let pool: ReturnType<RequestContext['getDispatcher']>;

  /** Reads tokens and certificates anew, and runs an exec plugin again; what cannot be read leaves the access as it was. */
  const renew = async (): Promise<void> => {
    config = await load().catch(() => config);
  };

  const exchange = async (request: RequestContext, target: string): Promise<ResponseContext> => {
    const deadline = createDeadline({ clock, ms: callMs, reason: () => new Error(`nothing within ${callMs} ms`) });
    request.setHeaderParam('User-Agent', userAgent);
    request.setSignal(deadline.signal);
    // client-node makes a pool for every request, which costs a TLS handshake each.
    pool ??= request.getDispatcher();
    if (pool) request.setDispatcher(pool);
    try {
      const response = await library.send(request).toPromise();
      const text = await response.body.text();
      if (response.httpStatusCode >= 300) throw answerError(target, response.httpStatusCode, text, response.headers);
      if (!response.headers['content-type']?.includes('json'))
        throw new RelayError('kube_answer_unreadable', { details: { target, problem: 'it is no JSON' } });
      return Object.assign(response, { body: { ...response.body, text: () => Promise.resolve(text) } });
    } catch (error) {
      throw error instanceof RelayError
        ? error
        : connectionError(target, deadline.signal.aborted ? deadline.signal.reason : error);
    } finally {
      deadline.close();
    }
  };

  const send = async (request: RequestContext): Promise<ResponseContext> => {
    const method = request.getHttpMethod();
    const { pathname } = new URL(request.getUrl());
    const count = (outcome: string): void =>
      metrics.count('relay_kube_calls_total', { verb: verbOf(method, pathname), outcome });
    try {
      const response = await exchange(request, `${method} ${pathname}`);
      count('ok');
      return response;
    } catch (error) {
      if (!(error instanceof RelayError)) throw error;
      count(error.code);
      // New certificates count from the next connection on.
      if (error.code === 'kube_unreachable' || error.code === 'kube_unauthorized') pool = undefined;
      if (error.code === 'kube_unauthorized') await renew();
      throw error;
    }
  };

  const configuration = client.createConfiguration({
    baseServer: new client.ServerConfiguration(server, {}),
    authMethods: {
      default: {
        getName: () => 'kubeconfig',
        applySecurityAuthentication: (context) =>
          config.applySecurityAuthentication(context).catch((error: unknown) => {
            throw loginError('the login', 'see whether kubectl works with it', error);
          }),
      },
    },
    httpApi: client.wrapHttpLibrary({ send }),
  });
  const contentType = (type: string): ConfigurationOptions => client.setHeaderOptions('Content-Type', type);
  return {
    batch: new client.BatchV1Api(configuration),
    core: new client.CoreV1Api(configuration),
    coordination: new client.CoordinationV1Api(configuration),
    custom: new client.CustomObjectsApi(configuration),
    /** Options of a JSON merge patch; it applies to the `uid` and `resourceVersion` that its metadata names. */
    merge: contentType(client.PatchStrategy.MergePatch),
    /** Options of server-side apply. */
    apply: contentType(client.PatchStrategy.ServerSideApply),
    /** Makes an informer of client-node with the present access. */
    informer: <T extends KubeObject>(path: string, list: () => Promise<unknown>, labelSelector?: string) =>
      client.makeInformer<T>(tolerant(config), path, list as () => Promise<KubernetesListObject<T>>, labelSelector),
  };
};

/** The APIs of a cluster. */
export type KubeClient = Awaited<ReturnType<typeof createKubeClient>>;

/** What a read finds; undefined when there is nothing. */
export const orNone = async <T>(read: Promise<T>): Promise<T | undefined> => {
  try {
    return await read;
  } catch (error) {
    if (isRelayError(error, 'kube_not_found')) return undefined;
    throw error;
  }
};

/** An object of a typed answer: client-node declares its name optional, and every stored object has one. */
export const named = <T extends KubeObject>(answer: unknown): T => answer as T;
/** The objects of a typed list. */
export const itemsOf = <T extends KubeObject>(list: { readonly items?: readonly unknown[] }): readonly T[] =>
  (list.items ?? []) as readonly T[];
