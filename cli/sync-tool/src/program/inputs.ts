import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { SyncOptions } from '@ranger-relay/contracts';
import { RelayError } from '@ranger-relay/errors';
import { defaultWord, openSite, type Site, wordForm } from '@ranger-relay/site';
import { humanSpan, printable } from '@ranger-relay/terminal';
import { chooseLanguage, type ChosenLanguage } from '../bundle/labels/label.ts';
import type { Bundle } from '../bundle/model.ts';
import { readBundle } from '../bundle/read/read-bundle.ts';
import { assertTimezone } from '../bundle/time/time.ts';
import type { LockOptions } from '../run/lock.ts';
import type { Disk, SyncShell } from '../run/machine.ts';
import type { Note } from '../summary/write.ts';
import type { FileSettings } from './config-file.ts';
import { reasonOf } from '../bundle/files/read-lines.ts';
import { version } from './flags.ts';

/** Options of every command that calls a site, as given on the command line. */
export interface SiteFlags {
  readonly siteEndpoint?: string;
  readonly siteToken?: string;
  readonly siteTokenFile?: string;
  readonly caFile?: string;
  readonly patience: number;
  readonly config?: string;
}

/** Options of every command that writes to a site. */
export interface WriteFlags extends SiteFlags {
  readonly forceUnlock?: true;
}

/** Options of every command that applies a plan. */
export interface RunFlags extends WriteFlags {
  readonly maxDeactivations?: number;
  readonly recreateMissing?: true;
}

/** Options of every command that reads a bundle. */
export interface BundleFlags extends SiteFlags {
  readonly bundle?: string;
  readonly extLanguage?: string;
  readonly extWord?: string;
  readonly timezone?: string;
}

/** Options that determine what a plan writes, besides language and word. */
export interface OptionFlags {
  readonly replaceSegmentSchema?: true;
  readonly modernizeForm?: true;
  readonly rosterGroup?: string;
  readonly subjectNameSuffix?: true;
}

/** The same as a plan and a record store them. */
export const syncOptions = (flags: OptionFlags, language: string, word: string): SyncOptions => ({
  language,
  subject_name_suffix: flags.subjectNameSuffix ?? false,
  roster_group: flags.rosterGroup ?? null,
  replace_segment_schema: flags.replaceSegmentSchema ?? false,
  modernize_form: flags.modernizeForm ?? false,
  word,
});

/** How to connect to the site. */
export interface SiteSettings {
  readonly endpoint: string;
  readonly token: string;
  /** PEM. */
  readonly ca?: string;
  readonly patienceMs: number;
}

type SiteEnvironment = Pick<SyncShell, 'env' | 'machine'>;

const missing = (what: string, flag: string): RelayError =>
  new RelayError('usage', {
    details: { problem: `${what} is missing; give ${flag}, or name it in the file of --config` },
  });

const readText = async (disk: Disk, path: string): Promise<string> => {
  try {
    return await disk.readFile(path, 'utf8');
  } catch (error) {
    throw new RelayError('config_file_invalid', { details: { path, reason: `it ${reasonOf(error)}` }, cause: error });
  }
};

const tokenOf = async (
  { env, machine }: SiteEnvironment,
  flags: SiteFlags,
  file: FileSettings,
): Promise<string | undefined> => {
  if (flags.siteToken !== undefined) return flags.siteToken;
  // Editors add a line break at the end of the file; it is not part of the token.
  if (flags.siteTokenFile !== undefined)
    return (await readText(machine.disk, flags.siteTokenFile)).replace(/\r?\n$/, '');
  return env['SITE_TOKEN'] || file.token;
};

/**
 * Reads the address and the token of the site: from flags, then from the environment (`SITE_TOKEN`), then from the configuration file.
 * @throws RelayError `usage` when one of them is missing, `config_file_invalid`
 */
export const siteSettings = async (
  shell: SiteEnvironment,
  flags: SiteFlags,
  file: FileSettings,
): Promise<SiteSettings> => {
  const endpoint = flags.siteEndpoint ?? file.endpoint;
  if (!endpoint) throw missing("the site's address", '--site-endpoint');
  const token = await tokenOf(shell, flags, file);
  if (!token) throw missing("the site's token", '--site-token, --site-token-file or SITE_TOKEN');
  const ca = flags.caFile === undefined ? {} : { ca: await readText(shell.machine.disk, flags.caFile) };
  return { endpoint, token, patienceMs: flags.patience * 1_000, ...ca };
};

/** Absolute path of the bundle's folder, because records store it and are used from other folders. @throws RelayError `usage` */
const bundlePath = (flag: string | undefined, file: FileSettings): string => {
  const path = flag ?? file.bundle;
  if (!path) throw missing('the bundle', '--bundle');
  return resolve(path);
};

const quiet = { debug: () => undefined, warn: () => undefined };

const proxyNames = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy'];

/** Warns on versions of Node without proxy support, which would silently connect to the site directly. */
const warnOfProxy = ({ env, err }: Pick<SyncShell, 'env' | 'err'>): void => {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const name = proxyNames.find((each) => env[each]);
  if (name !== undefined && (major < 24 || (major === 24 && minor < 5)))
    err(`Warning: ${name} is not heeded by Node ${process.versions.node}; 24.5 and newer do.`);
};

