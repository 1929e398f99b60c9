import { RelayError, type ErrorCode } from '@ranger-relay/errors';
import type { HttpAnswer, HttpClient, HttpRequest } from '@ranger-relay/http';

/** A site of the tests, behind an HTTP client that sends nothing. */
export interface FakeSite {
  readonly http: HttpClient;
  readonly requests: HttpRequest[];
  /** Rows that `observations` finds by time and source, both bounds included. */
  observations: readonly Readonly<Record<string, unknown>>[];
  /** Payloads by path below `/api/v1.0/`, or by the whole path; anything else is 404. */
  payloads: Record<string, unknown>;
  /** Decides over a request before the site does. */
  onRequest: (url: URL, request: HttpRequest) => HttpAnswer | undefined | Promise<HttpAnswer | undefined>;
  /** Requests of a path below `/api/v1.0/`. */
  asked(path: string): URL[];
}

export const token = 't0k3n-c4n4ry';
export const password = 'p4ssw0rd-c4n4ry';
export const root = 'https://site.example';

/** An answer with a JSON value or a text. */
export const answer = (status: number, body: unknown = '', more: Partial<HttpAnswer> = {}): HttpAnswer => {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return {
    status,
    headers: {},
    body: new TextEncoder().encode(text),
    target: 'GET site.example/path',
    retryAfterMs: undefined,
    json: () => JSON.parse(text) as unknown,
    excerpt: (max = 200) => text.slice(0, max),
    ...more,
  };
};

/** A failure of the connection. */
export const broken = (code: ErrorCode = 'http_reset'): never => {
  throw new RelayError(code, { details: { target: 'GET site.example/path', reason: 'ECONNRESET' } });
};

const apiPrefix = '/api/v1.0/';

const below = ({ pathname }: URL): string =>
  pathname.startsWith(apiPrefix) ? pathname.slice(apiPrefix.length) : pathname;

const timeOf = (row: Readonly<Record<string, unknown>>): number => Date.parse(String(row['recorded_at']));

const pageOf = (rows: FakeSite['observations'], { searchParams }: URL): unknown => {
  const [since, until] = ['since', 'until'].map((name) => Date.parse(searchParams.get(name) ?? ''));
  const source = searchParams.get('source_id');
  const found = rows.filter(
    (row) =>
      !(timeOf(row) < (since ?? 0)) && !(timeOf(row) > (until ?? 0)) && (source === null || row['source'] === source),
  );
  const size = Number(searchParams.get('page_size') ?? '25');
  const from = Number(searchParams.get('cursor') ?? '0');
  const next = from + size < found.length ? `http://inside.invalid/?cursor=${from + size}` : null;
  return { next, previous: null, results: found.slice(from, from + size) };
};

/** Makes a site with one active user. */
export const fakeSite = (): FakeSite => {
  const site: FakeSite = {
    requests: [],
    observations: [],
    payloads: { 'user/me': { is_active: true, username: 'ranger' } },
    onRequest: () => undefined,
    asked: (path) => site.requests.map(({ url }) => new URL(url)).filter((url) => below(url) === path),
    http: {
      async request(request) {
        site.requests.push(request);
        await Promise.resolve();
        request.signal?.throwIfAborted();
        const url = new URL(request.url);
        const decided = await site.onRequest(url, request);
        if (decided) return decided;
        const path = below(url);
        if (request.headers?.['authorization'] !== `Bearer ${token}`) return answer(401);
        if (path === 'observations') return answer(200, { data: pageOf(site.observations, url) });
        return Object.hasOwn(site.payloads, path) ? answer(200, { data: site.payloads[path] }) : answer(404);
      },
      close: () => undefined,
    },
  };
  return site;
};
