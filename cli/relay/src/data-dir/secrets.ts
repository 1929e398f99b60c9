import { chmod, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { RelayError } from '@ranger-relay/errors';
import type { Random } from '@ranger-relay/runtime';
import { isAbsent, writeAtomically } from './files.ts';

/** Name of the secret that the simulated vendor of `up` shows to the webhook. */
export const webhookTokenName = 'webhook-token';

/** Name of the secret of `up` towards its simulated platform. */
export const platformSecretName = 'platform-client-secret';

const nameForm = /^[a-z0-9][a-z0-9-]{0,62}$/;

const read = async (path: string): Promise<string | undefined> => {
  try {
    const secret = (await readFile(path, 'utf8')).trim();
    await chmod(path, 0o600);
    return secret;
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
};

/** The secret of a name in a directory, without changing anything; undefined where there is none that can be read. */
export const readSecret = async (directory: string, name: string): Promise<string | undefined> =>
  (await readFile(join(directory, 'secrets', name), 'utf8').catch(() => '')).trim() || undefined;

/** 64 hexadecimal digits of at least 240 random bits. */
const newSecret = (random: Random): string => `${random.uuid()}${random.uuid()}`.replaceAll('-', '');

/**
 * The secret of a name, kept in `secrets/<name>` of a directory, readable only by its owner; generated at the first call. Names are short
 * words of lower-case letters, digits and hyphens.
 * @throws RelayError `data_dir_unusable` when the file is empty
 */
export const readOrCreateSecret = async (directory: string, name: string, random: Random): Promise<string> => {
  if (!nameForm.test(name)) throw new TypeError(`"${name}" is not the name of a secret`);
  const folder = join(directory, 'secrets');
  const path = join(folder, name);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if ((await read(path)) === undefined) await writeAtomically(path, `${newSecret(random)}\n`);
  const secret = await read(path);
  if (secret) return secret;
  const problem = `the secret ${path} is empty; put it back, or remove the file for a new one`;
  throw new RelayError('data_dir_unusable', { details: { path: directory, problem } });
};
