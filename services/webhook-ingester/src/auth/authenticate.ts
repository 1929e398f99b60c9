import { hash, timingSafeEqual } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { type BlockList, isIP } from 'node:net';
import { canonicalId, isUuid } from '@ranger-relay/contracts';
import { cutText, RelayError } from '@ranger-relay/errors';
import { blockListOf, type Context, type EnvProblem, minTokenLength } from '@ranger-relay/runtime';
import { z } from 'zod';
import type { IngesterConfig } from '../config.ts';

/** The places where a request may name its integration. */
interface IdentitySources {
  /** Value of `x-consumer-username`, only when it comes from a trusted gateway. */
  readonly consumer: string | undefined;
  /** Value of the integration header. */
  readonly header: string | undefined;
  /** Value of `?integration_id=`. */
  readonly query: string | undefined;
}

const idForm = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;

/** Normalizes an id for lookup; undefined for text that cannot be an id. */
export const normalizeId = (text: string | undefined): string | undefined => {
  const id = text?.trim() ?? '';
  return idForm.test(id) ? canonicalId(id) : undefined;
};

const ofConsumer = (consumer: string | undefined): string | undefined => {
  const name = consumer?.slice(consumer.lastIndexOf(':') + 1).trim();
  return name === 'anonymous' ? undefined : name;
};

/** The integration that a request is for: from consumer, header or query, in this order (device contract, section 2, integration id). */
export const integrationIdOf = ({ consumer, header, query }: IdentitySources): string | undefined =>
  normalizeId(ofConsumer(consumer) || header || query);

/** SHA-256 digests of the valid tokens, by integration. */
type TokenTable = ReadonlyMap<string, readonly Buffer[]>;

const fileSchema = z.record(z.string(), z.array(z.string().min(1).max(4_096)).max(100));

const digestOf = (token: string): Buffer => hash('sha256', token, 'buffer');

const readEntry = (entry: string): Buffer => {
  if (!entry.startsWith('sha256:')) {
    if (entry.length < minTokenLength) throw new Error(`a token of it has fewer than ${minTokenLength} characters`);
    return digestOf(entry);
  }
  const hex = entry.slice('sha256:'.length);
  if (!/^[0-9a-f]{64}$/i.test(hex)) throw new Error('a "sha256:" entry does not have 64 hex digits');
  return Buffer.from(hex, 'hex');
};

/**
 * Parses the text of a tokens file.
 * @throws Error with a message that contains no token
 */
export const parseTokenTable = (text: string): TokenTable => {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new Error('it is not JSON');
  }
  const parsed = fileSchema.safeParse(json);
  if (!parsed.success) throw new Error('it is not an object of integration ids with lists of tokens');
  const table = new Map<string, Buffer[]>();
  for (const [index, [key, entries]] of Object.entries(parsed.data).entries()) {
    const id = normalizeId(key);
    // A key in the wrong place may be a token, so it is not shown.
    if (id === undefined || !isUuid(id))
      throw new Error(`its key number ${index + 1} is not the id of an integration, which is a UUID`);
    table.set(id, [...(table.get(id) ?? []), ...entries.map(readEntry)]);
  }
  return table;
};

const dummy: readonly Buffer[] = [Buffer.alloc(32)];

/**
 * Whether any presented token is valid for the integration. The running time depends on how many tokens the integration has and how many
 * were presented, never on where they differ; an integration without tokens takes as long as one with a single token.
 */
export const isTokenValid = (table: TokenTable, integrationId: string, presented: readonly string[]): boolean => {
  const known = table.get(integrationId);
  const candidates = known && known.length > 0 ? known : dummy;
  let matches = 0;
  for (const token of presented) {
    const digest = digestOf(token);
    for (const candidate of candidates) matches += Number(timingSafeEqual(digest, candidate));
  }
  return matches > 0 && candidates !== dummy;
};

/** The tokens file, cached in memory and reloaded when it changes. */
interface TokensFile {
  /** The current table. Checks the file at most once a second; never rejects. */
  current(): Promise<TokenTable> | TokenTable;
}

const checkEveryMs = 1_000;
const maxBytes = 8 * 1_048_576;

interface FileFacts {
  readonly mtimeMs: number;
  readonly size: number;
  readonly ino: number;
}

const signatureOf = ({ mtimeMs, size, ino }: FileFacts): string => `${mtimeMs} ${size} ${ino}`;

const problemOf = (error: unknown): string => cutText(error instanceof Error ? error.message : String(error), 200);

const readAtStart = (path: string): { table: TokenTable; signature: string } | EnvProblem => {
  try {
    const facts = statSync(path);
    if (facts.size > maxBytes) throw new Error(`it is over ${maxBytes} bytes`);
    return { table: parseTokenTable(readFileSync(path, 'utf8')), signature: signatureOf(facts) };
  } catch (error) {
    const problem = `names the file ${path}, which cannot be used: ${problemOf(error)}`;
    return { variable: 'WEBHOOK_TOKENS_FILE', problem };
  }
};

/** Why a start would refuse a tokens file; empty when it would not. */
export const tokensFileProblems = (path: string): readonly EnvProblem[] => {
  const read = readAtStart(path);
  return 'problem' in read ? [read] : [];
};

