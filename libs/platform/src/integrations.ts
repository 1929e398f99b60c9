import { isRelayError, toRelayError } from '@ranger-relay/errors';
import { BoundedMap } from '@ranger-relay/runtime';
import { z } from 'zod';
import {
  type Budget,
  type BudgetDependencies,
  ingesterBudget,
  patientBudget,
  type PlatformApi,
  withBudget,
} from './api.ts';
import { unavailable } from './classify.ts';
import type { Attempt, ConfigCache, Wanted } from './config-cache.ts';
import { configKey } from './config-entry.ts';
import {
  configurationSchema,
  type Integration,
  integrationSchema,
  isIntegrationId,
  withoutConfigurations,
} from './integration.ts';

/** The members of an integration that a webhook uses. */
export interface WebhookIntegration {
  readonly id: string;
  readonly enabled: boolean;
  /** Data of the webhook configuration; an empty object when there is none. */
  readonly settings: unknown;
}

/** Integrations and their configurations, cached (platform contract, state and cache keys). */
export interface Integrations {
  /**
   * Loads the integration of a webhook, within 3 s; null when the platform does not know the id.
   * @throws RelayError `platform_unavailable` when no configuration is available, not even a stale one
   */
  loadIntegration(id: string): Promise<WebhookIntegration | null>;
  /**
   * Returns the integration; null when the platform does not know it. Waits up to 120 s for the platform, or 3 s when stale configuration is
   * available.
   * @throws RelayError of the last attempt
   */
  integration(id: string): Promise<Integration | null>;
  /**
   * Returns the settings of an action; null when the integration has none. Waits as `integration` does.
   * @throws RelayError of the last attempt
   */
  actionConfig(id: string, actionId: string): Promise<unknown>;
  /**
   * Loads the integration and its configurations from the platform, within 3 s; after a failure, the known configuration stays in use.
   * @param withinMs returns the result of the previous reload if that ended at most this long ago; default 0
   * @returns whether the platform responded; also true for a text that cannot be an id
   */
  reload(id: string, withinMs?: number): Promise<boolean>;
  /** Lists the enabled integrations of a type, always from the platform. @throws RelayError of the last attempt */
  list(slug: string): Promise<readonly Integration[]>;
}

const isObjectOrNull = (value: unknown): boolean => typeof value === 'object' && !Array.isArray(value);

const wantIntegration = (id: string): Wanted => ({
  id,
  key: configKey.integration(id),
  kind: 'integration',
  pick: ({ snapshot }) => snapshot?.integration ?? null,
  fits: (value) => integrationSchema.safeParse(value).success,
});

const wantWebhook = (id: string): Wanted => ({
  id,
  key: configKey.webhook(id),
  kind: 'webhook',
  pick: ({ snapshot }) => snapshot?.webhook ?? null,
  fits: isObjectOrNull,
});

const wantAction = (id: string, action: string): Wanted => ({
  id,
  key: configKey.action(id, action),
  kind: 'action',
  pick: ({ snapshot }) => snapshot?.configurations.get(action) ?? null,
  fits: isObjectOrNull,
});

const asIntegration = (value: unknown): Integration | null => (value === null ? null : integrationSchema.parse(value));

const dataOf = (configuration: unknown): unknown => {
  const parsed = configurationSchema.safeParse(configuration);
  return parsed.success ? (parsed.data.data ?? null) : null;
};

/** The settings in the webhook configuration of an integration, `{ id, …, data }`; an empty object when it has none. */
export const webhookSettingsOf = (webhook: unknown): unknown =>
  webhook !== null && typeof webhook === 'object' && 'data' in webhook ? (webhook.data ?? {}) : {};

const listPath = '/v2/integrations/';
const maxPages = 1_000;

const pageSchema = z.looseObject({ next: z.string().nullish(), results: z.array(z.unknown()) });

/** Uses only the query of `next`, whose host may be internal to the platform. */
const queryOf = (next: string): string => new URL(next, 'https://unused.invalid/').search;

