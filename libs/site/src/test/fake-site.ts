import { loopbackServer, mockServer, type ReceivedRequest } from '@ranger-relay/http/testing';
import { silentLogger, manualClock, type ManualClock } from '@ranger-relay/runtime/testing';
import type { ExecutionContext } from 'ava';
import type { Site } from '../port.ts';
import { openSite, type SiteOptions } from '../site.ts';
import type { SiteWait } from '../client/pacer.ts';

/** A request to the site. */
export interface Asked {
  readonly method: string;
  /** Below `/api/v1.0/`, without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: ReceivedRequest['headers'];
  readonly body: unknown;
}

/** Does with a request what the test wants. */
export type Answer = (asked: Asked) => Response | Promise<Response>;

/** A site, and a client of it whose clock moves on by itself as soon as it waits. */
export interface FakeSite {
  readonly site: Site;
  readonly port: number;
  readonly asked: Asked[];
  readonly waits: SiteWait[];
  readonly clock: ManualClock;
}

export const canary = 't0k3n-c4n4ry';

/** JSON in the site's envelope. */
export const data =
  (payload: unknown, status = 200): Answer =>
  () =>
    Response.json({ data: payload, status: { code: status, message: 'OK' } }, { status });

/** Any status with a JSON value or a text. */
export const plain =
  (status: number, body: unknown = '', headers: Record<string, string> = {}): Answer =>
  () =>
    new Response(status === 204 ? null : typeof body === 'string' ? body : JSON.stringify(body), { status, headers });

export const html502 = plain(502, '<html><h1>Bad gateway</h1></html>', { 'content-type': 'text/html' });

/** Breaks the connection to a site on loopback without an answer. */
export const cut: Answer = () => Response.error();

/** A page of a list, in the envelope. */
export const page = (results: readonly unknown[], next: string | null = null, count = results.length): Answer =>
  data({ count, next, previous: null, results });

const read = ({ method, path, query, headers, body }: ReceivedRequest): Asked => ({
  method,
  path: path.replace('/api/v1.0/', ''),
  query,
  headers,
  body: body === '' ? undefined : JSON.parse(body),
});

/** Opens a site that answers the requests in turn; the last answer is given from then on. */
const siteOn =
  (serve: typeof mockServer) =>
  async (
    t: ExecutionContext,
    answers: Answer | readonly Answer[],
    options: Partial<SiteOptions> = {},
  ): Promise<FakeSite> => {
    const [asked, waits, clock]: [Asked[], SiteWait[], ManualClock] = [[], [], manualClock()];
    const list = typeof answers === 'function' ? [answers] : answers;
    const { origin, port } = await serve(
      t,
      list.map((answer) => (request) => {
        const one = read(request);
        asked.push(one);
        return answer(one);
      }),
    );
    const site = openSite({
      address: origin,
      token: canary,
      clock,
      log: silentLogger(),
      userAgent: 'test/1.0',
      onWait(wait) {
        waits.push(wait);
        setImmediate(() => void clock.advance(wait.waitMs));
      },
      ...options,
    });
    t.teardown(() => site.close());
    return { site, port, asked, waits, clock };
  };

/** A site whose requests are intercepted: for what is asked and how answers are read. */
export const fakeSite = siteOn(mockServer);

/** A site on loopback: for connections that break, responses that do not come, and pacing. */
export const loopbackSite = siteOn(loopbackServer);

/** `METHOD path` of what was asked. */
export const calls = (asked: readonly Asked[]): string[] => asked.map(({ method, path }) => `${method} ${path}`);

export const choice = { id: 'c', field: 'f', value: 'v', display: 'd', is_active: true };

/** A call of each method that may be sent again. */
export const repeatable: Readonly<Record<string, (site: Site) => Promise<unknown>>> = {
  GET: (site) => site.probe(),
  PUT: (site) => site.writeForm({ json: {}, ui: {} }, null),
  PATCH: (site) => site.patchChoice(choice, { display: 'x' }),
  DELETE: (site) => site.deleteSubject('s'),
};

/** A site that holds one option and no form. */
export const holds: Answer = (asked) =>
  (asked.path === 'choices/' && asked.method === 'GET' ? page([{ ...choice, model: 'activity.event' }]) : data({}))(
    asked,
  );

/** A subject of the site, and an update of it that keeps what another writer stored. */
export const subject = {
  id: 's1',
  name: 'Ranger One',
  subject_subtype: 'ranger',
  is_active: true,
  additional: { ext_rank: 'A', phone: '1' },
};
export const changes = { additional: { ext_rank: 'B', phone: '1' } };
