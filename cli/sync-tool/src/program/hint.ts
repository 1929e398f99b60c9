import { resolve } from 'node:path';
import type { SiteFlags } from './settings.ts';

const quoted = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`);

const option = (name: string, value: string | number | undefined): string[] =>
  value === undefined ? [] : [name, quoted(String(value))];

const file = (path: string | undefined): string | undefined => (path === undefined ? undefined : resolve(path));

/**
 * A call that can be pasted into a shell, from any folder. It reaches the site as the present one does, but for a token that stood in the
 * call: that one is taken from SITE_TOKEN, so that it is shown nowhere.
 */
export const callHint = (words: readonly string[], flags: SiteFlags): string =>
  [
    'sync-tool',
    ...words.map(quoted),
    ...option('--site-endpoint', flags.siteEndpoint),
    ...(flags.siteToken === undefined ? [] : ['--site-token "$SITE_TOKEN"']),
    ...option('--site-token-file', file(flags.siteTokenFile)),
    ...option('--ca-file', file(flags.caFile)),
    ...option('--config', file(flags.config)),
  ].join(' ');

/** How a run is finished that has a record. */
export const resumeHint = (record: string, flags: SiteFlags): string => callHint(['resume', record], flags);
