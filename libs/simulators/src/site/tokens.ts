import type { Clock } from '../time/clock.ts';
import type { Token } from './state/records.ts';
import type { Random } from '../time/random.ts';
import type { SiteStore } from './state/store.ts';

const windowMs = 60_000;

/** Limits the requests of each token per minute. */
export interface Throttle {
  /** Seconds to wait, when a request is one too many; a refused request does not count. */
  refuses(token: string | undefined): number | undefined;
}

/** A throttle over the last minute; the switch `throttle_per_minute` says how many requests, 0 any number. */
export const createThrottle = (clock: Clock, store: SiteStore): Throttle => {
  const asked = new Map<string | undefined, number[]>();
  return {
    refuses(token) {
      const max = store.settings.switches.throttle_per_minute;
      if (max === 0) return undefined;
      const now = clock.monotonic();
      const recent = (asked.get(token) ?? []).filter((at) => at > now - windowMs);
      asked.set(token, recent);
      const [oldest = now] = recent;
      if (recent.length >= max) return Math.max(1, Math.ceil((oldest + windowMs - now) / 1_000));
      recent.push(now);
      return undefined;
    },
  };
};

/** Settings of a token; the rest has defaults. */
export type TokenChange = Partial<Omit<Token, 'id' | 'token'>> & { readonly token: string };

/** Tokens that the site knows, changed while it runs. */
export interface TokenBook {
  /** Owner of a token; undefined for an unknown one. */
  get(token: string): Token | undefined;
  /** Adds a token, or changes the one that is there. */
  put(change: TokenChange): Token;
  /** Revokes one permission, from a superuser too. @throws Error when the token is unknown */
  revoke(token: string, permission: string): void;
  /** Gives one permission (back). @throws Error when the token is unknown */
  grant(token: string, permission: string): void;
  /** Makes a token unknown: 401 from now on. */
  delete(token: string): void;
  /** Makes a token for a user who gave a password, good for so many seconds. */
  issue(username: string, lifeS: number): string;
  /** Ends every token that was asked for with a password. */
  expireAll(): void;
}

/** A token with defaults for missing members. */
export const fullToken = (newId: () => string, change: TokenChange, before?: Token): Token => ({
  id: newId(),
  username: change.token,
  password: null,
  first_name: '',
  last_name: '',
  is_active: true,
  is_superuser: false,
  permissions: [],
  revoked: [],
  groups: [],
  ...before,
  ...change,
});

/** The tokens of a store, and those that were asked for with a password. */
export const createTokenBook = (store: SiteStore, newId: () => string, clock: Clock, random: Random): TokenBook => {
  const issued = new Map<string, { readonly username: string; readonly endsAt: number }>();
  const find = (name: 'token' | 'username', value: string): Token | undefined =>
    [...store.tokens.values()].find((known) => known[name] === value);
  const get = (token: string): Token | undefined => {
    const found = issued.get(token);
    if (!found) return find('token', token);
    return clock.monotonic() < found.endsAt ? find('username', found.username) : undefined;
  };
  const known = (token: string): Token => {
    const found = get(token);
    if (!found) throw new Error(`the site knows no such token`);
    return found;
  };
  const put: TokenBook['put'] = (change) => {
    const record = fullToken(newId, change, get(change.token));
    store.apply({ put: 'tokens', record });
    return record;
  };
  return {
    get,
    put,
    revoke(token, permission) {
      const { revoked } = known(token);
      put({ token, revoked: [...revoked, permission] });
    },
    grant(token, permission) {
      const { revoked, permissions } = known(token);
      put({
        token,
        revoked: revoked.filter((name) => name !== permission),
        permissions: [...new Set([...permissions, permission])],
      });
    },
    delete(token) {
      const found = get(token);
      if (found) store.apply({ remove: 'tokens', id: found.id });
    },
    issue(username, lifeS) {
      const token = `issued-${random.uuid()}`;
      issued.set(token, { username, endsAt: clock.monotonic() + lifeS * 1_000 });
      return token;
    },
    expireAll: () => issued.clear(),
  };
};