/** Opens the site; each pause is printed for the operator and ends with the command. */
const siteOf = (shell: SyncShell, { endpoint, token, ca, patienceMs }: SiteSettings): Site =>
  openSite({
    address: endpoint,
    token,
    clock: shell.clock,
    log: quiet,
    userAgent: `sync-tool/${version}`,
    signal: shell.interrupted(),
    patienceMs,
    env: shell.env,
    connect: shell.machine.connect,
    ...(ca === undefined ? {} : { ca }),
    onWait: ({ waitMs, reason }) =>
      shell.err(printable(`The site: ${reason}; trying again in ${humanSpan(waitMs / 1000)}`)),
  });

/** The input of opening the site of a command. */
export interface SiteCall {
  readonly shell: SyncShell;
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
  const site = siteOf(shell, await siteSettings(shell, flags, file));
  note({ site: site.identity });
  try {
    return await work(site);
  } finally {
    site.close();
  }
};

/** A folder shared by all runs of a user on this machine, wherever their records are; undefined when it cannot be created. */
const machineFolder = async ({ env, machine }: SiteEnvironment): Promise<string | undefined> => {
  const { disk, user } = machine;
  const { uid, username } = user;
  const folder = join(env['TMPDIR'] || tmpdir(), `patrol-datamodel-${uid < 0 ? username : uid}`);
  await disk.mkdir(folder, { mode: 0o700 }).catch(() => undefined);
  const there = await disk.lstat(folder).catch(() => undefined);
  return there?.isDirectory() && (uid < 0 || there.uid === uid) ? folder : undefined;
};

/** The locks of a site: one for this machine, and one in each folder of records, for other machines that share the volume. */
export const siteLocks = async (
  shell: SyncShell,
  site: Site,
  { forceUnlock }: WriteFlags,
  folders: readonly string[],
): Promise<readonly LockOptions[]> => {
  const shared = await machineFolder(shell);
  const all = new Set([...(shared === undefined ? [] : [shared]), ...folders.map((folder) => resolve(folder))]);
  const { clock, random, machine } = shell;
  return [...all].map((folder) => ({
    folder,
    site: site.identity,
    machine,
    force: forceUnlock === true,
    clock,
    random,
  }));
};

/** What a plan says of the call that makes it. */
export const planning = ({ clock, machine }: SyncShell) => ({
  disk: machine.disk,
  tool: `sync-tool ${version}`,
  now: new Date(clock.now()).toISOString(),
});

/** The bundle of a command and the language of its texts. */
export interface Loaded {
  readonly bundle: Bundle;
  readonly language: string;
}

/** The options of reading a bundle. */
export interface Wanted {
  readonly path: string;
  readonly language?: string | undefined;
  readonly timezone?: string | undefined;
  /** The environment variable of the exporter for the timezone, in messages. */
  readonly timezoneVariable?: string | undefined;
  /** The word that stands for the external system in identifiers. */
  readonly word: string;
}

/** The word of a call: from its flag, then from the configuration file. @throws RelayError `config_file_invalid` */
export const wordOf = (
  { extWord, config = '' }: { readonly extWord?: string; readonly config?: string },
  file: FileSettings,
): string => {
  const word = extWord ?? file.word;
  if (word === undefined || wordForm.test(word)) return word ?? defaultWord;
  const reason = 'ext.word must be 1 to 16 lower-case letters and digits that begin with a letter; not "patrol"';
  throw new RelayError('config_file_invalid', { details: { path: config, reason } });
};

/**
 * The bundle that a call names, by flags before the configuration file; `isWordSet`: whether somebody set the word.
 * @throws RelayError `usage`, `config_file_invalid`
 */
export const wantedOf = (flags: BundleFlags, file: FileSettings): Wanted & { readonly isWordSet: boolean } => ({
  path: bundlePath(flags.bundle, file),
  language: flags.extLanguage,
  timezone: flags.timezone ?? file.timezone,
  timezoneVariable: file.timezoneVariable,
  word: wordOf(flags, file),
  isWordSet: (flags.extWord ?? file.word) !== undefined,
});

/** Reads a bundle with what its patrols need, and chooses the language. @throws RelayError `bundle_invalid`, `language_unknown` */
export const readWanted = async (
  { machine: { disk } }: Pick<SyncShell, 'machine'>,
  { path, language, timezoneVariable, word }: Wanted,
): Promise<{ readonly bundle: Bundle } & ChosenLanguage> => {
  const bundle = await readBundle(path, { disk, word, timezoneVariable });
  return { bundle, ...chooseLanguage(bundle.manifest.languages, language ?? bundle.manifest.defaultLanguage) };
};

/** Reads and checks a bundle and prints its warnings. @throws RelayError `bundle_invalid`, `language_unknown`, `timezone_mismatch` */
export const loadBundle = async (shell: SyncShell, wanted: Wanted): Promise<Loaded> => {
  const { bundle, language, infos, warnings } = await readWanted(shell, wanted);
  const { timezone, timezoneVariable } = wanted;
  const odd = bundle.warnings.map(({ text }) => text);
  for (const text of [...odd, ...warnings, ...assertTimezone(bundle.manifest, timezone, timezoneVariable)])
    shell.err(printable(`Warning: ${text}`));
  for (const text of infos) shell.err(printable(text));
  return { bundle, language };
};
