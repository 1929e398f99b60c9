import { type ConfigEvent, configEventSchema, type ConfigEventType, idSchema } from '@ranger-relay/contracts';
import type { EncryptedSpace } from '@ranger-relay/kv';
import type { Clock, Conditions } from '@ranger-relay/runtime';
import { z } from 'zod';
import type { ConfigCache } from './config-cache.ts';
import { configKey, decodeEntry, dropEntries, encodeEntry, type Entry, staleMs } from './config-entry.ts';
import { configurationSchema, integrationSchema, isIntegrationId, withoutConfigurations } from './integration.ts';

/** Effect of an event on the cache: drops a whole integration, or replaces one entry. */
type Change =
  | { readonly kind: 'drop_all'; readonly id: string }
  | {
      readonly kind: 'entry';
      readonly id: string;
      readonly key: string;
      /** The value after the event; undefined leaves the cache unchanged. */
      readonly next: (present: Entry | undefined) => unknown;
    };

const id = idSchema.refine(isIntegrationId);
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

/** Parses the payload of a config event. @throws ZodError when it does not fit the type */
export const changeOf = (type: ConfigEventType, payload: unknown): Change => readers[type](payload);

/** Parses the time of an event to ms since 1970; it may have a blank instead of the T, and microseconds. NaN when it is invalid. */
export const timeOf = (timestamp: string): number => {
  const iso = timestamp
    .trim()
    .replace(/^(\d{4}-\d\d-\d\d) /, '$1T')
    .replace(/(\.\d{3})\d+/, '$1');
  return Date.parse(/(?:Z|[+-]\d\d:?\d\d)$/i.test(iso) ? iso : `${iso}Z`);
};

/** The cache and store to which an event is applied. */
export interface ConfigTarget {
  readonly config: EncryptedSpace;
  readonly cache: Pick<ConfigCache, 'forget'>;
  readonly clock: Clock;
  readonly conditions: Pick<Conditions, 'endSubject'>;
}

/** Nothing can be wrong with an integration that was deleted or disabled, or with an action that has no configuration any more. */
const endSubjects = (
  { event_type: type, payload }: ConfigEvent,
  id: string,
  conditions: ConfigTarget['conditions'],
) => {
  if (type === 'IntegrationDeleted') conditions.endSubject(id, 'deleted');
  if (type === 'ActionConfigDeleted')
    conditions.endSubject(`${id}/${payloads.ActionConfigDeleted.parse(payload).alt_id}`, 'deleted');
  const enabled = type === 'IntegrationUpdated' && payloads.IntegrationUpdated.parse(payload).changes['enabled'];
  if (type === 'IntegrationUpdated' && typeof enabled === 'boolean')
    conditions.endSubject(id, enabled ? 'enabled' : 'disabled');
};

const rounds = 5;

/** One read and one conditional write. Returns whether the event is not older than the entry; undefined when the entry changed meanwhile. */
const applyOnce = async (
  config: EncryptedSpace,
  { key, next }: Extract<Change, { kind: 'entry' }>,
  at: number,
): Promise<boolean | undefined> => {
  const text = await config.get(key);
  const present = decodeEntry(text);
  const older = Number.isNaN(at) || (present !== undefined && at < present.loadedAt);
  if (older) return text === null || (await config.compareAndDelete(key, text)) ? false : undefined;
  const value = next(present);
  if (value === undefined) return true;
  const encoded = encodeEntry({ loadedAt: at, value });
  const ttl = { ttlMs: staleMs };
  const written = text === null ? config.setIfAbsent(key, encoded, ttl) : config.compareAndSet(key, text, encoded, ttl);
  return (await written) || undefined;
};

/** Applies a change to the store. Returns false when the event was older than what is known, or nobody can tell. */
const applyChange = async (config: EncryptedSpace, change: Change, at: number): Promise<boolean> => {
  if (change.kind === 'drop_all') {
    await dropEntries(config, change.id);
    return true;
  }
  for (let round = 0; round < rounds; round += 1) {
    const isNewer = await applyOnce(config, change, at);
    if (isNewer !== undefined) return isNewer;
  }
  await config.delete(change.key);
  return false;
};

/**
 * Applies a config event to the store, then removes the integration from memory (platform contract, config events). An event older than the
 * entry only drops the entry, and ends no condition. Repeats have no effect.
 * @throws RelayError `kv_unavailable`; ZodError when the payload does not fit the type
 */
export const applyConfigEvent = async (
  { config, cache, clock, conditions }: ConfigTarget,
  event: ConfigEvent,
): Promise<void> => {
  const change = changeOf(event.event_type, event.payload);
  cache.forget(change.id);
  try {
    const isNewer = await applyChange(config, change, Math.min(timeOf(event.timestamp), clock.now()));
    if (isNewer) endSubjects(event, change.id, conditions);
  } finally {
    cache.forget(change.id);
  }
};

/** The content of a record or push that should contain a config event. */
export type ReadEvent =
  | { readonly kind: 'event'; readonly event: ConfigEvent }
  /** Well-formed, but of an unknown version or type. */
  | { readonly kind: 'other' }
  | { readonly kind: 'malformed' };

const envelopeSchema = z.looseObject({ schema_version: z.string(), event_type: z.string() });

const isOther = (named: unknown): boolean => {
  const parsed = envelopeSchema.safeParse(named);
  if (!parsed.success) return false;
  const { schema_version: version, event_type: type } = configEventSchema.shape;
  return !version.safeParse(parsed.data.schema_version).success || !type.safeParse(parsed.data.event_type).success;
};

/** Parses a config event; the type in the header takes precedence. */
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

/** Parses a config event from a record; undefined for another version, another type, or invalid data. */
export const readConfigEvent = (
  value: Uint8Array,
  headers: Readonly<Record<string, string>>,
): ConfigEvent | undefined => {
  const read = examineConfigEvent(value, headers);
  return read.kind === 'event' ? read.event : undefined;
};
