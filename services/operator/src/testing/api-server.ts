import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TlsOptions } from 'node:tls';
import { createStore, type Entry, Failure, type Json, metaOf, selects, type Store, targetOf } from './store.ts';

/** What happens to a request: a status, no answer until it is released (`hold`), or a cut before or after it was carried out. */
export type RequestFault =
  | { readonly kind: 'status'; readonly status: number; readonly retryAfter?: number; readonly reason?: string }
  | { readonly kind: 'hold' | 'reset' | 'lost' };

/** What happens to an event of a watch, and to everything after it. */
export type EventFault = 'cut' | 'garbage' | 'swallow' | 'gone' | 'error' | 'end';

/** Which requests are meant. */
export interface RequestScope {
  readonly method?: string;
  /** Part of the path. */
  readonly path?: string;
  readonly watch?: boolean;
  /** How many; one when left out. */
  readonly count?: number;
}

/** What is known about a request. */
export interface RequestFacts {
  readonly method: string;
  readonly path: string;
  readonly watch: boolean;
  readonly agent: string | undefined;
}

export interface ApiServerOptions {
  /** Asked for in each request when given. */
  readonly token?: string;
  readonly tls?: TlsOptions;
  /** What it says about time; the machine's clock when left out. */
  readonly now?: () => number;
}

/** An API server on a loopback port that keeps objects in memory, and misbehaves on demand. It sets no timers. */
export interface ApiServer {
  readonly url: string;
  readonly store: Store;
  /** Every request that came. */
  readonly requests: readonly RequestFacts[];
  onRequest(fault: RequestFault, scope?: RequestScope): void;
  onEvent(fault: EventFault, count?: number): void;
  clearFaults(): void;
  /** Does what a person would do, past all faults. @throws Failure */
  call(method: string, path: string, body?: unknown): Json;
  /** How many connections were made. */
  connections(): number;
  /** Open watches. */
  watches(): number;
  /** Requests that are held. */
  held(): number;
  /** Answers what is held. */
  release(): void;
  /** Takes another token from now on. */
  setToken(token: string): void;
  /** Breaks all connections and refuses new ones. */
  goDown(): Promise<void>;
  comeUp(): Promise<void>;
}

const answer = (response: ServerResponse, status: number, body: Json, headers: Record<string, string> = {}): void => {
  if (response.destroyed) return;
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
};

const refuse = (response: ServerResponse, error: unknown): void => {
  const failure = error instanceof Failure ? error : new Failure(500, 'InternalError', String(error));
  answer(response, failure.code, failure.status);
};

const readBody = async (request: IncomingMessage): Promise<unknown> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return chunks.length === 0 ? undefined : (JSON.parse(Buffer.concat(chunks).toString('utf8')) as unknown);
};

const line = (type: string, object: Json): string => `${JSON.stringify({ type, object })}\n`;

/** What a change is for those who select: an object that leaves the selection is deleted for them. */
const lineOf = ({ version, before, after }: Entry, isSelected: ReturnType<typeof selects>): string | undefined => {
  if (after && isSelected(after)) return line(isSelected(before) ? 'MODIFIED' : 'ADDED', after);
  if (!before || !isSelected(before)) return undefined;
  return line('DELETED', { ...before, metadata: { ...metaOf(before), resourceVersion: String(version) } });
};

