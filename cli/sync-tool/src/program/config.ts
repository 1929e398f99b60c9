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
export const readConfig = async (path: string): Promise<FileSettings> => {
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
