import { RelayError } from '@ranger-relay/errors';
import { BoundedMap, type Clock } from '@ranger-relay/runtime';
import { z } from 'zod';
import type { PlatformApi } from './api.ts';
import { createCallSingleflight } from './loader.ts';
import { isIntegrationId } from './integration.ts';

/** A key from one response of the platform; the same text from another response is another key. */
export interface ApiKey {
  readonly value: string;
}

/** The sensors API keys of integrations, kept in memory only. */
export interface ApiKeys {
  /**
   * Returns the key, at most an hour old. Requests a refused key again, but only once per few seconds; until then it returns the refused key,
   * which the platform may accept again.
   * @throws RelayError `integration_gone` (the platform does not know it), `api_key_refused` (it has none), `platform_unavailable`,
   *   `platform_rate_limited`, `platform_token_refused`, `platform_forbidden`
   */
  apiKey(integrationId: string): Promise<ApiKey>;
  /** Reports that the platform refused this key: the next call requests another. Ignores a key that was replaced meanwhile. */
  refused(integrationId: string, key: ApiKey): void;
}

interface Known {
  /** Undefined when the platform has none. */
  readonly key: ApiKey | undefined;
  /** The key was refused, or there is none: the next call requests another. */
  readonly isStale: boolean;
  readonly askedAt: number;
  /** When it was last requested in place of a refused key. */
  readonly renewedAt: number;
}

const hourMs = 3_600_000;
const minGapMs = 5_000;
const limit = 10_000;

const keySchema = z.object({ api_key: z.string().min(1).max(1_000) });

const noKey = (integration: string, retryAfterMs: number): RelayError =>
  new RelayError('api_key_refused', {
    details: { integration, reason: 'the platform has no key for it' },
    retryAfterMs,
  });

/** Creates the keys. One call per integration at a time, because the call is costly for the platform. */
export const createApiKeys = (api: PlatformApi, clock: Clock): ApiKeys => {
  const known = new BoundedMap<Known>(limit);
  const singleflight = createCallSingleflight<ApiKey>();

  const ask = async (id: string): Promise<ApiKey> => {
    const askedAt = clock.monotonic();
    const json = await api.get(`/v2/integrations/${encodeURIComponent(id)}/api-key/`);
    if (json === undefined) throw new RelayError('integration_gone', { details: { integration: id } });
    const parsed = keySchema.safeParse(json);
    const before = known.get(id);
    const key = parsed.success ? { value: parsed.data.api_key } : undefined;
    const isRenewal = key === undefined || before?.isStale === true;
    known.set(id, { key, isStale: key === undefined, askedAt, renewedAt: isRenewal ? askedAt : -Infinity });
    if (!key) throw noKey(id, minGapMs);
    return key;
  };

  return {
    async apiKey(id) {
      if (!isIntegrationId(id)) throw new RelayError('integration_gone', { details: { integration: id } });
      const found = known.get(id);
      const now = clock.monotonic();
      if (found?.key && !found.isStale && now - found.askedAt < hourMs) return found.key;
      const sinceRenewal = now - (found?.renewedAt ?? -Infinity);
      if (sinceRenewal < minGapMs) {
        if (found?.key) return found.key;
        throw noKey(id, minGapMs - sinceRenewal);
      }
      return singleflight.run(id, () => ask(id));
    },
    refused(id, key) {
      const found = known.get(id);
      if (found?.key === key) known.set(id, { ...found, isStale: true });
    },
  };
};
