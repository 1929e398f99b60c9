import { Readable } from 'node:stream';
import { RelayError } from '@ranger-relay/errors';
import type { HttpAnswer, HttpClient, HttpRequest } from '@ranger-relay/http';
import { httpAnswer, requestTarget } from '@ranger-relay/http/testing';
import type { Clock, Serve } from '@ranger-relay/runtime';
import type {
  SimRequest,
  SimServer,
  SimServerOptions,
  SimulatedResponse,
  SimulatorClient,
} from '@ranger-relay/simulators';
import type { Hono } from 'hono';
import type { DecideFate, SimulatedProcess } from './process.ts';
import { pick, type Simulation } from './simulation.ts';

/** Answers the requests to one address. */
type Handle = (request: SimRequest) => Promise<SimulatedResponse>;

/** One listener. */
interface Endpoint {
  readonly handle: Handle;
  /** Null for what is no process of ours. */
  readonly process: SimulatedProcess | null;
  up: boolean;
}

/** A request on the wire. */
interface WireRequest {
  readonly caller: string;
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

/** The end of a request: a response, or why there is none. */
type WireEnd =
  | { readonly kind: 'response'; readonly response: SimulatedResponse }
  | { readonly kind: 'refused' }
  | { readonly kind: 'reset' };

/** HTTP without sockets: addresses of simulators and of our processes. */
export interface Network {
  /** Listens for a simulator. */
  readonly listen: (options: SimServerOptions) => Promise<SimServer>;
  /** Listens for a process under the host name of its service; several processes share one name. */
  serve(process: SimulatedProcess, host: string): Serve;
  /** The client of a process. */
  clientOf(process: SimulatedProcess): HttpClient;
  /** The client of a simulator, and who sees what it receives. */
  simulatorClient(name: string, onReply?: (call: WireRequest, status: number, body: string) => void): SimulatorClient;
}

const never = <T>(): Promise<T> => new Promise<T>(() => undefined);

const parsed = new Map<string, URL>();
const maxParsed = 1_000;

/** Parses an address. Most calls go to a few addresses, and parsing costs more than the rest of the way. */
const addressOf = (url: string): URL => {
  const address = parsed.get(url) ?? new URL(url);
  if (parsed.size >= maxParsed) parsed.clear();
  parsed.set(url, address);
  return address;
};

const simRequestOf = ({ method, url, headers, body }: WireRequest): SimRequest => {
  const { pathname, search } = addressOf(url);
  return {
    method,
    path: pathname,
    query: new URLSearchParams(search),
    headers,
    caller: '10.0.0.1',
    body: async () => Buffer.from(body),
  };
};

const whole = async (fetched: Response | Promise<Response>): Promise<SimulatedResponse> => {
  const response = await fetched;
  return { status: response.status, headers: Object.fromEntries(response.headers), body: await response.text() };
};

/** Runs a request through the app of a service, as its server would. */
const handleBy =
  (app: Hono, process: SimulatedProcess): Handle =>
  async ({ method, path, query, headers, body }) => {
    const content = await body();
    const search = query.size > 0 ? `?${query}` : '';
    const all = { ...headers, 'content-length': String(content.length) };
    const incoming = Object.assign(Readable.from(content.length > 0 ? [content] : []), {
      headers: all,
      socket: { remoteAddress: '10.0.0.1' },
    });
    const request = new Request(`http://service${path}${search}`, {
      method,
      headers: all as Record<string, string>,
      ...(method === 'GET' ? {} : { body: content as Uint8Array<ArrayBuffer> }),
    });
    const answered = Promise.withResolvers<SimulatedResponse>();
    process.run(() => {
      whole(app.fetch(request, { incoming })).then(answered.resolve, answered.reject);
    });
    return answered.promise;
  };

const bodyOf = ({ json, form, body }: HttpRequest): { type?: string; body: string | Uint8Array } => {
  if (json !== undefined) return { type: 'application/json', body: JSON.stringify(json) };
  if (form !== undefined)
    return { type: 'application/x-www-form-urlencoded', body: new URLSearchParams(form).toString() };
  return { body: body ?? '' };
};

/** The response of the wire as the client of a service gives it. */
const answerOf = (response: SimulatedResponse, target: string, clock: Clock): HttpAnswer => {
  const { status, headers = {}, bytes, body = '' } = response;
  if (response.delivery === 'half')
    throw new RelayError('http_reset', { details: { target, reason: 'ECONNRESET', status }, ambiguous: true });
  const lower = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  return httpAnswer(status, bytes ? Buffer.from(bytes).toString() : body, {
    target,
    headers: { date: new Date(clock.now()).toUTCString(), ...lower },
    retryAfterMs: retryAfterOf(lower['retry-after']),
  });
};

const retryAfterOf = (header: string | undefined): number | undefined =>
  header !== undefined && /^\d+$/.test(header) ? Math.min(Number(header) * 1_000, 3_600_000) : undefined;

const defaultTotalMs = 20_000;

const describe = ({ caller, method, url }: WireRequest): string => `${caller} ${method} ${url}`;

/** Sees the requests that arrive at a listener, and every response before it leaves. */
export interface NetworkObserver {
  readonly onArrival?: (request: WireRequest) => void;
  readonly onResponse: (response: SimulatedResponse) => void;
}

/** Starts a network without listeners. */
export const createNetwork = (
  simulation: Simulation,
  fate: DecideFate,
  { onArrival, onResponse }: NetworkObserver,
): Network => {
  const { clock } = simulation;
  const hosts = new Map<string, Set<Endpoint>>();
  const chance = simulation.chance('load balancing');
  const add = (host: string, endpoint: Endpoint): void =>
    void hosts.set(host, (hosts.get(host) ?? new Set()).add(endpoint));
  const endpointOf = (host: string): Endpoint | undefined => {
    const endpoints = [...(hosts.get(host) ?? [])].filter(({ up, process }) => up && process?.alive() !== false);
    return pick(chance, endpoints);
  };

  /** Carries a request out, in the world. */
  const reach = async (request: WireRequest): Promise<WireEnd> => {
    simulation.tell(`${describe(request)}: arrived`, request.body);
    const endpoint = endpointOf(addressOf(request.url).host);
    if (!endpoint) return { kind: 'refused' };
    onArrival?.(request);
    const broken = Promise.withResolvers<WireEnd>();
    const watch = (): void => {
      if (!endpoint.up || endpoint.process?.alive() === false) broken.resolve({ kind: 'reset' });
      else timer = clock.after(1_000, watch);
    };
    let timer = clock.after(1_000, watch);
    const handled = endpoint.handle(simRequestOf(request)).then((response): WireEnd | Promise<WireEnd> => {
      const { delivery = 'send', onEnd } = response;
      onResponse(response);
      onEnd?.(delivery === 'send');
      if (delivery === 'hang') return never();
      return delivery === 'reset' ? { kind: 'reset' } : { kind: 'response', response };
    });
    const end = await Promise.race([handled, broken.promise]);
    timer.cancel();
    simulation.tell(
      `${describe(request)}: ${end.kind === 'response' ? `answered ${end.response.status}` : end.kind}`,
      request.body,
    );
    return end;
  };

  const request = (process: SimulatedProcess, wanted: HttpRequest): Promise<HttpAnswer> => {
    const { method, url, headers = {}, totalMs = defaultTotalMs, firstByteMs, signal } = wanted;
    const target = requestTarget(method, addressOf(url));
    const { type, body } = bodyOf(wanted);
    const wire: WireRequest = {
      caller: process.name,
      method,
      url,
      headers: {
        ...(type === undefined ? {} : { 'content-type': type }),
        ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
      },
      body,
    };
    const ms = Math.min(totalMs, firstByteMs ?? totalMs);
    const phase = firstByteMs !== undefined && firstByteMs < totalMs ? 'first byte' : 'total';
    const { promise, resolve, reject } = Promise.withResolvers<HttpAnswer>();
    const timer = process.clock.after(ms, () =>
      reject(new RelayError('http_timeout', { details: { target, phase, ms }, ambiguous: true })),
    );
    const onAbort = (): void =>
      reject(new RelayError('http_reset', { details: { target, reason: 'ABORT_ERR' }, ambiguous: true }));
    signal?.addEventListener('abort', onAbort, { once: true });
    const { host, pathname } = addressOf(url);
    void process
      .call(`http ${host}`, `${method} ${pathname}`, () => reach(wire))
      .then((end) => {
        if (end.kind === 'refused')
          throw new RelayError('http_connect', { details: { target, reason: 'ECONNREFUSED' } });
        if (end.kind === 'reset')
          throw new RelayError('http_reset', { details: { target, reason: 'ECONNRESET' }, ambiguous: true });
        return answerOf(end.response, target, clock);
      })
      .then(resolve, reject)
      .finally(() => {
        timer.cancel();
        signal?.removeEventListener('abort', onAbort);
      });
    return promise;
  };

  return {
    async listen({ host, handle }) {
      const endpoint: Endpoint = { handle, process: null, up: true };
      add(host, endpoint);
      return {
        port: 80,
        url: `http://${host}`,
        goDown: async () => void (endpoint.up = false),
        comeUp: async () => void (endpoint.up = true),
        close: async () => void (endpoint.up = false),
      };
    },
    serve: (process, host) => async (app) => {
      const endpoint: Endpoint = { handle: handleBy(app, process), process, up: true };
      add(host, endpoint);
      return { port: 80, close: async () => void hosts.get(host)?.delete(endpoint) };
    },
    clientOf: (process) => ({ request: (wanted) => request(process, wanted), close: () => undefined }),
    simulatorClient: (name, onReply) => ({
      send({ method, url, headers = {}, body = '', timeoutMs = 30_000 }) {
        const { promise, resolve } = Promise.withResolvers<Awaited<ReturnType<SimulatorClient['send']>>>();
        const none = (error: string): void => resolve({ status: null, headers: {}, body: '', error });
        const wire = { caller: name, method, url, headers, body };
        const { host, pathname } = addressOf(url);
        const { thereMs, backMs, lost, refusal } = fate(name, `http ${host}`, `${method} ${pathname}`);
        const timer = clock.after(timeoutMs, () => none('timeout'));
        clock.after(thereMs, async () => {
          if (lost === 'request') return;
          const end: WireEnd = refusal ? { kind: 'refused' } : await reach(wire);
          if (lost === 'response') return;
          clock.after(backMs, () => {
            timer.cancel();
            if (end.kind !== 'response') return none(end.kind === 'refused' ? 'ECONNREFUSED' : 'ECONNRESET');
            const { status, headers: received = {}, body: text = '' } = end.response;
            onReply?.(wire, status, text);
            resolve({ status, headers: received, body: text, error: null });
          });
        });
        return promise;
      },
      close: () => undefined,
    }),
  };
};
