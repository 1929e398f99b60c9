import { hash, timingSafeEqual } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { canonicalId, isUuid } from '@ranger-relay/contracts';
import { cutText, isObject, jsonOf, RelayError } from '@ranger-relay/errors';
import { type Context, type EnvProblem, minTokenLength, repeat } from '@ranger-relay/runtime';

const idForm = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;

/** Normalizes an id for lookup; undefined for text that cannot be an id. */
export const normalizeId = (text: string | undefined): string | undefined => {
  const id = text?.trim() ?? '';
  return idForm.test(id) ? canonicalId(id) : undefined;
};

/** SHA-256 digests of the valid tokens, by integration. */
type TokenTable = ReadonlyMap<string, readonly Buffer[]>;

/** Maximum characters of a token. */
export const maxTokenLength = 4_096;
const maxTokens = 100;
const digestForm = /^sha256:([0-9a-f]{64})$/i;

const digestOf = (token: string): Buffer => hash('sha256', token, 'buffer');

/** The digest of a token, or what is wrong with it. */
const readEntry = (entry: unknown): Buffer | string => {
  if (typeof entry !== 'string') return 'is not a text';
  const hex = digestForm.exec(entry)?.[1];
  if (hex !== undefined) return Buffer.from(hex, 'hex');
  if (entry.startsWith('sha256:')) return 'starts with "sha256:" and does not have 64 hex digits after it';
  if (entry.length < minTokenLength) return `has fewer than ${minTokenLength} characters`;
  return entry.length > maxTokenLength ? `has more than ${maxTokenLength} characters` : digestOf(entry);
};

/**
 * Parses the text of a tokens file.
 * @throws Error with a message that names everything that is wrong, and contains no token
 */
export const parseTokenTable = (text: string): TokenTable => {
  const json = jsonOf(text);
  if (json === undefined) throw new Error('it is not JSON');
  if (!isObject(json)) throw new Error('it is not an object of integration ids with lists of tokens');
  const table = new Map<string, Buffer[]>();
  const problems: string[] = [];
  for (const [index, [key, entries]] of Object.entries(json).entries()) {
    const id = normalizeId(key);
    // A key in the wrong place may be a token, so it is not shown.
    if (id === undefined || !isUuid(id))
      problems.push(`its key number ${index + 1} is not the id of an integration, which is a UUID`);
    else if (!Array.isArray(entries)) problems.push(`what it has for ${id} is not a list of tokens`);
    else if (entries.length > maxTokens) problems.push(`${id} has more than ${maxTokens} tokens`);
    else {
      const read = entries.map(readEntry);
      table.set(id, [...(table.get(id) ?? []), ...read.filter((entry) => typeof entry !== 'string')]);
      for (const [n, entry] of read.entries())
        if (typeof entry === 'string') problems.push(`token ${n + 1} of ${id} ${entry}`);
    }
  }
  if (problems.length > 0) throw new Error(problems.join('; '));
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

const warningOf = (table: TokenTable): string | undefined =>
  [...table.values()].some(({ length }) => length > 0)
    ? undefined
    : 'In WEBHOOK_TOKENS_FILE no integration has a token: every webhook is refused.';

/** The tokens file, in memory. */
interface TokensFile {
  current(): TokenTable;
  /** Reads the file if it has changed; called every second. Never rejects. */
  look(): Promise<void>;
}

const recheckMs = 1_000;
const maxBytes = 8 * 1_048_576;

interface FileFacts {
  readonly mtimeMs: number;
  readonly size: number;
  readonly ino: number;
}

const signatureOf = ({ mtimeMs, size, ino }: FileFacts): string => `${mtimeMs} ${size} ${ino}`;

const problemOf = (error: unknown): string => cutText(error instanceof Error ? error.message : String(error), 2_000);

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

/** What to know of a tokens file that a start accepts. */
export const tokensFileWarning = (path: string): string | undefined => {
  const read = readAtStart(path);
  return 'problem' in read ? undefined : warningOf(read.table);
};

/**
 * Opens the tokens file, and reads it again when it changes, until the end of the process. When a later version of the file cannot be used,
 * the last good one stays in force, and `webhook_tokens_stale` says so.
 * @throws RelayError `config_invalid` when the file cannot be used at the start
 */
export const openTokensFile = (
  path: string,
  {
    service,
    clock,
    log,
    conditions,
    lifecycle,
  }: Pick<Context, 'service' | 'clock' | 'log' | 'conditions' | 'lifecycle'>,
): TokensFile => {
  const read = readAtStart(path);
  if ('problem' in read) throw new RelayError('config_invalid', { details: { ...read } });
  let { table, signature } = read;

  const warn = (): void => {
    const warning = warningOf(table);
    if (warning !== undefined) log.warn(warning);
  };

  const fail = (seen: string, error: unknown): void => {
    signature = seen;
    conditions.set('webhook_tokens_stale', service, { reason: problemOf(error) });
  };

  const look = async (): Promise<void> => {
    let seen = 'missing';
    try {
      const facts = await stat(path);
      seen = signatureOf(facts);
      if (seen === signature) return;
      if (facts.size > maxBytes) throw new Error(`it is over ${maxBytes} bytes`);
      table = parseTokenTable(await readFile(path, 'utf8'));
      signature = seen;
      conditions.clear('webhook_tokens_stale', service);
      log.info({ integrations: table.size }, 'the tokens file was reloaded');
      warn();
    } catch (error) {
      fail(seen, error);
    }
  };

  warn();
  const stop = repeat({ clock, everyMs: recheckMs }, look);
  lifecycle.onStop('looks at the tokens file', stop);
  return { current: () => table, look };
};
