import { type ConfigEvent, configEventSchema, type ConfigEventType } from '@ranger-relay/contracts';
import type { EncryptedSpace } from '@ranger-relay/kv';
import type { Clock } from '@ranger-relay/runtime';
import { z } from 'zod';
import type { ConfigCache } from './config-cache.ts';
import { configKey, decodeEntry, dropEntries, encodeEntry, type Entry, staleMs } from './config-entry.ts';
import { configurationSchema, integrationSchema, isIntegrationId, withoutConfigurations } from './integration.ts';

/** What a change does to the cache: drops a whole integration, or makes one entry anew from the present one. */
type Change =
  | { readonly kind: 'drop_all'; readonly id: string }
  | {
      readonly kind: 'entry';
      readonly id: string;
      readonly key: string;
      /** The value after the change; undefined leaves the cache as it is. */
      readonly next: (present: Entry | undefined) => unknown;
    };

const id = z.string().refine(isIntegrationId);
const action = z.string().min(1).max(200);

const payloads = {
  IntegrationUpdated: z.looseObject({ id, changes: z.looseObject({}) }),
  IntegrationDeleted: z.looseObject({ id }),
  ActionConfigCreated: configurationSchema.extend({ integration: id }),
  ActionConfigUpdated: z.looseObject({
    id: z.unknown().optional(),
    alt_id: action,
    integration_id: id,
    changes: z.looseObject({ data: z.unknown() }),
  }),
  ActionConfigDeleted: z.looseObject({ alt_id: action, integration_id: id }),
};

const changeable = ['name', 'base_url', 'enabled', 'additional'] as const;

const entry = (integrationId: string, key: string, next: (present: Entry | undefined) => unknown): Change => ({
  kind: 'entry',
  id: integrationId,
  key,
  next,
});

const patched = (present: Entry | undefined, changes: Readonly<Record<string, unknown>>): unknown => {
  const value = integrationSchema.safeParse(present?.value);
  if (!value.success) return undefined;
  const known = changeable.filter((name) => name in changes).map((name) => [name, changes[name]]);
  const next = integrationSchema.safeParse({ ...value.data, ...Object.fromEntries(known) });
  return next.success ? next.data : undefined;
};

const integrationCreated = (payload: unknown): Change => {
  const integration = integrationSchema.extend({ id }).parse(withoutConfigurations(payload));
  return entry(integration.id, configKey.integration(integration.id), () => integration);
};

const integrationUpdated = (payload: unknown): Change => {
  const { id: of, changes } = payloads.IntegrationUpdated.parse(payload);
  return entry(of, configKey.integration(of), (present) => patched(present, changes));
};

const configCreated = (payload: unknown): Change => {
  const configuration = payloads.ActionConfigCreated.parse(payload);
  return entry(
    configuration.integration,
    configKey.action(configuration.integration, configuration.action.value),
    () => configuration,
  );
};

const configUpdated = (payload: unknown): Change => {
  const { id: own, alt_id: of, integration_id: integration, changes } = payloads.ActionConfigUpdated.parse(payload);
  const value = { id: own, integration, action: { value: of }, data: changes.data };
  return entry(integration, configKey.action(integration, of), ({ value: present } = { loadedAt: 0, value: null }) => ({
    ...(configurationSchema.safeParse(present).data ?? value),
    data: changes.data,
  }));
};

const configDeleted = (payload: unknown): Change => {
  const { alt_id: of, integration_id: integration } = payloads.ActionConfigDeleted.parse(payload);
  return entry(integration, configKey.action(integration, of), () => null);
};

const readers: Record<ConfigEventType, (payload: unknown) => Change> = {
  IntegrationCreated: integrationCreated,
  IntegrationUpdated: integrationUpdated,
  IntegrationDeleted: (payload) => ({ kind: 'drop_all', id: payloads.IntegrationDeleted.parse(payload).id }),
  ActionConfigCreated: configCreated,
  ActionConfigUpdated: configUpdated,
  ActionConfigDeleted: configDeleted,
};

/** Reads the payload of a config event. @throws ZodError when it is not what its type holds */
export const changeOf = (type: ConfigEventType, payload: unknown): Change => readers[type](payload);

/** Milliseconds since 1970 of an event's time, which may have a blank in place of the T and parts of milliseconds; NaN when it is none. */
export const timeOf = (timestamp: string): number => {
  const iso = timestamp
    .trim()
    .replace(/^(\d{4}-\d\d-\d\d) /, '$1T')
    .replace(/(\.\d{3})\d+/, '$1');
  return Date.parse(/(?:Z|[+-]\d\d:?\d\d)$/i.test(iso) ? iso : `${iso}Z`);
};

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
