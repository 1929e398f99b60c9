import type { ConfigEventType } from '@ranger-relay/contracts';
import { z } from 'zod';
import { configKey, type Entry } from './config-entry.ts';
import { configurationSchema, integrationSchema, isIntegrationId, withoutConfigurations } from './integration.ts';

/** What a change does to the cache: drops a whole integration, or makes one entry anew from the present one. */
export type Change =
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