/**
 * Opens the tokens file. When a later version of the file cannot be used, the last good one stays in force; the log
 * and `relay_webhook_tokens_stale` report it.
 * @throws RelayError `config_invalid` when the file cannot be used at the start
 */
export const openTokensFile = (
  path: string,
  { service, clock, log, metrics, conditions }: Pick<Context, 'service' | 'clock' | 'log' | 'metrics' | 'conditions'>,
): TokensFile => {
  const read = readAtStart(path);
  if ('problem' in read) throw new RelayError('config_invalid', { details: { ...read } });
  let { table, signature } = read;
  let checkedAt = clock.monotonic();
  let reloading: Promise<TokenTable> | undefined;

  const fail = (seen: string, error: unknown): void => {
    if (seen !== signature)
      log.error({ problem: problemOf(error) }, 'the tokens file is invalid; the last valid one stays in use');
    signature = seen;
    conditions.set('webhook_tokens_stale', service, { reason: problemOf(error) });
    metrics.set('relay_webhook_tokens_stale', 1);
  };

  const reload = async (): Promise<TokenTable> => {
    let seen = 'missing';
    try {
      const facts = await stat(path);
      seen = signatureOf(facts);
      if (seen === signature) return table;
      if (facts.size > maxBytes) throw new Error(`it is over ${maxBytes} bytes`);
      table = parseTokenTable(await readFile(path, 'utf8'));
      signature = seen;
      conditions.clear('webhook_tokens_stale', service);
      metrics.set('relay_webhook_tokens_stale', 0);
      log.info({ integrations: table.size }, 'the tokens file was reloaded');
    } catch (error) {
      fail(seen, error);
    }
    return table;
  };

  return {
    current() {
      if (reloading) return reloading;
      if (clock.monotonic() - checkedAt < checkEveryMs) return table;
      reloading = reload().finally(() => {
        checkedAt = clock.monotonic();
        reloading = undefined;
      });
      return reloading;
    },
  };
};

/** The address without IPv6 zone and without the IPv6 form of an IPv4 address. */
export const normalizeAddress = (address: string): string => {
  const plain = address.replace(/%.*$/, '');
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(plain);
  return mapped?.[1] ?? plain;
};

/** Whether the socket's peer is inside the networks; an unknown peer is not. */
export const isTrustedPeer = (networks: BlockList, address: string | undefined): boolean => {
  const plain = normalizeAddress(address ?? '');
  const family = isIP(plain);
  return family !== 0 && networks.check(plain, family === 6 ? 'ipv6' : 'ipv4');
};

/** The facts of a request that authentication uses. */
export interface Caller {
  /** Value of a header, by its name in lower case. */
  header(name: string): string | undefined;
  /** Value of a query parameter. */
  query(name: string): string | undefined;
  /** Address of the socket's peer. */
  readonly peer: string | undefined;
}

/**
 * Returns the integration that a request is for, once the caller is authorized for it (device contract, section 2,
 * integration id and token).
 * @throws RelayError `webhook_no_integration`, `webhook_unauthorized`
 */
export type Authenticate = (caller: Caller) => Promise<string>;

const maxTokenLength = 4_096;

const presentedTokens = ({ header, query }: Caller): string[] => {
  const bearer = /^Bearer +(\S+)\s*$/i.exec(header('authorization') ?? '')?.[1];
  const all = [header('x-outbound-auth-token'), header('apikey'), query('apikey'), bearer];
  return all.filter((token): token is string => !!token && token.length <= maxTokenLength);
};

type AuthConfig = Pick<
  IngesterConfig,
  'WEBHOOK_AUTH' | 'WEBHOOK_TOKENS_FILE' | 'WEBHOOK_TRUSTED_PROXIES' | 'WEBHOOK_INTEGRATION_HEADER'
>;

/** Creates the configured authentication. @throws RelayError `config_invalid` for a tokens file that cannot be used */
export const createAuthenticate = (
  config: AuthConfig,
  context: Pick<Context, 'service' | 'clock' | 'log' | 'metrics' | 'conditions'>,
): Authenticate => {
  const { WEBHOOK_AUTH: mode, WEBHOOK_TOKENS_FILE: path } = config;
  const networks = blockListOf(config.WEBHOOK_TRUSTED_PROXIES);
  const headerName = config.WEBHOOK_INTEGRATION_HEADER.toLowerCase();
  const tokens = mode === 'token' && path !== undefined ? openTokensFile(path, context) : undefined;

  const isAuthorized = async (caller: Caller, id: string, trusted: boolean): Promise<boolean> => {
    if (mode === 'none') return true;
    if (mode === 'gateway') return trusted;
    if (!tokens) return false;
    return isTokenValid(await tokens.current(), id, presentedTokens(caller));
  };

  return async (caller) => {
    const trusted = mode === 'gateway' && isTrustedPeer(networks, caller.peer);
    const id = integrationIdOf({
      consumer: trusted ? caller.header('x-consumer-username') : undefined,
      header: caller.header(headerName),
      query: caller.query('integration_id'),
    });
    if (id === undefined) throw new RelayError('webhook_no_integration', { details: { header: headerName } });
    if (!(await isAuthorized(caller, id, trusted))) {
      const listed = (await tokens?.current())?.has(id) ?? false;
      throw new RelayError('webhook_unauthorized', { details: { integration: id, listed } });
    }
    return id;
  };
};
