import { openSite, type Site } from '@ranger-relay/site';
import { humanSpan, printable, type Shell } from '@ranger-relay/terminal';
import type { Note } from '../summary/write.ts';
import type { FileSettings } from './config.ts';
import { type SiteFlags, siteSettings, type SiteSettings, version } from './settings.ts';

const quiet = { debug: () => undefined, warn: () => undefined };

const proxyNames = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy'];

/** Warns on versions of Node without proxy support, which would silently connect to the site directly. */
const warnOfProxy = ({ env, err }: Shell): void => {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const name = proxyNames.find((each) => env[each]);
  if (name !== undefined && (major < 24 || (major === 24 && minor < 5)))
    err(`Warning: ${name} is not heeded by Node ${process.versions.node}; 24.5 and newer do.`);
};

/** Opens the site; each pause is printed for the operator and ends with the command. */
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

/** The input of opening the site of a command. */
export interface SiteCall {
  readonly shell: Shell;
  readonly flags: SiteFlags;
  readonly file: FileSettings;
  readonly note: Note;
}

/**
 * Opens the site of a command, runs the work and closes the site.
 * @throws RelayError `usage`, `config_file_invalid`, `site_address_invalid`, `site_token_invalid`, and what the work throws
 */
export const withSite = async <Value>(
  { shell, flags, file, note }: SiteCall,
  work: (site: Site) => Promise<Value>,
): Promise<Value> => {
  warnOfProxy(shell);
  const site = siteOf(shell, await siteSettings(flags, file, shell.env));
  note({ site: site.identity });
  try {
    return await work(site);
  } finally {
    site.close();
  }
};