/** An unreadable integration does not hide the others. */
const integrationsOf = (results: readonly unknown[], slug: string): Integration[] =>
  results.flatMap((result) => {
    const parsed = integrationSchema.safeParse(withoutConfigurations(result));
    return parsed.success && parsed.data.type.value === slug && parsed.data.enabled ? [parsed.data] : [];
  });

const idSchema = z.looseObject({ id: z.unknown() });

/** Adds the integrations of one reading of the list to `found`. Returns true when its pages repeat a row, and so have left out another one. */
const readList = async (api: PlatformApi, slug: string, found: Map<string, Integration>): Promise<boolean> => {
  const asked = new Set<string>();
  const ids = new Set<unknown>();
  let rows = 0;
  let query = `?${new URLSearchParams({ search: slug, search_fields: 'type__value', enabled: 'true' })}`;
  while (!asked.has(query) && asked.size < maxPages) {
    asked.add(query);
    const page = pageSchema.safeParse(await api.get(`${listPath}${query}`));
    if (!page.success) throw unavailable('a page of the list of integrations is not one');
    const { results, next } = page.data;
    for (const integration of integrationsOf(results, slug)) found.set(integration.id, integration);
    for (const result of results) ids.add(idSchema.safeParse(result).data?.id ?? result);
    rows += results.length;
    if (!next) return ids.size < rows;
    query = queryOf(next);
  }
  throw unavailable('the list of integrations does not end');
};

/** After so many readings in a row without anything new, the list is taken as it is. */
const maxQuiet = 3;

/**
 * Lists every enabled integration of exactly this type, page by page; the platform's search also matches parts of the word. Rows without an
 * order move between the pages: then the list is read again.
 * @throws RelayError `platform_unavailable`, also when a page is invalid or the pages do not end
 */
export const listIntegrations = async (api: PlatformApi, slug: string): Promise<readonly Integration[]> => {
  const found = new Map<string, Integration>();
  for (let quiet = 0; quiet < maxQuiet;) {
    const before = found.size;
    if (!(await readList(api, slug, found))) break;
    quiet = found.size > before ? 0 : quiet + 1;
  }
  return [...found.values()];
};

const reloadLimit = 1_000;

/** Creates the integrations of this process. */
export const createIntegrations = (api: PlatformApi, cache: ConfigCache, tools: BudgetDependencies): Integrations => {
  const attemptWith = (budget: Budget): Attempt => {
    const began = tools.clock.monotonic();
    return (load, spared) => {
      const { totalMs } = spared ? ingesterBudget : budget;
      return withBudget({ ...budget, totalMs: Math.max(0, began + totalMs - tools.clock.monotonic()) }, tools, load);
    };
  };

  const reloads = new BoundedMap<{ readonly at: number; readonly answered: boolean }>(reloadLimit);

  return {
    async loadIntegration(id) {
      if (!isIntegrationId(id)) return null;
      const attempt = attemptWith(ingesterBudget);
      try {
        const webhook = await cache.read(wantWebhook(id), attempt);
        const found = await cache.read(wantIntegration(id), attempt);
        const integration = asIntegration(found);
        return integration && { id, enabled: integration.enabled, settings: webhookSettingsOf(webhook) };
      } catch (error) {
        throw isRelayError(error, 'platform_unavailable') ? error : unavailable(toRelayError(error).message);
      }
    },
    async integration(id) {
      if (!isIntegrationId(id)) return null;
      return asIntegration(await cache.read(wantIntegration(id), attemptWith(patientBudget)));
    },
    async actionConfig(id, actionId) {
      if (!isIntegrationId(id)) return null;
      return dataOf(await cache.read(wantAction(id, actionId), attemptWith(patientBudget)));
    },
    async reload(id, withinMs = 0) {
      if (!isIntegrationId(id)) return true;
      const last = reloads.get(id);
      if (last && tools.clock.monotonic() - last.at < withinMs) return last.answered;
      const answered = await cache.reload(id, attemptWith(patientBudget)).then(
        () => true,
        () => false,
      );
      reloads.set(id, { at: tools.clock.monotonic(), answered });
      return answered;
    },
    list: (slug) => withBudget(patientBudget, tools, () => listIntegrations(api, slug)),
  };
};
