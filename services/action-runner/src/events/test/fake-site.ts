import { RelayError } from '@ranger-relay/errors';
import type { SiteReader } from '@ranger-relay/site';
import type { Life } from './life.ts';

/** A row as the site gives it. */
export type Row = Readonly<Record<string, unknown>>;

/** A site in memory. */
export interface FakeSite {
  events: Row[];
  /** Rows of the look-ups, by path. */
  readonly lists: Record<string, Row[]>;
  /** Bytes by url. */
  readonly files: Record<string, Uint8Array>;
  readonly asked: { readonly path: string; readonly query: Readonly<Record<string, string>> }[];
  /** Thrown before a call is answered. */
  before: (path: string) => void;
  pageSize: number;
  connect(life: Life): Pick<SiteReader, 'root' | 'pages' | 'fetchBytes'>;
}

/** Where the site is. */
export const siteRoot = 'https://site.example';

/** An error of the site. */
export const siteError = (
  code: 'site_unavailable' | 'site_forbidden' | 'site_credentials_refused' | 'site_not_found',
) => new RelayError(code, { details: { target: 'GET site.example/x', reason: 'test', tries: 4 } });

const dates = { update_date: 'updated_at', create_date: 'created_at', date_range: 'time' } as const;

const passes = (filter: Row, event: Row): boolean =>
  Object.entries(dates).every(([name, member]) => {
    const range = filter[name] as { lower: string; upper?: string } | undefined;
    if (!range) return true;
    const at = Date.parse(String(event[member]));
    return at >= Date.parse(range.lower) && at <= Date.parse(range.upper ?? '9999-01-01');
  });

/** Makes a site without events. */
export const fakeSite = (): FakeSite => {
  const rowsAt = (path: string, query: Readonly<Record<string, string>>): readonly Row[] => {
    if (path !== 'activity/events') return site.lists[path] ?? [];
    const filter = JSON.parse(query['filter'] ?? '{}') as Row;
    const hidden = new Set([
      ...(query['include_notes'] === 'true' ? [] : ['notes']),
      ...(query['include_files'] === 'true' ? [] : ['files']),
    ]);
    return site.events
      .filter((event) => passes(filter, event))
      .map((event) => Object.fromEntries(Object.entries(event).filter(([name]) => !hidden.has(name))));
  };

  const site: FakeSite = {
    events: [],
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
    pageSize: 100,
    connect: (life) => ({
      root: siteRoot,
      async *pages(path, query = {}) {
        const rows = await life.exchange(() => {
          site.asked.push({ path, query });
          site.before(path);
          return rowsAt(path, query);
        });
        for (let at = 0; at < rows.length; at += site.pageSize) {
          if (at > 0) await life.exchange(() => site.before(path));
          yield rows.slice(at, at + site.pageSize);
        }
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
