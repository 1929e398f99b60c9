import { isRelayError, toRelayError } from '@ranger-relay/errors';
import { BoundedMap } from '@ranger-relay/runtime';
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
import { configurationSchema, type Integration, integrationSchema, isIntegrationId } from './integration.ts';
import { listIntegrations } from './list-answer.ts';

/** What a webhook needs to know of its integration. */
export interface WebhookIntegration {
  readonly id: string;
  readonly enabled: boolean;
  /** Data of the webhook configuration; an empty object when there is none. */
  readonly settings: unknown;
}

/** Integrations and their configurations, cached (platform contract, state and cache keys). */
export interface Integrations {
  /**
   * For the webhook, within 3 s: null when the platform does not know the id.
   * @throws RelayError `platform_unavailable` when no configuration can be had, not even an old one
   */
  loadIntegration(id: string): Promise<WebhookIntegration | null>;
  /**
   * The integration, null when the platform does not know it. Waits up to 120 s for the platform, 3 s when old configuration can serve.
   * @throws RelayError of the last try
   */
  integration(id: string): Promise<Integration | null>;
  /** Settings of an action; null when the integration has none. Waits as `integration`. @throws RelayError of the last try */
  actionConfig(id: string, actionId: string): Promise<unknown>;
  /**
   * Asks the platform for the integration and its configurations now, within 3 s; what is known already serves on when that fails.
   * @param withinMs a reload that ended no longer ago counts, whatever came of it; default 0
   * @returns whether the platform has answered; true also for what is no id, which needs no answer
   */
  reload(id: string, withinMs?: number): Promise<boolean>;
  /** Enabled integrations of a type, from the platform itself. @throws RelayError of the last try */
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

const settingsOf = (webhook: unknown): unknown =>
  webhook !== null && typeof webhook === 'object' && 'data' in webhook ? (webhook.data ?? {}) : {};

const reloadLimit = 1_000;

/** Makes the integrations of this process. */
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
        return integration && { id, enabled: integration.enabled, settings: settingsOf(webhook) };
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
