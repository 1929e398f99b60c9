import { readFileSync, statSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { cutText, RelayError } from '@ranger-relay/errors';
import type { Context } from '@ranger-relay/runtime';
import { parseTokenTable, type TokenTable } from './token-table.ts';

/** The tokens file, kept in memory and read again when it changes. */
export interface TokensFile {
  /** The table in use. Looks at the file at most once a second; never rejects. */
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

const readAtStart = (path: string): { table: TokenTable; signature: string } => {
  try {
    const facts = statSync(path);
    if (facts.size > maxBytes) throw new Error(`it is over ${maxBytes} bytes`);
    return { table: parseTokenTable(readFileSync(path, 'utf8')), signature: signatureOf(facts) };
  } catch (error) {
    const problem = `names the file ${path}, which cannot be used: ${problemOf(error)}`;
    throw new RelayError('config_invalid', { details: { variable: 'WEBHOOK_TOKENS_FILE', problem }, cause: error });
  }
};

/**
 * Opens the tokens file. A later file that cannot be used leaves the last good one in force, said in the log and by
 * `relay_webhook_tokens_stale`.
 * @throws RelayError `config_invalid` when the file cannot be used at the start
 */
export const openTokensFile = (
  path: string,
  { clock, log, metrics }: Pick<Context, 'clock' | 'log' | 'metrics'>,
): TokensFile => {
  let { table, signature } = readAtStart(path);
  let lookedAt = clock.monotonic();
  let looking: Promise<TokenTable> | undefined;

  const fail = (seen: string, error: unknown): void => {
    if (seen !== signature)
      log.error({ problem: problemOf(error) }, 'the tokens file cannot be used; the last good one stays');
    signature = seen;
    metrics.set('relay_webhook_tokens_stale', 1);
  };

  const look = async (): Promise<TokenTable> => {
    let seen = 'missing';
    try {
      const facts = await stat(path);
      seen = signatureOf(facts);
      if (seen === signature) return table;
      if (facts.size > maxBytes) throw new Error(`it is over ${maxBytes} bytes`);
      table = parseTokenTable(await readFile(path, 'utf8'));
      signature = seen;
      metrics.set('relay_webhook_tokens_stale', 0);
      log.info({ integrations: table.size }, 'the tokens file was read again');
    } catch (error) {
      fail(seen, error);
    }
    return table;
  };

  return {
    current() {
      if (looking) return looking;
      if (clock.monotonic() - lookedAt < checkEveryMs) return table;
      looking = look().finally(() => {
        lookedAt = clock.monotonic();
        looking = undefined;
      });
      return looking;
    },
  };
};
