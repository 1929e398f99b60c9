import { resolve } from 'node:path';
import { canonicalId } from '@ranger-relay/contracts';
import { splitList } from '@ranger-relay/runtime';
import { humanSpan } from '@ranger-relay/terminal';
import { InvalidArgumentError } from 'commander';
import { readSecret } from '../data-dir/secrets.ts';
import type { ActionsCliEnv } from './env.ts';

/** Source of a piece of configuration, as the services would read it now. */
export type Source =
  | { readonly from: 'platform' }
  /** Fresh in the cache; reloaded at the age of `fresh_seconds`. */
  | { readonly from: 'cache'; readonly age_seconds: number; readonly fresh_seconds: number }
  /** Stale, because the platform was unavailable. */
  | { readonly from: 'last_known_good'; readonly age_seconds: number; readonly problem: string };

/** A piece of configuration; `value` is null when there is none. */
export interface Found<T> {
  readonly value: T;
  readonly source: Source;
}

/** A source in words; `absent` when the source says that the piece does not exist. */
export const sourceWords = (source: Source, absent: boolean): string => {
  if (source.from === 'platform') return absent ? 'absent at the platform now' : 'the platform, now';
  const age = `${humanSpan(source.age_seconds)} old`;
  if (source.from === 'cache') {
    const again = `reloaded after ${humanSpan(source.fresh_seconds)}`;
    return absent ? `absent in the cache (negative entry), ${age}, ${again}` : `the cache, ${age}, ${again}`;
  }
  return `${absent ? 'absent, says ' : ''}the last known good of the cache, ${age}; ${source.problem}`;
};

/** Name of the secret in DATA_DIR that `up` uses as the bearer token of its services. */
export const actionsTokenName = 'actions-token';

/** The bearer token for the services: AUTH_TOKEN (the first of several), else the token of `up` on this machine; undefined without either. */
export const callerToken = async (env: Pick<ActionsCliEnv, 'AUTH_TOKEN' | 'DATA_DIR'>): Promise<string | undefined> => {
  const [given] = splitList(env.AUTH_TOKEN);
  if (given !== undefined) return given;
  return readSecret(resolve(env.DATA_DIR), actionsTokenName);
};

/** What a person may write for an integration. */
export const integrationHelp = 'id, beginning of the id, or name';

/** An integration as a person writes it; the program makes its id of it before a command runs. @throws InvalidArgumentError */
export const integrationArgument = (text: string): string => {
  if (!/^[^\p{Cc}]{1,200}$/u.test(text))
    throw new InvalidArgumentError(`Expected ${integrationHelp} of an integration.`);
  return canonicalId(text);
};

/** A name of an action. @throws InvalidArgumentError */
export const actionArgument = (text: string): string => {
  if (!/^[a-z0-9_]{1,100}$/.test(text)) throw new InvalidArgumentError('Expected a name like pull_events.');
  return text;
};
