import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { normalizeId, tokensFileProblems } from '@ranger-relay/webhook-ingester';
import { usage } from '@ranger-relay/terminal';
import { readMarker, readSecret, webhookTokenName } from '../data-dir/index.ts';
import type { ProbeEnv } from './parts.ts';

/** Integration of the event, and the token that authorizes it. */
export interface Caller {
  readonly integration: string;
  /** Undefined when the webhook requires none. */
  readonly token: string | undefined;
}

type CallerEnv = Pick<ProbeEnv, 'PROBE_INTEGRATION' | 'PROBE_TOKEN' | 'WEBHOOK_TOKENS_FILE' | 'DATA_DIR'>;

/** The tokens of the webhook's own file, digests among them. @throws RelayError `usage` for a file that the webhook refuses */
const readTable = async (path: string): Promise<Record<string, string[]>> => {
  for (const { variable, problem } of tokensFileProblems(path)) throw usage(`${variable} ${problem}`);
  return JSON.parse(await readFile(path, 'utf8')) as Record<string, string[]>;
};

/** Digests show what a token is, and are none. */
const isPlain = (entry: string): boolean => !entry.startsWith('sha256:');

const fromTable = async (path: string, wanted: string | undefined): Promise<Caller> => {
  const usable = Object.entries(await readTable(path)).flatMap(([key, entries]) => {
    const integration = normalizeId(key);
    const token = entries.find(isPlain);
    return integration === undefined || token === undefined ? [] : [{ integration, token }];
  });
  const found = usable.find(({ integration }) => wanted === undefined || integration === wanted);
  if (found) return found;
  const of = wanted === undefined ? 'any integration' : wanted;
  throw usage(
    `WEBHOOK_TOKENS_FILE ${path} holds no token of ${of} in the clear; set PROBE_INTEGRATION and PROBE_TOKEN`,
  );
};

/**
 * Identity of the probe: the configured one, else an integration of the webhook's tokens file, else the one of a simulated `up` on this
 * machine.
 * @throws RelayError `usage` when nothing names an integration
 */
export const callerOf = async (env: CallerEnv, given: string | undefined): Promise<Caller> => {
  const named = given ?? env.PROBE_INTEGRATION;
  const integration = normalizeId(named);
  if (named !== undefined && integration === undefined) throw usage(`"${named}" is not the id of an integration`);
  if (env.PROBE_TOKEN !== undefined && integration !== undefined) return { integration, token: env.PROBE_TOKEN };
  if (env.WEBHOOK_TOKENS_FILE !== undefined) return fromTable(env.WEBHOOK_TOKENS_FILE, integration);
  const here = resolve(env.DATA_DIR);
  const own = (await readMarker(here))?.instance_id;
  if (own !== undefined && (integration ?? own) === own)
    return { integration: own, token: env.PROBE_TOKEN ?? (await readSecret(here, webhookTokenName)) };
  if (integration !== undefined) return { integration, token: env.PROBE_TOKEN };
  throw usage('no integration is configured: set PROBE_INTEGRATION and PROBE_TOKEN, or WEBHOOK_TOKENS_FILE');
};
