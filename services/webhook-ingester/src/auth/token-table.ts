import { hash, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { normalizeId } from './identity.ts';

/** SHA-256 digests of the valid tokens, by integration. */
export type TokenTable = ReadonlyMap<string, readonly Buffer[]>;

const fileSchema = z.record(z.string(), z.array(z.string().min(1).max(4_096)).max(100));

const digestOf = (token: string): Buffer => hash('sha256', token, 'buffer');

const readEntry = (entry: string): Buffer => {
  if (!entry.startsWith('sha256:')) return digestOf(entry);
  const hex = entry.slice('sha256:'.length);
  if (!/^[0-9a-f]{64}$/i.test(hex)) throw new Error('a "sha256:" entry does not have 64 hex digits');
  return Buffer.from(hex, 'hex');
};

/**
 * Reads the text of a tokens file.
 * @throws Error with a sentence that holds no token
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
  for (const [key, entries] of Object.entries(parsed.data)) {
    const id = normalizeId(key);
    if (id === undefined) throw new Error('a key of it is not an integration id');
    table.set(id, [...(table.get(id) ?? []), ...entries.map(readEntry)]);
  }
  return table;
};

const dummy: readonly Buffer[] = [Buffer.alloc(32)];

/**
 * Whether any presented token is valid for the integration. The work depends on how many tokens the integration has and how many were
 * presented, never on where they differ; an integration without tokens costs as much as one with one.
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
