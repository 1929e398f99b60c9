import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { RelayError } from '@ranger-relay/errors';
import { type FileSettings, readConfig } from './config.ts';

/** Version of the tool, that of its package. */
export const version = '0.1.0';

/** What the tool says of itself in its help. */
export const about = {
  name: 'sync-tool',
  description: 'Prepares a ranger-tracking site for patrol import from a migration bundle, and takes it back.',
  version,
  example:
    'sync-tool --dry-run patrol-datamodel --bundle export --site-endpoint site.example --site-token-file token.txt',
} as const;

/** Options of every command that talks to a site, as the command line gives them. */
export interface SiteFlags {
  readonly siteEndpoint?: string;
  readonly siteToken?: string;
  readonly siteTokenFile?: string;
  readonly caFile?: string;
  readonly patience: number;
  readonly config?: string;
}

/** How the site is reached. */
export interface SiteSettings {
  readonly endpoint: string;
  readonly token: string;
  /** PEM. */
  readonly ca?: string;
  readonly patienceMs: number;
}

const missing = (what: string, flag: string): RelayError =>
  new RelayError('usage', {
    details: { problem: `${what} is missing; give ${flag}, or name it in the file of --config` },
  });

const readText = async (path: string): Promise<string> => {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new RelayError('config_file_invalid', { details: { path, reason: (error as Error).message }, cause: error });
  }
};

/** The configuration file, when there is one. */
export const fileSettings = async ({ config }: Pick<SiteFlags, 'config'>): Promise<FileSettings> =>
  config === undefined ? {} : readConfig(config);

const tokenOf = async (flags: SiteFlags, file: FileSettings, env: NodeJS.ProcessEnv): Promise<string | undefined> => {
  if (flags.siteToken !== undefined) return flags.siteToken;
  // A last line break is the editor's, not the token's.
  if (flags.siteTokenFile !== undefined) return (await readText(flags.siteTokenFile)).replace(/\r?\n$/, '');
  return env['SITE_TOKEN'] || file.token;
};

/**
 * Where the site is and who asks: flags, then the environment (`SITE_TOKEN`), then the file.
 * @throws RelayError `usage` when one of them is nowhere, `config_file_invalid`
 */
export const siteSettings = async (
  flags: SiteFlags,
  file: FileSettings,
  env: NodeJS.ProcessEnv,
): Promise<SiteSettings> => {
  const endpoint = flags.siteEndpoint ?? file.endpoint;
  if (!endpoint) throw missing("the site's address", '--site-endpoint');
  const token = await tokenOf(flags, file, env);
  if (!token) throw missing("the site's token", '--site-token, --site-token-file or SITE_TOKEN');
  const ca = flags.caFile === undefined ? {} : { ca: await readText(flags.caFile) };
  return { endpoint, token, patienceMs: flags.patience * 1_000, ...ca };
};

/** The bundle's folder, from the root on: records name it, and are used from other folders. @throws RelayError `usage` */
export const bundlePath = (flag: string | undefined, file: FileSettings): string => {
  const path = flag ?? file.bundle;
  if (!path) throw missing('the bundle', '--bundle');
  return resolve(path);
};
