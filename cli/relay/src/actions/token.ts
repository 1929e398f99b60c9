import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { tokensOf } from '@ranger-relay/actions';
import type { ActionsCliEnv } from './env.ts';

/** Name of the secret in DATA_DIR that `up` gives to its services as their bearer token. */
export const actionsTokenName = 'actions-token';

/** The bearer token for the services: AUTH_TOKEN (the first of several), else that of `up` on this machine; undefined without either. */
export const callerToken = async (env: Pick<ActionsCliEnv, 'AUTH_TOKEN' | 'DATA_DIR'>): Promise<string | undefined> => {
  const [given] = tokensOf(env.AUTH_TOKEN ?? '');
  if (given !== undefined) return given;
  const path = join(resolve(env.DATA_DIR), 'secrets', actionsTokenName);
  const kept = await readFile(path, 'utf8').catch(() => '');
  return kept.trim() || undefined;
};
