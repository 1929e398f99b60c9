import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { RelayError } from '@ranger-relay/errors';
import { parse } from 'yaml';
import { z } from 'zod';

const text = z.string().trim().min(1);

const fileSchema = z.looseObject({
  bundle: z.looseObject({ path: text.optional() }).optional(),
  site: z.looseObject({ endpoint: text.optional(), token: text.optional() }).optional(),
  ext: z.looseObject({ timezone: text.optional() }).optional(),
});

/** The keys of a configuration file; a flag overrides its key. */
export interface FileSettings {
  readonly bundle?: string;
  readonly endpoint?: string;
  readonly token?: string;
  readonly timezone?: string;
}

const bad = (path: string, reason: string): RelayError =>
  new RelayError('config_file_invalid', { details: { path, reason } });

const parsed = (path: string, content: string): unknown => {
  try {
    // An empty file counts as no settings. Warnings are off, because they would quote lines and a line may contain a token.
    return parse(content, { logLevel: 'error' }) ?? {};
  } catch {
    // The message of the library also quotes the line.
    throw bad(path, 'it is no YAML');
  }
};

/** Reads a configuration file; a relative bundle path is relative to the file. @throws RelayError `config_file_invalid` */
const readConfig = async (path: string): Promise<FileSettings> => {
  const content = await readFile(path, 'utf8').catch((error: unknown) => {
    throw bad(path, (error as Error).message);
  });
  const found = fileSchema.safeParse(parsed(path, content));
  if (!found.success) throw bad(path, `${found.error.issues[0]?.path.join('.') ?? ''} is no text`);
  const { bundle, site, ext } = found.data;
  return {
    ...(bundle?.path === undefined ? {} : { bundle: resolve(dirname(path), bundle.path) }),
    ...(site?.endpoint === undefined ? {} : { endpoint: site.endpoint }),
    ...(site?.token === undefined ? {} : { token: site.token }),
    ...(ext?.timezone === undefined ? {} : { timezone: ext.timezone }),
  };
};

/** Version of the tool, from its package. */
export const version = '0.1.0';

/** The description of the tool in its help. */
export const about = {
  name: 'sync-tool',
  description: 'Prepares a ranger-tracking site for patrol import from a migration bundle, and takes it back.',
  version,
  example:
    'sync-tool --dry-run patrol-datamodel --bundle export --site-endpoint site.example --site-token-file token.txt',
} as const;

/** Options of every command that calls a site, as given on the command line. */
export interface SiteFlags {
  readonly siteEndpoint?: string;
  readonly siteToken?: string;
  readonly siteTokenFile?: string;
  readonly caFile?: string;
  readonly patience: number;
  readonly config?: string;
}

/** How to connect to the site. */
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

/** Reads the configuration file, if there is one. */
export const fileSettings = async ({ config }: Pick<SiteFlags, 'config'>): Promise<FileSettings> =>
  config === undefined ? {} : readConfig(config);

const tokenOf = async (flags: SiteFlags, file: FileSettings, env: NodeJS.ProcessEnv): Promise<string | undefined> => {
  if (flags.siteToken !== undefined) return flags.siteToken;
  // Editors add a line break at the end of the file; it is not part of the token.
  if (flags.siteTokenFile !== undefined) return (await readText(flags.siteTokenFile)).replace(/\r?\n$/, '');
  return env['SITE_TOKEN'] || file.token;
};

/**
 * Reads the address and the token of the site: from flags, then from the environment (`SITE_TOKEN`), then from the configuration file.
 * @throws RelayError `usage` when one of them is missing, `config_file_invalid`
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

/** Absolute path of the bundle's folder, because records store it and are used from other folders. @throws RelayError `usage` */
export const bundlePath = (flag: string | undefined, file: FileSettings): string => {
  const path = flag ?? file.bundle;
  if (!path) throw missing('the bundle', '--bundle');
  return resolve(path);
};
