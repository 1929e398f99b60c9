import { configEventSchema, type ConfigEvent } from '@ranger-relay/contracts';
import type { EncryptedSpace } from '@ranger-relay/kv';
import type { Clock } from '@ranger-relay/runtime';
import { z } from 'zod';
import type { ConfigCache } from './config-cache.ts';
import { changeOf, timeOf, type Change } from './config-change.ts';
import { decodeEntry, dropEntries, encodeEntry, staleMs } from './config-entry.ts';

/** What a change is applied to. */
export interface ConfigTarget {
  readonly config: EncryptedSpace;
  readonly cache: Pick<ConfigCache, 'forget'>;
  readonly clock: Clock;
}

const rounds = 5;

/** One look and one conditional write. True when the entry is as it should be. */
const applyOnce = async (
  config: EncryptedSpace,
  { key, next }: Extract<Change, { kind: 'entry' }>,
  at: number,
): Promise<boolean> => {
  const text = await config.get(key);
  const present = decodeEntry(text);
  const older = Number.isNaN(at) || (present !== undefined && at < present.loadedAt);
  const value = older ? undefined : next(present);
  if (value === undefined) {
    if (text !== null && older) return config.compareAndDelete(key, text);
    return true;
  }
  const encoded = encodeEntry({ loadedAt: at, value });
  const ttl = { ttlMs: staleMs };
  return text === null ? config.setIfAbsent(key, encoded, ttl) : config.compareAndSet(key, text, encoded, ttl);
};

const applyEntry = async (
  config: EncryptedSpace,
  change: Extract<Change, { kind: 'entry' }>,
  at: number,
): Promise<void> => {
  for (let round = 0; round < rounds; round += 1) if (await applyOnce(config, change, at)) return;
  await config.delete(change.key);
};

/**
 * Applies a config event: the store first, then memory forgets the integration (platform contract, config events). An event older than
 * the entry only drops it. Applying one twice is harmless.
 * @throws RelayError `kv_unavailable`; ZodError when the payload is not what the type holds
 */
export const applyConfigEvent = async ({ config, cache, clock }: ConfigTarget, event: ConfigEvent): Promise<void> => {
  const change = changeOf(event.event_type, event.payload);
  cache.forget(change.id);
  try {
    if (change.kind === 'drop_all') await dropEntries(config, change.id);
    else await applyEntry(config, change, Math.min(timeOf(event.timestamp), clock.now()));
  } finally {
    cache.forget(change.id);
  }
};

/** What a record or push that should hold a config event holds. */
export type ReadEvent =
  | { readonly kind: 'event'; readonly event: ConfigEvent }
  /** Well-formed, but of a version or type that is not ours. */
  | { readonly kind: 'other' }
  | { readonly kind: 'malformed' };

const envelopeSchema = z.looseObject({ schema_version: z.string(), event_type: z.string() });

const isOther = (named: unknown): boolean => {
  const parsed = envelopeSchema.safeParse(named);
  if (!parsed.success) return false;
  const { schema_version: version, event_type: type } = configEventSchema.shape;
  return !version.safeParse(parsed.data.schema_version).success || !type.safeParse(parsed.data.event_type).success;
};

/** Looks at a config event; the type of the header wins. */
export const examineConfigEvent = (value: Uint8Array, headers: Readonly<Record<string, string>>): ReadEvent => {
  try {
    const body = JSON.parse(new TextDecoder().decode(value)) as unknown;
    const type = headers['event_type'];
    const named =
      type !== undefined && body !== null && typeof body === 'object' ? { ...body, event_type: type } : body;
    const parsed = configEventSchema.safeParse(named);
    if (!parsed.success) return { kind: isOther(named) ? 'other' : 'malformed' };
    changeOf(parsed.data.event_type, parsed.data.payload);
    return { kind: 'event', event: parsed.data };
  } catch {
    return { kind: 'malformed' };
  }
};

/** Reads a config event from a record. Undefined when it is of another version, type or no event at all. */
export const readConfigEvent = (
  value: Uint8Array,
  headers: Readonly<Record<string, string>>,
): ConfigEvent | undefined => {
  const read = examineConfigEvent(value, headers);
  return read.kind === 'event' ? read.event : undefined;
};
