import { humanSpan, printable, type Shell } from '@ranger-relay/terminal';
import { openSite, type Site } from '@ranger-relay/site';
import { version } from './about.ts';
import type { SiteSettings } from './settings.ts';

const quiet = { debug: () => undefined, warn: () => undefined };

/** Opens the site of a command; waits before another try are shown, and end with the command. @throws RelayError `site_address_invalid`, `site_token_invalid` */
export const siteOf = (shell: Shell, { endpoint, token, ca }: SiteSettings): Site =>
  openSite({
    address: endpoint,
    token,
    clock: shell.clock,
    log: quiet,
    userAgent: `sync-tool/${version}`,
    signal: shell.interrupted(),
    ...(ca === undefined ? {} : { ca }),
    onWait: ({ waitMs, reason }) =>
      shell.err(printable(`The site: ${reason}; trying again in ${humanSpan(waitMs / 1000)}`)),
  });
