import { RelayError } from '@ranger-relay/errors';
import type { SiteReader } from '@ranger-relay/site';
import { emptyLists, listAnswer, type Row, type SiteLists } from '../../test/lists.ts';
import type { Life } from './life.ts';

/** A site in memory. */
export interface FakeSite extends SiteLists {
  /** Rows of the look-ups, by path. */
  readonly lists: Record<string, Row[]>;
  /** Bytes by url. */
  readonly files: Record<string, Uint8Array>;
  readonly asked: { readonly path: string; readonly query: Readonly<Record<string, string>> }[];
  /** Thrown before a call is answered. */
  before: (path: string) => void;
  /** Done once a page of events was answered. */
  after: () => void;
  connect(life: Life): Pick<SiteReader, 'root' | 'page' | 'pages' | 'fetchBytes'>;
}

/** Where the site is. */
export const siteRoot = 'https://site.example';

/** An error of the site. */
export const siteError = (
  code: 'site_unavailable' | 'site_forbidden' | 'site_credentials_refused' | 'site_not_found',
) => new RelayError(code, { details: { target: 'GET site.example/x', reason: 'test', tries: 4 } });

const refusal = (status: 400 | 404 | 500): RelayError => {
  if (status === 500) return siteError('site_unavailable');
  return status === 404
    ? siteError('site_not_found')
    : new RelayError('site_refused', { details: { target: 'GET site.example/x', status, reason: 'test' } });
};

/** Makes a site without events. @param now its own time, ms since 1970 */
export const fakeSite = (now: () => number): FakeSite => {
  const site: FakeSite = {
    ...emptyLists(),
    lists: {
      'activity/events/eventtypes': [
        { id: 't-old', value: 'fire', display: 'Fire', category: { id: 'c-1', value: 'hazards' } },
        { id: 't-both-1', value: 'snare', display: 'Snare', category: { id: 'c-2', value: 'crime' } },
      ],
      '/api/v2.0/activity/eventtypes': [
        { id: 't-new', value: 'carcass', display: 'Carcass', category: 'wildlife' },
        { id: 't-both-2', value: 'snare', display: 'Snare', category: 'crime' },
      ],
      'activity/events/categories': [
        { id: 'c-1', value: 'hazards' },
        { id: 'c-3', value: 'wildlife' },
      ],
    },
    files: {},
    asked: [],
    before: () => undefined,
    after: () => undefined,
    connect: (life) => ({
      root: siteRoot,
      page: (path, query) =>
        life.exchange(() => {
          site.asked.push({ path, query });
          site.before(path);
          const found = listAnswer(site, path, new URLSearchParams(query));
          if (!found || 'status' in found) throw refusal(found?.status ?? 404);
          site.after();
          return { ...found, siteTime: Math.floor(now() / 1_000) * 1_000 };
        }),
      async *pages(path, query = {}) {
        yield await life.exchange(() => {
          site.asked.push({ path, query });
          site.before(path);
          return site.lists[path] ?? [];
        });
      },
      fetchBytes: (url, most) =>
        life.exchange(() => {
          site.before(url);
          const bytes = site.files[url];
          if (!bytes) throw siteError('site_not_found');
          if (bytes.length <= most) return bytes;
          throw new RelayError('site_file_too_large', { details: { target: 'GET site.example/file', limit: most } });
        }),
    }),
  };
  return site;
};
