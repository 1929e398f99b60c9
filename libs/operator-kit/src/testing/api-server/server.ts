import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TlsOptions } from 'node:tls';
import { answer, answerHalf, answerStatus, readBody, replyOf } from './answer.ts';
import { Failure, notFound } from './failure.ts';
import { createFaults, type Faults, type RequestFacts, type RequestFault } from './faults.ts';
import { type Json, selection } from './json.ts';
import { apiVersionOf, builtIn, type Kind, targetOf } from './kinds.ts';
import { createManagers } from './managers.ts';
import { createStore, type Store } from './store.ts';
import { type Call, checkQuery, type Cluster, collectionOf, perform } from './verbs.ts';
import { createWatches, type Watches } from './watches.ts';

/** How the server is made. */
export interface ApiServerOptions {
  /** Beside those that every cluster has. */
  readonly kinds?: readonly Kind[];
  /** Asked for in each request when given. */
  readonly token?: string;
  readonly tls?: TlsOptions;
  /** What it says about time; the machine's clock when left out. */
  readonly now?: () => number;
}

/**
 * An API server on a real loopback port that keeps objects in memory, is strict about requests, and misbehaves on demand. It sets no timers:
 * streams end, and bookmarks come, when they are told to.
 */
export interface ApiServer {
  readonly url: string;
  readonly store: Store;
  readonly faults: Faults;
  readonly watches: Watches;
  /** Every request that came. */
  readonly requests: readonly RequestFacts[];
  /** Does what a client would do, past all faults. @throws Failure */
  call(method: string, path: string, body?: unknown, agent?: string): Json;
  /** Requests that are held. */
  held(): number;
  /** Answers what is held. */
  release(): void;
  /** Forgets the history of changes and the parts of lists. */
  compact(): void;
  /** Takes another token from now on. */
  setToken(token: string): void;
  /** Breaks all connections and refuses new ones. */
  goDown(): Promise<void>;
  comeUp(): Promise<void>;
  close(): Promise<void>;
}

/** Starts a server on a free port of the loopback interface. */
export const startApiServer = async (options: ApiServerOptions = {}): Promise<ApiServer> => {
  const kinds = [...builtIn, ...(options.kinds ?? [])];
  const store = createStore(options.now ?? Date.now);
  const cluster: Cluster = { store, managers: createManagers(), pages: new Map() };
  const faults = createFaults();
  const watches = createWatches(store, faults);
  const requests: RequestFacts[] = [];
  const held = new Set<() => void>();
  let token = options.token;

  const callOf = (method: string, url: URL, contentType: string, body: unknown, agent: string): Call => {
    const target = targetOf(url.pathname, kinds);
    if (!target) throw notFound(`page ${url.pathname}`);
    checkQuery(url.searchParams);
    return { method, target, query: url.searchParams, contentType, body, agent };
  };

  const openWatch = ({ target, query }: Call, response: ServerResponse): void => {
    const version = query.get('resourceVersion') ?? '';
    // Real servers send everything first when no version is given, which nobody here wants.
    if (!/^[1-9]\d*$/.test(version)) throw new Failure(400, 'BadRequest', `resourceVersion "${version}" is none`);
    const selects = selection(target.namespace, query.get('labelSelector'));
    const kind = { kind: target.kind.kind, apiVersion: apiVersionOf(target.kind) };
    watches.open({ collection: collectionOf(target), selects, from: Number(version), version, kind }, response);
  };

  const settle = (call: () => Call, response: ServerResponse, fault: RequestFault | undefined): void => {
    try {
      const made = call();
      if (made.method === 'GET' && made.query.get('watch') === 'true') return openWatch(made, response);
      const reply = perform(cluster, made);
      if (fault?.kind === 'lost') return void response.destroy();
      if (fault?.kind === 'half') return answerHalf(response, reply);
      answer(response, reply);
    } catch (error) {
      answer(response, replyOf(error));
    }
  };

  const hold = (go: () => void, response: ServerResponse): void => {
    held.add(go);
    response.on('close', () => held.delete(go));
  };

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? '/', 'http://host');
    const { method = 'GET', headers } = request;
    const facts = { method, path: url.pathname, watch: url.searchParams.get('watch') === 'true' };
    requests.push(facts);
    const body = await readBody(request);
    if (token !== undefined && headers.authorization !== `Bearer ${token}`)
      throw new Failure(401, 'Unauthorized', 'Unauthorized');
    const fault = faults.nextFor(facts);
    const agent = headers['user-agent']?.split('/')[0] ?? 'unknown';
    const go = (): void =>
      settle(() => callOf(method, url, headers['content-type'] ?? '', body, agent), response, fault);
    if (fault?.kind === 'status') return answerStatus(response, fault);
    if (fault?.kind === 'reset') return void response.destroy();
    if (fault?.kind === 'hold') return hold(go, response);
    go();
  };

  const listener = (request: IncomingMessage, response: ServerResponse): void => {
    response.on('error', () => undefined);
    handle(request, response).catch((error: unknown) => answer(response, replyOf(error)));
  };

  const listen = (port: number): Promise<Server> =>
    new Promise((resolve, reject) => {
      const server = options.tls ? createTlsServer(options.tls, listener) : createServer(listener);
      server.once('error', reject);
      server.listen(port, '127.0.0.1', () => resolve(server));
    });

  let server: Server | undefined = await listen(0);
  const { port } = server.address() as AddressInfo;
  const goDown = async (): Promise<void> => {
    const going = server;
    server = undefined;
    await new Promise<void>((resolve) => {
      if (!going) return resolve();
      going.close(() => resolve());
      going.closeAllConnections();
    });
  };

  return {
    url: `${options.tls ? 'https' : 'http'}://127.0.0.1:${port}`,
    store,
    faults,
    watches,
    requests,
    call(method, path, body, agent = 'person') {
      const contentType = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
      return perform(cluster, callOf(method, new URL(path, 'http://host'), contentType, body, agent)).body;
    },
    held: () => held.size,
    release() {
      for (const go of held) {
        held.delete(go);
        go();
      }
    },
    compact() {
      store.compact();
      cluster.pages.clear();
    },
    setToken(next) {
      token = next;
    },
    goDown,
    async comeUp() {
      server ??= await listen(port);
    },
    close: goDown,
  };
};
