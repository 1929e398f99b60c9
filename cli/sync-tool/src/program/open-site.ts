import { humanSpan, printable, type Shell } from '@ranger-relay/terminal';
import { openSite, type Site } from '@ranger-relay/site';
import type { Note } from '../summary/write.ts';
import { version } from './about.ts';
import type { FileSettings } from './config.ts';
import { siteSettings, type SiteFlags, type SiteSettings } from './settings.ts';

const quiet = { debug: () => undefined, warn: () => undefined };

/** Pauses are shown, and end with the command. */
const siteOf = (shell: Shell, { endpoint, token, ca, patienceMs }: SiteSettings): Site =>
  openSite({
    address: endpoint,
    token,
    clock: shell.clock,
    log: quiet,
    userAgent: `sync-tool/${version}`,
    signal: shell.interrupted(),
    patienceMs,
    env: shell.env,
    ...(ca === undefined ? {} : { ca }),
    onWait: ({ waitMs, reason }) =>
      shell.err(printable(`The site: ${reason}; trying again in ${humanSpan(waitMs / 1000)}`)),
  });

/** What opening the site of a command takes. */
export interface SiteCall {
  readonly shell: Shell;
  readonly flags: SiteFlags;
  readonly file: FileSettings;
  readonly note: Note;
}

/**
 * Opens the site of a command for some work, and closes it behind that.
 * @throws RelayError `usage`, `config_file_invalid`, `site_address_invalid`, `site_token_invalid`, and what the work throws
 */
export const withSite = async <Value>(
  { shell, flags, file, note }: SiteCall,
  work: (site: Site) => Promise<Value>,
): Promise<Value> => {
  const site = siteOf(shell, await siteSettings(flags, file, shell.env));
  note({ site: site.identity });
  try {
    return await work(site);
  } finally {
    site.close();
  }
};
