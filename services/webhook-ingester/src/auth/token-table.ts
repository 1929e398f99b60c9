import { hash, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';

/** Where a request may name its integration. */
interface IdentitySources {
  /** Value of `x-consumer-username`, only when it comes from a trusted gateway. */
  readonly consumer: string | undefined;
  /** Value of the integration header. */
  readonly header: string | undefined;
  /** Value of `?integration_id=`. */
  readonly query: string | undefined;
}

const idForm = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;
const uuidForm = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** An id in the form it is looked up by: UUIDs in lower case; undefined for what cannot be an id. */
export const normalizeId = (text: string | undefined): string | undefined => {
  const id = text?.trim() ?? '';
  if (!idForm.test(id)) return undefined;
  return uuidForm.test(id) ? id.toLowerCase() : id;
};

const ofConsumer = (consumer: string | undefined): string | undefined => {
  const name = consumer?.slice(consumer.lastIndexOf(':') + 1).trim();
  return name === 'anonymous' ? undefined : name;
};

/** The integration a request is for: consumer, header, query, in this order (device contract, section 2, integration id). */
export const integrationIdOf = ({ consumer, header, query }: IdentitySources): string | undefined =>
  normalizeId(ofConsumer(consumer) || header || query);

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
