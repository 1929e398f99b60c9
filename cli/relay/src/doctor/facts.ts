import { isRelayError, type RelayError } from '@ranger-relay/errors';
import { listIntegrations, type Integration } from '@ranger-relay/platform';
import type { PlatformAccess } from '../actions/platform-api.ts';
import type { Look } from '../actions/look.ts';

/** An enabled integration with the settings of its action `auth`. */
export interface Account {
  readonly integration: Integration;
  /** Null when there are none. */
  readonly auth: unknown;
  /** Why the platform does not show the settings of this one. */
  readonly problem?: RelayError;
}

/** Facts of the platform that several checks need; each is loaded once. */
export interface PlatformFacts {
  /** Null when no platform is configured. */
  readonly access: PlatformAccess | null;
  /** The platform issues a token. */
  hasToken(): Promise<boolean>;
  /** @throws RelayError of the platform */
  integrations(slug: string): Promise<readonly Integration[]>;
  /** The first 20 of a type; empty while the platform issues no token. @throws RelayError of the platform */
  accounts(slug: string): Promise<readonly Account[]>;
}

/** Maximum number of integrations of a type that are checked one by one. */
export const maxAccounts = 20;

const memo = <T>(load: (key: string) => Promise<T>): ((key: string) => Promise<T>) => {
  const known = new Map<string, Promise<T>>();
  return (key) => {
    const loading = known.get(key) ?? load(key);
    known.set(key, loading);
    loading.catch(() => undefined);
    return loading;
  };
};

/** Creates the facts; each is loaded on first use. */
export const platformFacts = (access: PlatformAccess | null, look: Look): PlatformFacts => {
  const token = memo(async () => {
    try {
      await access?.tokens.token();
      return access !== null;
    } catch (error) {
      if (isRelayError(error)) return false;
      throw error;
    }
  });
  const integrations = memo(async (slug: string) => (access ? listIntegrations(access.api, slug) : []));
  const accounts = memo(async (slug: string) => {
    if (!(await token(''))) return [];
    const first = (await integrations(slug)).slice(0, maxAccounts);
    return Promise.all(
      first.map(async (integration): Promise<Account> => {
        try {
          return { integration, auth: (await look.config(integration.id, 'auth')).value };
        } catch (error) {
          if (isRelayError(error)) return { integration, auth: null, problem: error };
          throw error;
        }
      }),
    );
  });
  return { access, hasToken: () => token(''), integrations, accounts };
};
