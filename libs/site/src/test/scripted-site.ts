import type { HttpAnswer, HttpRequest } from '@ranger-relay/http';
import { httpAnswer, scriptedHttp } from '@ranger-relay/http/testing';
import { manualClock, recordingLogger, type ManualClock, type RecordedLine } from '@ranger-relay/runtime/testing';
import type { SiteReader } from '../pull/port.ts';
import { openSiteReader, type SiteReaderOptions } from '../pull/reader.ts';

/** What the site does with a request. */
export type Script = (request: HttpRequest, url: URL) => HttpAnswer | Promise<HttpAnswer>;

/** A reader of a site that plays a script; waits pass at once and are written down. */
export interface ScriptedSite {
  readonly reader: SiteReader;
  readonly requests: HttpRequest[];
  /** `METHOD path?query` of what was asked. */
  asked(): string[];
  /** Milliseconds of each wait. */
  readonly waits: number[];
  readonly clock: ManualClock;
  readonly lines: RecordedLine[];
}

export const tokenCanary = 't0k3n-c4n4ry';
export const passwordCanary = 'p4ssw0rd-c4n4ry';

/** An answer in the site's envelope. */
export const data = (payload: unknown): HttpAnswer => httpAnswer(200, { data: payload, status: { code: 200 } });

/** A refusal in the site's own form. */
export const siteRefusal = (status: number, rest: Partial<HttpAnswer> = {}): HttpAnswer =>
  httpAnswer(status, { status: { code: status, detail: 'no' } }, rest);

/** Opens a reader on a script. */
export const scriptedSite = (script: Script, options: Partial<SiteReaderOptions> = {}): ScriptedSite => {
  const waits: number[] = [];
  const clock = manualClock();
  const { log, lines } = recordingLogger();
  const http = scriptedHttp((request) => script(request, new URL(request.url)));
  const eager: SiteReaderOptions['clock'] = {
    ...clock,
    sleep(ms, signal) {
      waits.push(ms);
      const slept = clock.sleep(ms, signal);
      setImmediate(() => void clock.advance(ms));
      return slept;
    },
  };
  const reader = openSiteReader({
    baseUrl: 'https://site.example/some/path?x=1',
    credentials: { kind: 'token', token: tokenCanary },
    clientId: 'relay-client',
    http,
    clock: eager,
    log,
    ...options,
  });
  const asked = (): string[] =>
    http.requests.map(({ method, url }) => `${method} ${url.replace('https://site.example', '')}`);
  return { reader, requests: http.requests, asked, waits, clock, lines };
};

/** All rows of a list. */
export const allOf = async (pages: AsyncIterable<readonly unknown[]>): Promise<unknown[]> => {
  const rows: unknown[] = [];
  for await (const page of pages) rows.push(...page);
  return rows;
};