/** Starts a server that ends with the test. */
export const startApiServer = async (
  t: { teardown(end: () => unknown): void },
  options: ApiServerOptions = {},
): Promise<ApiServer> => {
  const store = createStore(options.now ?? Date.now);
  const requests: RequestFacts[] = [];
  const held = new Set<() => void>();
  const watches = new Set<(entry: Entry) => void>();
  let requestFaults: { readonly fault: RequestFault; readonly scope: RequestScope; left: number }[] = [];
  let eventFaults: EventFault[] = [];
  let { token } = options;
  let connections = 0;
  store.onEntry((entry) => watches.forEach((deliver) => deliver(entry)));

  const faultOf = ({ method, path, watch }: RequestFacts): RequestFault | undefined => {
    const found = requestFaults.find(
      ({ scope, left }) =>
        left > 0 &&
        (scope.method ?? method) === method &&
        path.includes(scope.path ?? '') &&
        (scope.watch ?? watch) === watch,
    );
    if (found) found.left -= 1;
    return found?.fault;
  };

  const faultyEvents: Readonly<Record<EventFault, (response: ServerResponse, text: string) => unknown>> = {
    cut: (response, text) => response.write(text.slice(0, text.length >> 1), () => response.destroy()),
    garbage: (response) => response.write('{"type":"MODIFIED","object":{"metad\n'),
    swallow: () => undefined,
    gone: (response) => response.end(line('ERROR', new Failure(410, 'Expired', 'too old resource version').status)),
    error: (response) => response.end(line('ERROR', new Failure(500, 'InternalError', 'no storage').status)),
    end: (response) => response.end(),
  };

  const openWatch = (path: string, query: URLSearchParams, response: ServerResponse): void => {
    const { collection, namespace } = targetOf(path);
    const isSelected = selects(namespace, query);
    const missed = store.since(Number(query.get('resourceVersion')));
    let isSilent = false;
    response.writeHead(200, { 'content-type': 'application/json' });
    response.flushHeaders();
    if (!missed) return void faultyEvents.gone(response, '');
    const deliver = (entry: Entry): void => {
      const text = entry.collection === collection ? lineOf(entry, isSelected) : undefined;
      if (text === undefined || isSilent || response.writableEnded || response.destroyed) return;
      const fault = eventFaults.shift();
      isSilent = fault === 'swallow';
      if (fault) faultyEvents[fault](response, text);
      else response.write(text);
    };
    watches.add(deliver);
    response.on('close', () => watches.delete(deliver));
    missed.forEach(deliver);
  };

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname: path, searchParams: query } = new URL(request.url ?? '/', 'http://host');
    const { method = 'GET', headers } = request;
    const facts = { method, path, watch: query.get('watch') === 'true', agent: headers['user-agent'] };
    requests.push(facts);
    const body = await readBody(request);
    if (token !== undefined && headers.authorization !== `Bearer ${token}`)
      throw new Failure(401, 'Unauthorized', 'Unauthorized');
    const fault = faultOf(facts);
    if (fault?.kind === 'status') {
      const { status, reason = 'Fault', retryAfter } = fault;
      const wait: Record<string, string> = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
      return answer(response, status, new Failure(status, reason, `told to answer ${status}`).status, wait);
    }
    if (fault?.kind === 'reset') return void response.destroy();
    const go = (): void => {
      held.delete(go);
      try {
        if (facts.watch) return openWatch(path, query, response);
        const made = store.perform({ method, path, query, contentType: headers['content-type'] ?? '', body });
        if (fault?.kind === 'lost') response.destroy();
        else answer(response, made.status, made.body);
      } catch (error) {
        refuse(response, error);
      }
    };
    if (fault?.kind !== 'hold') return go();
    held.add(go);
    response.on('close', () => held.delete(go));
  };

  const listener = (request: IncomingMessage, response: ServerResponse): void => {
    response.on('error', () => undefined);
    handle(request, response).catch((error: unknown) => refuse(response, error));
  };
  const listen = (port: number): Promise<Server> =>
    new Promise((resolve, reject) => {
      const made = options.tls ? createTlsServer(options.tls, listener) : createServer(listener);
      made.once('error', reject);
      made.on('connection', () => (connections += 1));
      made.listen(port, '127.0.0.1', () => resolve(made));
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
  t.teardown(goDown);

  return {
    url: `${options.tls ? 'https' : 'http'}://127.0.0.1:${port}`,
    store,
    requests,
    onRequest: (fault, scope = {}) => void requestFaults.push({ fault, scope, left: scope.count ?? 1 }),
    onEvent: (fault, count = 1) => void eventFaults.push(...Array.from({ length: count }, () => fault)),
    clearFaults() {
      requestFaults = [];
      eventFaults = [];
    },
    call(method, path, body) {
      const contentType = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
      return store.perform({ method, path, query: new URLSearchParams(), contentType, body }).body;
    },
    connections: () => connections,
    watches: () => watches.size,
    held: () => held.size,
    release: () => held.forEach((go) => go()),
    setToken: (next) => void (token = next),
    goDown,
    comeUp: async () => void (server ??= await listen(port)),
  };
};
