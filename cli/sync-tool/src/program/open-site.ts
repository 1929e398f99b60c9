import { lstat, mkdir } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join, resolve } from 'node:path';
import { openSite, type Site } from '@ranger-relay/site';
import { humanSpan, printable, type Shell } from '@ranger-relay/terminal';
import { type LockOptions, thisProcess } from '../run/lock.ts';
import type { Note } from '../summary/write.ts';
import { type FileSettings, type SiteFlags, siteSettings, type SiteSettings, version } from './settings.ts';

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

/** Aborted when the call is interrupted or its lock is lost; a run then ends before its next write. */
export const endSignal = (shell: Shell, lost: AbortSignal): AbortSignal => {
  const tell = (): void => shell.err('Another run has taken the lock, since this one stood still: it ends here.');
  lost.addEventListener('abort', tell, { once: true });
  return AbortSignal.any([shell.interrupted(), lost]);
};

/** The input of the locks of a call. */
export interface LockCall {
  readonly shell: Shell;
  readonly site: Site;
  /** Folders of the run records. */
  readonly folders: readonly string[];
  /** Whether to wait for a lock whose holder may have ended. */
  readonly patient?: boolean | undefined;
}

/** A folder shared by all runs of a user on this machine, wherever their records are; undefined when it cannot be created. */
const machineFolder = async ({ env }: Shell): Promise<string | undefined> => {
  const { uid, username } = userInfo();
  const folder = join(env['TMPDIR'] || tmpdir(), `patrol-datamodel-${uid < 0 ? username : uid}`);
  await mkdir(folder, { mode: 0o700 }).catch(() => undefined);
  const there = await lstat(folder).catch(() => undefined);
  return there?.isDirectory() && (uid < 0 || there.uid === uid) ? folder : undefined;
};

/** The locks of a site: one for this machine, and one beside the records for other machines that share the volume. */
export const siteLocks = async ({
  shell,
  site,
  folders,
  patient = false,
}: LockCall): Promise<readonly LockOptions[]> => {
  const machine = await machineFolder(shell);
  const all = new Set([...(machine === undefined ? [] : [machine]), ...folders.map((folder) => resolve(folder))]);
  const { clock, random } = shell;
  const holder = thisProcess();
  return [...all].map((folder) => ({ folder, site: site.identity, holder, patient, clock, random }));
};
