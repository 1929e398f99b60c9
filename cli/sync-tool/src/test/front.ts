import { request as send, type IncomingMessage, type RequestListener } from 'node:http';
import type { ExecutionContext } from 'ava';
import { serveHttp } from '@ranger-relay/http/testing';
import type { SiteSimulator } from '@ranger-relay/simulators';
import { loopbackTls } from '@ranger-relay/runtime/testing';

/** A request before the site has it. */
export interface FrontRequest {
  readonly method: string;
  /** Below `/api/v1.0/`, without query. */
  readonly path: string;
  readonly query: string;
}

/** What stands in front of a site does before a request goes on. */
export type Before = (request: FrontRequest) => void | Promise<void>;

const requestOf = ({ method = '', url = '' }: IncomingMessage): FrontRequest => {
  const [path = '', query = ''] = url.split('?');
  return { method, path: path.replace('/api/v1.0/', ''), query };
};

const handOn =
  (site: SiteSimulator, before: Before): RequestListener =>
  async (incoming, outgoing) => {
    await before(requestOf(incoming));
    const { method, url = '/', headers } = incoming;
    const onward = send(`${site.url}${url}`, { method, headers: { ...headers, connection: 'close' } }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    onward.on('error', () => outgoing.destroy());
    incoming.pipe(onward);
  };

/** Puts a server in front of a site that sees every request before the site does: others can change the site between two of them. */
export const openFront = async (
  t: ExecutionContext,
  site: SiteSimulator,
  before: Before = () => undefined,
): Promise<string> => `http://127.0.0.1:${await serveHttp(t, handOn(site, before))}`;

/** The same behind a certificate that nobody trusts by himself. */
export const openTlsFront = async (t: ExecutionContext, site: SiteSimulator): Promise<string> =>
  `https://127.0.0.1:${await serveHttp(
    t,
    handOn(site, () => undefined),
    loopbackTls,
  )}`;

/** One server before several sites, each below a path of its own. */
export const openPrefixed = async (
  t: ExecutionContext,
  sites: Readonly<Record<string, SiteSimulator>>,
): Promise<string> => {
  const listener: RequestListener = (incoming, outgoing) => {
    const [, name = '', ...rest] = (incoming.url ?? '').split('/');
    const site = sites[name];
    if (!site) return void outgoing.writeHead(404).end();
    incoming.url = `/${rest.join('/')}`;
    handOn(site, () => undefined)(incoming, outgoing);
  };
  return `http://127.0.0.1:${await serveHttp(t, listener)}`;
};
