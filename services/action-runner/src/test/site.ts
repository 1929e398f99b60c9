import type { HttpAnswer, HttpClient, HttpRequest } from '@ranger-relay/http';
import { httpAnswer } from '@ranger-relay/http/testing';
import { emptyLists, listAnswer, type SiteLists } from './lists.ts';

/** A site of the tests, behind an HTTP client that sends nothing. */
export interface FakeSite extends SiteLists {
  readonly http: HttpClient;
  readonly requests: HttpRequest[];
  /** The site's own time, which dates its answers. */
  now: () => number;
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

const apiPrefix = '/api/v1.0/';

const below = ({ pathname }: URL): string =>
  pathname.startsWith(apiPrefix) ? pathname.slice(apiPrefix.length) : pathname;

/** A refusal in the site's own form. */
export const siteRefusal = (status: number, detail = 'no'): HttpAnswer =>
  httpAnswer(status, { status: { code: status, detail } });

const listed = (site: FakeSite, path: string, { searchParams }: URL): HttpAnswer | undefined => {
  const found = listAnswer(site, path, searchParams);
  if (!found) return undefined;
  if ('status' in found) return siteRefusal(found.status, found.status === 404 ? 'Invalid page.' : 'no');
  const next = found.next && `http://inside.invalid/?${new URLSearchParams(found.next)}`;
  return httpAnswer(200, { data: { next, previous: null, results: found.rows } });
};

/** Makes a site with one active user. */
export const fakeSite = (): FakeSite => {
  const answerTo = (url: URL, request: HttpRequest): HttpAnswer => {
    const path = below(url);
    if (request.headers?.['authorization'] !== `Bearer ${token}`) return siteRefusal(401);
    const payload = Object.hasOwn(site.payloads, path)
      ? httpAnswer(200, { data: site.payloads[path] })
      : siteRefusal(404);
    return listed(site, path, url) ?? payload;
  };
  const site: FakeSite = {
    ...emptyLists(),
    requests: [],
    now: () => Date.UTC(2026, 0, 11),
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
        const given = decided ?? answerTo(url, request);
        return { ...given, headers: { date: new Date(site.now()).toUTCString(), ...given.headers } };
      },
      close: () => undefined,
    },
  };
  return site;
};
