import { inboundBase, readInboundConfig } from '@ranger-relay/device';
import type { ActionsCliEnv } from '../actions/env.ts';
import type { PlatformFacts } from './facts.ts';

/** An address that is configured somewhere. */
export interface Place {
  /** Its origin: a variable or an integration. */
  readonly of: string;
  readonly kind: 'platform' | 'site' | 'vendor';
  /** Scheme, host and port. */
  readonly origin: string;
}

const variables = ['PLATFORM_API_BASE_URL', 'PLATFORM_SENSORS_BASE_URL', 'PLATFORM_TOKEN_URL'] as const;

const originOf = (address: string): string[] => {
  const url = URL.parse(address);
  return url && /^https?:$/.test(url.protocol) ? [url.origin] : [];
};

const vendorOrigin = (auth: unknown): string[] => {
  const config = readInboundConfig(auth);
  try {
    return typeof config === 'string' ? [] : [inboundBase(config.apiUrl)];
  } catch {
    return [];
  }
};

const once = (places: readonly Place[]): Place[] =>
  [...new Map(places.toReversed().map((place) => [place.origin, place])).values()].toReversed();

/**
 * Every address of platform, sites and vendor that can be read, each once; the checks of credentials report unreadable ones.
 * @throws RelayError of the platform
 */
export const configuredPlaces = async (env: ActionsCliEnv, facts: PlatformFacts): Promise<readonly Place[]> => {
  const named = variables.flatMap((of) =>
    originOf(env[of] ?? '').map((origin): Place => ({ of, kind: 'platform', origin })),
  );
  const [sites, vendors] = await Promise.all([
    facts.accounts(env.RUNNER_TYPE_SLUG),
    facts.accounts(env.PUSHER_TYPE_SLUG),
  ]);
  return once([
    ...named,
    ...sites.flatMap(({ integration: { id, name, base_url: url } }) =>
      originOf(url ?? '').map((origin): Place => ({ of: name ?? id, kind: 'site', origin })),
    ),
    ...vendors.flatMap(({ integration: { id, name }, auth }) =>
      vendorOrigin(auth).map((origin): Place => ({ of: name ?? id, kind: 'vendor', origin })),
    ),
  ]);
};
